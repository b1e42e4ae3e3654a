# A picture of each run, and of all of them a poster: three panels below the fault's name, which are curves, map and
# gradients. gallery.c writes gallery.tsv, which has four blocks for each run: name, model, what was done and texts;
# losses; map; gradients.
runs = 'gallery.tsv'
set datafile separator tab
stats runs using (0) nooutput
count = STATS_blocks / 4
across = 3
Text(column) = valid(column) ? strcol(column) : ''
do for [page=0:count] {
    reset
    set datafile separator tab
    unset colorbox
    set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
    set style line 1 lc rgb '#0072b2' lw 2 pt 7 ps 0.4
    set style line 2 lc rgb '#d55e00' lw 2 pt 5 ps 0.4
    set style line 3 lc rgb '#009e73' lw 2 pt 7 ps 0.4
    set style line 4 lc rgb '#cc79a7' lw 2 pt 5 ps 0.4
    poster = page == count
    if (poster) {
        set terminal pdfcairo size 33.1in,46.8in font 'sans-serif,22' background '#ffffff'
        set output 'poster.pdf'
        set multiplot layout (count + across - 1) / across,3 * across margins 0.025,0.985,0.035,0.96 \
            spacing 0.035,0.042 title 'What gives a fault away: losses, attention of the first block, gradients by layer' \
            font ',56' offset 0,-0.5
        do for [k=1:4] { set style line k lw 5 ps 1 }
    }
    do for [i=(poster ? 0 : page):(poster ? count - 1 : page)] {
        stats runs index 4 * i using (Name = strcol(1), Model = strcol(2), What = strcol(3), 0) nooutput
        pictures = Model eq 'pictures'
        Drawn = ''
        Beam = 'pictures on a grid of z'
        if (!pictures) {
            stats runs index 4 * i using (Drawn = strcol(4), Beam = strcol(10), 0) nooutput
        }
        stats runs index 4 * i + 1 every ::10::10 using (Entropy = column(2), 0) nooutput
        if (!poster) {
            set terminal pngcairo size 1080,330 font 'sans-serif,12' background '#ffffff'
            set output sprintf('%s-%s.png', Name, Model)
            set multiplot layout 1,3
            set tmargin 3
        }
        set label 1 sprintf('%s: %s', Name, What) at graph 0,1.1 noenhanced
        set key top right samplen 1
        set xlabel Drawn noenhanced
        every = pictures ? 500 : 200
        set xtics every norotate
        set ytics auto
        unset logscale
        set xrange [0:*]
        set yrange [0:(pictures ? 20 : 4)]
        plot for [k=2:3] runs index 4 * i + 1 every ::0::9 using (real(word(strcol(1), 2))):k with linespoints ls k - 1 \
            title (k == 2 ? 'training' : 'held-out'), Entropy with lines dt 2 lc 'black' title 'entropy'
        unset label 1
        unset key
        unset xtics
        unset ytics
        set xlabel Beam noenhanced
        side = pictures ? 12 : 15
        set xrange [-0.5:side - 0.5]
        set yrange [side - 0.5:-0.5]
        set cbrange [0:1]
        # the diagonal, where a token sees itself
        plot runs index 4 * i + 2 matrix using 1:2:3 with image, pictures ? 1/0 : x with lines dt 3 lc 'white'
        set xlabel ''
        set key bottom left samplen 1
        set format y '10^{%T}'
        set xtics autofreq rotate by 90 right noenhanced
        set ytics auto
        set xrange [-0.5:*]
        set yrange [1e-9:1e3]
        set logscale y
        plot for [k=2:3] runs index 4 * i + 3 using 0:(column(k) + 1e-12):xtic(1) with linespoints ls k + 1 \
            title (k == 2 ? 'first' : 'last')
        set format y '%g'
        if (!poster) { unset multiplot }
    }
    if (poster) { unset multiplot }
    unset output
}
