# Promise 6: an existing output file is replaced when the new one is complete: what it keeps, and who else is at work.

# The mode of a file, as ls writes it.
mode() {
    ls -ld "$1" | cut -c 1-10
}

# ---- What is kept of it ----

test_a_new_file_has_the_mode_that_the_umask_leaves() {
    (umask 027 && echo | bigshuf -o 1 && umask 077 && echo | bigshuf -o 2 && umask 0 && echo | bigshuf -o 3)
    same '-rw-r----- -rw------- -rw-rw-rw-' "$(mode 1) $(mode 2) $(mode 3)"
}

test_an_existing_file_is_replaced_and_keeps_its_mode_without_set_id_bits() {
    for mode in 604 6755; do
        echo old >out
        chmod $mode out
        seq 10 | bigshuf -o out
        same_lines out <(seq 10)
        mode out
    done >modes
    same '-rw----r-- -rwxr-xr-x' "$(xargs <modes)"
    same 'modes out' "$(shopt -s dotglob && echo *)"
}

test_a_mode_that_cannot_be_set_is_a_warning() {
    seq 10 | FAULT_CALL=fchmod FAULT_AT=1 FAULT_STAYS=1 fails_with 0 'bigshuf: warning: out: cannot set its mode: Input/output error' \
        bigshuf-faulty -o out
    same_lines out <(seq 10)
}

test_owner_and_group_are_kept_or_nobody_gains_by_it() {
    [ "$(id -u)" = 0 ] || skip "only root can make another's file"
    needs_ordinary_user
    local lost='could not keep the owner or group, so others may have lost access'
    for file in '1234:5678 640 -rw-r-----' '65534:5678 664 -rw-r--r--' '65534:5678 640 -rw-------' \
        '65534:5678 604 -rw-------' '65534:5678 666 -rw-rw-rw-'; do
        set -- $file
        echo old >file
        chown "$1" file
        chmod "$2" file
        [ "$1" != 1234:5678 ] || seq 10 | fails_with 0 '' bigshuf -o file
        [ "$1" = 1234:5678 ] || seq 10 | fails_with 0 "bigshuf: warning: file: $lost" as_ordinary_user ./bigshuf -o file
        same_lines file <(seq 10)
        same "$3 ${1/:*/}" "$(ls -ln file | awk '{ print $1, $3 }')"
    done
}

# Run COMMAND as root of a user namespace that knows 100,000 users: in_namespace COMMAND...
in_namespace() {
    { [ -p go ] || mkfifo go; } && { unshare -U sh -c 'read -r _ <go; exec "$@"' sh "$@" & } &&
        PATIENCE=20 wait_until eval "echo '0 0 100000' >/proc/$!/uid_map" 2>/dev/null &&
        echo '0 0 100000' >/proc/$!/gid_map && echo >go && wait $!
}

test_owners_that_are_not_kept_are_told_once_also_those_that_a_user_namespace_does_not_know() {
    [ "$(id -u)" = 0 ] || skip "only root can make another's file"
    needs_ordinary_user
    needs_user_namespaces
    chmod 777 .
    echo old | tee a b c0 >c1
    chmod 660 a b c?
    chown 1234:65534 a b c?
    fails_with 0 'bigshuf: warning: c0 and 1 more could not keep the owner or group, *' \
        as_ordinary_user ./bigshuf --shards=2 -o c%d -e x y
    same '65534:65534 -rw-rw----' "$(stat -c '%u:%g %A' c0)"
    chown 200000:200000 a
    chmod 662 a
    chown 65534:65534 b
    in_namespace true || skip "cannot map users"
    fails_with 0 'bigshuf: warning: a: could not keep the owner or group, *' in_namespace ./bigshuf -o a -e x
    same '0:0 -rw--w--w-' "$(stat -c '%u:%g %A' a)"
    fails_with 0 '' ./bigshuf -o b -e x
    same '65534:65534' "$(stat -c %u:%g b)"
}

# A holder of a lease, as file servers are, is asked to give it back, and does: leased FILE COMMAND...
leased() {
    rm -rf held && { python3 -c 'import fcntl, os, signal, sys
f = open(sys.argv[1], "r+")
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGIO])
fcntl.fcntl(f, fcntl.F_SETLEASE, fcntl.F_WRLCK)
os.mkdir("held")
signal.sigwait([signal.SIGIO])' "$1" & } && # at its end, the lease does
        PATIENCE=200 wait_until test -e held && "${@:2}" && wait $!
}

test_a_file_under_a_lease_is_read_and_replaced() {
    needs python3
    seq 10 >file
    bigshuf --scatter=st --piles=2 --batch=a file
    leased file cat file >out || skip "no leases here"
    leased file bigshuf file | same_lines file /dev/stdin
    leased file bigshuf -o file file
    leased file bigshuf --weights=file file >out
    leased file bigshuf --scatter=st --batch=b file
    leased st/a bigshuf --gather=st | sort -nu | same_lines file /dev/stdin
}

test_a_file_may_be_shuffled_into_itself() {
    seq 1000 >file
    bigshuf --seed=x -o file file
    seq 1000 | bigshuf --seed=x | cmp - file
    bigshuf -o file <file
    same_lines file <(seq 1000)
    more_than_memory >in
    cp in file
    bigshuf -S 8M -o file file
    same_lines file in
    ln file hard
    ln -s file soft
    bigshuf -o hard file
    bigshuf -o soft file
    same_lines file in
    bigshuf -o file /dev/null
    is_empty file
}

test_links_are_followed_and_stay() {
    mkdir there
    ln -s there folder
    ln -s ../there/file there/first
    ln -s folder/first link
    ln -s "$PWD/link" second
    for old in none old; do
        seq 10 | bigshuf -o second
        same_lines there/file <(seq 10)
        same "$PWD/link folder/first there" "$(readlink second link folder | xargs)"
        same 'there/file there/first' "$(echo there/*)"
        echo $old >there/file
    done
}

test_a_file_of_several_links_is_replaced_and_the_others_keep_it() {
    seq 2000 >file
    ln file other
    seq 10 | fails_with 0 'bigshuf: warning: file: had other names (hard links), which keep the old contents' bigshuf -o file
    same_lines file <(seq 10)
    same_lines other <(seq 2000)
    ln file again
    ln other third
    fails_with 0 'bigshuf: warning: file and 1 more had other names (hard links), *' \
        bigshuf --split=1:file -o other <(seq 2000)
    same 1 "$(wc -l <.stderr)"
    ln third s2 # which is known late
    fails_with 0 'bigshuf: warning: s2: had other names (hard links), *' bigshuf --shards=records:1 -o s%d <(seq 3)
    ln third none
    fails_with 0 'bigshuf: warning: none: had other names (hard links), *' bigshuf -n 0 -o none
    same_lines again <(seq 10)
    same_lines third <(seq 2000)
    same 1999 "$(line_counts other)"
    ln file fourth
    FAULT_CALL=write FAULT_AT=1 fails_with 1 '*: Input/output error' bigshuf-faulty -o file file
    [ ./file -ef ./fourth ]
}

# ---- Others are at work in the directory ----

# Start a run that replaces folder/file, and have something done before it ends: fails_after PATTERN COMMAND...
fails_after() {
    local pattern=$1
    shift
    [ -e pipe ] || mkfifo pipe
    start "${program:-bigshuf}" -o folder/file pipe 2>said
    exec 7>pipe # which succeeds when the run has looked at its output
    "$@"
    seq 10 >&7
    exec 7>&-
    fails_with 1 '' wait $!
    # shellcheck disable=SC2053 # a pattern, by intention
    [[ $(<said) == $pattern ]] || same "$pattern" "$(<said)"
}

test_a_directory_that_others_put_there_meanwhile_is_left_alone() {
    mkdir folder aim
    echo secret >aim/file
    exchange() {
        mv folder elsewhere
        ln -s aim folder
    }
    local stale='its directory has been replaced meanwhile' named='the complete file is now folder/.file.??????'
    fails_after "bigshuf: folder/file: $stale?(; in the old one: $named)" exchange
    same 'secret file ' "$(<aim/file) $(ls -A aim) $(find elsewhere -type f ! -name '.file.??????')"
    rm -r folder elsewhere
    mkdir folder
    export FAULT_CALL=open_anonymous FAULT_AT=1 FAULT_STAYS=1 FAULT_ERRNO=ENOTSUP
    program=bigshuf-faulty fails_after "bigshuf: folder/file: $stale; in the old one: $named" exchange
    same_lines elsewhere/.file.?????? <(seq 10)
    same file "$(ls -A aim)"
}

# As Linux has it with fs.protected_symlinks, whether that is on or off.
test_anothers_link_in_a_directory_for_all_is_not_followed() { # tags: long
    [ "$(id -u)" = 0 ] || skip "only root can make another's link"
    for case in '1777 0 0 yes' '1777 0 1234 no' '1777 1234 1234 yes' '1777 1234 5678 no' '1777 1234 0 yes' \
        '777 0 1234 yes' '1775 0 1234 yes' '755 0 1234 yes'; do
        set -- $case
        mkdir public
        ln -s ../file public/link
        ln -s public/link own
        chown -h "$3" public/link
        chown "$2" public
        chmod "$1" public
        for name in public/link own; do
            for old in none old; do
                [ $old = none ] || echo old >file
                case $4 in
                yes) bigshuf -o $name -e new ;;
                no) fails_with 1 "bigshuf: $name: Permission denied" bigshuf -o $name -e new ;;
                esac
                same "$4 $old" "$(sed 's/new/yes/; s/old/no/' file 2>/dev/null || echo no) $old"
                rm -f file
            done
        done
        rm -r public own
    done
}

test_without_o_tmpfile_the_new_file_is_private_and_takes_the_place_too() {
    mkdir folder
    mkfifo pipe
    for call in open_anonymous can_link_descriptor open_anonymous; do
        FAULT_CALL=$call FAULT_AT=1 FAULT_STAYS=1 FAULT_ERRNO=ENOTSUP bigshuf-faulty -o folder/file pipe & run=$!
        exec 7>pipe
        same '-rw-------' "$(mode folder/.file.??????)"
        seq 10 >&7
        exec 7>&-
        wait $run
        same_lines folder/file <(seq 10)
        same "file ${mode:--rw-r--r--}" "$(ls -A folder) $(mode folder/file)"
        chmod 604 folder/file
        mode=-rw----r--
    done
}

# The run knows nothing of it when it ends, and so does not say that it cannot be removed.
test_a_name_that_the_new_file_did_not_get_is_none_of_the_runs() {
    seq 10 >in
    FAULT_CALL='link_descriptor unlink' FAULT_AT=1 FAULT_STAYS=1 FAULT_ERRNO=EACCES \
        fails_with 1 'bigshuf: made: Permission denied' bigshuf-faulty -o made in
    same in "$(echo *)"
}

# Containers are given single files this way. Only root may mount.
test_a_mounted_file_is_refused() {
    touch beneath file
    unshare -m true 2>/dev/null || skip "may not mount"
    fails_with 1 "bigshuf: file: cannot be replaced: Device or resource busy; write > FILE instead" \
        unshare -m sh -c 'mount --bind beneath file && bigshuf -o file -e x'
    is_empty beneath
}

# In containers, the folder of a file is made of layers, which may be on different file systems: needs_overlay.
needs_overlay() {
    [ "$(id -u)" = 0 ] || skip "only root may mount layers"
    mkdir lower merged
    overlaid='mount -t tmpfs -o size=2m none upper && mkdir upper/files upper/work &&
        mount -t overlay -o lowerdir=lower,upperdir=upper/files,workdir=upper/work none merged &&'
    mkdir upper
    unshare -m sh -c "$overlaid true" 2>.stderr || skip "may not mount layers"
}

test_a_file_among_layers_on_different_file_systems_is_replaced_if_all_goes_well() {
    needs_overlay
    seq 1000 | tee lower/file >lower/old
    seq 400000 >in # more than there is room for
    unshare -m sh -c "$overlaid bigshuf -o merged/file merged/file && sort -n merged/file >sorted && ls -A merged >>sorted"
    same_lines sorted <(seq 1000; echo file; echo old)
    fails_with 0 '*' unshare -m sh -c "$overlaid { bigshuf -o merged/old <in | cat; cat in | bigshuf -o merged/old; } 2>said
        cat merged/old >left; ls -A merged >>left"
    cmp left <(seq 1000; echo file; echo old)
    grep -q 'No space left on device' said
}
