#!/bin/sh
# Tests of ./gradus bench, printed as TAP:  sh tests/bench/bench.sh SOURCE PROGRAM
# What it computes and how it takes its options; never how fast it is.
set -u
source=$(cd "$1" && pwd) || exit 1
program=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") || exit 1
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
cd "$source/tests/bench" || exit 1

# The first word of each line of the README's table between backquotes.
documented() {
    # shellcheck disable=SC2016  # backquotes
    sed -n '/^| `/{s/^|\([^|]*\)|.*/\1/; s/[` ][` ]*/\n/g; p}' README.md | sed '/^$/d' | sort -u >"$work/documented"
    "$program" --list | sort >"$work/listed"
    [ "$(wc -l <"$work/listed")" -gt 25 ] && diff "$work/documented" "$work/listed"
}
attempt 'the rows are those that the README names' documented

# Rows of torch_bench.py come first in the list, in its order; what it lacks is gradus alone.
torch_names() {
    sed -n 's/^ *("\([a-z][A-Za-z0-9_]*\)", [a-z].*/\1/p' torch_bench.py >"$work/names"
    [ "$(wc -l <"$work/names")" -gt 18 ] && while read -r name; do
        grep -qx "$name" "$work/listed" || { echo "not listed: $name" && return 1; }
    done <"$work/names"
}
attempt 'every row that PyTorch has is listed' torch_names

# PyTorch's losses within 1e-4: both sides round to float in another order, ten steps long.
same_work() {
    "$program" --check --threads 2 --only train_tiny,train_mlp,train_vae,train_vit_28p7 >"$work/ours" || return
    awk 'NR == FNR { first[$1] = $2; last[$1] = $3; next }
        function far(a, b) { return (a > b ? a - b : b - a) > 1e-4 * (b > 1 ? b : 1) }
        { rows++ }
        far($2, first[$1]) || far($3, last[$1]) { print $0 "; PyTorch: " first[$1], last[$1]; bad = 1 }
        END { exit bad || rows != 4 }' torch_check.tsv "$work/ours"
}
attempt 'losses before and after ten steps are those of PyTorch' same_work


# The columns that compare.py and others read.
columns() {
    "$program" --seconds 0 --threads 1 --only gemm_64,train_mlp,op_overhead >"$work/rows" || return
    cut -f1 "$work/rows" | tr '\n' ' ' >"$work/names"
    shows "$work/names" 'name import gemm_64 train_mlp_2_16_1_B16 op_overhead' &&
        awk -F '\t' 'NF != 5 { print; bad = 1 }
            NR > 1 && ($2 < $3 || $3 < 0 || $5 <= 0) { print; bad = 1 }
            $1 == "gemm_64" && $4 <= 0 { print; bad = 1 }
            END { exit bad }' "$work/rows"
}
attempt 'a row has its five columns' columns

details() {
    "$program" --seconds 0 --threads 1 --detail --only train_mlp >"$work/rows" || return
    awk -F '\t' 'NF != 8 { print; bad = 1 }
        $1 ~ /^train/ && $6 != 0 { print "a step asks for memory: " $0; bad = 1 }
        END { exit bad }' "$work/rows"
}
attempt 'with --detail eight, and a step asks for no memory' details

threads() {
    "$program" --seconds 0 --threads 2 --only sweep_threads_tiny >"$work/rows" &&
        shows "$work/rows" sweep_threads_tiny_1 sweep_threads_tiny_2
}
attempt 'a sweep over threads has a row for each number' threads

# ends_with STATUS TEXT OPTION...: the program ends with the status and says the text.
ends_with() {
    status=$1 text=$2
    shift 2
    "$program" "$@" >"$work/out" 2>&1
    [ $? -eq "$status" ] && shows "$work/out" "$text"
}
attempt 'help names the options' ends_with 0 '--detail' --help
attempt 'an unknown option ends with 2' ends_with 2 'did you mean --seconds?' --second 3
attempt 'an unknown row ends with 2' ends_with 2 'did you mean gemm_512?' --only gemm_5122
attempt 'so does one among known ones' ends_with 2 "no row begins with 'nothing' (--list shows all)" --only gemm_64,nothing
attempt 'threads are a number' ends_with 2 "--threads: found 'two'" --threads two
attempt 'seconds are not negative' ends_with 2 "--seconds: found '-1'" --seconds -1

# With a stand-in for Python that has a PyTorch of one row, fastest with the fused Adam, and so slow that a ratio is 0.00 however
# busy this machine is.
compares() {
    cat >"$work/python" <<'PEER'
#!/bin/sh
case "$*" in
-c*) echo 3.1 2.0 ;;
*--list*compile*) ;;
*--list*) echo train_mlp_2_16_1_B16 ;;
*--check*) printf 'train_mlp_2_16_1_B16\t%s\t0.280703\n' "${FAKE_LOSS:-0.282534}" ;;
*'--mode fused'*) printf 'name\tmedian_ms\nimport\t1\t1\t-\t10\ntrain_mlp_2_16_1_B16\t500000\t500000\t-\t17\n' ;;
*) printf 'name\tmedian_ms\nimport\t1\t1\t-\t10\ntrain_mlp_2_16_1_B16\t1000000\t1000000\t-\t15\n' ;;
esac
PEER
    chmod +x "$work/python"
    python3 compare.py "$program" --python "$work/python" --seconds 0 --rounds 2 >"$work/table" || return
    shows "$work/table" '| train_mlp_2_16_1_B16 | ' '| eager 1000000.000, fused 500000.000 | 0.00 | - |' '| 7 | yes |'
}
differs() {
    fails env FAKE_LOSS=0.3 python3 compare.py "$program" --python "$work/python" --seconds 0 --rounds 1 \
        >"$work/table" && shows "$work/table" '| no: '
}

# A second measurement of a row takes the place of the first; another kind of processor adds a row.
records() {
    printf 'kind\trow\tms\tpeer_ms\tmode\tshare\tthreads\tdate\ttorch\tprocessor\n' >"$work/measured"
    for kernels in base ref base; do
        GRADUS_KERNELS=$kernels python3 compare.py "$program" --python "$work/python" --seconds 0 --rounds 1 \
            --threads 1 --record "$work/measured" >"$work/table" || return
    done
    cut -f1,2,4,5,7,9 "$work/measured" >"$work/columns"
    printf '%s\ttrain_mlp_2_16_1_B16\t500000.000\tfused\t1\t2.0\n' base ref >"$work/expected"
    tail -n +2 "$work/columns" | diff "$work/expected" -
}
needs_measurements() {
    echo text >"$work/page"
    fails python3 compare.py "$program" --python "$work/python" --seconds 0 --record "$work/page" 2>"$work/said-so" &&
        shows "$work/said-so" 'found other columns' && shows "$work/page" text
}

# Columns in the order of KINDS; in bold what misses its goal: a share below 93 %, a ratio above 1.
prints() {
    {
        printf 'kind\trow\tms\tpeer_ms\tmode\tshare\tthreads\tdate\ttorch\tprocessor\n'
        printf 'avx512\tgemm_512\t1\t2\teager\t93\t1\t2026-01-02\t2.0\tX\n'
        printf 'avx512\tgelu_4096x512\t3\t2\teager\t-\t1\t2026-01-03\t2.0\tX\n'
        printf 'avx2\tgemm_512\t1\t4\teager\t92\t2\t2026-01-01\t2.0\tY\n'
        printf 'avx2\tgemm_1024\t1\t4\teager\t103*\t2\t2026-01-01\t2.0\tY\n'
    } >"$work/measured"
    cat >"$work/expected" <<'END'
AVX2: Y; 2 threads; PyTorch 2.0; 2026-01-01.

AVX-512: X; 1 thread; PyTorch 2.0; 2026-01-02 to 2026-01-03.

| row | goal | AVX2 | AVX-512 |
|---|---|---|---|
| gemm_512 | 1.00, 93 % | 0.25, **92 %** | 0.50, 93 % |
| gelu_4096x512 | 1.00 |  | **1.50** |
| gemm_1024 | 1.00, 93 % | 0.25, 103 %\* |  |
END
    python3 table.py "$work/measured" | diff "$work/expected" - &&
        python3 table.py "$work/measured" --only gelu >"$work/table" && fails grep -q gemm "$work/table"
}
writes() {
    from='<!-- ./gradus bench --table --write: from here -->'
    printf '%s\n' before "$from" old '<!-- to here -->' after >"$work/page"
    python3 table.py "$work/measured" --write "$work/page" &&
        shows "$work/page" before "$from" '**1.50**' '<!-- to here -->' after && fails grep -q old "$work/page"
}
needs_a_place() {
    echo text >"$work/page"
    fails python3 table.py "$work/measured" --write "$work/page" 2>"$work/said-so" &&
        shows "$work/said-so" 'has not one line' && shows "$work/page" text
}
up_to_date() {
    cp README.md "$work/page" && python3 table.py --write "$work/page" && diff README.md "$work/page"
}
if command -v python3 >/dev/null; then
    attempt 'compare.py holds gradus against the fastest mode of PyTorch' compares
    attempt 'and says when they do not do the same work' differs
    attempt 'and records one row for each kind of processor' records
    attempt 'in a file of measurements alone' needs_measurements
    attempt 'table.py prints a column for each kind of processor, and marks what misses its goal' prints
    attempt 'and puts the table into a page' writes
    attempt 'which must have a place for it' needs_a_place
    attempt 'both READMEs have the table of measured.tsv' up_to_date
else
    skip 'compare.py' 'there is no python3'
fi

done_testing
