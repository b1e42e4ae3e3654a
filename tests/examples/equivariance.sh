#!/bin/sh
# The example equivariance:  sh tests/examples/equivariance.sh SOURCE PROGRAM
# That A of the permuted tokens is A permuted is tried by tests/browser/examples.py, which reads the page's numbers.
set -u
# shellcheck source=tests/examples/tools.sh
. "$1/tests/examples/tools.sh"

attempt 'the table' example table
attempt 'attention sees a set' grep -q 'each f is equivariant up to rounding' table.txt
attempt 'but not with positions, and not under a causal mask' grep -q 'both break equivariance' table.txt
attempt 'no page without --html' test ! -e table/attention.html

attempt 'the page' example page --tokens 5 --html
attempt 'is named' shows page.txt 'page for a browser: page/attention.html'
attempt 'has the tokens in both orders' shows page/attention.html '"title":"tokens x"' '"title":"permuted tokens Px"' \
    '"title":"x + position"' '"title":"Px + position"' '"title":"x, causal mask"' '"title":"Px, causal mask"'
attempt 'has queries and keys' shows page/attention.html '"q":[' '"k":['
# The page is the last that the program writes: the table above it is the same with the page and without it.
attempt 'the same table with the page' example both --html
table_of() { sed '/^$/d; /^page for a browser/d' "$1.txt"; }
same() { table_of table >table.only && table_of both >both.only && cmp table.only both.only; }
attempt 'is the same' same
attempt '--trace prints its first pass and ends' traces 0
in_help() { "$program" --help >help.txt && shows help.txt 'also write pages for a browser into DIR: attention.html' '--out DIR'; }
attempt '--help names the page' in_help
for option in epochs steps lr save load resume; do
    attempt "it trains nothing: no --$option" refuses 2 "unknown option --$option" --$option 1
done

attempt 'heads that do not divide the channels' refuses 1 \
    'nn_attention_init: 3 heads for 32 channels; expected a number of heads that divides the channels' --heads 3
attempt 'a map with too many numbers for a page' refuses 1 \
    'plot_page_attention: more than 100000000 attention weights' --tokens 1024 --permutations 1 --html

done_testing
