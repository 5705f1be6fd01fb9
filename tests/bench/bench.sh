#!/usr/bin/env bash
#
# Measure bigshuf against other programs: tests/bench/bench.sh, or `make bench`.
#
# A row measures some programs on the same input, in rounds: one run of each, in turn, once to warm up and then RUNS
# times. Programs are compared by the medians of the rounds. A round whose yardstick took more than 1.5 times its own
# median was disturbed and is dropped from the comparison, which says so. "beside" are programs of others, of which one
# that takes over 15 s runs once. The rows are the functions row_NAME below; the commands in them are what is timed. The
# file of results is kept by copying it to results/, from which table.awk makes tables.
#
# From the environment:
#
#   BUILD         the folder with bigshuf, tests/support/peak and tests/bench/data; if not given, build/plain
#   BENCH_DIR     where data and outputs stand; if not given, a new folder in ${TMPDIR:-/var/tmp}
#   KEEP          1: leave the data there
#   BENCH_CSV     the file for all results; if not given, BUILD/bench.csv
#   BENCH_CGROUP  the control group below which groups are made; if not given, the root
#   BENCH_TIMEOUT seconds after which a program is ended and counts as failed; if not given, 300
#   RUNS          rounds; if not given, 5
#   ROWS          run only the rows whose names match this extended regular expression, such as 'null|pipe-json'; those
#                 of "peers", what people use instead, run only if they match one
#   QUICK         1: a hundredth of the data, a twentieth of the memory, one round and none to warm up: to see that all
#                 works; no claims
#   NOTE          what else is to be known of this run; the file of results says it
#   BIGSHUF SHUF SORT TERASHUF UU_SHUF DUCKDB   the programs, if they are neither in PATH nor where `make bench-peers`,
#                 which gets those of peers.txt, puts them
#   TEXT          a file of real text, for the rows of that; if not given, what `apt-cache dumpavail` says, if it is there

# The commands are strings for another shell: what they name is expanded there.

set -euo pipefail
export LC_ALL=C

bench=$(cd "$(dirname "$0")" && pwd)
BUILD=${BUILD:-$bench/../../build/plain}
BUILD=$(cd "$BUILD" && pwd)
QUICK=${QUICK:-}
KEEP=${KEEP:-}
ROWS=${ROWS:-}
RUNS=${RUNS:-$([ -n "$QUICK" ] && echo 1 || echo 5)}
BENCH_CSV=${BENCH_CSV:-$BUILD/bench.csv}
BENCH_TIMEOUT=${BENCH_TIMEOUT:-300}
processors=$(nproc)

export BIGSHUF=${BIGSHUF:-$BUILD/bigshuf}
export SHUF=${SHUF:-shuf}
export SORT=${SORT:-sort}
peers=$(cd "$bench/../.." && pwd)/build/peers
export TERASHUF=${TERASHUF:-$(command -v "$peers/terashuf/terashuf" || command -v terashuf || true)}
export UU_SHUF=${UU_SHUF:-$(command -v uu-shuf || command -v /usr/lib/cargo/bin/coreutils/shuf || true)} # as Debian has it
export DUCKDB=${DUCKDB:-$(command -v "$peers/duckdb.mjs" || command -v duckdb || true)}
export FAULTY=$BUILD/bigshuf-faulty PEAK=$BUILD/tests/support/peak

# ---- The place ----

own_dir=
if [ -z "${BENCH_DIR:-}" ]; then
    BENCH_DIR=$(mktemp -d "${TMPDIR:-/var/tmp}/bigshuf-bench-XXXXXX")
    own_dir=1
fi
mkdir -p "$BENCH_DIR"
BENCH_DIR=$(cd "$BENCH_DIR" && pwd)
export WORK=$BENCH_DIR/work # emptied before each run
export OUT=$WORK/out COPY=$WORK/copy
export IN=                  # the data of the row
export CGROUP=              # the control group of the run, if any
export SAID=$BENCH_DIR/said # by a program that is asked to say more than others
messages=$BENCH_DIR/messages
resident_file=$BENCH_DIR/resident
running=
data_made=()

clean_up() {
    local file
    if [ -n "$running" ]; then
        kill "$running" 2>/dev/null || true
        wait "$running" || true
    fi
    remove_cgroup
    rm -rf "$WORK"
    rm -f "$messages" "$resident_file" "$SAID".*
    if [ -z "$KEEP" ]; then
        for file in ${data_made[@]+"${data_made[@]}"}; do rm -f "$file"; done
        if [ -n "$own_dir" ]; then rmdir "$BENCH_DIR"; fi
    fi
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

say() {
    printf '%s\n' "$*"
}

divisor=1        # of the data
memory_divisor=1 # bigshuf does not work with less than 8 MiB
first_round=0    # which warms up and is not counted
if [ -n "$QUICK" ]; then
    divisor=100
    memory_divisor=20
    first_round=1
fi

# The bytes of N megabytes, and N MiB, in a run of this size.
megabytes() {
    echo $(($1 * 1000000 / divisor))
}

mebibytes() {
    echo $(($1 / memory_divisor))
}

# Let IN be BYTES bytes of data of a KIND (data.c): use_data KIND BYTES. False if there is no room for it, two copies
# and some more. Other large data are removed.
use_data() {
    local file room
    IN=$BENCH_DIR/$1-$2
    for file in ${data_made[@]+"${data_made[@]}"}; do
        if [ -z "$KEEP" ] && [ "$file" != "$IN" ] && [ -e "$file" ] && [ "$(stat -c %s "$file")" -gt 1500000000 ]; then
            rm "$file"
        fi
    done
    if [ ! -e "$IN" ]; then
        room=$(df --output=avail -B1 "$BENCH_DIR" | tail -n 1)
        if [ "$room" -lt $(($2 * 3 + 500000000)) ]; then
            say "$row: skipped: $((room / 1000000)) MB of room in $BENCH_DIR, needed are $(($2 * 3 / 1000000 + 500))"
            return 1
        fi
        data_made+=("$IN")
        if [ "$1" = text ]; then
            real_text "$2" >"$IN"
        else
            "$BUILD/tests/bench/data" "$1" "$2" >"$IN"
        fi
    fi
}

# Is there real text?
needs_text() {
    if [ -z "${TEXT:-}" ] && [ -z "$(apt-cache dumpavail 2>/dev/null | head -c 1)" ]; then
        say "$row: skipped: no real text (set TEXT)"
        return 1
    fi
}

# Its lines again and again, numbered: real_text BYTES
real_text() {
    local text=${TEXT:-$BENCH_DIR/text}
    [ -n "${TEXT:-}" ] || apt-cache dumpavail >"$text"
    awk -v bytes="$1" -v text="$text" 'BEGIN {
        while (done < bytes) {
            while (done < bytes && (getline line <text) > 0) {
                line = ++number " " line
                print line
                done += length(line) + 1
            }
            close(text)
        }
    }'
    [ -n "${TEXT:-}" ] || rm "$text"
}

# The mean length of the lines of IN, as far as its first megabyte tells.
mean_line() {
    head -c 1000000 "$IN" | awk '{ bytes += length($0) + 1 } END { print bytes / NR }'
}

# ---- Control groups ----

cgroup_base=${BENCH_CGROUP:-/sys/fs/cgroup}
if [ -z "${BENCH_CGROUP:-}" ] && [ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ]; then
    cgroup_base=/sys/fs/cgroup/memory
fi

# Make a memory cgroup of so many MiB, page cache included: make_cgroup MIB. False if that cannot be.
make_cgroup() {
    local limit=memory.max swap=memory.swap.max swap_bytes=0
    CGROUP=$cgroup_base/bigshuf-bench.$$
    mkdir "$CGROUP" 2>/dev/null || return 1
    if [ -e "$CGROUP/memory.limit_in_bytes" ]; then
        limit=memory.limit_in_bytes swap=memory.memsw.limit_in_bytes swap_bytes=$(($1 << 20))
    fi
    echo $(($1 << 20)) 2>/dev/null >"$CGROUP/$limit" || return 1
    [ "$(cat "$CGROUP/$limit")" = $(($1 << 20)) ] || return 1
    if [ -e "$CGROUP/$swap" ]; then
        echo $swap_bytes >"$CGROUP/$swap" || return 1
    fi
}

# The last processes of it may be about to end.
remove_cgroup() {
    local try
    if [ -n "$CGROUP" ] && [ -d "$CGROUP" ]; then
        for try in 1 2 3 4 5 6 7 8 9 10; do
            rmdir "$CGROUP" 2>/dev/null && break
            [ "$try" = 1 ] || sleep 0.1
        done
    fi
    CGROUP=
}

# The most memory that the group had, in bytes; nothing if the system does not tell.
cgroup_peak() {
    cat "$CGROUP/memory.max_usage_in_bytes" 2>/dev/null || cat "$CGROUP/memory.peak" 2>/dev/null || true
}

# May this row have its cgroup? needs_cgroup MIB
needs_cgroup() {
    local made=1
    make_cgroup "$1" || made=
    remove_cgroup
    if [ -z "$made" ]; then
        say "$row: skipped: no memory cgroup of $1 MiB can be made in $cgroup_base (are you root?)"
        return 1
    fi
}

# Take the data out of the page cache, so that every run reads them itself and has them charged to its own group. What
# else is cached on the machine stays.
make_cold() {
    sync "$IN"
    dd if="$IN" iflag=nocache count=0 status=none
}

# ---- Measuring ----

row=           # the row that runs
limit_mib=     # the cgroup that its programs run in, if any
cold=          # not empty: its data are not in the page cache when a program starts
failures=0     # of bigshuf
met=0          # targets
missed=0
declare -A values=() # of each program: a number for each round, or why there is none
declare -A why=()
declare -A peaks=() # of its memory, in MiB

# Run a command once; `taken` receives the seconds and `resident` the MiB that the largest of its processes had, or
# `problem` what went wrong: run_once COMMAND
run_once() {
    local command=$1 start status=0 peak
    taken='' resident='' problem=''
    rm -rf "$WORK"
    mkdir "$WORK"
    sync -f "$WORK" # what another program wrote is not written back while this one runs
    if [ -n "$limit_mib$cold" ]; then
        make_cold
    fi
    if [ -n "$limit_mib" ]; then
        if ! make_cgroup "$limit_mib"; then
            problem="no cgroup"
            return
        fi
        command='echo $$ >"$CGROUP/cgroup.procs" || exit 1; '$command
    fi
    start=${EPOCHREALTIME/./}
    timeout "$BENCH_TIMEOUT" "$PEAK" "$resident_file" bash -c "$command" 2>"$messages" &
    running=$!
    wait "$running" || status=$?
    taken=$((${EPOCHREALTIME/./} - start))
    taken=$((taken / 1000000)).$(printf %06d $((taken % 1000000)))
    running=
    case $status in
    0)
        resident=$(awk '{ print $1 / 1024 }' "$resident_file")
        ;;
    124) problem="over $BENCH_TIMEOUT s" ;;
    137) problem=killed ;;
    *) problem="status $status" ;;
    esac
    if [ -z "$problem" ] && [ -e "$OUT" ] && [ "$(stat -c %s "$OUT")" -lt "$(stat -c %s "$IN")" ]; then
        problem="output too short"
    fi
    if [ -n "$limit_mib" ]; then
        peak=$(cgroup_peak)
        if [ -z "$problem" ] && [ -n "$peak" ] && [ "$(stat -c %s "$IN")" -gt $((limit_mib << 20)) ] &&
            [ "$peak" -lt $((limit_mib << 19)) ]; then
            problem="pages charged elsewhere"
        fi
        remove_cgroup
    fi
}

# measure [NAME COMMAND]... [beside [NAME COMMAND]...]: all rounds, into `values` and `peaks`.
measure() {
    local names=() round name others='' once
    local -A command=() rounds=() other=()
    values=() why=() peaks=()
    while [ $# -gt 0 ]; do
        if [ "$1" = beside ]; then
            others=1
            shift
            continue
        fi
        names+=("$1")
        command[$1]=$2
        rounds[$1]=$RUNS
        other[$1]=$others
        values[$1]=
        why[$1]=
        shift 2
    done
    for ((round = first_round; round <= RUNS; round++)); do
        for name in ${names[@]+"${names[@]}"}; do
            if [ -n "${why[$name]}" ] || ((round > rounds[$name])); then
                continue
            fi
            if ((round > 0)) && [ -z "$QUICK$limit_mib$cold" ]; then
                run_once "${command[$name]}" # takes again what a host took of the memory that others left
            fi
            run_once "${command[$name]}"
            once=
            if [ -n "${other[$name]}" ] && ((round == first_round && ${taken%.*} >= 15)); then
                once=1 rounds[$name]=0
            fi
            if [ -n "$problem" ]; then
                values[$name]=
                why[$name]=$problem
                if [ "$name" = bigshuf ]; then
                    failures=$((failures + 1))
                    sed "s/^/$row: bigshuf: /" "$messages" >&2
                fi
            elif [ $round -gt 0 ] || [ -n "$once" ]; then
                values[$name]+=" $taken"
                peaks[$name]+=" $resident"
            fi
        done
    done
    rm -rf "$WORK"
}

# Make seconds for many into another unit for one: scale_values NAME UNITS_A_SECOND MANY
scale_values() {
    values[$1]=$(awk -v values="${values[$1]}" -v units="$2" -v many="$3" 'BEGIN {
        n = split(values, value)
        for (i = 1; i <= n; i++)
            printf " %.6g", value[i] * units / many
    }')
}

# ---- Reporting ----

csv_columns=row,bytes,program,against,unit,pairs,dropped,median,min,max,against_median,against_min,against_max
csv_columns+=,ratio,target,verdict,limit_mib

print_line() {
    printf '%-16s %-9s %-24s %-9s %-24s %-7s %-8s %-8s %s\n' "$@"
}

# Compare two programs that were measured: compare PROGRAM YARDSTICK TARGET [UNIT]. A TARGET such as ">=15" is how many
# times faster than the yardstick the program should be, "<=1.3" how many times slower it may be; without a number it
# says only which ratio is reported. The unit is s if not given.
compare() {
    local program=$1 yardstick=$2 target=$3 unit=${4:-s} bytes fields
    if [ -z "${why[$yardstick]+known}" ]; then
        return # was not there to be measured
    fi
    bytes=$(stat -c %s "$IN")
    if [ -z "${values[$program]}" ] || [ -z "${values[$yardstick]}" ]; then
        local mine=${why[$program]:--} theirs=${why[$yardstick]:--} verdict=-
        if [ -n "${why[$program]}" ] && [ -n "${target#[<>]=}" ]; then
            verdict=FAILED
            missed=$((missed + 1))
        fi
        print_line "$row" "$program" "$mine" "$yardstick" "$theirs" - - "${target/[<>]=/${target:0:1}= }" "$verdict"
        verdict=${why[$program]:-${why[$yardstick]}}
        say "$row,$bytes,$program,$yardstick,$unit,0,0,,,,,,,,$target,$verdict,$limit_mib" >>"$BENCH_CSV"
        return
    fi
    fields=$(awk -v mine="${values[$program]}" -v theirs="${values[$yardstick]}" -v target="$target" \
        -v quick="$QUICK" -f "$bench/pairs.awk")
    set -- $fields # pairs dropped median min max median min max ratio verdict
    print_line "$row" "$program" "$3 $unit ($4..$5)" "$yardstick" "$6 $unit ($7..$8)" \
        "$1$([ "$2" = 0 ] || echo " (-$2)")" "$9" "${target/[<>]=/${target:0:1}= }" "${10}"
    say "$row,$bytes,$program,$yardstick,$unit,$1,$2,$3,$4,$5,$6,$7,$8,$9,$target,${10},$limit_mib" >>"$BENCH_CSV"
    case ${10} in
    met) met=$((met + 1)) ;;
    MISSED) missed=$((missed + 1)) ;;
    esac
}

# ---- Rows ----

# What beside GNU's shuf shuffles FILE to OUT in so many MiB: set the array `others`. terashuf's MEMORY is its buffer,
# in GiB, to which it adds 8 bytes a line, so that it is less for shorter lines.
find_others() {
    local mib=$1 buffer
    others=()
    if [ -n "$TERASHUF" ]; then
        buffer=$(awk -v mib="$mib" -v line="$(mean_line)" 'BEGIN { printf "%.4f", mib / 1024 / (1 + 8 / line) }')
        others+=(terashuf "MEMORY=$buffer TMPDIR=\"\$WORK\" \"\$TERASHUF\" <\"\$IN\" >\"\$OUT\"")
    fi
}

# DuckDB as a shuffler of lines, where others have so many MiB, of which it gets twice as many, since it ends with
# "failed to pin block" otherwise: a CSV file of one column, in which nothing is quoted. No line of the data holds a tab.
duckdb_command() {
    local lines="read_csv('\$IN', columns={'line': 'VARCHAR'}, header=false, delim='\\t', quote='', escape='')"
    printf '%s ' "\"\$DUCKDB\" -c \"SET memory_limit='$((2 * $1))MiB'; SET temp_directory='\$WORK/duckdb';" \
        "COPY (SELECT line FROM $lines ORDER BY random()) TO '\$OUT'" \
        "(FORMAT csv, HEADER false, DELIMITER '\\t', QUOTE '', ESCAPE '')\""
}

kind=
targets() { # the target for the row's kind of data: targets SEQ LINES JSON
    case $kind in
    seq) echo "$1" ;;
    lines) echo "$2" ;;
    json) echo "$3" ;;
    esac
}

# In memory, so many megabytes of such data: in_memory KIND MB [NAME COMMAND]... -- ['PROGRAM YARDSTICK TARGET']...
in_memory() {
    local comparison programs=()
    use_data "$1" "$(megabytes "$2")" || return 0
    cat "$IN" >/dev/null
    shift 2
    while [ "$1" != -- ]; do
        programs+=("$1" "$2")
        shift 2
    done
    measure "${programs[@]}"
    for comparison in "${@:2}"; do compare $comparison; done
}

# To /dev/null.
row_null() {
    in_memory "$kind" 1000 bigshuf '"$BIGSHUF" "$IN" >/dev/null' shuf '"$SHUF" "$IN" >/dev/null' \
        -- "bigshuf shuf $(targets '>=25' '>=10' '>=6')"
}

# File to new file; `hold` reads everything into one buffer, and then writes it.
row_file() {
    in_memory "$kind" 1000 bigshuf '"$BIGSHUF" "$IN" >"$OUT"' \
        hold 'dd if="$IN" of="$OUT" bs="$(stat -c %s "$IN")" iflag=fullblock status=none' \
        dd 'dd if="$IN" of="$OUT" bs=1M status=none' \
        -- "bigshuf hold $(targets '<=2.5' '<=1.3' '<=1.3')" "bigshuf dd $(targets '<=3' '<=1.4' '<=1.4')"
}

# From a pipe, to /dev/null and to a new file.
row_pipe() {
    in_memory "$kind" 1000 bigshuf 'cat "$IN" | "$BIGSHUF" >/dev/null' cat 'cat "$IN" | cat >/dev/null' \
        to-file 'cat "$IN" | "$BIGSHUF" >"$OUT"' cat-to-file 'cat "$IN" | cat >"$OUT"' \
        -- "bigshuf cat $(targets '<=1.5' '<=1.05' '<=1.1')" "to-file cat-to-file $(targets '<=2.5' '<=1.7' '<=1.5')"
}

double_copy='cp --reflink=never "$IN" "$COPY" && cp --reflink=never "$COPY" "$OUT"'

# Larger than memory, file to file in a cgroup: limited KIND MB MEMORY_MIB CGROUP_MIB TARGET
limited() {
    local memory group limit_mib=''
    memory=$(mebibytes "$3")
    group=$(mebibytes "$4")
    [ "$1" != text ] || needs_text || return 0
    needs_cgroup "$group" && use_data "$1" "$(megabytes "$2")" || return 0
    limit_mib=$group
    measure bigshuf "\"\$BIGSHUF\" -S ${memory}M -T \"\$WORK\" \"\$IN\" >\"\$OUT\"" copy "$double_copy"
    compare bigshuf copy "$5"
}

# Real text, when temporary files are on a disk of 150 MB/s, for reading and writing together; and the bytes in them.
row_slow() {
    local memory group limit_mib='' slow name
    local -A spilled=()
    memory=$(mebibytes 256)
    group=$(mebibytes 1024)
    needs_text && needs_cgroup "$group" || return 0
    use_data text "$(megabytes 4000)" || return 0
    limit_mib=$group
    slow="FAULT_RATE=150 \"\$FAULTY\" -v -S ${memory}M -T \"\$WORK\" \"\$IN\" >\"\$OUT\""
    measure bigshuf "$slow 2>\"\$SAID\".auto" never "$slow --tune=compress-temporary=never 2>\"\$SAID\".never"
    compare bigshuf never '<=0.6'
    for name in auto never; do
        spilled[$name]=$(awk '/ spilled: / { print $(NF - 1) / 1048576 }' "$SAID.$name")
        rm "$SAID.$name"
    done
    values=([bigshuf]=" ${spilled[auto]}" [never]=" ${spilled[never]}")
    compare bigshuf never '<=0.6' MiB
}

# Peak memory against input size.
row_peak() {
    local name
    use_data seq "$(megabytes 1000)" || return 0
    measure bigshuf '"$BIGSHUF" "$IN" >/dev/null' beside shuf '"$SHUF" "$IN" >/dev/null'
    for name in bigshuf shuf; do values[$name]=${peaks[$name]:-}; done
    values[input]=$(for ((i = 0; i < RUNS; i++)); do stat -c %s "$IN" | awk '{ print $1 / 1048576 }'; done | paste -s -d ' ' -)
    why[input]=
    compare bigshuf input '<=1.08' MiB
    compare shuf input '<=' MiB
}

# From a disk.
row_cold() {
    local cold=1
    use_data json "$(megabytes 1000)" || return 0
    measure bigshuf '"$BIGSHUF" "$IN" >/dev/null' cat 'cat "$IN" >/dev/null'
    compare bigshuf cat '<=1.15'
}

# Ten lines, a hundred times in each round; reported is the time of one.
row_tiny() {
    local RUNS=$((RUNS * 2))
    IN=/dev/null
    measure bigshuf 'for ((i = 0; i < 100; i++)); do seq 10 | "$BIGSHUF" >/dev/null || exit; done' \
        shuf 'for ((i = 0; i < 100; i++)); do seq 10 | "$SHUF" >/dev/null || exit; done'
    scale_values bigshuf 1000 100
    scale_values shuf 1000 100
    compare bigshuf shuf '<=1.03' ms
}

row_threads() {
    [ "$processors" -gt 1 ] || return 0
    in_memory "$kind" 1000 bigshuf '"$BIGSHUF" --parallel=2 "$IN" >/dev/null' \
        1-thread '"$BIGSHUF" --parallel=1 "$IN" >/dev/null' -- 'bigshuf 1-thread >=1.7'
}

# Records that are not lines, against lines of the same lengths: the same bytes read in two ways, to /dev/null:
# row_kind KIND OPTION TARGET
row_kind() {
    in_memory "$1" 1000 kind "\"\$BIGSHUF\" $2 \"\$IN\" >/dev/null" lines '"$BIGSHUF" "$IN" >/dev/null' -- "kind lines $3"
}

# Lengths, and the checksums of TFRecord, against records of the same size, in the same bytes, from file to file; and to
# /dev/null, where the bytes of records of a size are looked at by nobody before they are written.
row_lengths() {
    local length kind size
    for length in tfrecord-100 tfrecord-1000 u32le-100; do
        kind="\"\$BIGSHUF\" --records=${length%-*} \"\$IN\"" size="\"\$BIGSHUF\" --records=bytes:${length#*-} \"\$IN\""
        in_memory "$length" 1000 "$length" "$kind -o \"\$OUT\"" size "$size -o \"\$OUT\"" -- "$length size <=1.2"
        in_memory "$length" 1000 "$length" "$kind >/dev/null" size "$size >/dev/null" -- "$length size <="
    done
}

row_tar() {
    in_memory tar 1000 tar '"$BIGSHUF" --records=tar "$IN" >"$OUT"' size '"$BIGSHUF" --records=bytes:10240 "$IN" >"$OUT"' \
        pipe 'cat "$IN" | "$BIGSHUF" --records=tar >"$OUT"' \
        size-pipe 'cat "$IN" | "$BIGSHUF" --records=bytes:10240 >"$OUT"' -- 'tar size <=1.2' 'pipe size-pipe <=1.2'
}

# 32 files against one.
row_shards() {
    in_memory json 1000 shards '"$BIGSHUF" --shards=32 -o "$WORK/shard-%d" "$IN"' file '"$BIGSHUF" -o "$OUT" "$IN"' \
        -- 'shards file >=0.9'
}

# Four compressed files against one process that decompresses all, and a pipe. What zstd takes for it is little; gzip
# takes most of the time.
row_packed() {
    local suffix=zst files
    [ "$kind" = zstd ] || suffix=gz
    command -v "$kind" >/dev/null || return 0
    use_data json "$(megabytes 1000)" || return 0
    files=("$IN".a{a,b,c,d}."$suffix")
    if [ ! -e "${files[0]}" ]; then
        split -n l/4 "$IN" "$IN." && "$kind" -q -3 "$IN".a[a-d] && rm -f "$IN".a[a-d]
        data_made+=("${files[@]}")
    fi
    cat "${files[@]}" >/dev/null
    measure bigshuf "\"\$BIGSHUF\" -Z \"\$IN\".a[a-d].$suffix >/dev/null" \
        pipe "$kind -dc \"\$IN\".a[a-d].$suffix | \"\$BIGSHUF\" >/dev/null" \
        "$kind" "$kind -dc \"\$IN\".a[a-d].$suffix >/dev/null"
    compare bigshuf pipe '<=0.7'
    compare bigshuf "$kind" '<='
}

# A file as most are.
row_small() {
    in_memory json 67 bigshuf '"$BIGSHUF" "$IN" >"$OUT"' shuf '"$SHUF" "$IN" >"$OUT"' -- 'bigshuf shuf >='
}

# On both sides of the memory in which a 512th of the input fits: with a little less, all piles are started over.
row_cliff() {
    in_memory json 4200 below '"$BIGSHUF" -S 8M -T "$WORK" "$IN" >"$OUT"' \
        above '"$BIGSHUF" -S 9M -T "$WORK" "$IN" >"$OUT"' -- 'below above <='
}

# A small sample of a large file against counting its lines.
row_sample() {
    in_memory lines 4000 bigshuf '"$BIGSHUF" -n 1000 "$IN" >"$WORK/sample"' \
        keep-order '"$BIGSHUF" --keep-order -n 1000 "$IN" >"$WORK/sample"' wc 'wc -l "$IN" >"$WORK/count"' \
        -- 'bigshuf wc <=1.5' 'keep-order wc <='
}

# What people use, to new files: time and peak memory of each, of which so much may be its own: peers MIB
peers() {
    local name RUNS=$((RUNS < 3 ? RUNS : 3)) BENCH_TIMEOUT=120
    find_others "$1"
    if [ -n "$UU_SHUF" ]; then others+=(uu-shuf '"$UU_SHUF" "$IN" >"$OUT"'); fi
    if [ -n "$DUCKDB" ]; then others+=(duckdb "$(duckdb_command "$1")"); fi
    measure bigshuf "\"\$BIGSHUF\" -S $1M -T \"\$WORK\" \"\$IN\" >\"\$OUT\"" copy "$double_copy" \
        beside shuf '"$SHUF" "$IN" >"$OUT"' ${others[@]+"${others[@]}"} \
        sort-R "\"\$SORT\" -R -S $1M -T \"\$WORK\" \"\$IN\" >\"\$OUT\""
    for name in copy shuf uu-shuf terashuf duckdb sort-R; do compare bigshuf "$name" '>='; done
    for name in "${!peaks[@]}"; do values[$name]=${peaks[$name]}; done
    for name in shuf uu-shuf terashuf duckdb; do
        [ -z "${peaks[$name]:-}" ] || compare bigshuf "$name" '>=' MiB
    done
}

# With memory for all of it.
row_peers() {
    use_data "$kind" "$(megabytes 1000)" || return 0
    cat "$IN" >/dev/null
    peers 4096
}

# With as much memory for each, page cache included. Nothing warms up what is not in the cache.
row_peers_beyond() {
    local group limit_mib='' first_round=1
    group=$(mebibytes 1024)
    needs_cgroup "$group" || return 0
    use_data "$kind" "$(megabytes 4000)" || return 0
    limit_mib=$group
    peers "$(mebibytes 256)"
}

# ---- The machine and the programs ----

describe() {
    local name found
    say "bigshuf bench, $(date -u '+%Y-%m-%d %H:%M UTC')"
    say
    say "processor    $(awk -F': *' '/^(model name|Model|cpu model)/ { print $2; exit }' /proc/cpuinfo)," \
        "$processors online"
    say "memory       $(awk '/^MemTotal/ { printf "%.1f GiB", $2 / 1048576 }' /proc/meminfo), huge pages:" \
        "$(cat /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null || echo unknown)"
    say "kernel       $(uname -srm | sed 's/-[^ ]*//')"
    say "data         $(stat -f -c %T "$BENCH_DIR" | sed 's/tmpfs/&, which is memory: rows with a limit mean nothing here (set BENCH_DIR)/')"
    [ -z "${NOTE:-}" ] || say "note         $NOTE"
    say "bigshuf      $("$BIGSHUF" --version | head -n 1) $(git -C "$bench" describe --always --dirty 2>/dev/null || true)"
    for name in shuf terashuf uu_shuf duckdb; do # GNU's others are of the same coreutils
        found=${name^^}
        describe_program "$name" "${!found-$name}"
    done
    say
}

# What it says of its version; terashuf says nothing, but the folder that it was built in does.
describe_program() {
    local version='not found: left out' pinned
    if [ "$1" = terashuf ] && [ -n "$2" ]; then
        version=$(git -C "$(dirname "$2")" rev-parse HEAD 2>/dev/null || true)
    elif [ -n "$2" ]; then
        version=$("$2" --version 2>/dev/null </dev/null | sed -n 1p)
    fi
    pinned=$(awk -v name="$1" '$1 == name { print $2 }' "$bench/peers.txt")
    if [ -n "$2" ] && [[ $version != *"$pinned" ]]; then
        version="${version:-of unknown version}, not $pinned"
    fi
    say "$(printf %-12s "$1") ${version#"$2" }"
}

# Run a row if it was asked for; if FUNCTION is given one argument, it is also the kind of its data:
# run_row NAME FUNCTION [ARGUMENT]...
run_row() {
    row=$1
    kind=${3:-}
    if [[ $row =~ ${ROWS:-.} ]]; then
        "${@:2}"
    fi
}

# The file says as well where its numbers come from.
describe | tee "$messages"
{ sed -n 's/./# &/p' "$messages" && say "$csv_columns"; } >"$BENCH_CSV"
if [ -n "$QUICK" ]; then
    say "A quick run: a hundredth of the data, $RUNS rounds. It shows that all works, and nothing else."
    say
fi
print_line ROW PROGRAM 'MEDIAN (MIN..MAX)' AGAINST 'MEDIAN (MIN..MAX)' PAIRS RATIO TARGET ''
for data_kind in seq lines json; do
    for work in null file pipe; do
        run_row "$work-$data_kind" "row_$work" "$data_kind"
    done
done
run_row peak row_peak
run_row threads-seq row_threads seq
run_row threads-json row_threads json
run_row tiny row_tiny
run_row small row_small
run_row sample row_sample
run_row csv row_kind json --csv '>=0.7'
run_row size row_kind sixteen --records=bytes:16 '>=1.0'
run_row lengths row_lengths
run_row shards row_shards
run_row zstd row_packed zstd
run_row gzip row_packed gzip
run_row tar row_tar
run_row cold row_cold
run_row limit-json limited json 4000 256 1024 '<=0.95'
run_row half-json limited json 4000 2048 3072 '<=0.75'
run_row limit-nine limited nine 4000 256 1024 '<=1.2'
run_row limit-lines limited lines 8000 256 1024 '<=0.95'
run_row limit-text limited text 4000 256 1024 '<=0.9'
run_row slow row_slow
run_row cliff row_cliff
if [ -n "$ROWS" ]; then
    for data_kind in seq lines json; do
        run_row "peers-$data_kind" row_peers "$data_kind"
    done
    for data_kind in nine json; do
        run_row "peers-beyond-$data_kind" row_peers_beyond "$data_kind"
    done
fi

say
say "PAIRS (-N): N more were dropped, since their yardstick took over 1.5 times its median."
say "RATIO: with >=, how many times faster than AGAINST; with <=, how many times its time or size."
if [ -z "$QUICK" ]; then
    say "$met of $((met + missed)) targets met, in $SECONDS s."
fi
say "All numbers are in $BENCH_CSV."
if [ "$failures" -gt 0 ]; then
    say "bigshuf failed $failures times."
    exit 1
fi
