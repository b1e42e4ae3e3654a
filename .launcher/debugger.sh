# debugger.sh: which debugger is started, and where lldb has its Python. Read by ../gradus and by the tests of lldb.
#
# shellcheck shell=sh

# lldb_has_python: can lldb run our script? Debian's lldb 14 looks for its own Python module in a folder that it does not have:
# then the module's folder becomes a part of PYTHONPATH. It takes the rest of Python from where the first python3 on PATH is,
# which has to be the one that it was built with, not one of pyenv or conda.
lldb_has_python() {
    command -v lldb >/dev/null || return 1
    [ ! -d "$(lldb -P 2>/dev/null | tail -n 1)/lldb" ] || return 0
    for folder in "$(dirname "$(readlink -f "$(command -v lldb)")")"/../lib/python3*/*-packages; do
        [ -f "$folder/lldb/__init__.py" ] || continue
        PYTHONPATH=$folder${PYTHONPATH:+:$PYTHONPATH}
        PATH=$(dirname "$(command -v lldb)"):$PATH
        export PYTHONPATH PATH
        return 0
    done
    return 1
}
