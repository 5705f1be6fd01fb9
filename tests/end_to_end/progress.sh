# How far a run has come: drawn on a terminal, as lines now and then, and whenever SIGUSR1 asks. Runs are made to wait
# somewhere, so that there is time to look at them. tests/support/terminal.c has what is on the screen in the end, and
# the record of all that was there.
# shellcheck shell=bash disable=SC2016,SC2086 # options; the filters' own variables

export TERM=xterm
unset COLUMNS

# Have what was drawn on the terminal so far in file `drawn`, a line for each time.
list_drawn() {
    tr '\r' '\n' <record | sed -n "s/^$(printf '\033')\[K//p" >drawn
}

is_drawn() {
    [ -e record ] && list_drawn && grep -q -e "$1" drawn
}

# Is there such a line in the file? says FILE PATTERN
says() {
    grep -q -e "$2" "$1"
}

# Start COMMAND, which writes to `out`, a FIFO that nobody reads before go_on: start_writing COMMAND...
start_writing() {
    mkfifo out
    exec 8<>out
    start "$@" 8>&-
}

# Let the run that was started with start_writing come to its end; it wrote what is in `written`.
go_on() {
    exec 6<out
    exec 8>&-
    cat <&6 >written
    exec 6<&-
    wait "$1"
}

# Ask the run of this number, whose messages go to `said`, which answers with such a line: ask PROCESS PATTERN
ask() {
    kill -USR1 "$1"
    wait_until says said "^bigshuf: $2$"
}

# Ask again and again, until an answer begins with this; what was read last may not have been counted at first:
# ask_until PROCESS PATTERN
ask_until() {
    can_be_asked "$1"
    until says said "^bigshuf: $2"; do
        kill -USR1 "$1"
        sleep 0.05
    done
}

# Wait until the run of this number can be asked without being ended, or has come to its end.
can_be_asked() {
    [ -r /proc/self/status ] || skip "cannot see who catches a signal"
    wait_until catches_or_is_gone "$1"
}

# Before it becomes another program, the process is a shell, which may catch the signal too.
catches_or_is_gone() {
    kill -0 "$1" 2>.stderr || return 0
    [ ! "/proc/$1/exe" -ef "/proc/$$/exe" ] && grep -q -s '^SigCgt:.*[2367abef]..$' "/proc/$1/status"
}

# Ask the run of this number every few milliseconds, until it has come to its end. (A `sleep` takes a process.)
pester() {
    [ -p never ] || mkfifo never
    exec 5<>never
    can_be_asked "$1"
    while kill -USR1 "$1" 2>.stderr; do
        read -r -t 0.002 -u 5 || true
    done
    exec 5>&-
    wait "$1"
}

# A signal comes to its handler also while a file is opened and while a process is waited for.
needs_prompt_signals() {
    case $SANITIZE in
    *thread*) skip "the thread sanitizer holds signals back in such calls" ;;
    esac
}

# ---- Drawn on a terminal ----

# On a terminal of so many columns, with these variables set, such a line is drawn of file `in`, and none that is wider
# than this: looks_like COLUMNS WIDEST PATTERN [VARIABLE=VALUE]
looks_like() {
    [ -e in ] || seq 300000 >in
    start_writing env "${4:-A=b}" terminal "$1" record bigshuf --progress -S 8M -o out in >screen
    wait_until is_drawn "$3"
    go_on $!
    same '' "$(<screen)"
    list_drawn
    same '' "$(grep -E ".{$(($2 + 1))}" drawn || true)"
    same_lines written in
}

test_a_line_is_drawn_on_a_terminal_of_any_width() {
    looks_like 40 39 '^pass 2 \[#*-*\]  [5-9][0-9]%  [0-9:]* left$'
    rm out record
    looks_like 0 49 '^pass 2 \[' COLUMNS=50
    rm out record
    looks_like 0 79 '^pass 2 \[.*/s' COLUMNS=-1x # nothing can be known of what is no number
    rm out record
    more_than_memory >in
    looks_like 120 119 '^pass 2 \[#*-*\]  [5-9][0-9]%  [0-9:]* left  .*/s  [0-9.]*\( [kM]\)* records  [0-9.]* .iB spilled$'
}

test_of_files_pass_1_knows_how_far_it_is() {
    more_than_memory >in
    export FAULT_CALL=pwritev FAULT_AT=2 FAULT_RUN='until [ -e go ]; do sleep 0.02; done'
    start terminal 80 record bigshuf-faulty --progress -S 8M --parallel=1 -o out in >screen
    wait_until is_drawn '^pass 1 \[#*-*\]  [0-9]*%  [0-9:]* left  '
    touch go
    wait $!
    same_lines out in
}

test_of_a_pipe_pass_1_shows_what_has_come_and_pass_2_how_far_it_is() {
    mkfifo pipe
    start_writing terminal 80 record bigshuf --progress -S 8M -o out pipe >screen
    exec 7>pipe
    more_than_memory | tee in >&7
    wait_until is_drawn '^pass 1  [0-9.]* MiB  [0-9.]* .iB/s  [0-9.]* k records  [0-9.]* .iB spilled$'
    exec 7>&-
    wait_until is_drawn '^pass 2 \[#*-*\]  [5-9][0-9]%  '
    go_on $!
    same_lines written in
}

test_it_is_drawn_five_times_a_second_at_most() {
    mkfifo pipe
    start terminal 80 record bigshuf --progress pipe >out
    exec 7>pipe
    began=$SECONDS
    sleep 1
    list_drawn
    [ "$(wc -l <drawn)" -le $((5 * (SECONDS - began + 1))) ]
    exec 7>&-
    wait $!
}

test_messages_stand_on_lines_of_their_own() {
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
    start terminal 80 record bigshuf --progress -S 8M "$@" -o out pipe >screen
    exec 7>pipe
    more_than_memory >&7
}

test_a_failure_erases_the_line() {
    start_half_fed_on_terminal --expect-records=7
    wait_until is_drawn '^pass 1'
    exec 7>&-
    fails_with 1 '' wait $!
    [[ $(<screen) = 'bigshuf: pipe: the number of records is '*', not 7 as --expect-records says' ]]
}

test_death_erases_the_line() {
    start_half_fed_on_terminal
    wait_until is_drawn '^pass 1'
    needs pgrep
    kill -TERM "$(pgrep -P $!)"
    fails_with 143 '' wait $!
    exec 7>&-
    same '' "$(<screen)"
}

test_an_answer_stands_above_the_line() {
    start_half_fed_on_terminal
    wait_until is_drawn '^pass 1'
    needs pgrep
    kill -USR1 "$(pgrep -P $!)"
    wait_until says record 'bigshuf: pass 1, '
    exec 7>&-
    wait $!
    same 1 "$(wc -l <screen)"
    grep -q '^bigshuf: pass 1, .* records' screen
}

# ---- When ----

# Look at a run that waits, with a clock that goes so fast that hours seem to pass: for_hours COMMAND...
for_hours() {
    mkfifo pipe
    FAULT_HURRY=100000 start "$@" pipe
    exec 7>pipe
    seq 10 >&7
    sleep 0.7
    exec 7>&-
    wait $!
}

test_it_is_drawn_without_being_asked_for_after_two_seconds() {
    mkfifo pipe
    FAULT_HURRY=10 start terminal 80 record bigshuf-faulty -o out pipe >screen
    exec 7>pipe
    wait_until is_drawn '^pass 1'
    exec 7>&-
    wait $!
    same '' "$(<screen)"
}

test_a_quick_run_shows_nothing() {
    seq 100000 >in
    terminal 80 record bigshuf -o out in >screen
    [ ! -s record ]
    terminal 80 record bigshuf --progress -o out -e a b >screen
    same '' "$(<screen)"
}

test_it_is_not_drawn_where_the_input_is_typed() {
    needs pgrep
    FAULT_HURRY=100000 start terminal 80 record sh -c 'exec bigshuf-faulty -o out <&2' >screen
    wait_until [ -e record ]
    sleep 0.7
    kill "$(pgrep -P $!)"
    wait $! || true
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

test_it_is_not_drawn_on_a_simple_terminal_or_if_it_is_not_wanted() {
    TERM=dumb draws_nothing terminal 80 record bigshuf-faulty -o out
    draws_nothing env -u TERM terminal 80 record bigshuf-faulty -o out
    draws_nothing terminal 80 record bigshuf-faulty --no-progress -o out
    FAULT_CALL=thread FAULT_AT=1 FAULT_STAYS=1 draws_nothing terminal 80 record bigshuf-faulty --progress
    draws_nothing bigshuf-faulty --progress --no-progress -o out 2>said
    is_empty said
}

test_lines_end_with_one_that_says_that_all_is_done() {
    seq 10 >in
    bigshuf --progress -o out in 2>said
    same 1 "$(grep -c '^bigshuf: done, 21 bytes, .*, 10 records$' said)"
    same 1 "$(wc -l <said)"
    ! bigshuf --progress in none 2>said
    same 0 "$(grep -c "done, " said)"
}

# Every thirty seconds, of which twenty pass in one.
test_it_comes_in_lines_where_there_is_no_terminal() {
    mkfifo pipe
    FAULT_HURRY=20 start bigshuf-faulty --progress -o out pipe 2>said
    exec 7>pipe
    began=$SECONDS
    seq 100000 >&7
    wait_until several_lines
    [ "$(wc -l <said)" -le $((20 * (SECONDS - began + 1) / 30)) ]
    exec 7>&-
    wait $!
    same 0 "$(grep -c -v -E '^bigshuf: (pass [12]|done), ([0-9]+%, [0-9:]+ left, )?[0-9.]+ (bytes|KiB), .*/s(, .* records)?$' said || true)"
}

several_lines() {
    [ "$(wc -l <said)" -ge 2 ]
}

test_it_comes_in_lines_where_the_output_goes() {
    mkfifo pipe
    FAULT_HURRY=50 TERMINAL_OUTPUT=1 start terminal 80 record bigshuf-faulty --progress pipe >screen
    exec 7>pipe
    seq 10 >&7
    wait_until says record '^bigshuf: pass 1, '
    exec 7>&-
    wait $!
    same_lines <(grep -v '^bigshuf: ' screen) <(seq 10)
}

# ---- Questions ----

test_it_answers_while_it_waits_for_a_reader_or_names() {
    needs_prompt_signals
    mkfifo out names
    seq 10 >in
    start bigshuf -o out in 2>said
    can_be_asked $!
    ask $! 'pass 1, 0 bytes, 0 bytes/s'
    same_lines out in
    wait $!
    start bigshuf --files0-from=names -o all 2>said
    can_be_asked $!
    ask $! 'pass 1, 0 bytes, 0 bytes/s'
    printf 'in\0' >names
    wait $!
    same_lines all in
}

test_it_answers_while_it_waits_for_input() {
    needs_prompt_signals
    mkfifo pipe
    start bigshuf -o out pipe 2>said
    can_be_asked $!
    ask $! 'pass 1, 0 bytes, 0 bytes/s'
    exec 7>pipe
    seq 10 >&7
    ask_until $! 'pass 1, 21 bytes, '
    seq 11 20 >&7
    exec 7>&-
    wait $!
    same_lines out <(seq 20)
}

test_it_answers_while_it_reads() {
    start_half_fed
    ask_until $! 'pass 1, [0-9.]* MiB, [0-9.]* .iB/s, [0-9.]* k records, [0-9.]* .iB spilled$'
    exec 7>&-
    wait $!
    same_lines out <(more_than_memory)
}

# Of records that are held in memory, only the bytes are known before the input ends.
test_it_answers_while_it_holds_what_comes() {
    mkfifo pipe
    start bigshuf pipe >out 2>said
    exec 7>pipe
    long_lines 20000 80 120 | tee in >&7
    ask_until $! 'pass 1, [0-9.]* MiB, [0-9.]* .iB/s$'
    exec 7>&-
    wait $!
    same_lines out in
}

test_it_answers_while_it_writes() {
    more_than_memory >in
    start_writing bigshuf -S 8M -o out in 2>said
    ask_until $! 'pass 2, [5-9][0-9]%, [0-9:]* left, [0-9.]* .*, [0-9.]* .*/s, .* records, .* spilled$'
    go_on $!
    same_lines written in
}

# With these options a run that has been given file `in` and waits for more answers, and does what it does without:
# answers OPTION...
answers() {
    rm -f pipe
    mkfifo pipe
    bigshuf -S 8M "$@" in >right
    start bigshuf -S 8M "$@" pipe >out 2>said
    exec 7>pipe
    cat in >&7
    ask_until $! 'pass 1, .* records'
    exec 7>&-
    wait $!
    cmp out right
}

# (A sample by random bytes of a smaller file is another one than that of a pipe.)
test_orders_and_samples_answer() {
    seq 300000 >in
    for options in '-n 1000' '-n 1000 --keep-order' --probability=0.5 '-r -n 1000'; do answers --seed=a $options; done
    long_lines "$(scale 900 9000 90000)" 500 1500 >in
    for options in '' '-n 100' '-n 100 --keep-order' '-n 100 -r'; do
        answers --seed=a --weight-field=1 -t ' ' $options
    done
    more_than_memory >in
    for options in '' '-n 100' '-n 100 -r'; do answers --random-source=in $options; done
}

test_numbers_answer() {
    start_writing bigshuf -i 0-18446744073709551615 -n 100000 --seed=a -o out 2>said
    ask_until $! 'pass 2, [0-9]*%, '
    go_on $!
    bigshuf -i 0-18446744073709551615 -n 100000 --seed=a | cmp - written
}

test_draws_without_end_answer() {
    start_writing bigshuf -e -r a b -o out 2>said
    ask_until $! 'pass 2, [0-9.]* .*, .*/s, .* records$'
    exec 8>&-
    fails_with 141 '' wait $!
}

test_stores_answer() {
    mkfifo pipe
    start bigshuf -S 8M --scatter=store --piles=16 --seed=a pipe 2>said
    exec 7>pipe
    more_than_memory | tee in >&7
    ask_until $! 'pass 1, [0-9.]* MiB, .* records'
    exec 7>&-
    wait $!
    start_writing bigshuf -S 8M --gather=store --seed=a -o out 2>said
    ask_until $! 'pass 2, [0-9]*%, '
    go_on $!
    same_lines written in
}

test_it_answers_while_it_waits_for_a_filter() {
    needs_prompt_signals
    seq 1000 >in
    start bigshuf --filter='until [ -e go ]; do sleep 0.02; done; cat >"$FILE"' -o out in 2>said
    ask_until $! 'pass 2, '
    touch go
    wait $!
    same_lines out in
}

# A run that is asked again and again does what it does without: stands_questions OPTION...
stands_questions() {
    bigshuf --seed=1363 "$@" in >right
    for _ in $(seq "$(scale 1 1 20)"); do
        start bigshuf --seed=1363 -o file "$@" in 2>said
        pester $!
        cmp file right
        same 0 "$(grep -c -v '^bigshuf: pass [12], ' said || true)"
    done
}

test_questions_do_no_harm() {
    more_than_memory >in
    stands_questions -S 8M --parallel=1
    stands_questions -S 8M --parallel=3
    stands_questions -S 2G
    stands_questions -S 8M -n 1000 --keep-order
    stands_questions -S 8M -r -n 1000
    giants >in # of which a pile is started over
    stands_questions -S 8M
    stands_questions -S 8M --tune=leaf-records=8
    needs lz4
    long_lines 900 5000 15000 | lz4 >in
    stands_questions -S 8M -Z
}

test_questions_do_no_harm_to_filters_and_shards() {
    seq 1000 >in
    for _ in $(seq "$(scale 1 2 50)"); do
        start bigshuf --filter='cat >"$FILE"' --shards=20 -o file.%02d in 2>said
        pester $!
        same_lines <(cat file.*) in
        rm file.*
    done
}

test_a_question_that_is_ignored_stays_ignored() {
    mkfifo pipe
    (trap '' USR1 && exec bigshuf pipe >out 2>said) &
    exec 7>pipe
    seq 10 >&7
    kill -USR1 $!
    exec 7>&-
    wait $!
    same_lines out <(seq 10)
    same '' "$(<said)"
}

test_an_answer_that_nobody_hears_does_no_harm() {
    mkfifo pipe messages
    exec 8<>messages
    start bigshuf --progress -o out pipe 2>messages 8<&-
    exec 7>pipe 8<&-
    seq 10 >&7
    kill -USR1 $!
    sleep 0.5
    exec 7>&-
    wait $!
    same_lines out <(seq 10)
}
