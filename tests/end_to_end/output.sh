# Promise 6: an existing output file is safe until the new one is complete. What is written, how failures are told.

needs_full_device() {
    [ -c /dev/full ] || skip "no /dev/full here"
}

# ---- Standard output ----

test_a_full_device_is_a_failure_if_there_is_any_output() {
    needs_full_device
    seq 10 >few
    more_than_memory >many
    for options in '-S 8M many' '--parallel=1 many'; do
        fails_with 1 'bigshuf: write error: No space left on device' bigshuf $options >/dev/full
    done
    fails_with 1 'bigshuf: /dev/full: No space left on device' bigshuf -o /dev/full few
    bigshuf </dev/null >/dev/full
}

test_an_output_that_cannot_be_written_is_a_failure_before_the_work() {
    mkfifo never
    cases <<'END'
bigshuf never >&- =! write error: Bad file descriptor
bigshuf never 1</dev/null =! write error: Bad file descriptor
END
}

test_every_task_finds_its_standard_output_closed_full_or_over_a_quota_in_the_end() {
    local task
    needs_full_device
    seq 10 >in
    echo 'draw 1' >asked
    bigshuf --scatter=store in
    for task in in '-r -n 1 in' '-n 1 in' '--gather=store' '--list=store' '--sweep=store' '--requests in' --help --version; do
        : >store/.old-x
        echo "$task"
        cases <<END
bigshuf $task >&- <asked =! write error: Bad file descriptor
bigshuf $task >/dev/full <asked =! write error: No space left on device
FAULT_CALL=close FAULT_AT=1 FAULT_STAYS=1 FAULT_ERRNO=EDQUOT bigshuf-faulty $task <asked >out =! write error: Disk quota exceeded
END
    done
    mkdir empty
    bigshuf --scatter=empty /dev/null
    fails_with 1 'bigshuf: write error: Bad file descriptor' bigshuf --list=empty -z >&-
}

test_a_closed_standard_error_loses_nothing() {
    needs_bare_program
    more_than_memory >in
    bigshuf -S 8M in >out 2>&-
    same_lines in out
    bigshuf -S 8M in >out <&- 2>&-
    same_lines in out
}

test_a_reader_that_is_gone_ends_the_run_quietly_or_with_a_message_if_sigpipe_is_ignored() {
    [ -z "$(trap -p PIPE)" ] || skip "SIGPIPE is ignored here"
    more_than_memory >in
    { bigshuf -S 8M in 2>said || echo $? >status; } | head -n 1 >out
    { (trap '' PIPE; exec bigshuf -S 8M in 2>>said) || echo $? >>status; } | head -n 1 >out
    same '141 1 bigshuf: write error: Broken pipe' "$(cat status said | xargs)"
}

test_output_goes_behind_another_to_devices_and_to_files_of_long_names() {
    cases <<'END'
echo old >out; seq 10 | bigshuf --seed=42 >>out; cat out => old 10 5 9 3 2 4 8 7 6 1
seq 10 >file; bigshuf --seed=42 file >>file; cat file => 1 2 3 4 5 6 7 8 9 10 10 5 9 3 2 4 8 7 6 1
seq 10 | bigshuf --seed=42 -o new >&-; cat new => 10 5 9 3 2 4 8 7 6 1
ln -s /dev/null null; seq 10 | bigshuf -o null; seq 10 | bigshuf -o /dev/null; readlink null; [ -c /dev/null ] => /dev/null
seq 10 | bigshuf -o "$(printf '%0255d' 0)"; bigshuf -o "$(printf '%0255d' 0)" 0*; cat 0* | sort -n => 1 2 3 4 5 6 7 8 9 10
END
}

# ---- Places that are used directly ----

test_dev_stdout_and_a_fifo_are_used_directly() {
    mkfifo pipe
    cat pipe >out &
    seq 1000 | bigshuf -o pipe
    wait $!
    same_lines out <(seq 1000)
    [ -p pipe ]
    [ -e /dev/stdout ] || skip "no /dev/stdout here"
    seq 10 | bigshuf -o /dev/stdout | cat >out
    same_lines out <(seq 10)
    seq 10 | bigshuf -o /dev/stdout >out
    same_lines out <(seq 10)
}

# In a /dev of its own, since a run that replaces the link would do so for all. Without /proc it leads nowhere.
test_dev_stdout_that_leads_nowhere_is_told_and_stays() {
    needs_bare_program
    with_mounts true 2>.stderr || skip "may not mount"
    with_mounts sh -c 'mount -t tmpfs none /dev && mount -t tmpfs none /proc && ln -s /proc/self/fd/1 /dev/stdout &&
        ln -s /dev/stdout link || exit
        for options in "-o /dev/stdout" "-o link" "-n 0 -o link" "--split=1:link" "--shards=1 -o /dev/std%d"; do
            bigshuf $options -e x || echo $?
        done
        ls /dev link
        readlink /dev/stdout link' >out 2>&1
    same "$(for name in /dev/stdout link link link /dev/std0; do
        echo "bigshuf: $name: No such file or directory"
        echo 1
    done)" "$(head -n 10 out | sed 's/; make its folder first//')"
    same 'link /dev: stdout /proc/self/fd/1 /dev/stdout' "$(tail -n +11 out | xargs)"
}

# ---- What cannot be written is told before the work ----

test_what_cannot_be_written_is_told_before_the_work() {
    mkfifo never
    mkdir directory
    cases <<'END'
bigshuf -r -n 99999999999999999999 -o out never =! out: -r would never end; add -n COUNT
bigshuf -r -o '' never =! '': -r would never end; add -n COUNT
bigshuf -r --weight-field=1 -o out never =! out: -r would never end; add -n COUNT
bigshuf -o directory never =! directory: Is a directory; name a file in it
bigshuf -o nothing/ never =! nothing/: Is a directory; name a file in it
bigshuf -o . never =! .: Is a directory; name a file in it
bigshuf -o '' never =! '': No such file or directory
bigshuf -o nowhere/out never =! nowhere/out: No such file or directory; make its folder first
bigshuf --shards=2 -o '' never =! '': must contain one %d, or %0Nd for N digits, such as part-%05d
bigshuf -T '' never =! temporary file in '': No such file or directory
ln -s link link; bigshuf -o link </dev/null =! link: Too many levels of symbolic links
END
}

test_an_output_that_may_not_be_written_is_told_before_the_work_and_stays() {
    needs_ordinary_user
    mkfifo never
    mkdir closed
    chmod 555 closed
    echo old >file
    chmod 444 file
    cases <<'END'
as_ordinary_user ./bigshuf -o file never =! file: Permission denied
as_ordinary_user ./bigshuf -o closed/file never =! closed/file: Permission denied
END
    same old "$(<file)"
}

# Also at the place that the descriptor has, or at the end if it appends.
test_a_descriptor_is_used_as_standard_output_is() {
    [ -e /dev/stdout ] || skip "no /dev/stdout here"
    seq 5 >in
    cases <<'END'
{ echo a; bigshuf --seed=42 -o /dev/stdout in; echo b; } >file; cat file => a 5 3 2 4 1 b
ln -s /dev/fd/7 link; { echo a >&7; bigshuf --seed=42 -o link in; echo b >&7; } 7>file; cat file => a 5 3 2 4 1 b
bigshuf --seed=42 -o /dev/stdout in >>file; cat file => a 5 3 2 4 1 b 5 3 2 4 1
bigshuf -o /dev/stdout in >&- =! /dev/stdout: Bad file descriptor
bigshuf -o /dev/fd/7 in 7<in =! /dev/fd/7: Bad file descriptor
bigshuf -o /dev/fd/7 missing 7<>file =! missing: No such file or directory
cat file => a 5 3 2 4 1 b 5 3 2 4 1
END
}

test_an_input_that_cannot_be_looked_at_is_not_said_to_have_changed() {
    mkdir folder
    seq 10 >folder/file
    fail_calls 'fstat preadv' "$(echo {1..100})" --seed=1 -o folder/file folder/file 2>log
    fails_with 1 '' grep 'by others' log
}

# ---- A failed run leaves the old file as it was, and nothing else ----

test_a_failed_close_is_a_failure_and_leaves_the_old_file() {
    mkdir folder
    echo old >folder/file
    seq 10 >in
    fail_calls close "$(echo {1..20})" --seed=1 -o folder/file <in 2>log # the first are those of directories
    grep ': status 1: bigshuf: folder/file: Input/output error$' log
    # the first one is that of a temporary file, with which the directory is tried
    FAULT_CALL=close FAULT_AT=2 fails_with 1 'bigshuf: write error: Input/output error' bigshuf-faulty < <(echo x)
    same 'old file' "$(<folder/file) $(ls -A folder)"
}

# tmpfs counts its root among its files. A file that is written in place would be lost.
test_a_disk_without_room_for_another_file_leaves_the_old_one() {
    needs_small_disk
    mkdir -p disk
    seq 100 >in
    for from in in disk/file; do
        fails_with 0 '*' with_mounts sh -c 'mount -t tmpfs -o size=4m,nr_inodes=2 none disk
            seq 5 >disk/file
            bigshuf -o disk/file "$1" 2>said
            echo $? >status
            cat disk/file >left' sh $from
        same '1 1 2 3 4 5' "$(cat status left | paste -s -d ' ' -)"
        same 'bigshuf: disk/file: No space left on device' "$(<said)"
    done
}

test_a_shortage_or_what_forbids_new_ones_leaves_the_old_file() {
    mkdir folder
    echo old >folder/file
    for error in ENOSPC EDQUOT EMFILE ENFILE ENOMEM EIO EACCES EPERM EROFS ENOTSUP; do
        FAULT_CALL='open_anonymous open_at' FAULT_AT=2 FAULT_STAYS=1 FAULT_ERRNO=$error \
            fails_with 1 'bigshuf: folder/file: *' bigshuf-faulty -o folder/file folder/file
        same 'old file' "$(<folder/file) $(ls -A folder)"
    done
}

# Before anything is read: refuses CAUSE NAME COMMAND..., where COMMAND runs what follows it.
refuses() {
    [ -p never ] || mkfifo -m 666 never
    fails_with 1 "bigshuf: $2: cannot be replaced: $1; write > FILE instead" "${@:3}" ./bigshuf -o "$2" never
    [ ! -s "$2" ] || same old "$(<"$2")"
}

test_a_file_that_cannot_be_replaced_is_refused_at_the_start_and_nothing_is_left_beside_it() {
    [ "$(id -u)" = 0 ] || skip "only root can make another's file"
    needs_ordinary_user
    needs_user_namespaces
    local as=as_ordinary_user denied='Operation not permitted'
    mkdir closed sticky others plain
    echo old | tee closed/file sticky/file others/file >plain/file
    chmod 666 ./*/file
    chmod 555 closed
    chmod 777 plain
    chmod 1777 sticky others
    chown 1234 sticky others sticky/file
    refuses 'Permission denied' closed/file $as
    refuses "$denied" sticky/file $as
    refuses "$denied" sticky/file setpriv --bounding-set -fowner
    refuses "$denied" sticky/file unshare -r
    fails_with 1 "*sticky/file: cannot be replaced: $denied; it is also an input, so give the output another name" \
        $as ./bigshuf -o sticky/file sticky/file
    ln -s sticky/file link
    refuses "$denied" link $as
    $as ./bigshuf -o plain/new -e x
    chown 65534 others/file
    $as ./bigshuf -o others/file -e x # the user's own
    ./bigshuf -o sticky/file -e x     # root's right
    same 'closed/file others/file plain/file sticky/file' "$(find closed sticky others plain -type f ! -name new | sort | xargs)"
}

test_a_folder_that_only_grows_is_refused() {
    needs chattr
    mkdir -m 777 folder
    echo old >folder/file
    cp "$(readlink "$(command -v bigshuf)")" bigshuf
    chattr +a folder 2>.stderr || skip "no attributes here"
    trap 'chattr -a folder' EXIT
    refuses 'Operation not permitted' folder/file
    refuses 'Operation not permitted' folder/new
    same file "$(ls -A folder)"
    bigshuf -e x >folder/new # as is advised
}

# bindfs says that all is permitted, and its own file system forbids it. The file that was made to see that stays.
test_what_only_another_machine_knows_is_found_out_by_trying() {
    [ "$(id -u)" = 0 ] || skip "only root can mount"
    needs bindfs
    mkdir folder disk
    echo old >folder/file
    chattr +a folder 2>.stderr || skip "no attributes here"
    trap 'umount disk; chattr -a folder' EXIT
    bindfs folder disk 2>.stderr || skip "may not mount"
    fails_with 1 'bigshuf: warning: disk/.file.??????: cannot be removed: Operation not permitted
bigshuf: disk/file: cannot be replaced: Operation not permitted; write > FILE instead' bigshuf -o disk/file -e x
    same old "$(<disk/file)"
}

test_whatever_fails_when_it_is_opened_the_old_file_stays() {
    echo old >file
    ln -s file link
    for call in realpath open_directory stat_at readlink open_at fstat get_acl; do
        FAULT_CALL=$call FAULT_AT=1 FAULT_STAYS=1 fails_with 1 'bigshuf: link: Input/output error' \
            bigshuf-faulty -o link -e x
        same 'old file link' "$(<file) $(echo *)"
    done
}

test_a_temporary_file_that_cannot_be_removed_is_named() {
    mkdir folder
    echo a >folder/a
    FAULT_CALL='sync unlink_at' FAULT_AT=1 FAULT_STAYS=1 \
        fails_with 1 'bigshuf: folder/a: *warning: folder/.a.??????: cannot be removed: Input/output error' \
        bigshuf-faulty -o folder/a folder/a
}
