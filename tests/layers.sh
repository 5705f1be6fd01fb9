# The layers of the program: includes and calls go one way, names say where they live, and nothing is global.
# shellcheck shell=bash

# From the top down; the modules of a line stand side by side and may include each other, but not in a circle.
layers='
    main
    job
    stored
    setup
    plan
    options
    option
    help argument select draw weighted replay list
    repeat keyed weights
    shuffle
    passage
    gather scatter
    index
    keys run outlet
    pile output
    hold
    order spill gnu sort walk words draft sweep
    stack
    batch bundle
    store owner manifest
    folder format
    storage
    table queue source sink target filter cut team
    header tail
    record
    pool weight compress
    io random scan fault form field pattern split number decimal escape hardware cgroup textfile signals
    sys chacha sha256 xxh64 wide
'

# Only sys makes system calls that can fail, but for these.
system_calls='open openat creat close read write pread pwrite readv writev preadv pwritev lseek stat lstat fstat fstatat
    truncate ftruncate rename link linkat unlink unlinkat symlink readlink realpath mkstemp mkostemp mkdir rmdir fchmod
    chmod fchown chown access faccessat poll select fcntl ioctl dup dup2 pipe fallocate posix_fallocate
    mmap munmap mremap malloc calloc pthread_create getentropy getrandom getrlimit setrlimit statvfs fstatvfs fork execve
    posix_spawn waitpid kill pipe2 renameat2 renameat mkdirat fsync flock opendir fdopendir readdir gethostname getpid
    geteuid exit _exit abort'
permitted_calls='main:exit signals:unlink hardware:getrlimit'

# Only signals may have what changes.
permitted_globals='signals'

# Whatever module a header or source of the project includes: a line "FROM TO" each.
includes() {
    (cd "$TOP" && grep -H '^ *# *include *"' src/*.c include/*.h) |
        sed 's|^[a-z]*/\([a-z0-9_]*\)\.[ch]:.*"\([a-z0-9_/.]*\)\.h".*|\1 \2|' | awk '$1 != $2' | sort -u
}

modules() {
    (cd "$TOP" && ls src/*.c include/*.h) | sed 's|.*/\([^/]*\)\.[ch]$|\1|' | sort -u
}

# The symbols of an object file, as `nm -P` has them, without the underscore that some systems put before each.
symbols() {
    nm -P "$BUILD/src/$1.o" | if [ "$(uname)" = Darwin ]; then sed 's/^_//'; else cat; fi
}

# Sanitizers put symbols and calls of their own into every object.
needs_plain_objects() {
    if [ -n "$SANITIZE" ]; then
        skip "not with a sanitizer"
    fi
}

# Print standard input, and fail if there is any.
nothing() {
    if grep .; then
        return 1
    fi
}

test_every_module_has_a_layer() {
    # shellcheck disable=SC2086 # words, by intention
    comm -23 <(modules) <(printf '%s\n' $layers | sort) | sed 's/$/ is in no line of the table/' | nothing
}

test_a_module_includes_no_layer_above_it() {
    includes | layers=$layers awk '
        BEGIN {
            lines = split(ENVIRON["layers"], line, "\n")
            for (i = 1; i <= lines; i++)
                for (j = split(line[i], name, " "); j > 0; j--)
                    rank[name[j]] = i
        }
        rank[$2] < rank[$1] { print $1 " includes " $2 ", which is above it" }' | nothing
}

test_no_module_includes_itself_by_a_detour() {
    includes | tsort 2>&1 >/dev/null | nothing
}

test_every_header_stands_alone() {
    (cd "$TOP" && for header in include/*.h; do
        echo "#include \"${header#include/}\"" |
            ${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -Iinclude -fsyntax-only -x c - 2>&1
    done) | nothing
}

test_only_sys_calls_the_system() {
    needs_plain_objects
    for module in $(modules); do
        if [ "$module" != sys ] && [ -e "$BUILD/src/$module.o" ]; then
            symbols "$module" | module=$module calls=$system_calls permitted=$permitted_calls awk '
                BEGIN {
                    for (i = split(ENVIRON["calls"], name, /[ \n]+/); i > 0; i--)
                        listed[name[i]] = 1
                    for (i = split(ENVIRON["permitted"], name, " "); i > 0; i--)
                        permitted[name[i]] = 1
                }
                { sub(/64$/, "", $1) } # open64 is open with large offsets
                $2 == "U" && listed[$1] && !permitted[ENVIRON["module"] ":" $1] {
                    print ENVIRON["module"] ".c calls " $1 ", which is for sys.c"
                }'
        fi
    done | nothing
}

# Its own name alone, or in the plural, will do: gather, piles_seal.
test_a_file_exports_only_names_that_begin_with_its_own() {
    needs_plain_objects
    for module in $(modules); do
        if [ "$module" != main ] && [ -e "$BUILD/src/$module.o" ]; then
            symbols "$module" | awk -v module="$module" '
                $2 ~ /^[A-TV-Z]$/ && $1 !~ "^" module "(s?_|$)" { print module ".c exports " $1 }'
        fi
    done | nothing
}

# Constants that hold addresses are in .data.rel.ro, which is written once, by the loader.
test_nothing_that_changes_is_global() {
    needs_plain_objects
    nm -f sysv "$BUILD/src/main.o" >/dev/null 2>&1 || skip "nm does not show sections here"
    for module in $(modules); do
        if [[ " $permitted_globals " != *" $module "* ]] && [ -e "$BUILD/src/$module.o" ]; then
            nm -f sysv "$BUILD/src/$module.o" | awk -F '|' -v module="$module" '
                { gsub(/ /, "") }
                $7 ~ /^(\.t?data|\.t?bss|\*COM\*)/ && $7 !~ /^\.data\.rel\.ro/ { print module ".c has a variable: " $1 }'
        fi
    done | nothing
}
