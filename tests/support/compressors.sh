# What tests of compressed files share: a file of them begins with `. "$TOP/tests/support/compressors.sh"`.
# shellcheck disable=SC2034 # what others use

declare -A program_of=([gz]=gzip [zst]=zstd [xz]=xz [bz2]=bzip2 [lz4]=lz4)

# Is the program of a format here?
has_format() {
    command -v "${program_of[$1]}" >/dev/null
}

# Those whose programs are here.
formats=
for format in gz zst xz bz2 lz4; do
    ! has_format $format || formats+=" $format"
done

# Let $quick be the format whose program is the quickest that is here, or this test makes no sense.
needs_quick_format() {
    quick=lz4
    has_format $quick || quick=gz
    needs "${program_of[$quick]}"
}

# Compress FILE to FILE.FORMAT: pack FORMAT FILE...
pack() {
    local file
    for file in "${@:2}"; do
        "${program_of[$1]}" -1 -c <"$file" >"$file.$1"
    done
}

# What is in a compressed file, by its name: unpack FILE...
unpack() {
    local file
    for file; do
        "${program_of[${file##*.}]}" -dc <"$file"
    done
}

# A script in place of a program, before all others in PATH: instead NAME COMMANDS. Not under valgrind, as that makes a
# program that cannot be started one that ends with status 127.
instead() {
    mkdir -p instead
    printf '#!/bin/sh\n%s\n' "$2" >"instead/$1"
    chmod +x "instead/$1"
    case $PATH in
    "$PWD/instead":*) ;;
    *) PATH=$PWD/instead:$PATH ;;
    esac
}

# The right program of this name: right NAME.
right() {
    PATH=${PATH#"$PWD/instead:"} command -v "$1"
}

# Run COMMAND where there are no programs but the shell's and bigshuf's own: without_programs COMMAND...
without_programs() {
    mkdir -p nothing
    ln -sf "$(command -v "$1")" "nothing/$1"
    PATH=$PWD/nothing "$@"
}
