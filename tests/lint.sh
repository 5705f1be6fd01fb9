#!/usr/bin/env bash
#
# Check the form of C files, manual pages and scripts: CPPFLAGS=FLAGS tests/lint.sh C_FILE...
#
# A tool that is missing is named and passed over; where CI is set, it is an error.

set -euo pipefail
cd "$(dirname "$0")/.."

has() {
    if ! command -v "$1" >/dev/null; then
        echo "lint: no $1 here${CI:+, but CI is set}" >&2
        [ -z "${CI:-}" ] || exit 1
        return 1
    fi
}

jobs=$(getconf _NPROCESSORS_ONLN)
declare -a flags="($CPPFLAGS)" # as a shell that compiles reads them

# Run clang-tidy on the files whose names standard input has: tidy OPTION...
tidy() {
    xargs -I {} -P "$jobs" clang-tidy --quiet "$@" {} -- -std=c11 "${flags[@]}" 2>/dev/null
}

if has clang-format; then
    clang-format --dry-run -Werror "$@"
fi

# clang-analyzer would take ten times as long for the tests as all other checks; the sanitizers find the same errors
# when the tests run. In src/ it follows the first 10000 states of each function, which takes a tenth of the time of its
# usual 225000.
if has clang-tidy; then
    printf '%s\n' "$@" | grep '^src/.*[.]c$' |
        tidy --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=10000
    printf '%s\n' "$@" | grep '^tests/.*[.]c$' | tidy '--checks=-clang-analyzer-*'
fi
# cppcheck does not know _Noreturn.
if has cppcheck; then
    printf '%s\n' "$@" | grep '[.]c$' | xargs cppcheck -j "$jobs" --quiet --error-exitcode=1 --std=c11 \
        --enable=warning,performance,portability '-D_Noreturn=__attribute__((noreturn))' "${flags[@]}"
fi
if has mandoc; then
    mandoc -T lint -W warning man/*.[1-9]
fi

scripts=(.ci/* .packaging/*.sh tests/*.sh tests/*/*.sh tests/recipes/*.sbatch)
for script in "${scripts[@]}"; do
    bash -n "$script"
done
if has shellcheck; then
    printf '%s\n' "${scripts[@]}" | xargs -n 8 -P "$jobs" shellcheck --shell=bash
fi
echo "lint: clean"
