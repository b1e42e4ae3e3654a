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
    [ "$(wc -l <"$work/listed")" -gt 20 ] && diff "$work/documented" "$work/listed"
}
attempt 'the rows are those that the README names' documented

# torch_bench.py says how the names of its rows begin.
torch_names() {
    sed -n 's/^    "\([a-z_]*_\)": (.*/^\1/p' torch_bench.py >"$work/names"
    [ "$(wc -l <"$work/names")" -gt 9 ] && fails grep -v -f "$work/names" "$work/listed"
}
attempt 'PyTorch has every row' torch_names

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

# The columns that compare.py and grow.py read: of one row of each kind, and of a model of any size.
columns() {
    only=bmm,gemm_64,softmax,layernorm,gelu,crossentropy,attention_causal_fwdbwd_T64,train_mlp,generate
    "$program" --seconds 0 --threads 1 --detail --only $only >"$work/rows" &&
        "$program" --seconds 0 --threads 1 --detail --only train_grow_V9_T5_d8_h2_L1_B3 >>"$work/rows" || return
    awk -F '\t' 'NF != 6 { print; bad = 1 }
        $1 != "name" && ($2 < $3 || $3 < 0 || $5 <= 0) { print; bad = 1 }
        /^(gemm|bmm|attention|train_grow)/ && $4 <= 0 { print; bad = 1 }
        /^(gemm|bmm|attention|train_grow|generate)/ && $6 + 0 <= 0 { print; bad = 1 }
        END { exit bad || NR != 13 }' "$work/rows"
    "$program" --seconds 0 --threads 1 --only gemm_64 | awk -F '\t' 'NF != 5 { exit 1 }'
}
attempt 'a row has five columns, with --detail six' columns

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
attempt 'a row of any size names all its sizes' ends_with 2 'expected train_grow_V65_T64_d128_h4_L2_B1' --only train_grow_T64
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
    python3 compare.py "$program" --only train_mlp --python "$work/python" --seconds 0 --rounds 2 >"$work/table" || return
    shows "$work/table" '| train_mlp_2_16_1_B16 | ' '| eager 1000000.000, fused 500000.000 | 0.00 | - |' '| 7 | yes |'
}
differs() {
    fails env FAKE_LOSS=0.3 python3 compare.py "$program" --only train_mlp --python "$work/python" --seconds 0 --rounds 1 \
        >"$work/table" && shows "$work/table" '| no: '
}

# With a stand-in for the benchmark: the rate is that of the least time, and an idle process's memory does not count.
grows() {
    # shellcheck disable=SC2016  # the stand-in expands $2
    printf '#!/bin/sh\nprintf "import\\t1\\t1\\t-\\t10\\n%%s\\t2\\t1\\t50\\t17\\n" "$2"\n' >"$work/fake" && chmod +x "$work/fake"
    python3 grow.py "$work/fake" "$work/growth.png" --python /none >"$work/table" &&
        shows "$work/table" "$(printf 'tokens\t8192\t100.0\t7\tNaN\tNaN')" && head -c 4 "$work/growth.png" | grep -q PNG
}
if command -v gnuplot >/dev/null && command -v python3 >/dev/null; then
    attempt 'grow.py draws how cost grows' grows
else
    skip 'grow.py' 'there is no python3 or gnuplot'
fi
if command -v python3 >/dev/null; then
    attempt 'compare.py holds gradus against the fastest mode of PyTorch' compares
    attempt 'and says when they do not do the same work' differs
else
    skip 'compare.py' 'there is no python3'
fi

done_testing
