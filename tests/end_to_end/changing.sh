# What other programs do to an input while it is used: one rule holds however it is read. A file that is smaller, or has
# the same size and another modification time, fails the run. Bytes added to a file are not used; but a larger file
# whose old part begins or ends with other bytes fails the run, too.

changed='file has changed while it was read'

# Changes to the file `in`. `original` is a copy of it; `larger` begins with other records.
changes=(
    'truncate -s -1 in'
    'truncate -s 0 in'
    'touch -d 2001-02-03 in'
    'cat larger >in'
    'cat larger 1<>in'
    '(cat larger && cat larger) >in'
    'echo more >>in; printf x 1<>in'
    'truncate -s -2 in; echo xxx >>in'
)

# Make `in`; each test changes it once, so its time must be in the past: have_in COMMAND...
have_in() {
    "$@" >original
    (echo 0 && cat original) >larger
    cp original in
}

# When the first FILE has been looked at, and nothing of it has been read.
before='open 2'

# The run fails and says that FILE has changed, if the shell runs COMMAND before call number TURN: tells_change FILE CALL TURN
# COMMAND ARGUMENT...
tells_change() {
    FAULT_CALL=$2 FAULT_AT=$3 FAULT_RUN=$4 fails_with 1 "*bigshuf: $1: $changed" bigshuf-faulty "${@:5}"
}

# Each of the changes is told: tells_all CALL TURN ARGUMENT...
tells_all() {
    local change
    for change in "${changes[@]}"; do
        cp original in
        tells_change in "$1" "$2" "$change" "${@:3}" >out
    done
}

# What is added is not used: ignores_more CALL TURN ARGUMENT...
ignores_more() {
    local wanted more
    cp original in
    wanted=$(bigshuf "${@:3}" | md5)
    for more in 'echo more >>in' 'cat larger >>in' 'cat larger >>in; touch -d 2001-02-03 in'; do
        cp original in
        same "$wanted" "$(FAULT_CALL=$1 FAULT_AT=$2 FAULT_RUN=$more bigshuf-faulty "${@:3}" | md5)"
    done
}

# ---- However it is read ----

test_an_input_that_fits() { # tags: long
    have_in long_lines 30000 100 300
    tells_all read 2 in
    tells_all read 2 -r -n 9 in
    ignores_more read 2 --seed=1 in
    tells_all $before in
}

test_an_input_that_is_larger_than_memory() { # tags: long
    have_in more_than_memory
    tells_all read 20 -S 8M -T . in
    ignores_more read 20 -S 8M -T . --seed=1 in
}

test_an_input_that_is_read_twice() {
    have_in more_than_memory
    tells_all read 20 -S 8M -T . -r -n 1000 in
    ignores_more read 20 -S 8M -T . -r -n 1000 --seed=1 in
}

test_inputs_with_keys() {
    have_in long_lines 3000 100 300
    tells_all read 1 --unique in
    tells_all $before -t 1 --group-field=1 in
    have_in more_than_memory
    tells_all read 20 -S 8M -T . -t 1 --group-field=1 in
    ignores_more read 20 -S 8M -T . --seed=1 --unique in
}

test_a_small_input() {
    have_in seq 100
    tells_all $before in
    ignores_more $before --seed=1 in
}

# Whatever comes between two calls of the program, as it opens the file and goes on to read it.
test_a_file_that_is_rewritten_while_it_is_opened() {
    local turn=0
    have_in seq 100
    seq 1000 1500 >larger
    while [ ! -e over ]; do
        cp original in
        if FAULT_CALL='open preadv read' FAULT_AT=$((++turn)) FAULT_RUN='cat larger >in; touch rewritten' \
            bigshuf-faulty in >out 2>said; then
            same_lines original out >differs || same_lines larger out
        else
            same "bigshuf: in: $changed" "$(<said)"
        fi
        rm rewritten 2>/dev/null || touch over
    done
    [ $turn -gt 5 ]
}

# Between two calls, the file may end within a record.
test_a_file_that_is_empty_when_it_is_opened() {
    local turn
    seq 100 >lines
    for turn in 1 2; do
        : >in
        FAULT_CALL=read FAULT_AT=$turn FAULT_RUN='printf 12 >in' bigshuf-faulty lines in | same_lines lines /dev/stdin
    done
}

test_standard_input() {
    have_in long_lines 30000 100 300
    for change in "${changes[@]}"; do
        cp original in
        tells_change - read 2 "$change" <in >out
    done
    cp original in
    FAULT_CALL=read FAULT_AT=2 FAULT_RUN='cat larger >>in' bigshuf-faulty <in | same_lines original /dev/stdin
}

test_many_inputs() {
    have_in long_lines 1500 100 300
    mkdir more
    for i in {1..60}; do
        cp original more/$i
    done
    for change in "${changes[@]::3}"; do
        cp original in
        tells_change in open 100 "$change" -S 1G more/* in >out
    done
    cp original in
    (ulimit -n 40 && bigshuf more/* in) >out
    cat more/* in | same_lines out /dev/stdin
    FAULT_CALL=open FAULT_AT=100 FAULT_RUN='cat larger >>in' bigshuf-faulty -S 1G more/* in >out
    cat more/* original | same_lines out /dev/stdin
}

# ---- Wherever it goes ----

test_the_old_output_stays() { # tags: long
    have_in long_lines 30000 100 300
    echo old >old
    tells_all read 2 -o old in
    same old "$(<old)"
    tells_all allocate_apart 1 --filter='cat >$FILE' --shards=2 -o 'shard.%d' in
    for change in "${changes[@]}"; do
        cp original in
        FAULT_CALL=allocate_apart FAULT_AT=1 FAULT_RUN=$change \
            fails_with 1 'bigshuf: *' bigshuf-faulty --shards=2 -o 'shard.%d' in
    done
    cp original in
    FAULT_CALL=write FAULT_AT=1 FAULT_RUN='cat larger >in' fails_with 1 'bigshuf: in: *' bigshuf-faulty -o in in
    cmp larger in
    same 'in larger old original out' "$(echo *)"
}

test_a_batch_is_not_added() {
    have_in more_than_memory
    echo 1 >one
    bigshuf --scatter=st --piles=2 one
    tells_all read 20 -S 8M --scatter=st in
    same 1 "$(bigshuf --gather=st)"
}

test_a_batch_of_a_file_that_grows_is_not_taken_for_all_of_it() {
    seq 10 >in
    FAULT_CALL=allocate_apart FAULT_AT=1 FAULT_RUN='echo more >>in' bigshuf-faulty --scatter=st --seed=1 --batch=x in
    same 10 "$(bigshuf --gather=st | wc -l)"
    fails_with 1 'bigshuf: *: a batch of this name *' bigshuf --scatter=st --seed=1 --batch=x in
}

# ---- What else is read ----

test_weights() { # tags: long
    have_in seq 10000 39999
    sed 's/^/1/' original >larger
    for options in '' '-r -n 10'; do
        tells_all allocate_apart 1 $options --weights=in original
        tells_all allocate_apart 1 $options --weights=original in
        ignores_more allocate_apart 1 $options --seed=1 --weights=in original
    done
}

test_a_source_of_random_bytes() { # tags: long
    have_in seq 100000
    seq 1000 >lines
    tells_all $before --random-source=in lines
    tells_all write 1 --random-source=in -n 10 lines
    tells_all write 1 --random-source=in -r -n 10 lines
    tells_all write 1 --random-source=in -i 1-100
    ignores_more $before --random-source=in lines
    head -c 500 original >short
    FAULT_CALL=allocate_apart FAULT_AT=1 FAULT_RUN='cat original >>short' \
        fails_with 1 "bigshuf: 'short': end of file" bigshuf-faulty --random-source=short lines
}

# ---- Names ----

test_a_name_that_leads_elsewhere_is_no_change_unless_it_is_opened_again() {
    have_in long_lines 3000 100 300
    for change in 'cp larger new; mv new in' 'rm in' 'rm in; mkfifo in' 'rm in; mkdir in'; do
        rm -rf in
        cp original in
        FAULT_CALL=write FAULT_AT=1 FAULT_RUN=$change bigshuf-faulty in | same_lines original /dev/stdin
    done
    rm -rf in
    cp original in
    tells_change in open 2 'cp larger new; mv new in' in
    cp original in
    FAULT_CALL=open FAULT_AT=2 FAULT_RUN='cp -p in new; mv new in' bigshuf-faulty in | same_lines original /dev/stdin
}

test_another_file_of_the_same_size_and_time_is_told() {
    have_in long_lines 3000 100 300
    tac original >other
    touch -r in other
    tells_change in open 2 'mv other in' in
}

# ---- Compressed files ----

# Lines that cannot be compressed to much less, from so many on: dense NUMBER.
dense() {
    seq "$1" $(($1 + $(scale 25000 25000 200000))) | awk '{
        for (line = i = 0; i < 5; i++) {
            chance = (chance * 69069 + 12345 + $1) % 2147483648
            line = line chance
        }
        print line
    }'
}

# `in`, of which the first `whole` bytes are a whole file as well.
two_members() {
    needs gzip
    dense 1 | gzip -1 >in
    whole=$(wc -c <in)
    dense 1000000 | gzip -1 >>in
    cp in original
}

# Before its program reads it, and when it has read some of it.
test_a_compressed_file_that_loses_a_member() { # tags: plain
    two_members
    for call in 'spawn 1' 'poll_all 2'; do
        cp original in
        tells_change in $call "truncate -s $whole in" -Z in >out
        cp original in
        tells_change in $call "truncate -s $whole in" -Z --scatter=st in
        fails_with 1 'bigshuf: st: the store has no batches; --scatter adds them' bigshuf --gather=st
    done
}

# Before its program runs ahead, and when it does.
test_a_compressed_file_that_changes_before_its_turn() { # tags: plain
    two_members
    seq 1000 | gzip >first
    dense 5000 | gzip -1 >larger
    cat original original >>larger
    for change in 'touch -d 2001-02-03 in' 'cat larger >in'; do
        cp original in
        tells_change in spawn 1 "$change" -Z first in >out
        cp original in
        tells_change in spawn 2 "$change" --parallel=2 -Z first in >out
    done
    cp original in
    tells_change in spawn 1 'cp larger new; mv new in' -Z first in >out
    cp original in
    FAULT_CALL=spawn FAULT_AT=2 FAULT_RUN='cp larger new; mv new in' \
        bigshuf-faulty --parallel=2 -Z first in | same_lines <(gzip -dc first original) /dev/stdin
}

# A program cannot be told to read no more than there was.
test_a_compressed_file_that_grows_is_used_as_it_was_or_told() { # tags: plain
    two_members
    if FAULT_CALL=poll_all FAULT_AT=2 FAULT_RUN='cat original >>in' bigshuf-faulty -Z in >out 2>said; then
        gzip -dc <original | same_lines out /dev/stdin
    else
        same "bigshuf: in: $changed" "$(tail -n 1 said)" # its program may have come to half of what is added
    fi
}
