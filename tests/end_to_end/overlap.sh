# An output that is an input: a single file that will be replaced may be one. And outputs that look like mistakes.

# One of several outputs, or of a filter, is an input: this is refused before anything is read, and all files stay:
# refuses_as_input NAME OPTION...
refuses_as_input() {
    cat ./* | cksum >../before
    fails_with 1 "bigshuf: $1: is both input and output; give the outputs other names" bigshuf "${@:2}" <part0
    rm .stderr
    cat ./* | cksum | cmp - ../before
}

test_one_of_several_outputs_may_not_be_an_input() { # tags: long
    mkfifo never
    mkdir files && cd files || exit
    seq 100 >a
    seq 10 >part0
    seq 20 | tee part1 >part3
    ln part0 hard
    ln -s part1 soft
    refuses_as_input part0 --shards=2 -o part%d ../never part0 part1
    refuses_as_input ./part1 --shards=records:90 -o part%d a ./part1
    refuses_as_input hard --shards=1 -o part%d hard
    refuses_as_input soft --shards=bytes:1K -o part%d ../never soft
    refuses_as_input - --shards=2 -o part%d -
    refuses_as_input part3 --shards=records:30 -o part%d a part3 # found late
    refuses_as_input part3 --shards=bytes:50 -o part%d a part3
    refuses_as_input a --split=10%:valid -o a ../never a
    refuses_as_input a --split=100%:a a
    refuses_as_input part0 --split=1:part0 a part0
    refuses_as_input part0 --split=9:part0 -o rest part0
    refuses_as_input a -n 0 --split=9:a -o rest a
    refuses_as_input a --filter='cat >"$FILE"' -o a ../never a
    refuses_as_input soft --filter='cat >"$FILE"' --shards=2 -o part%d soft
    refuses_as_input part1 --filter='cat >"$FILE"' --shards=records:30 -o part%d ../never part1
    exec 7<>a
    refuses_as_input a -o /dev/fd/7 a
    bigshuf --split=10%:valid a >out
}

test_inputs_are_looked_up_a_few_times_however_many_shards_come_after_a_gap() {
    mkdir in
    (cd in && seq 200 | split -l 1 -a 3 -d -)
    seq -f old%g 199 | xargs touch
    FAULT_CALL=stat FAULT_LOG=calls bigshuf-faulty --shards=records:1 -o old%d in/*
    same_lines <(cat old*) <(seq 200)
    [ "$(wc -l <calls)" -lt 4000 ]
}

test_an_output_that_is_one_of_several_inputs_or_one_twice_is_refused() {
    seq 10 | tee a >b
    ln a hard
    fails_with 1 'bigshuf: a: is both input and output; give the outputs other names' bigshuf -o a a b
    fails_with 1 'bigshuf: hard: is both input and output; give the outputs other names' bigshuf -o a b hard a
    same_lines a <(seq 10)
    fails_with 0 "" bigshuf -o b b
    fails_with 0 '' bigshuf -o d a b b
}

# This input, which is compressed, is refused, and all files stay: keeps_contents NAME OPTION...
keeps_contents() {
    cat ./* | cksum >../before
    fails_with 1 "bigshuf: $1: compressed by gzip*; add -Z to shuffle its lines" bigshuf "${@:2}"
    rm .stderr
    cat ./* | cksum | cmp - ../before
}

test_a_compressed_file_is_not_replaced_by_its_own_bytes() {
    mkdir files && cd files || exit
    printf '\37\213\10\0...\n.\n' | tee a.gz 0 >./1
    printf '\377\376a\0\n\0b\0\n' >text
    ln -s a.gz link
    ln 1 hard
    seq 9 >in
    keeps_contents a.gz -o a.gz a.gz
    keeps_contents link -o a.gz link
    keeps_contents hard -o 1 hard
    keeps_contents a.gz -o a.gz --header -n 1 a.gz
    keeps_contents a.gz -o a.gz -n 0 a.gz
    keeps_contents - -o a.gz <a.gz
    fails_with 1 'bigshuf: text: text in UTF-16, and also the output*iconv*' bigshuf -o text text
    keeps_contents a.gz -o other a.gz
    bigshuf --records=bytes:1 -o a.gz a.gz
    same 'bigshuf: warning: -: compressed by gzip, and shuffled as it is; add -Z to shuffle its lines' \
        "$(bigshuf -o 0 < <(cat 0) 2>&1)"
    { head -c 5 1 && seq 9; } >both
    { head -c 5 >skipped && bigshuf -o both; } <both
    same_lines both <(seq 9)
}

# ---- It is this run's alone ----

# Others do something to the file when the new one is complete, and it stays as they left it: loses_to MESSAGE WHAT.
loses_to() {
    seq 100 >f
    FAULT_CALL=link_descriptor FAULT_AT=1 FAULT_RUN="$2; cp f left 2>/dev/null || true" fails_with 1 "bigshuf: f: $1" bigshuf-faulty -o f f
    if [ -e left ]; then cmp f left; else [ ! -e f ]; fi
    rm -f f left .stderr
    same '' "$(names)"
}

test_a_file_that_others_have_changed_meanwhile_is_not_replaced() {
    loses_to 'somebody else has changed it meanwhile, so it is left alone' 'echo more >>f'
    loses_to 'somebody else has changed it meanwhile, so it is left alone' 'touch -t 203001010000 f'
    loses_to 'somebody else has replaced it meanwhile, so it is left alone' 'cp f t; mv t f'
    loses_to 'No such file or directory' 'rm f'
}

# From the moment when the run sees that it is also the input.
test_what_others_put_in_the_place_of_standard_input_is_not_replaced() {
    local failed='' status
    for turn in $(seq 100); do
        seq 50 >file
        seq 51 100 | tee right >theirs
        rm -f log
        status=0
        FAULT_CALL='open lock stat' FAULT_AT=$turn FAULT_LOG=log FAULT_RUN='mv theirs file' \
            bigshuf-faulty -o file <file 2>said || status=$?
        [ -e log ] || break
        if [ $status = 0 ]; then
            [ -z "$failed" ] || cmp file right # too late
        else
            failed=yes
            cmp file right
            grep -q '^bigshuf: file: somebody else has replaced it meanwhile, so it is left alone$' said
        fi
    done
    same yes "$failed"
}

# Also by its hard link; the second run begins when the first one reads, or gives the file its name.
test_a_file_is_shuffled_into_itself_by_one_run_at_a_time() {
    seq 600 >a
    for call in read rename_at; do
        for other in a b; do
            ln -f a b
            cp a before
            FAULT_CALL=$call FAULT_AT=1 FAULT_RUN="bigshuf -o $other $other; echo \$?" bigshuf-faulty -o a a >out 2>said
            same 1 "$(<out)"
            grep -q 'is being shuffled by another run' said
            same_lines a before
        done
    done
}

test_without_locks_a_file_may_be_shuffled_into_itself() {
    seq 600 >a
    FAULT_CALL=lock FAULT_AT=1 FAULT_STAYS=1 FAULT_ERRNO=ENOTSUP bigshuf-faulty -o a a
    same_lines a <(seq 600)
}

# After a power failure there is the old file or the new one, since the new one is on disk before it gets the name.
test_the_new_file_is_on_disk_before_it_takes_the_place_of_an_input() {
    local calls='link_descriptor sync rename_at' turn
    seq 100 >f
    seq 9 >other
    FAULT_CALL=$calls FAULT_LOG=calls bigshuf-faulty -o f f
    same 'link_descriptor sync sync rename_at sync' "$(xargs <calls)"
    FAULT_CALL=$calls FAULT_LOG=other-calls bigshuf-faulty -o other f
    same 'link_descriptor rename_at' "$(xargs <other-calls)"
    cp f before
    for turn in 1 2; do
        FAULT_CALL=sync FAULT_AT=$turn fails_with 1 'bigshuf: f: Input/output error' bigshuf-faulty -o f f
        cmp f before
    done
    FAULT_CALL=sync FAULT_AT=3 fails_with 0 'bigshuf: warning: f: may be the old file after a power failure: Input/output error' \
        bigshuf-faulty -o f f
    FAULT_CALL=sync FAULT_AT=2 FAULT_ERRNO=EINVAL fails_with 0 '' bigshuf-faulty -o f f
    same_lines f <(seq 100)
    same '.stderr before calls f other other-calls' "$(names)"
}

# ---- Mistakes ----

test_files_are_not_emptied_by_a_forgotten_input() {
    seq 9 | tee a >./0
    for options in '-o a' '-o a -' '--shards=2 -o %d' '--split=0:new -o a' '--split=0:a -o new' \
        '--split=0:a --shards=records:2 -o %d'; do
        fails_with 1 'bigshuf: [a0]: left alone, since no input is named, and standard input is /dev/null; name the input, *' \
            bigshuf $options </dev/null
    done
    bigshuf --shards=records:2 -o %d </dev/null # which would empty none
    same '.stderr 0 a' "$(names)"
    same 18 "$(cat 0 a | wc -l | tr -d ' ')"
    bigshuf -o new </dev/null
    bigshuf -o new </dev/null
    bigshuf --filter='cat >$FILE' -o 0 </dev/null
    : | bigshuf -o a
    cmp a 0
    seq 9 >a
    bigshuf -o a /dev/null
    cmp a new
}

test_older_shards_are_warned_of() {
    bigshuf --shards=5 -o part%02d -i 1-100
    cases <<END
bigshuf --shards=5 -o part%02d -i 1-100 =>
bigshuf --shards=4 -o part%02d -i 1-100 => bigshuf: warning: part04: left from an earlier run; a glob will include it; delete it
bigshuf --split=10:part09 --shards=records:60 -o part%02d -i 1-100 => bigshuf: warning: part02 to part04: left from an earlier run; a glob will include them; delete them
bigshuf --shards=records:60 -o part%02d /dev/null => bigshuf: warning: part00 to part04: left from an earlier run; a glob will include them; delete them
bigshuf --shards=1 -o part%02d --filter='cat >\$FILE' -i 1-100 =>
END
}

test_misleading_names_are_warned_of() {
    seq 2 >in
    cases <<'END'
bigshuf --split=1:a.gz --shards=1 -o b%d.zst in => bigshuf: warning: a.gz: will be plain text despite its name; add -Z bigshuf: warning: b0.zst: will be plain text despite its name; add -Z
bigshuf --filter='cat >$FILE' --shards=1 -o c%d.zst in =>
bigshuf -o part-%02d in && sort part-%02d => bigshuf: warning: part-%02d: will be one file of just this name; add --shards for numbered files 1 2
bigshuf --shards=2 -o part-%02d in =>
bigshuf -o 100%.txt in =>
END
}
