# The products: an installation, the tarball, the static binary, the Debian package. `make check-dist` runs these and
# `make check` does not, since most of them build the program once more.

version=$(sed -n 's/^VERSION = //p' "$TOP/Makefile")

# Run make in the project's folder. What stands on the command line of `make check-dist` holds for it as well.
make_in_top() {
    make --no-print-directory -C "$TOP" "$@"
}

# The tarball is made from the last commit: the work tree is the same only if everything is committed.
needs_committed_tree() {
    [ -e "$TOP/.git" ] || skip "no git checkout"
    git -C "$TOP" diff --quiet HEAD || skip "changes are not committed"
}

# All but folders below a folder: files_below FOLDER.
files_below() {
    (cd "$1" && find . ! -type d | sort)
}

# This program passes the tests of golden values of few records, and writes what the usual one does: golden PROGRAM.
golden() {
    local usual=$BUILD/bigshuf
    mkdir golden
    cp "$1" golden/bigshuf
    BUILD=golden NATIVE=$usual ONLY='golden|/machines[.]sh' EXCEPT='golden_.*_of_(more|many|piles|a_million)' \
        TEST_SCALE=tiny bash "$TOP/tests/support/run.sh" "$TOP"/tests/end_to_end/*.sh "$TOP/tests/machines.sh"
}

# All that is installed, sorted.
installed() {
    {
        echo ./usr/local/bin/bigshuf
        echo ./usr/local/share/bash-completion/completions/bigshuf
        echo ./usr/local/share/fish/vendor_completions.d/bigshuf.fish
        echo ./usr/local/share/zsh/site-functions/_bigshuf
        (cd "$TOP/man" && printf '%s\n' *.[1-9]) | sed 's|.*[.]\(.\)$|./usr/local/share/man/man\1/&|'
    } | sort
}

test_install_puts_these_files_and_uninstall_removes_them() {
    make_in_top install DESTDIR="$PWD"
    same "$(installed)" "$(files_below .)"
    same "bigshuf $version" "$(usr/local/bin/bigshuf --version | head -n 1)"
    make_in_top uninstall DESTDIR="$PWD"
    same '' "$(files_below .)"
}

test_dist_without_git_leaves_no_file() {
    GIT_DIR=none fails_with 2 '*not a git repository*' make_in_top dist DIST="$PWD/dist"
    same '' "$(files_below dist)"
}

test_install_goes_where_it_is_told() {
    make_in_top install DESTDIR="$PWD/a folder" PREFIX=/opt BINDIR=/bin MANDIR=/man
    make_in_top install DESTDIR="$PWD" prefix=/opt
    ls 'a folder/bin/bigshuf' 'a folder/man/man1/bigshuf.1' opt/bin/bigshuf opt/share/man/man1/bigshuf.1
}

# What stands there may be a program for another machine, built with whatever flags.
test_install_neither_compiles_nor_runs_anything() {
    fails_with 2 '*/other/bigshuf: not built yet: run make first*' make_in_top install BUILD="$PWD/other" DESTDIR="$PWD"
    mkdir other
    echo 'for another machine' >other/bigshuf
    chmod +x other/bigshuf
    make_in_top install BUILD="$PWD/other" CC=false CFLAGS=-O3 DESTDIR="$PWD"
    cmp other/bigshuf usr/local/bin/bigshuf
}

# A program x-NAME, which leaves NAME.called, to be called in place of NAME: stand_in NAME.
stand_in() {
    printf '#!/bin/sh\ntouch %q\nexec %s "$@"\n' "$PWD/$1.called" "$1" >"x-$1"
    chmod +x "x-$1"
}

# With the STRIP of the environment, which those have who build packages.
test_install_strip_leaves_out_what_debuggers_need_and_install_does_not() {
    stand_in strip
    STRIP=$PWD/x-strip make_in_top install DESTDIR="$PWD"
    cmp "$BUILD/bigshuf" usr/local/bin/bigshuf
    same 'usr x-strip' "$(names)"
    STRIP=$PWD/x-strip make_in_top install-strip DESTDIR="$PWD"
    same 'strip.called usr x-strip' "$(names)"
    [ "$(nm usr/local/bin/bigshuf 2>.stderr | wc -l)" -eq 0 ]
}

# With tools and flags in the environment, as conda and nixpkgs have them.
test_the_recipe_of_conda_builds_and_installs() {
    needs_committed_tree
    make_in_top dist DIST="$PWD"
    tar -xzf bigshuf-"$version".tar.gz
    stand_in ar
    stand_in strip
    export AR=$PWD/x-ar STRIP=$PWD/x-strip CC=gcc CFLAGS=-O1 CPPFLAGS=-DNDEBUG LDFLAGS=-Wl,-O1 PREFIX=$PWD/prefix
    cd bigshuf-"$version" || exit
    sed -n '/^  script:/,/^$/ s/^    - //p' .packaging/conda/meta.yaml >script
    env -u MAKEFLAGS sh -e script
    sh .packaging/installcheck.sh ../prefix/bin/bigshuf
    ls ../ar.called
}

test_the_changes_of_this_version_are_a_section_of_the_changelog() {
    make_in_top -s notes >said
    same "## $version" "$(head -n 1 said | cut -d ' ' -f 1-2)"
    same 1 "$(grep -c '^## ' said)"
    fails_with 2 '*' make_in_top -s notes VERSION=9.9
}

test_installcheck_passes_only_with_the_golden_orders() {
    fails_with 2 '*/usr/local/bin/bigshuf: not there: run make install first*' make_in_top installcheck DESTDIR="$PWD"
    make_in_top install DESTDIR="$PWD"
    make_in_top installcheck DESTDIR="$PWD"
    PATH=$PWD/usr/local/bin:$PATH sh "$TOP/.packaging/installcheck.sh"
    printf '#!/bin/sh\nexec "%s" "$@" --parallel=1 --weight-field=1\n' "$BUILD/bigshuf" >usr/local/bin/bigshuf
    fails_with 2 '*wanted: *' make_in_top installcheck DESTDIR="$PWD"
}

# How often make would print this line: printed LINE OPTION...
printed() {
    (unset MAKEFLAGS && make -C "$TOP" -n -B BUILD=build/other "${@:2}") | grep -c -e "echo '$1'" || true
}

test_make_prints_a_line_for_each_file() {
    same 1 "$(printed '  CC src/main.c')"
    same 0 "$(printed '.*' V=1)"
    same 0 "$(printed '.*' -s)"
}

test_program_in_another_folder_is_not_copied_over_the_usual_one() {
    same 0 "$(printed '  CP bigshuf')"
    same 1 "$(printed '  CP bigshuf' BUILD=build/plain)"
}

test_tarball_of_a_commit_has_always_the_same_bytes() {
    needs_committed_tree
    make_in_top dist DIST="$PWD/one"
    (umask 077 && TZ=Asia/Tokyo make_in_top dist DIST="$PWD/other")
    cmp one/bigshuf-"$version".tar.gz other/bigshuf-"$version".tar.gz
}

# The ordinary build was made elsewhere: so this also shows that folders leave no trace.
test_tarball_builds_the_same_program_without_git() {
    needs_committed_tree
    make_in_top dist DIST="$PWD"
    tar -xzf bigshuf-"$version".tar.gz
    GIT_CEILING_DIRECTORIES=$PWD make -C bigshuf-"$version" BUILD=build/plain
    cmp "$BUILD/bigshuf" bigshuf-"$version"/bigshuf
}

# With nothing else there, not even a libc.
test_static_binary_runs_anywhere_and_gives_the_golden_values() {
    needs musl-gcc
    make_in_top dist-static DIST="$PWD"
    mv bigshuf-"$version"-* bigshuf
    golden bigshuf
    if [ "$(uname -m)" = x86_64 ]; then
        [ "$(objdump -d bigshuf | grep -c '%fs:0x28')" -gt 100 ] # stack protector
    fi
    mkdir root
    mv bigshuf root
    unshare -r chroot root /bigshuf --version 2>.stderr >said || skip "chroot is not allowed"
    same "bigshuf $version" "$(head -n 1 said)"
    same '10 5 9 3 2 4 8 7 6 1' "$(unshare -r chroot root /bigshuf --seed=42 -i 1-10 | paste -s -d ' ' -)"
}

# It runs installcheck as it is built.
test_debian_package_is_clean_and_has_these_files() {
    needs dh
    needs lintian
    needs_committed_tree
    make_in_top deb DIST="$PWD"
    dpkg-deb -x bigshuf_"$version"-*.deb root
    same "$(installed | sed 's|local/||; s|site-functions|vendor-completions|; s|/man/.*|&.gz|' | sort)" \
        "$(files_below root | grep -v '/usr/share/doc/')"
    same '' "$(TMPDIR=$PWD lintian deb/*.changes 2>.stderr)"
}
