# --filter: each file is written through a command.

test_every_kind_of_file_goes_through_the_filter_but_standard_output() {
    cases <<'END'
bigshuf --filter='wc -l >$FILE' -o a -i 1-100 && cat a | xargs => 100
bigshuf --filter='wc -l >$FILE' --shards=records:30 -o b%d -i 1-100 && cat b? | xargs => 30 30 30 10
bigshuf --filter='wc -l >$FILE' --split=30:c -o d -i 1-100 && cat c d | xargs => 30 70
bigshuf --filter='wc -l >$FILE' --split=30:e -i 1-100 >f && cat e | xargs && line_counts f => 30 70
mkdir 'a b'; bigshuf --filter='cat >"$FILE"' --shards=2 -o "a b/\$(x)'%d" -i 1-9 && ls 'a b' => $(x)'0 $(x)'1
bigshuf --filter='wc -c >$FILE' --shards=2 -o g%d /dev/null 2>said && cat g? | xargs => 0 0
END
}

test_a_filter_that_fails_fails_the_run_which_names_what_filters_may_have_left() {
    seq 1000 >in
    cases <<'END'
bigshuf --filter='exit 3 # $FILE' -o a in =! a: 'exit 3 # $FILE' failed: exit status 3?bigshuf: warning: what was made with FILE=a may be incomplete
bigshuf --filter='cat >/dev/null; exit 3' -o a in =! a: 'cat >/dev/null; exit 3' failed: exit status 3?*
bigshuf --filter='kill -KILL $$ # $FILE' -o a in =! a: 'kill -KILL $$ # $FILE' failed: killed by signal 9?*
bigshuf --filter='kill -TERM $$; cat >$FILE' -o a in =! a: 'kill -TERM *' failed: killed by signal 15?*
bigshuf --filter='kill -XFSZ $$; cat >$FILE' --parallel=3 --shards=2 -o %d in =! ?: 'kill -XFSZ *' failed: killed by signal 25?*
bigshuf --filter='cat >/dev/null; kill -PIPE $$' -o a in =! a: 'cat >/dev/null; kill -PIPE $$' failed: killed by signal 13?*
bigshuf --filter='no-such-command 2>/dev/null' -o a in =! a: 'no-such-command *' failed: exit status 127?*
bigshuf --parallel=1 --shards=9 --filter='cat >$FILE; [ $FILE != 2 ]' -o %d in =! 2: * failed: exit status 1?bigshuf: warning: what was made with FILE=0 to FILE=2 may be incomplete
bigshuf --filter='touch made' -o a missing =! missing: No such file or directory
END
    same '0 1 2 in' "$(echo *)"
}

test_a_filter_that_reads_enough_is_content() {
    more_than_memory >in
    fails_with 0 'bigshuf: warning: with FILE=0, the command did not read all of its records' \
        bigshuf --seed=x -S 8M --shards=3 -o %d --filter='head -n 5 >$FILE' in
    bigshuf --seed=x -S 8M --shards=3 -o whole%d in
    for i in 0 1 2; do
        cmp $i <(sed -n '1,5p' whole$i)
    done
    fails_with 0 'bigshuf: warning: with FILE=none0, the command did not read all of its records' \
        bigshuf --shards=3 -o none%d --filter=': $FILE' in
}

# Success is exit status 0: whoever dies of a broken pipe has lost records.
test_a_filter_dies_of_a_broken_pipe_as_usual_which_is_a_failure() {
    [ -z "$(trap -p PIPE)" ] || skip "SIGPIPE is ignored here"
    echo | bigshuf -o a --filter='cat >/dev/null; yes | head -n 1 >$FILE' 2>said
    same 'y ' "$(cat a said) "
    mkfifo pipe
    exec 8<>pipe 9>pipe 8<&-
    fails_with 1 "*bigshuf: x: 'exec cat' failed: killed by signal 13?*" bigshuf --filter='exec cat' -o x -i 1-1000 >&9
    fails_with 1 "*bigshuf: x: 'cat; exit' failed: exit status 141?*" bigshuf --filter='cat; exit' -o x -i 1-1000 >&9
    exec 9>&-
}

test_a_filter_has_the_descriptors_that_bigshuf_was_given() {
    needs_bare_program
    more_than_memory >in
    sh -c 'ls /proc/self/fd >usual' # and whatever this shell has inherited
    bigshuf -S 8M --parallel=3 --shards=3 -o %d --filter='ls /proc/self/fd >$FILE; cat >/dev/null' in
    cmp 0 usual
    cmp 2 usual
}

test_a_filter_for_several_files_that_does_not_mention_file_is_refused() {
    local message="bigshuf: --filter='cat > .gz': must mention \$FILE, which names each file; write it in single quotes, so that the shell leaves \$FILE alone"
    for options in '--shards=2 -o %d' '--shards=bytes:2 -o %d' '--split=0:a -o b'; do
        fails_with 1 "$message" bigshuf $options --filter='cat > .gz' -i 1-9
        fails_with 0 '' bigshuf $options --filter='cat > $FILE.gz' -i 1-9
    done
    fails_with 0 '' bigshuf --shards=1 -o %d --filter='cat > .gz' -i 1-9
    fails_with 0 '' bigshuf --split=0:a --filter='cat > .gz' -i 1-9
}

test_no_more_filters_than_parallel_at_a_time() { # tags: long
    for most in 1 2 3; do
        rm -f count
        bigshuf --parallel=$most --shards=8 -o %d --filter='mkdir on-$FILE; ls -d on-* | wc -l >>count; cat >/dev/null
            sleep 0.02; rmdir on-$FILE' -i 1-1000
        same 8 "$(line_counts count)"
        [ "$(sort -n count | tail -n 1)" -le $most ]
    done
}

test_a_filter_may_go_on_while_the_next_is_fed() {
    seq 1000 | bigshuf --parallel=2 --shards=2 -o %d --filter='
        touch begun-$FILE
        cat >/dev/null
        until [ -e begun-1 ]; do sleep 0.05; done'
}

# ---- Death by signal ----

# Kill a run by a signal while its filter has read only a part and is busy: killed_in_filter SIGNAL. The filter must be
# dead before it could see its input end and take that for the end of the file.
killed_in_filter() {
    seq 1000000 >in
    rm -f began go complete
    start bigshuf --filter="head -c 1000 >begun; mv begun began; until [ -e go ]; do sleep 0.02; done
        cat >/dev/null; touch complete # $PWD" -o a in 2>said
    local process=$!
    until [ -e began ]; do sleep 0.02; done
    kill -"$1" $process
    fails_with $((128 + $(kill -l "$1"))) '*' wait $process
    same '' "$(<said)"
    touch go
    wait_until no_filter
    [ ! -e complete ]
}

no_filter() {
    same '' "$(pgrep -f "touch complete # $PWD" || true)"
}

test_killed_it_tells_filters_before_their_input_ends() {
    needs_bare_program
    needs pgrep
    for signal in TERM INT HUP USR2; do
        killed_in_filter $signal
    done
}

gone() { ! kill -0 "$(<began)" 2>/dev/null; }

test_killed_or_without_a_reader_it_ends_what_the_filter_has_started() {
    local filter='cat >/dev/null; sleep 1000 & echo $! >child; mv child began; wait'
    needs_bare_program
    [ -z "$(trap -p PIPE)" ] || skip "SIGPIPE is ignored here"
    seq 100000 >in
    start bigshuf --filter="$filter" -o a in 2>said
    wait_until test -e began
    kill -TERM $!
    fails_with 143 '*' wait $!
    wait_until gone
    rm began
    mkfifo pipe
    exec 8<>pipe
    start bigshuf --split=10:a --filter="$filter" in >pipe 8>&-
    wait_until test -e began
    exec 8<&-
    fails_with 141 '*' wait $!
    wait_until gone
}
