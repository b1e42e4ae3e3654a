# A picture of each run, and of all of them a poster: three panels below the fault's name, which are curves, map and
# gradients. gallery.c writes before these lines how many runs there are, and for each Name, Title, Below (what stands
# below curves and map), Words (0: pictures) and Side (of the map); $runs has three blocks for each.
across = 3
do for [page=1:count + 1] {
    reset
    unset colorbox
    set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
    set style line 1 lc rgb '#0072b2' lw 2 pt 7 ps 0.4
    set style line 2 lc rgb '#d55e00' lw 2 pt 5 ps 0.4
    set style line 3 lc rgb '#009e73' lw 2 pt 7 ps 0.4
    set style line 4 lc rgb '#cc79a7' lw 2 pt 5 ps 0.4
    poster = page > count
    if (poster) {
        set terminal pdfcairo size 33.1in,46.8in font 'sans-serif,22' background '#ffffff'
        set output 'poster.pdf'
        set multiplot layout (count + across - 1) / across,3 * across margins 0.025,0.985,0.035,0.96 \
            spacing 0.035,0.042 title 'What gives a fault away: losses, attention of the first block, gradients by layer' \
            font ',56' offset 0,-0.5
        do for [k=1:4] { set style line k lw 5 ps 1 }
    } else {
        set terminal pngcairo size 1080,330 font 'sans-serif,12' background '#ffffff'
        set output sprintf('%s-%d.png', Name[page], page - 1)
        set multiplot layout 1,3
        set tmargin 3
    }
    do for [i=(poster ? 1 : page):(poster ? count : page)] {
        first = 3 * (i - 1)
        set label 1 Title[i] at graph 0,1.1 noenhanced
        set key top right samplen 1
        set xlabel Below[2 * i - 1] noenhanced
        every = Words[i] ? 200 : 500
        set xtics every norotate
        set ytics auto
        unset logscale
        set xrange [0:*]
        set yrange [0:(Words[i] ? 4 : 20)]
        plot $runs index first u 1:2 w lp ls 1 t 'training', '' index first u 1:3 w lp ls 2 t 'held-out', \
            '' index first u 1:4 w l dt 2 lc 'black' t 'entropy'
        unset label 1
        unset key
        unset xtics
        unset ytics
        set xlabel Below[2 * i] noenhanced
        set xrange [-0.5:Side[i] - 0.5]
        set yrange [Side[i] - 0.5:-0.5]
        set cbrange [0:1]
        # the diagonal, where a token sees itself
        plot $runs index first + 1 u 1:2:3 w image, Words[i] ? x : 1/0 w l dt 3 lc 'white'
        set xlabel ''
        set key bottom left samplen 1
        set format y '10^{%T}'
        set xtics autofreq rotate by 90 right noenhanced
        set ytics auto
        set xrange [-0.5:*]
        set yrange [1e-9:1e3]
        set logscale y
        plot $runs index first + 2 u 0:2:xtic(1) w lp ls 3 t 'first', \
            '' index first + 2 u 0:3 w lp ls 4 t 'last'
        set format y '%g'
    }
    unset multiplot
    unset output
}
