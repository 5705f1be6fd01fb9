# Several files: all are complete, then get their names in their order; either all of them appear or none does.

# Six shards, whose records are `right` as well: have_shards.
have_shards() {
    rm -rf d
    mkdir d
    seq 600 | bigshuf --seed=x --shards=6 -o d/%d
    cat d/* >right
    sort -n right >wanted
}

# All lines of the shards in folder d are there, each in its shard or in the hidden file of that shard: none_lost.
none_lost() {
    local number hidden
    for number in 0 1 2 3 4 5; do
        hidden=$(find d -name ".$number.??????")
        cat "${hidden:-d/$number}"
    done | sort -n | cmp - wanted
}

test_a_name_that_cannot_be_given_and_sigkill_between_names_leave_all_files_complete() { # tags: long
    for turn in 1 2 6; do
        have_shards
        FAULT_CALL=rename_at FAULT_AT=$turn fails_with 1 "bigshuf: d/$((turn - 1)): Input/output error: *" \
            bigshuf-faulty --shards=6 -o d/%d right
        none_lost
        same $((7 - turn)) "$(find d -name '.?.??????' | wc -l | tr -d ' ')"
        set -- d/.?.??????
        case $turn in
        6) same "$1" "$(sed 's/.*: the complete file is now //' .stderr)" ;;
        *) same "$# complete files are now $1 to ${!#}" "$(sed 's/.*error: //' .stderr)" ;;
        esac
        have_shards
        FAULT_CALL=rename_at FAULT_AT=$turn FAULT_RUN='kill -KILL $PPID' fails_with 137 '*' \
            bigshuf-faulty --shards=6 -o d/%d right
        none_lost
        same $((7 - turn)) "$(find d -name '.?.??????' | wc -l | tr -d ' ')"
    done
}

test_a_directory_that_is_replaced_between_two_names_is_told() {
    for signal in 0 TERM; do # which comes while death is held off
        have_shards
        FAULT_CALL=rename_at FAULT_AT=2 FAULT_RUN="mv d e; mkdir d; kill -$signal \$PPID" fails_with 1 \
            'bigshuf: d/2: its directory has been replaced meanwhile; in the old one: 4 complete files are now d/.2.* to d/.5.*' \
            bigshuf-faulty --shards=6 -o d/%d right
        same '' "$(ls -A d)"
        rmdir d
        mv e d
        none_lost
    done
}

test_what_others_put_in_the_place_of_an_output_that_is_no_input_is_replaced() {
    seq 100 >in
    for i in 0 1 2 3 4 5 6 7; do
        echo old >old$i
    done
    FAULT_CALL=link_descriptor FAULT_AT=1 FAULT_RUN='echo theirs >t; mv t old7; rm old2; echo more >>old1' \
        bigshuf-faulty --shards=8 -o old%d in
    same_lines <(cat old?) in
}

# ---- All or none ----

# Fill `folder` with old files: have_old NAME...
have_old() {
    rm -rf folder
    mkdir folder
    for name; do
        echo old >"folder/$name"
    done
}

# The folder has the old files and no other: all_old NAME...
all_old() {
    same "$*" "$(names folder)"
    for name; do
        same old "$(<"folder/$name")"
    done
}

test_no_file_is_seen_before_all_are_complete() {
    local run
    have_old 1
    mkfifo pipe
    exec 8<>pipe
    more_than_memory >in
    start bigshuf -S 8M --split=10:folder/0 --split=10:folder/1 -o pipe in 2>said
    run=$!
    head -c 1000000 <&8 >out
    all_old 1
    cat <&8 >rest & # which never ends, since this shell could write
    wait $run
    kill $!
    same '0 1 10 10' "$(names folder) $(line_counts folder/0 folder/1)"
}

# As where case is ignored. (The name comes into being with the first file's.)
test_two_names_that_are_one_to_the_file_system_lose_nothing() {
    FAULT_CALL=rename_at FAULT_AT=1 FAULT_RUN='echo theirs >A' fails_with 1 \
        "bigshuf: A: its file system takes it for another output's name: the complete file is now ./.A.*" \
        bigshuf-faulty --split=5:a -o A <<<"$(seq 10)"
    same theirs "$(<A)"
    cat a .A.?????? | same_lines /dev/stdin <(seq 10)
}

old_files() {
    have_old $(seq -f %02g 0 $((files - 1)))
}

# The folder that a killed run leaves: all files are old, or all are new. A SIGKILL may come while files get their names, and
# may leave hidden files; but every file with its name is whole: old_or_new STATUS.
old_or_new() {
    local old=0 file first
    same "$(echo new* | sed 's/new//g')" "$(cd folder && echo *)"
    for file in folder/*; do
        IFS= read -r -n 3 first <"$file"
        if [ "$first" = old ]; then
            old=$((old + 1))
        else
            cmp "$file" "new${file#folder/}"
        fi
    done
    [ "$1" = 137 ] || [ $old = 0 ] || [ $old = $files ]
    [ "$1" = 137 ] || same $files "$(names folder | wc -w | tr -d ' ')"
}

test_sigterm_at_any_moment_leaves_all_files_old_or_all_new_and_sigkill_whole_files() { # tags: long
    more_than_memory >in
    for files in $(scale 20 20 '3 20'); do
        rm -f new*
        bigshuf -S 8M --seed=x --shards=$files -o new%02d in
        for signal in TERM KILL; do
            killed_at_any_moment $signal "$(scale 3 5 14)" old_files old_or_new \
                bigshuf -S 8M --seed=x --shards=$files -o folder/%02d in
        done
    done
}

test_a_reader_that_goes_away_leaves_no_hidden_file() {
    local splits
    splits=$(seq -f '--split=1:a%g' 11)
    seq 100000 >in
    { bigshuf $splits in || true; } | head -n 1 >first
    same 'first in' "$(ls -A | paste -s -d ' ' -)"
}

# A full disk, a limit to sizes, a directory for which there is no permission

test_a_full_disk_leaves_all_old_files() {
    needs_small_disk
    more_than_memory >in
    for files in 3 20; do
        fails_with 0 '*' on_small_disk 4 sh -c "
            echo old | tee disk/00 >disk/02
            cat in | bigshuf -S 8M --shards=$files -o disk/%02d
            echo \$? >status
            cat disk/00 disk/02 >left
            ls -A disk >>left"
        same '1 old old 00 02' "$(cat status left | paste -s -d ' ' -)"
    done
}

test_a_directory_that_is_closed_meanwhile_leaves_all_old_files() {
    needs_ordinary_user
    cp "$(readlink "$(command -v bigshuf-faulty)")" faulty
    as_ordinary_user mkdir folder
    seq 200000 >in
    as_ordinary_user ./bigshuf --shards=6 -o folder/%d in
    md5 folder/? >wanted
    for turn in 7 8; do # when number 4 and 5 are opened again
        FAULT_CALL=open_anonymous FAULT_AT=$turn FAULT_RUN='chmod 555 folder' \
            fails_with 1 "bigshuf: folder/$((turn - 3)): cannot be replaced: Permission denied; *" \
            as_ordinary_user ./faulty --shards=6 -o folder/%d in
        md5 folder/? | cmp - wanted
        as_ordinary_user chmod 755 folder
    done
}

test_a_file_that_may_not_be_written_is_told_before_the_work() {
    needs_ordinary_user
    mkfifo never
    mkdir open closed
    echo old >old
    chmod 777 open
    chmod 666 old
    chmod 555 closed
    echo old | tee open/0 >open/15
    chmod 666 open/0
    chmod 444 open/15
    cases <<'END'
as_ordinary_user ./bigshuf --split=1:old --split=1:open/a -o closed/b never =! closed/b: Permission denied
as_ordinary_user ./bigshuf --shards=records:5 -o closed/%d never =! closed/0: Permission denied
as_ordinary_user ./bigshuf --shards=20 -o open/%d never =! open/15: Permission denied
END
    same 'old old old 0 15' "$(cat old open/* | xargs) $(names open)"
}

# ---- Faults ----

# Let calls of every kind that is made fail at these turns, where some files are there before: sweep_files 'TURN...' OPTION...
sweep_files() {
    cd "$MEMORY" || exit
    mkdir -p folder/temporary
    for number in ${old-00 02 04 06 08 10}; do
        echo old >folder/$number
    done
    seq 3000 >in
    fail_any_call "$1" --seed=x -T folder/temporary "${@:2}" in
}

test_many_shards_survive_any_fault() {
    sweep_files "$(scale '1 9' '1 11' "$(echo {1..300})")" --parallel=1 --shards=12 -o folder/%02d
}

test_splits_survive_any_fault() {
    sweep_files "$(scale '1 4' '1 4' "$(echo {1..200})")" --split=10:folder/00 --split=50%:folder/01 -o folder/02
}

test_shards_by_bytes_survive_any_fault() {
    sweep_files "$(scale 3 3 "$(echo {1..40} {50..500..10})")" -S 8M --parallel=1 --shards=bytes:5K -o folder/%02d
}

test_shards_survive_calls_that_fail_from_some_time_on() {
    FAULT_STAYS=1 sweep_files "$(scale 9 9 "$(echo {1..200})")" --parallel=1 --shards=12 -o folder/%02d
}

test_filters_survive_any_fault() {
    old='' sweep_files '1 2 4 6' --shards=3 -o folder/%d --filter='cat >$FILE'
}
