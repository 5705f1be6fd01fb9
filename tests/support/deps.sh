#!/bin/sh
#
# Install packages beyond the compiler and make that build the program: `deps.sh tests`, what most tests need; `deps.sh
# all`, what lint, sanitizers, fuzzers, products and the tests of clusters and file systems need as well; `deps.sh
# machines`, what `make check-machines` needs. Does nothing, and asks nothing of the network, where all is there already.

set -eu
PATH=$PATH:/usr/sbin:/sbin # daemons are there

has() {
    for tool; do
        command -v "$tool" >/dev/null || return 1
    done
}

# What clang's -fsanitize=fuzzer links.
has_fuzzer() {
    ls "$(clang -print-runtime-dir)"/libclang_rt.fuzzer* >/dev/null 2>&1
}

has_cmocka() {
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

# Install some with the system's package manager, whose command this is; else say what will be missing:
# optional TEXT COMMAND...
optional() {
    text=$1
    shift
    as_root "$@" || echo "deps: there will be no $text" >&2
}

apt_install() {
    as_root apt-get update -q
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

install_tests() {
    if has bash python3 lz4 zstd xz bzip2 pigz jq && has_cmocka; then
        return
    elif has apt-get; then
        apt_install gcc libc6-dev make bash python3 libcmocka-dev lz4 zstd xz-utils bzip2 pigz jq
    elif has dnf; then
        as_root dnf install -y gcc make bash python3 diffutils findutils gawk libcmocka-devel lz4 zstd xz bzip2 pigz jq
    elif has apk; then
        as_root apk add gcc musl-dev make bash python3 coreutils cmocka-dev lz4 zstd xz bzip2 pigz jq
    elif has pacman; then
        as_root pacman -S --needed --noconfirm gcc make bash python cmocka lz4 zstd xz bzip2 pigz jq
    elif has brew; then
        brew install coreutils python cmocka pkg-config lz4 zstd xz pigz jq
    else
        echo "deps: no package manager known here; needed are bash, Python 3, cmocka, lz4, zstd, xz, bzip2, pigz and jq" >&2
        return 1
    fi
}

install_all() {
    if has apt-get; then
        if has clang clang-format clang-tidy cppcheck shellcheck mandoc valgrind zsh fish munged slurmctld slurmd sbatch \
            parallel rclone musl-gcc dh lintian mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.exfat mount.exfat-fuse ntfs-3g sshfs \
            bindfs && has_fuzzer; then
            return
        fi
        apt_install clang clang-format clang-tidy cppcheck shellcheck mandoc valgrind zsh fish munge slurm-wlm parallel \
            rclone musl-tools debhelper lintian xfsprogs btrfs-progs dosfstools exfatprogs exfat-fuse ntfs-3g sshfs \
            openssh-sftp-server bindfs
        # where there is no such package, it is a part of clang
        has_fuzzer || apt_install libclang-rt-dev || echo "deps: there will be no 'make fuzz'" >&2
    elif has dnf; then
        as_root dnf install -y libasan libubsan libtsan clang clang-tools-extra compiler-rt cppcheck ShellCheck mandoc \
            valgrind zsh fish
        optional "tests of clusters" dnf install -y munge slurm slurm-slurmctld slurm-slurmd parallel rclone
    elif has apk; then
        as_root apk add clang clang-extra-tools cppcheck shellcheck mandoc valgrind zsh fish
        optional "'make fuzz'" apk add compiler-rt
        optional "tests of clusters" apk add parallel rclone # no Slurm there
    elif has pacman; then
        as_root pacman -S --needed --noconfirm clang compiler-rt cppcheck shellcheck mandoc valgrind zsh fish
        optional "tests of clusters" pacman -S --needed --noconfirm parallel rclone # nor there
    elif has brew; then
        brew install llvm cppcheck shellcheck mandoc parallel rclone zsh fish # no valgrind there
    else
        echo "deps: no package manager known here; needed are clang, clang-format, clang-tidy, cppcheck, shellcheck," \
            "mandoc, valgrind, zsh and fish; for tests of clusters munge, Slurm, GNU parallel and rclone" >&2
        return 1
    fi
}

install_machines() {
    missing=
    has qemu-ppc || missing=" qemu-user"
    for triple in aarch64:arm64 powerpc:powerpc; do
        has "${triple%:*}-linux-gnu-gcc" || missing="$missing gcc-${triple%:*}-linux-gnu libc6-dev-${triple#*:}-cross"
    done
    if [ -n "$missing" ] && ! has apt-get; then
        echo "deps: other machines are tested only with the packages of Debian:$missing" >&2
        return 1
    fi
    [ -z "$missing" ] || apt_install $missing
}

"install_$1"
