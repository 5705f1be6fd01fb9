#!/bin/sh
#
# Install packages beyond the compiler and make that build the program: `deps.sh tests`, what most tests need; `deps.sh
# all`, what lint, sanitizers, fuzzers, products and the tests of file systems need; `deps.sh optional`, what fuzzers and
# the tests of clusters need; `deps.sh machines`, what `make check-machines` needs. It says what is missing, installs that
# and upgrades nothing. Where nothing is missing, it asks nothing of the network, and need not be root.

set -eu
PATH=$PATH:/usr/sbin:/sbin # daemons are there

# A command, or what a function has_WHAT looks for, and the packages that bring it, with commas between them; - where
# there is none, and no column where all have the command's name.
wanted='
SET       WHAT                   apt-get                                       dnf                       apk               pacman      brew
tests     cc                     gcc                                           gcc                       gcc               gcc         -
tests     libc                   libc6-dev                                     glibc-devel               musl-dev          glibc       -
tests     coreutils
tests     cmp                    diffutils                                     diffutils                 diffutils         diffutils   diffutils
tests     find                   findutils                                     findutils                 findutils         findutils   findutils
tests     pgrep                  procps                                        procps-ng                 procps-ng         procps-ng   -
tests     awk                    gawk                                          gawk                      gawk              gawk        gawk
tests     bash
tests     python3                python3                                       python3                   python3           python      python
tests     cmocka                 libcmocka-dev                                 libcmocka-devel           cmocka-dev        cmocka      cmocka,pkg-config
tests     lz4
tests     zstd
tests     xz                     xz-utils                                      xz                        xz                xz          xz
tests     bzip2
tests     pigz
tests     jq
all       clang                  clang                                         clang                     clang             clang       llvm
all       clang-format           clang-format                                  clang-tools-extra         clang-extra-tools clang       llvm
all       clang-tidy             clang-tidy                                    clang-tools-extra         clang-extra-tools clang       llvm
all       sanitizers             -                                             libasan,libubsan,libtsan  -                 -           -
all       cppcheck
all       shellcheck             shellcheck                                    ShellCheck                shellcheck        shellcheck  shellcheck
all       mandoc
all       valgrind               valgrind                                      valgrind                  valgrind          valgrind    -
all       zsh
all       fish
all       musl-gcc               musl-tools                                    -                         -                 -           -
all       dh                     debhelper                                     -                         -                 -           -
all       lintian                lintian                                       -                         -                 -           -
all       mkfs.xfs               xfsprogs                                      -                         -                 -           -
all       mkfs.btrfs             btrfs-progs                                   -                         -                 -           -
all       mkfs.vfat              dosfstools                                    -                         -                 -           -
all       mkfs.exfat             exfatprogs                                    -                         -                 -           -
all       mount.exfat-fuse       exfat-fuse                                    -                         -                 -           -
all       ntfs-3g                ntfs-3g                                       -                         -                 -           -
all       sshfs                  sshfs,openssh-sftp-server                     -                         -                 -           -
all       bindfs                 bindfs                                        -                         -                 -           -
optional  fuzzer                 libclang-rt-dev                               compiler-rt               compiler-rt       compiler-rt -
optional  munged                 munge                                         munge                     -                 -           -
optional  sbatch                 slurm-wlm                                     slurm                     -                 -           -
optional  slurmctld              slurm-wlm                                     slurm-slurmctld           -                 -           -
optional  slurmd                 slurm-wlm                                     slurm-slurmd              -                 -           -
optional  parallel
optional  rclone
machines  qemu-ppc               qemu-user                                     -                         -                 -           -
machines  aarch64-linux-gnu-gcc  gcc-aarch64-linux-gnu,libc6-dev-arm64-cross   -                         -                 -           -
machines  powerpc-linux-gnu-gcc  gcc-powerpc-linux-gnu,libc6-dev-powerpc-cross -                         -                 -           -'

has() {
    command -v "$1" >/dev/null
}

has_cc() {
    has "${CC:-cc}"
}

has_libc() {
    echo '#include <stdlib.h>' | ${CC:-cc} -E - >/dev/null 2>&1
}

# Busybox has others, which lack much.
has_coreutils() {
    timeout --version >/dev/null 2>&1 || has gtimeout
}

has_cmocka() {
    # shellcheck disable=SC2046 # words, by intention
    printf '%s\n' '#include <stdarg.h>' '#include <stddef.h>' '#include <stdint.h>' '#include <setjmp.h>' \
        '#include <cmocka.h>' | ${CC:-cc} $(pkg-config --cflags cmocka 2>/dev/null) -E - >/dev/null 2>&1
}

has_sanitizers() {
    echo 'int main(void) { return 0; }' | ${CC:-cc} -fsanitize=address,undefined -x c -o /dev/null - >/dev/null 2>&1
}

# What clang's -fsanitize=fuzzer links.
has_fuzzer() {
    ls "$(clang -print-runtime-dir)"/libclang_rt.fuzzer* >/dev/null 2>&1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif has sudo; then
        sudo "$@"
    else
        echo "deps: only root can install packages, and there is no sudo here" >&2
        return 1
    fi
}

install() {
    case $manager in
    apt-get)
        as_root apt-get update -q
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends --no-upgrade "$@"
        ;;
    dnf) as_root dnf install -y "$@" ;;
    apk) as_root apk add "$@" ;;
    pacman) as_root pacman -S --needed --noconfirm "$@" ;;
    brew) HOMEBREW_NO_AUTO_UPDATE=1 HOMEBREW_NO_INSTALL_UPGRADE=1 brew install "$@" ;;
    *)
        echo "deps: no package manager is known here" >&2
        return 1
        ;;
    esac
}

manager=none
for name in brew pacman apk dnf apt-get; do
    ! has $name || manager=$name
done

# What is missing, WHAT PACKAGE... a line.
missing=$(echo "$wanted" | awk -v set="$1" -v manager="$manager" '
    NR == 2 { for (i = 3; i <= NF; i++) column[$i] = i }
    $1 == set && NF == 2 { print $2, $2 }
    $1 == set && NF > 2 && $column[manager] != "-" { print $2, manager in column ? $column[manager] : $2 }' |
    while read -r what packages; do
        if has "has_$what"; then
            "has_$what" || echo "$what $packages"
        elif ! has "$what"; then
            echo "$what $packages"
        fi
    done | tr , ' ')

[ -n "$missing" ] || exit 0
packages=$(echo "$missing" | cut -d ' ' -f 2- | tr ' ' '\n' | sort -u | paste -s -d ' ' -)
echo "deps: missing: $(echo "$missing" | cut -d ' ' -f 1 | paste -s -d ' ' -); packages, by $manager: $packages"
if [ "$1" != optional ]; then
    # shellcheck disable=SC2086 # words, by intention
    install $packages
    exit
fi
# Each alone, since some may be there and others not. Where CI is set, all must be.
for package in $packages; do
    install "$package" </dev/null || {
        echo "deps: there will be no $package" >&2
        [ -z "${CI:-}" ]
    }
done
