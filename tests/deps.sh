#!/bin/sh
#
# Install what the tests and `make lint` need, beyond the compiler and make that build the program. Does nothing, and
# asks nothing of the network, where all is there already.

set -eu

complete() {
    for tool in bash clang clang-format clang-tidy cppcheck mandoc valgrind; do
        command -v "$tool" >/dev/null || return 1
    done
    # shellcheck disable=SC2046 # words, by intention
    printf '%s\n' '#include <stdarg.h>' '#include <stddef.h>' '#include <stdint.h>' '#include <setjmp.h>' \
        '#include <cmocka.h>' | ${CC:-cc} $(pkg-config --cflags cmocka 2>/dev/null) -E - >/dev/null 2>&1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

has() {
    command -v "$1" >/dev/null
}

if complete; then
    exit 0
elif has apt-get; then
    as_root apt-get update -q
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
        gcc libc6-dev make bash libcmocka-dev clang clang-format clang-tidy cppcheck mandoc valgrind
elif has dnf; then
    as_root dnf install -y gcc make bash diffutils findutils gawk libasan libubsan libtsan libcmocka-devel clang \
        clang-tools-extra cppcheck mandoc valgrind
elif has apk; then
    as_root apk add gcc musl-dev make bash coreutils cmocka-dev clang clang-extra-tools cppcheck mandoc valgrind
elif has pacman; then
    as_root pacman -S --needed --noconfirm gcc make bash cmocka clang cppcheck mandoc valgrind
elif has brew; then
    brew install coreutils cmocka llvm cppcheck mandoc pkg-config # no valgrind there
else
    echo "deps: no package manager known here; needed are bash, cmocka, clang, clang-format, clang-tidy, cppcheck," \
        "mandoc and valgrind" >&2
    exit 1
fi
