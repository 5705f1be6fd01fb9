# The plan of the house, which is the map at the head of src/main.c: includes and calls go down that list, names say
# where they live, and nothing is global.
# tags: plain

# The modules of the map as FOLDER/NAME, from the top down; one line each.
map() {
    sed '/^ \*\/$/q' "$TOP/src/main.c" | awk '
        $1 == "*" && /^ \*     [a-z]/ { folder = $2 }
        /^ \*                    [a-z]/ { for (i = 2; i <= NF; i++) print folder "/" $i }'
}

# Only sys makes system calls that can fail, but for these.
system_calls='open openat creat close read write pread pwrite readv writev preadv pwritev lseek stat lstat fstat fstatat
    truncate ftruncate rename link linkat unlink unlinkat symlink readlink realpath mkstemp mkostemp mkdir rmdir fchmod
    chmod fchown chown access faccessat poll select fcntl ioctl dup dup2 pipe fallocate posix_fallocate
    mmap munmap mremap malloc calloc pthread_create getentropy getrandom getrlimit setrlimit statvfs fstatvfs fork execve
    posix_spawn waitpid kill pipe2 renameat2 renameat mkdirat fsync futimens flock opendir fdopendir readdir gethostname getpid
    geteuid exit _exit'
permitted_calls='system/signals:unlink system/hardware:getrlimit'

# Only what must be tidied up at the end of a run may change, and what a signal handler looks at besides: a line of
# progress that is to be erased, and memory whose pages may fail.
permitted_globals='system/signals system/fault system/progress_line'

# Whatever module a header or source of the project includes: a line "FROM TO" each.
includes() {
    (cd "$TOP" && grep -H '^ *# *include *"' src/*/*.c include/*/*.h) |
        sed -n 's|^[a-z]*/\([a-z0-9_/]*\)\.[ch]:.*"\([a-z0-9_/.]*\)\.h".*|\1 \2|p' | awk '$1 != $2' | sort -u
}

modules() {
    (cd "$TOP" && ls src/*/*.c include/*/*.h) | sed 's|^[a-z]*/\(.*\)\.[ch]$|\1|' | sort -u
}

# What nm says with these options of the objects of all modules: nm_of OPTION...
nm_of() {
    (cd "$TOP/src" && ls ./*/*.c) | sed 's|c$|o|' | (cd "$BUILD/src" && xargs nm -A "$@")
}

# The symbols of all modules: a line "MODULE SYMBOL TYPE" each, without the underscore that some systems put
# before a symbol.
symbols() {
    local underscore=
    [ "$(uname)" != Darwin ] || underscore=_
    nm_of -P | sed "s|^\./\(.*\)\.o: *$underscore|\1 |"
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

test_the_map_has_every_module_and_no_other() {
    diff <(map | sort) <(modules)
}

test_the_map_fits_on_a_screen() {
    [ "$(sed '/^ \*\/$/q' "$TOP/src/main.c" | wc -l)" -le 50 ]
}

test_a_module_includes_only_what_stands_after_it_in_the_map() {
    includes | map=$(map) awk '
        BEGIN {
            for (i = split(ENVIRON["map"], name, "\n"); i > 0; i--)
                place[name[i]] = i
        }
        place[$2] <= place[$1] { print $1 " includes " $2 ", which is above it in the map" }' | nothing
}

test_no_two_modules_have_the_same_name() {
    modules | sed 's|.*/||' | sort | uniq -d | nothing
}

# Of a module, or of a part of it: MODULE_test or MODULE_PART_test.
test_unit_tests_stand_where_their_modules_do() {
    (cd "$TOP/tests/unit" && ls ./*/*_test.c) | sed 's|^\./\(.*\)_test\.c$|\1|' | modules=$(modules) awk '
        BEGIN {
            for (i = split(ENVIRON["modules"], name, "\n"); i > 0; i--)
                known[name[i]] = 1
        }
        {
            module = $0
            sub(/_[a-z]*$/, "", module)
        }
        !known[$0] && !known[module]' | nothing
}

test_contributors_are_told_the_folders_of_the_map_and_no_file_that_is_not_there() {
    local page=.github/CONTRIBUTING.md
    diff <(map | sed 's|/.*||' | uniq) <(sed -n 's/^| `\([a-z]*\)\/` .*/\1/p' "$TOP/$page")
    (cd "$TOP" && grep -o '`\(src\|include\|tests\|man\)/[a-zA-Z0-9_./-]*`' $page | tr -d '`' | sort -u | xargs ls -d) >/dev/null
}

# Most are the first that their source includes, which was compiled.
test_every_header_stands_alone() {
    local others=()
    cd "$TOP" || exit
    for header in include/*/*.h; do
        source=src/${header#include/}
        if [ -e "${source/%h/c}" ]; then
            same "#include \"${header#include/}\"" "$(grep -m 1 '^#include' "${source/%h/c}")"
        else
            others+=("$header")
        fi
    done
    for header in "${others[@]}"; do
        ${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -Iinclude -fsyntax-only -include "$header" -x c /dev/null
    done 2>&1 | nothing
}

test_only_sys_calls_the_system() {
    needs_plain_objects
    symbols | calls=$system_calls permitted=$permitted_calls awk '
        BEGIN {
            for (i = split(ENVIRON["calls"], name, /[ \n]+/); i > 0; i--)
                listed[name[i]] = 1
            for (i = split(ENVIRON["permitted"], name, " "); i > 0; i--)
                permitted[name[i]] = 1
        }
        { sub(/64$/, "", $2) } # open64 is open with large offsets
        $1 != "system/sys" && $3 == "U" && listed[$2] && !permitted[$1 ":" $2] {
            print $1 ".c calls " $2 ", which is for sys.c"
        }' | nothing
}

# Its own name, alone or in the plural, or after its folder's: gather, piles_seal, store_format_parse. What ends the
# process is called die.
test_a_file_exports_only_names_that_begin_with_its_own() {
    needs_plain_objects
    symbols | awk '
        {
            split($1, part, "/")
        }
        $3 ~ /^[A-TV-Z]$/ && $2 !~ "^(" part[1] "_)?" part[2] "(s?_|$)" && !($1 == "system/fault" && $2 ~ /^die/) {
            print $1 ".c exports " $2
        }' | nothing
}

# Constants that hold addresses are in .data.rel.ro, which is written once, by the loader.
test_nothing_that_changes_is_global() {
    needs_plain_objects
    nm -f sysv "$BUILD/src/main.o" >/dev/null 2>&1 || skip "nm does not show sections here"
    nm_of -f sysv | permitted=$permitted_globals awk -F '|' '
        BEGIN {
            for (i = split(ENVIRON["permitted"], name, " "); i > 0; i--)
                permitted["./" name[i] ".o"] = 1
        }
        { gsub(/ /, "") }
        $7 ~ /^(\.t?data|\.t?bss|\*COM\*)/ && $7 !~ /^\.data\.rel\.ro/ && !permitted[substr($1, 1, index($1, ":") - 1)] {
            print "has a variable: " $1
        }' | nothing
}

# What two files of tests mean by one word is one function, in tests/support.
test_no_two_files_of_tests_have_a_function_of_the_same_name() {
    (cd "$TOP/tests" && grep -hoE '^[a-z_0-9]+\(\) [({]' end_to_end/*.sh support/{helpers,stores,archives,compressors}.sh \
        layers.sh dist.sh machines.sh moments.sh) | sort | uniq -d | nothing
}

# A tag that nobody asks for says nothing, and one that no test has runs nothing.
test_the_tags_of_tests_are_those_that_ci_or_make_asks_for() {
    cd "$TOP" || exit
    diff <(sed -nE 's/^(#|\/\*|test_.* #) tags: //p' tests/end_to_end/*.sh tests/unit/*/*.c tests/fuzz/*.c | tr -s '/* ' '\n' | sort -u) \
        <({ printf 'long\nplain\n' && grep -ho 'TAG=[a-z]*' .ci/run tests/tests.mk | cut -d = -f 2; } | sort -u)
}

test_the_workflow_runs_each_section_of_ci_once() {
    cd "$TOP" || exit
    diff <(.ci/run --list | sort) <(sed -n '/^ *titles:/,/runs-on/s/^ *- //p' .github/workflows/check.yml |
        while read -r titles; do .ci/run --list | grep -E -e "$titles"; done | sort)
}

# With set -e, the first of "a && b" and all of "! a" may fail in silence. One assertion a line.
test_no_assertion_of_a_test_is_dead() {
    cd "$TOP/tests" || exit
    { grep -nE '^ +(\[.*\] && (\[|case)|! [^|]*$)' end_to_end/*.sh ./*.sh || true; } | nothing
}

test_a_function_of_a_test_that_stands_in_a_condition_is_one_statement() {
    needs python3
    python3 "$TOP/tests/support/conditions.py" "$TOP"/tests/{end_to_end/*,support/[^rd]*,*}.sh | nothing
}
