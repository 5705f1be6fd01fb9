#!/bin/sh
#
# Install what the tests and `make lint` need, beyond the compiler and make that build the program; or, with the argument
# `machines`, what `make check-machines` needs. Does nothing, and asks nothing of the network, where all is there already.

set -eu
PATH=$PATH:/usr/sbin:/sbin # daemons are there

has() {
    command -v "$1" >/dev/null
}

# What clang's -fsanitize=fuzzer links.
has_fuzzer() {
    ls "$(clang -print-runtime-dir)"/libclang_rt.fuzzer* >/dev/null 2>&1
}

complete() {
    for tool in bash python3 clang clang-format clang-tidy cppcheck mandoc valgrind lz4 zstd xz bzip2 pigz zsh fish \
        jq; do
        has "$tool" || return 1
    done
    if has apt-get; then # elsewhere not all of them are to be had, and the tests of clusters and packages are skipped
        for tool in munged slurmctld slurmd sbatch parallel rclone musl-gcc dh lintian; do
            has "$tool" || return 1
        done
        for tool in mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.exfat mount.exfat-fuse ntfs-3g sshfs bindfs; do
            has "$tool" || return 1
        done
        has_fuzzer || return 1
    fi
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

unfuzzed() {
    echo "deps: no libFuzzer for clang: there will be no 'make fuzz'" >&2
}

clusters_untested() {
    echo "deps: not all that stores are tested with is here: munge, Slurm, GNU parallel and rclone" >&2
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

if [ "${1:-}" = machines ]; then
    missing=
    has qemu-ppc || missing=" qemu-user"
    for triple in aarch64:arm64 powerpc:powerpc; do
        has "${triple%:*}-linux-gnu-gcc" || missing="$missing gcc-${triple%:*}-linux-gnu libc6-dev-${triple#*:}-cross"
    done
    if [ -z "$missing" ]; then
        exit 0
    elif ! has apt-get; then
        echo "deps: other machines are tested only with the packages of Debian:$missing" >&2
        exit 1
    fi
    as_root apt-get update -q
    # shellcheck disable=SC2086 # words, by intention
    apt_install $missing
elif complete; then
    exit 0
elif has apt-get; then
    as_root apt-get update -q
    apt_install gcc libc6-dev make bash python3 libcmocka-dev clang clang-format clang-tidy cppcheck mandoc valgrind lz4 \
        zstd xz-utils bzip2 pigz zsh fish jq munge slurm-wlm parallel rclone musl-tools debhelper lintian \
        xfsprogs btrfs-progs dosfstools exfatprogs exfat-fuse ntfs-3g sshfs openssh-sftp-server bindfs
    # where there is no such package, it is a part of clang
    has_fuzzer || apt_install libclang-rt-dev || unfuzzed
elif has dnf; then
    as_root dnf install -y gcc make bash python3 diffutils findutils gawk libasan libubsan libtsan libcmocka-devel clang \
        clang-tools-extra compiler-rt cppcheck mandoc valgrind lz4 zstd xz bzip2 pigz zsh fish jq
    as_root dnf install -y munge slurm slurm-slurmctld slurm-slurmd parallel rclone || clusters_untested
elif has apk; then
    as_root apk add gcc musl-dev make bash python3 coreutils cmocka-dev clang clang-extra-tools cppcheck mandoc valgrind \
        lz4 zstd xz bzip2 pigz zsh fish jq
    as_root apk add compiler-rt || unfuzzed
    as_root apk add parallel rclone || clusters_untested # no Slurm there
elif has pacman; then
    as_root pacman -S --needed --noconfirm gcc make bash python cmocka clang compiler-rt cppcheck mandoc valgrind lz4 zstd \
        xz bzip2 pigz zsh fish jq
    as_root pacman -S --needed --noconfirm parallel rclone || clusters_untested # nor there
elif has brew; then
    brew install coreutils python cmocka llvm cppcheck mandoc pkg-config parallel rclone lz4 zstd xz pigz zsh fish jq # no valgrind there
else
    echo "deps: no package manager known here; needed are bash, Python 3, cmocka, clang, clang-format, clang-tidy, cppcheck," \
        "mandoc, valgrind, lz4, zstd, xz, bzip2, pigz, zsh, fish and jq; for tests of clusters munge, Slurm, GNU parallel" \
        "and rclone" >&2
    exit 1
fi
