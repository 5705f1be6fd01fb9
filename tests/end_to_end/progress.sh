# Progress, drawn on a terminal or as lines now and then. Tests make runs wait, so that there is time to look at them.
# tests/support/terminal.py gives the screen at the end, and a record of all that was drawn.

export TERM=xterm
unset COLUMNS

# Have what was drawn on the terminal so far in file `drawn`, a line for each time.
list_drawn() {
    tr '\r' '\n' <record | sed -n "s/^$(printf '\033')\[K//p" >drawn
}

is_drawn() {
    [ -e record ] && list_drawn && grep -q -E -e "$1" drawn
}

# Start COMMAND, which writes to the FIFO `out`; only BYTES are read from it before go_on: start_writing BYTES
# COMMAND...
start_writing() {
    mkfifo out
    exec 8<>out
    start "${@:2}" 8>&-
    head -c "$1" <&8 >written
}

# Let the run that was started with start_writing come to its end; it wrote what is in `written`.
go_on() {
    exec 6<out
    exec 8>&-
    cat <&6 >>written
    exec 6<&-
    wait "$1"
}

# ---- Drawn on a terminal ----

# On a terminal of so many columns, with these variables set, such a line is drawn of file `in`, and none that is wider
# than this: looks_like COLUMNS WIDEST PATTERN [VARIABLE=VALUE]
looks_like() {
    [ -e in ] || seq 300000 >in
    start_writing 300000 env "${4:-A=b}" terminal "$1" record bigshuf --progress -S 8M -o out in >screen
    wait_until is_drawn "$3"
    go_on $!
    same '' "$(<screen)"
    list_drawn
    same '' "$(grep -E ".{$(($2 + 1))}" drawn || true)"
    same_lines written in
}

test_a_line_is_drawn_on_a_terminal_of_any_width() { # tags: long threads
    needs_terminal
    looks_like 35 34 '^pass 2 of 2, [0-9]*%, [0-9:]* left$'
    rm out record
    looks_like 0 49 '^pass 2 of 2, [0-9]*%, [0-9:]* left, [0-9.]* .iB(, [0-9.]* .iB/s)?$' COLUMNS=50
    same '' "$(grep -vE '^pass . of 2(, [0-9:.]*(%| left| bytes| .iB| bytes/s| .iB/s| records| .iB spilled))*$' drawn || true)"
    rm out record
    looks_like 0 79 '^pass 2 of 2, .*/s' COLUMNS=-1x # nothing can be known of what is no number
    rm out record
    more_than_memory >in
    looks_like 120 119 '^pass 2 of 2, [0-9]*%, [0-9:]* left, .*/s, [0-9]* records, [0-9.]* .iB spilled$'
    rm out record
    looks_like 11 10 '^pass 2 of $'
}

test_of_files_pass_1_knows_how_far_it_is() {
    needs_terminal
    more_than_memory >in
    export FAULT_CALL=pwritev FAULT_AT=2 FAULT_RUN='until [ -e go ]; do sleep 0.02; done'
    export FAULT_HURRY=50000 # hours seem to pass
    start terminal 80 record bigshuf-faulty --progress -S 8M --parallel=1 -o out in >screen
    wait_until is_drawn '^pass 1 of 2, [0-9]*%, [1-9][0-9]*:[0-5][0-9]:[0-5][0-9] left, '
    touch go
    wait $!
    same_lines out in
}

test_of_a_pipe_pass_1_shows_what_has_come_and_pass_2_how_far_it_is() {
    needs_terminal
    mkfifo pipe
    start_writing 0 terminal 80 record bigshuf --progress -S 8M -o out pipe >screen
    exec 7>pipe
    wait_until is_drawn '^pass 1 of 2, 0 bytes, 0 bytes/s$'
    more_than_memory | tee in >&7
    wait_until is_drawn '^pass 1 of 2, [0-9.]* MiB, [0-9.]* .iB/s, [0-9]* records, [0-9.]* .iB spilled$'
    exec 7>&-
    wait_until is_drawn '^pass 2 of 2, [0-9]*%, '
    go_on $!
    same_lines written in
}

# A run with these options that has read file `in` and waits for more shows how many records it has read, and writes the
# same as without progress: counts_records OPTION...
counts_records() {
    rm -f pipe record
    mkfifo pipe
    bigshuf -S 8M "$@" in >right
    start terminal 80 record bigshuf --progress -S 8M "$@" -o out pipe >screen
    exec 7>pipe
    cat in >&7
    wait_until is_drawn '^pass 1 of ., .* records'
    exec 7>&-
    wait $!
    cmp out right
}

# (A sample by random bytes of a smaller file is another one than that of a pipe.)
test_records_of_orders_and_samples_are_counted() { # tags: threads
    needs_terminal
    seq 300000 >in
    for options in '-n 1000' --probability=0.5 '-r -n 1000'; do counts_records --seed=a $options; done
    long_lines "$(scale 900 900 90000)" 500 1500 >in
    for options in '' '-n 100 --keep-order' '-n 100 -r'; do
        counts_records --seed=a --weight-field=1 -t ' ' $options
    done
    more_than_memory >in
    for options in '' '-n 100' '-n 100 -r'; do counts_records --random-source=in $options; done
}

# Nobody reads the output of a run with these options at first; at its end, the run shows this: shows PATTERN OPTION...
shows() {
    rm -f out record
    start_writing 1000000 terminal 120 record bigshuf --progress "${@:2}" -o out >screen
    wait_until is_drawn "$1"
    go_on $!
}

test_what_is_written_without_an_input_is_counted() { # tags: threads
    needs_terminal
    shows '^pass 1 of 1, .*%, .* records$' -i 0-18446744073709551615 -n 100000 --seed=a
    bigshuf -i 0-18446744073709551615 -n 100000 --seed=a | cmp - written
    more_than_memory | tee in | bigshuf -S 8M --scatter=store --piles=16 --seed=a
    shows '^pass 1 of 1, .*%, .* records' -S 8M --gather=store --seed=a
    same_lines written in
}

test_draws_without_end_are_counted() { # tags: threads
    needs_terminal
    start_writing 0 terminal 80 record bigshuf --progress -e -r a b -o out >screen
    wait_until is_drawn '^pass 2 of 2, [0-9.]* .*, .*/s, .* records$'
    exec 8>&-
    fails_with 141 '' wait $!
}

test_progress_is_shown_while_a_batch_is_added() {
    needs_terminal
    start_half_fed_on_terminal --scatter=store
    wait_until is_drawn '^pass 1 of 1, [0-9.]* MiB, .* records'
    exec 7>&-
    wait $!
}

test_progress_is_shown_while_filters_run() {
    needs_terminal
    seq 1000 >in
    start terminal 80 record bigshuf --progress --filter='until [ -e go ]; do sleep 0.02; done; cat >"$FILE"' -o out in >screen
    wait_until is_drawn '^pass 2 of 2, '
    touch go
    wait $!
    same_lines out in
}

test_it_is_drawn_five_times_a_second_at_most() { # tags: long
    needs_terminal
    mkfifo pipe
    began=${EPOCHREALTIME/[.,]/} # so that what keeps the machine busy can only add to the time
    start terminal 80 record bigshuf --progress pipe >out
    exec 7>pipe
    wait_until eval 'list_drawn; [ "$(wc -l <drawn)" -ge 5 ]'
    [ "$(wc -l <drawn)" -le $(((${EPOCHREALTIME/[.,]/} - began) / 200000)) ]
    exec 7>&-
    wait $!
}

test_messages_stand_on_lines_of_their_own() {
    needs_terminal
    mkfifo pipe
    start terminal 80 record bigshuf --progress -v -o out pipe >screen
    exec 7>pipe
    wait_until is_drawn '^pass 1'
    seq 10 >&7
    exec 7>&-
    wait $!
    same 0 "$(grep -c -v '^bigshuf: [a-z ]*: ' screen || true)"
    [ "$(wc -l <screen)" -gt 4 ]
}

# start_half_fed with the messages on a terminal.
start_half_fed_on_terminal() {
    mkfifo pipe
    start terminal 80 record bigshuf --progress -S 8M "$@" pipe >screen
    exec 7>pipe
    more_than_memory >&7
}

test_a_failure_erases_the_line() {
    needs_terminal
    start_half_fed_on_terminal --expect-records=7 -o out
    wait_until is_drawn '^pass 1'
    exec 7>&-
    fails_with 1 '' wait $!
    [[ $(<screen) = 'bigshuf: pipe: the number of records is '*', not 7 as --expect-records says' ]]
}

test_death_erases_the_line() {
    needs_terminal
    start_half_fed_on_terminal -o out
    wait_until is_drawn '^pass 1'
    needs pgrep
    kill -TERM "$(pgrep -P $!)"
    fails_with 143 '' wait $!
    exec 7>&-
    same '' "$(<screen)"
}

# ---- Said at the end ----

test_v_tells_in_one_line_how_the_input_was_supplied() {
    plan() { bigshuf -v --parallel=1 "$@" 2>&1 >out | sed -n 's/^bigshuf: input:  *//p' | sed 's/; memory: [^;]*//'; }
    seq 2000000 >short
    seq -f %0100g 30000 >long
    same 'small; spill: at most 0 bytes; 1 thread' "$(seq 10 | plan)"
    same 'held, 2.9 MiB; spill: at most 0 bytes; 1 thread' "$(plan -S 64M long)"
    same 'copied, 2.9 MiB; spill: at most 0 bytes; 1 thread' "$(plan -S 64M -n 3 long)"
    same 'held; spill: not known; 1 thread' "$(plan -S 64M < <(cat long))"
    same 'copied, 14.2 MiB; spill: at most 9.2 MiB; 1 thread' "$(plan -S 8M short)"
}

test_records_are_referred_to_where_they_are_long_and_memory_suffices() {
    how() { bigshuf -v --parallel=1 "$@" 2>&1 >out | sed -n 's/^bigshuf: input:  *\([a-z]*\).*/\1/p'; }
    for bytes in 63 64; do seq -f "%0$((bytes - 1))g" 100000 >in.$bytes; done
    same 'copied held' "$(how -S 64M in.63) $(how -S 64M in.64)"
    same 'copied held' "$(how -S 64M < <(cat in.63)) $(how -S 64M < <(cat in.64))"
    same 'copied held' "$(how -S 12M < <(cat in.64 in.64)) $(how -S 20M < <(cat in.64 in.64))"
    same 'copied held' "$(how -S 12M in.64 in.64) $(how -S 20M in.64 in.64)"
}

test_v_ends_with_a_summary_in_the_same_words() {
    same 'records: bytes: seed: spilled: started over: peak memory: seconds: input:' \
        "$(seq 10 | bigshuf -v 2>&1 >out | tee said | sed 's/^bigshuf: \([a-z ]*:\).*/\1/' | xargs)"
    grep -x 'bigshuf: records:       10 read, 10 written' said
    grep -x 'bigshuf: bytes:         21' said
    grep -x -E 'bigshuf: seconds:       [0-9.]+ pass 1, [0-9.]+ pass 2' said
    seq 10 | bigshuf -v --scatter=store --seed=a --batch=b 2>said
    grep -x 'bigshuf: batch:         b' said
    grep -x -E 'bigshuf: seconds:       [0-9.]+ pass 1, [0-9.]+ sync' said
    bigshuf -v --gather=store >out 2>said
    grep -x 'bigshuf: batches:       1' said
    grep -x -E 'bigshuf: seconds:       [0-9.]+ pass 1' said
}

# ---- When ----

# Wait for hours, as they seem to be to runs with FAULT_HURRY=100000: until one that has begun now has been drawn. Then one
# that had begun before would have been, too.
hours_pass() {
    mkfifo also
    start env -u TERMINAL_OUTPUT -u TERMINAL_CONTROLS -u FAULT_AT TERM=xterm FAULT_HURRY=100000 \
        terminal 80 witness bigshuf-faulty -o /dev/null also
    exec 6>also
    wait_until grep -qs 'pass 1' witness
    exec 6>&-
    wait $!
    rm also witness
}

# Watch a run that waits, with a clock so fast that hours seem to pass: for_hours COMMAND...
for_hours() {
    local run
    mkfifo pipe
    FAULT_HURRY=100000 start "$@" pipe
    run=$!
    exec 7>pipe
    seq 10 >&7
    hours_pass
    exec 7>&-
    wait $run
}

test_it_is_drawn_without_being_asked_for_after_two_seconds() {
    needs_terminal
    mkfifo pipe
    FAULT_HURRY=10 start terminal 80 record bigshuf-faulty -o out pipe >screen
    exec 7>pipe
    wait_until is_drawn '^pass 1'
    exec 7>&-
    wait $!
    same '' "$(<screen)"
}

test_a_quick_run_shows_nothing() {
    needs_terminal
    local began=$SECONDS
    seq 100000 >in
    terminal 80 record bigshuf -o out in >screen
    [ ! -s record ] || [ $((SECONDS - began)) -ge 2 ] # a busy machine is not quick
    terminal 80 record bigshuf --progress -o out -e a b >screen
    same '' "$(<screen)"
}

test_it_is_not_drawn_where_the_input_is_typed() {
    needs_terminal
    needs pgrep
    FAULT_HURRY=100000 start terminal 80 record sh -c 'exec bigshuf-faulty -o out <&2' >screen
    run=$!
    wait_until [ -e record ]
    hours_pass
    kill "$(pgrep -P $run)"
    wait $run || true
    list_drawn
    same '' "$(<drawn)"
}

# Nothing is drawn, and the output is right: draws_nothing COMMAND...
draws_nothing() {
    rm -f pipe
    for_hours "$@" >screen
    [ ! -s record ]
}

test_it_is_not_drawn_where_the_output_goes_or_nobody_looks() {
    needs_terminal
    TERMINAL_OUTPUT=1 for_hours terminal 80 record bigshuf-faulty >screen
    same_lines screen <(seq 10)
    same_lines record <(seq 10)
    rm pipe
    TERMINAL_CONTROLS=1 for_hours terminal 80 record bigshuf-faulty -o /dev/tty >screen
    same_lines screen <(seq 10)
    same_lines record <(seq 10)
    rm record
    draws_nothing bigshuf-faulty 2>said
    is_empty said
}

test_it_is_not_drawn_on_a_simple_terminal_or_if_it_is_not_wanted() { # tags: threads
    needs_terminal
    TERM=dumb draws_nothing terminal 80 record bigshuf-faulty -o out
    draws_nothing env -u TERM terminal 80 record bigshuf-faulty -o out
    draws_nothing terminal 80 record bigshuf-faulty --progress=never -o out
    FAULT_CALL=thread FAULT_AT=1 FAULT_STAYS=1 draws_nothing terminal 80 record bigshuf-faulty --progress
    draws_nothing bigshuf-faulty --progress --progress=never -o out 2>said
    is_empty said
}

test_lines_end_with_one_that_says_that_all_is_done() {
    seq 10 >in
    bigshuf --progress -o out in 2>said
    same 1 "$(grep -c '^bigshuf: done, 21 bytes, .*, 10 records$' said)"
    same 1 "$(wc -l <said)"
    fails_with 1 '*' bigshuf --progress in none
    same 0 "$(grep -c "done, " .stderr)"
}

# Every thirty seconds, which half a second stands for.
test_it_comes_in_lines_where_there_is_no_terminal() { # tags: long threads
    mkfifo pipe
    began=${EPOCHREALTIME/[.,]/}
    FAULT_HURRY=60 start bigshuf-faulty --progress -o out pipe 2>said
    exec 7>pipe
    seq 100000 >&7
    wait_until eval '[ "$(wc -l <said)" -ge 2 ]'
    [ "$(wc -l <said)" -le $(((${EPOCHREALTIME/[.,]/} - began) / 500000)) ]
    exec 7>&-
    wait $!
    same 0 "$(grep -c -v -E '^bigshuf: (pass [12] of 2|done), ([0-9]+%, ([0-9:]+ left, )?)?[0-9.]+ (bytes|KiB), .*/s(, .* records)?$' said || true)"
}

test_it_comes_in_lines_where_the_output_goes() { # tags: threads
    needs_terminal
    mkfifo pipe
    FAULT_HURRY=50 TERMINAL_OUTPUT=1 start terminal 80 record bigshuf-faulty --progress pipe >screen
    exec 7>pipe
    seq 10 >&7
    wait_until grep -qe '^bigshuf: pass 1 of 2, ' record
    exec 7>&-
    wait $!
    same_lines <(grep -v '^bigshuf: ' screen) <(seq 10)
}

test_a_line_that_nobody_hears_does_no_harm() { # tags: threads
    needs_terminal
    mkfifo pipe messages
    exec 8<>messages
    FAULT_HURRY=100000 start bigshuf-faulty --progress -o out pipe 2>messages 8<&-
    run=$!
    exec 7>pipe 8<&-
    seq 10 >&7
    hours_pass
    exec 7>&-
    wait $run
    same_lines out <(seq 10)
}
