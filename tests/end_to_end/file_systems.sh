# The promises about outputs, temporary files and stores hold on every file system that can be mounted here. Each is
# mounted in namespaces of its own, which take mounts, loop devices, FUSE's processes and NFS's server with them, however
# a test ends.
# shellcheck disable=SC2164 # for inner shells; a FIFO; set -e
# tags: plain

# Mount a file system of some MIB MiB at ./disk, or fail: make_disk KIND MIB.
make_disk() {
    local loop
    mkdir disk back
    truncate -s "$2M" image
    case $1 in
    ext4 | xfs | btrfs | vfat)
        mkfs -t "$1" image
        mount -o loop image disk
        ;;
    tmpfs) mount -t tmpfs -o "size=$2m" none disk ;;
    exfat)
        mkfs.exfat image
        loop=$(losetup -f --show image)
        mount -t exfat "$loop" disk || mount.exfat-fuse "$loop" disk
        losetup -d "$loop" # when it is no longer mounted
        ;;
    nfs) # above ext4, which counts the changes of a folder: tmpfs tells only their time
        mkfs.ext4 image
        mount -o loop image back
        serve_nfs
        mount -t nfs4 -o vers=4.2,retry=0 127.0.0.1:/ disk
        ;;
    ntfs)
        mkfs.ntfs -q -F -f image
        ntfs-3g image disk
        ;;
    *) # those above another one
        mount -t tmpfs -o "size=$2m" none back
        mkdir back/lower back/upper back/work
        case $1 in
        overlay) mount -t overlay -o lowerdir=back/lower,upperdir=back/upper,workdir=back/work none disk ;;
        bindfs) bindfs back/upper disk ;;
        sshfs)
            mkfifo answers
            (sshfs -f -o passive ":$PWD/back/upper" disk <answers | /usr/lib/openssh/sftp-server >answers) &
            PATIENCE=5 wait_until mountpoint -q disk
            ;;
        esac
        ;;
    esac
    mountpoint -q disk
}

# Export ./back in this network namespace. The server ends when nfsd is mounted no longer.
serve_nfs() {
    ip link set lo up
    modprobe nfsd
    for state in /run /var/lib/nfs; do # those of this machine's own server
        mount -t tmpfs none $state
    done
    touch /var/lib/nfs/etab
    mount -t nfsd none /proc/fs/nfsd
    echo 10 >/proc/fs/nfsd/nfsv4gracetime # seconds, the least that it takes, for which the first file waits
    exportfs -io rw,no_root_squash,fsid=0 "127.0.0.1:$PWD/back"
    rpc.mountd -N 3
    rpc.nfsd -N 3
}

# Run FUNCTION in ./disk of that kind, where $mib is its size: on KIND MIB FUNCTION. The disk is made in the background,
# and not on the left of ||, where no failure would end it.
on() {
    local status=0 failed
    export mib=$2
    [ "$(id -u)" = 0 ] || skip "only root may mount"
    unshare -mnpf --mount-proc true 2>.stderr || skip "no namespaces here"
    more_than_memory >/dev/null # made here, since all shells there have the same number
    giants >/dev/null
    unshare -mnpf --kill-child --mount-proc bash -c '. "$0/tests/support/helpers.sh"
        . "$0/tests/end_to_end/file_systems.sh"
        PATH=$PATH:/usr/sbin:/sbin
        make_disk "$1" "$2" >made 2>&1 </dev/null &
        wait $! || exit 77
        cd disk
        "$3"' "$TOP" "$@" || status=$?
    if [ $status = 77 ]; then
        failed=$(sed -nE 's|.*: failed: ([^ ]*/)?([a-z0-9.-]*).*|\2|p' made | head -n 1)
        skip "cannot mount $1 here${failed:+: $failed fails}"
    fi
    return $status
}

# What was deleted while it was open. FUSE removes it some time after it is closed.
hidden_files_are_gone() {
    [ -z "$(find . -name '.fuse_hidden*' -o -name '.nfs*')" ]
}

# Nothing else is in this folder: only NAME...
only() {
    rm -f .out .stderr
    PATIENCE=200 wait_until hidden_files_are_gone
    same "$*" "$(find . -mindepth 1 -maxdepth 1 ! -name lost+found -printf '%f\n' | sort | paste -s -d ' ' -)"
}

# The disk has room for about a MiB more, with these names kept. Whatever the disk is, no more than twice its size is
# written.
fill() {
    head -c 1M /dev/zero >room
    sync
    if head -c "$((2 * mib))M" /dev/zero >fill 2>/dev/null; then
        echo "$mib MiB have room for twice as much" >&2
        return 1
    fi
    sync
    rm room
}

# Where q and Q are one name, the run fails, and nothing is lost.
promises() {
    cases <<'END_OF_CASES'
seq 10 >F; bigshuf --seed=42 -o F F; cat F => 10 5 9 3 2 4 8 7 6 1
seq 10 | bigshuf --seed=42 --shards=3 -o s%d; cat s0 s1 s2 => 10 5 9 3 2 4 8 7 6 1
FAULT_CALL=rename_at FAULT_AT=1 bigshuf-faulty --seed=42 -o F s0 =! F: *: the complete file is now ./.F.??????
cat F .F.*; rm .F.* => 10 5 9 3 2 4 8 7 6 1 9 5 3 10
seq 10 | bigshuf --split=5:q -o Q 2>said || true; { cat q Q .Q.* 2>said || true; } | sort -nu; rm -f q Q .Q.* said => 1 2 3 4 5 6 7 8 9 10
END_OF_CASES
    only F s0 s1 s2
    rm s?

    # What does not fit goes there, without a name, and is given back.
    more_than_memory >../in
    for how in never always; do
        bigshuf --seed=1 -S 8M -T . --tune=compress-temporary=$how ../in >../out
        bigshuf --seed=1 ../in | cmp - ../out
    done
    giants >../giants
    bigshuf --seed=1363 -S 8M -T . ../giants | cmp - <(bigshuf --seed=1363 ../giants)
    only F

    # The old file is there until the new one is complete, whatever ends the run.
    cp F ../F
    (
        cd ..
        start_half_fed -T disk -o disk/F
        kill -TERM $!
        wait $! || [ $? = 143 ]
        exec 7>&-
        rm pipe
    )
    cmp F ../F
    only F
}

promises_with_modes_and_links() {
    promises
    cases <<'END_OF_CASES'
chmod 640 F; ln F G; ln -s F L; bigshuf --seed=42 -o L F 2>said; stat -c %a F; cat G; rm G L said => 640 10 5 9 3 2 4 8 7 6 1
bigshuf --scatter=st --piles=2 --batch=a F & bigshuf --scatter=st --piles=2 --batch=b F; wait $!; bigshuf --gather=st | sort -nu => 1 2 3 4 5 6 7 8 9 10
bigshuf --scatter=st --seed=1 --batch=c --keep-newest=2 F; ls -A st => b c format
bigshuf --scatter=st --seed=1 --batch=c F 2>&1 => bigshuf: batch c is in st already: nothing was added
mv st/b st/.old-b; bigshuf --sweep=st | cut -c 1-14; ls -A st => removed .old-b c format
END_OF_CASES
    only F st
}

stores_are_refused() {
    promises
    echo 1 | fails_with 1 "bigshuf: st/format: cannot be made in one step: the file system has no hard links" \
        bigshuf --scatter=st
}

# Both kinds of files, in this folder, have no more room: tells CAUSE FOLDER.
tells() {
    cd .. # where messages are written
    fails_with 1 "bigshuf: $2/F: $1" eval "seq 1000000 | bigshuf -o $2/F"
    fails_with 1 "bigshuf: temporary file in $2: $1*" eval "more_than_memory | bigshuf -S 8M -T $2"
    same old "$(<"$2/F")"
    cd "$2"
}

full_disk() {
    echo old >F
    fill
    tells "${1:-No space left on device}" disk
    rm -f .nfs* || true # Linux may leave those that could not be written
    only F fill
}

# Only when the output is closed.
tells_at_last() {
    cd ..
    fails_with 1 "bigshuf: disk/F: $1" eval 'seq 175000 | bigshuf -o disk/F'
    same old "$(<disk/F)"
}

full_disk_of_others() {
    full_disk 'Input/output error' # the protocol has no other word
    tells_at_last 'Input/output error'
}

# Without a cache, in which temporary files live on.
full_disk_of_nfs() {
    mount -o remount,sync .
    full_disk
    mount -o remount,async .
    tells_at_last 'No space left on device'
}

full_quota() {
    btrfs quota enable .
    btrfs subvolume create limited
    btrfs qgroup limit 1M limited
    echo old >limited/F
    tells 'Disk quota exceeded' disk/limited
    only F
}

test_promises_on_ext4() { on ext4 64 promises_with_modes_and_links; } # tags: long
test_promises_on_xfs() { on xfs 300 promises_with_modes_and_links; } # tags: long
test_promises_on_btrfs() { on btrfs 110 promises_with_modes_and_links; } # tags: long
test_promises_on_tmpfs() { on tmpfs 64 promises_with_modes_and_links; }
test_promises_on_overlay() { on overlay 64 promises_with_modes_and_links; } # tags: long
test_promises_on_bindfs() { on bindfs 64 promises_with_modes_and_links; } # tags: long
test_promises_on_sshfs() { on sshfs 64 promises_with_modes_and_links; } # tags: long
test_promises_on_nfs() { on nfs 64 promises_with_modes_and_links; }
test_promises_on_ntfs() { on ntfs 64 promises; } # tags: long
test_promises_on_exfat() { on exfat 64 stores_are_refused; } # tags: long
test_promises_on_vfat() { on vfat 64 stores_are_refused; }
test_a_full_ext4_is_told_and_leaves_the_old_file() { on ext4 16 full_disk; }
test_a_full_xfs_is_told_and_leaves_the_old_file() { on xfs 300 full_disk; }
test_a_full_overlay_is_told_and_leaves_the_old_file() { on overlay 16 full_disk; }
test_a_full_sshfs_is_told_and_leaves_the_old_file() { on sshfs 16 full_disk_of_others; }
test_a_full_nfs_is_told_and_leaves_the_old_file() { on nfs 16 full_disk_of_nfs; }
test_a_full_exfat_is_told_and_leaves_the_old_file() { on exfat 16 full_disk; }
test_a_full_vfat_is_told_and_leaves_the_old_file() { on vfat 16 full_disk; }
test_a_full_quota_is_told_and_leaves_the_old_file() { on btrfs 110 full_quota; }
