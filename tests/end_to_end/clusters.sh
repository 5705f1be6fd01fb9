# Stores of piles on clusters: the recipes in tests/recipes, under a real Slurm of one node, under GNU parallel, and with
# rclone and a server of its own. Whatever is killed and run again, no record is lost or doubled.
# tags: plain long

recipes=$TOP/tests/recipes

# Make these files of numbered lines in folder `in`, and all their lines in `all`: make_inputs NAME...
make_inputs() {
    local count=0
    mkdir -p in
    for name; do
        count=$((count + 1))
        seq -f "$count-%g" "$((100 * count))" >"in/$name"
    done
    (cd in && cat -- "$@") >all
}

# The parts that were gathered, so many and nothing else, have the lines of `all`: gathered PARTS.
gathered() {
    same "$(seq -f part-%05g 0 $(($1 - 1)))" "$(ls -A out)"
    cat out/* >union
    same_lines union all
}

# The store has these batches and nothing unfinished: has_batches NAME...
has_batches() {
    same "$*" "$(bigshuf --list=store -z | tr '\0' '\n' | cut -f 1 | paste -s -d ' ' -)"
    same "$(printf '%s\n' "$@" format | sort)" "$(ls -A store)"
}

# The same when an hour has passed since tasks were killed.
batches_later() {
    touch -c -t 202001010000 store/.[!.]*
    bigshuf --sweep=store
    has_batches "$@"
}

# Does, or did, a task work on the batch NAME: has_begun NAME.
has_begun() {
    ls store/.draft-"$1"~* >/dev/null 2>&1
}

# ---- Machines without a shared file system. These tests wait longest, so they come first. ----

# Start a server of the folder `bucket`, which is called s3: here. It ends with this test.
start_bucket() {
    local port
    needs rclone
    cd "$MEMORY" || exit
    mkdir bucket tmp
    port=$(free_ports)
    rclone serve webdav --addr "127.0.0.1:$port" --dir-cache-time 0 bucket 2>server.log &
    # shellcheck disable=SC2064 # the number that it has now
    trap "kill $!" EXIT
    export RCLONE_CONFIG=$PWD/rclone.conf RCLONE_CONFIG_S3_TYPE=webdav RCLONE_CONFIG_S3_URL=http://127.0.0.1:$port
    export RCLONE_RETRIES=1 TMPDIR=$PWD/tmp
    touch rclone.conf
    PATIENCE=60 wait_until is_open "$port"
}

# Does somebody listen there? is_open PORT
is_open() {
    (: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# These files as objects of the bucket, listed: make_objects NAME...
make_objects() {
    start_bucket
    make_inputs "$@"
    rclone copy in s3:data/corpus
    mkdir recipe
    sed 's/^piles=64$/piles=4/' "$recipes/bucket.sh" >recipe/bucket.sh # rclone takes long for each file
    chmod +x recipe/bucket.sh
    PATH=$PWD/recipe:$PATH
    same $# "$(bucket.sh list s3:data/corpus s3:data/store)"
}

# A task of Kubernetes: task NUMBER VERB...
task() {
    JOB_COMPLETION_INDEX=$1 bucket.sh "${@:2}"
}

# Is a pile of this object there? is_uploaded NAME
is_uploaded() {
    [ -n "$(find bucket/data/store -name "$1")" ]
}

# Two tasks have gathered all of it, each its share, and left nothing.
gathered_from_bucket() {
    rm -rf out
    cp -R bucket/data/out out
    gathered 2
    [ "$(wc -l <out/part-00000)" -gt "$(($(wc -l <all) / 4))" ]
    [ "$(wc -l <out/part-00001)" -gt "$(($(wc -l <all) / 4))" ]
    same '' "$(ls tmp)"
}

# An array job of AWS Batch runs here, task after task, and prints its number. Its command is kept.
aws() {
    local size command task
    size=$(printf '%s\n' "$@" | sed -n 's/^--array-properties=size=//p')
    command=$(printf '%s\n' "$@" | sed -n 's/^--container-overrides=command=//p' | tr , ' ')
    echo "$command" >>commands
    for ((task = 0; task < size; task++)); do
        AWS_BATCH_JOB_ARRAY_INDEX=$task $command
    done
    echo job
}

test_an_upload_that_is_cut_short_is_told_and_made_good_by_the_array_jobs_of_the_recipes() { # tags: long
    make_objects a.txt b.txt
    fails_with 1 '*this is no task*' bucket.sh scatter s3:data/corpus s3:data/store
    fails_with 1 '*there are fewer objects*' task 2 scatter s3:data/corpus s3:data/store
    fails_with 1 'bucket.sh list IN STORE *' task 0 gather s3:data/store
    task 0 scatter s3:data/corpus s3:data/store
    fails_with 1 '*s3:data/store/0 holds other objects than s3:data/store.list' task 0 gather s3:data/store s3:data/out 1
    RCLONE_TPSLIMIT=3 start task 1 scatter s3:data/corpus s3:data/store
    wait_until is_uploaded b.txt # and others are not yet
    kill -KILL -- -$!
    fails_with 137 '*' wait $!
    fails_with 1 '*s3:data/store/[0-3] holds other objects *' task 0 gather s3:data/store s3:data/out 1
    rm -rf tmp/*
    . "$recipes/aws-batch.sh" s3:data/corpus s3:data/store s3:data/out 2
    gathered_from_bucket
    sed -n 's/^.* command: \[\(.*\)\]/\1/p' "$recipes/kubernetes.yaml" | tr -d ',"' | cmp - commands
}

# ---- Slurm ----

needs_slurm() {
    PATH=$PATH:/usr/sbin:/sbin
    for command in munged slurmctld slurmd sbatch; do
        needs $command
    done
    id -un >.stderr 2>&1 || skip "Slurm needs a user with a name"
}

# Print the number of a free port that is followed by another free port.
free_ports() {
    local port
    for _ in 1 2 3 4 5 6 7 8 9; do
        port=$((20000 + RANDOM % 10000))
        if ! is_open $port && ! is_open $((port + 1)); then
            break
        fi
    done
    echo $port
}

# slurm.conf of a cluster that is this machine, on two ports from PORT on: slurm_conf PORT. What runs again is not held
# back for the usual two minutes (cred_expire).
slurm_conf() {
    local host user
    host=$(uname -n)
    host=${host%%.*}
    user=$(id -un)
    cat <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$1
SlurmdPort=$(($1 + 1))
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=$user
SlurmdUser=$user
AuthInfo=socket=$slurm/munge/socket,cred_expire=5
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.pid
SlurmctldLogFile=$slurm/log/slurmctld
SlurmdLogFile=$slurm/log/slurmd
ProctrackType=proctrack/linuxproc
JobCompType=jobcomp/filetxt
JobCompLoc=$slurm/log/completed
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
ReturnToService=2
EnforcePartLimits=ALL
MailProg=/bin/true
KillWait=2
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 RealMemory=65536 State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
}

slurm_daemons() {
    (umask 077 && head -c 128 /dev/urandom >"$slurm/munge/key") &&
        munged --key-file="$slurm/munge/key" --socket="$slurm/munge/socket" --pid-file="$slurm/munge/pid" \
            --log-file="$slurm/log/munged" --seed-file="$slurm/munge/seed" --num-threads=2 &&
        slurmctld -c -f "$SLURM_CONF" && slurmd -c -f "$SLURM_CONF"
}

slurm_is_idle() {
    [ "$(timeout 5 sinfo -h -o %t 2>/dev/null)" = idle ]
}

# Start a cluster, which ends with this test. If somebody was faster to take the ports, try others.
start_slurm() {
    needs_slurm
    for _ in 1 2 3; do
        slurm=$(mktemp -d /tmp/bigshuf-slurm.XXXXXX) # near the root, since names of sockets have 107 bytes at most
        trap stop_slurm EXIT
        mkdir "$slurm"/{munge,state,spool,log}
        chmod 755 "$slurm" "$slurm/munge"
        export SLURM_CONF=$slurm/slurm.conf
        slurm_conf "$(free_ports)" >"$SLURM_CONF"
        if slurm_daemons && PATIENCE=60 wait_until slurm_is_idle; then
            return
        fi
        tail -n 20 "$slurm"/log/*
        stop_slurm
    done
    return 1
}

# The processes of the cluster and its jobs: they have its configuration in their environment, and these two must not.
slurm_processes() (
    unset SLURM_CONF
    grep -lsF -e "SLURM_CONF=$slurm/" /proc/[0-9]*/environ | cut -d/ -f3
)

slurm_is_gone() {
    [ -z "$(slurm_processes)" ]
}

# Stop the daemons in the order in which they need each other, then kill what does not end, and then remove the folder.
stop_slurm() (
    trap - ERR
    set +e
    timeout 5 scancel -u "$(id -un)" 2>/dev/null
    PATIENCE=60 wait_until slurm_queue_is_empty
    for pid in "$slurm"/{slurmctld.pid,slurmd.pid,munge/pid}; do
        [ ! -s "$pid" ] || kill "$(<"$pid")"
    done
    PATIENCE=60 wait_until slurm_is_gone || slurm_processes | xargs kill -KILL
    rm -rf "$slurm"
)

slurm_queue_is_empty() {
    local queue
    queue=$(timeout 5 squeue -h 2>/dev/null) && [ -z "$queue" ]
}

# Run the recipe; its tasks ask for no more than there is on a small machine: slurm_recipe PARTS FILE...
slurm_recipe() {
    export SBATCH_MEM_PER_NODE=64M
    "$recipes/slurm.sh" "$PWD/store" "$PWD/out" "$@" >numbers
    read -r scatter _ <numbers
}

# All jobs have come to an end, so many tasks of them well: slurm_done TASKS.
slurm_done() {
    wait_until slurm_queue_is_empty || { squeue && tail -n 50 ./*.log "$slurm"/log/*; return 1; }
    same "$1" "$(grep -c JobState=COMPLETED "$slurm/log/completed")" || { cat ./*.log "$slurm/log/completed" && return 1; }
}

# How many times Slurm has run a task again.
slurm_restarts() {
    scontrol show job "$1" | sed -n 's/.* Restarts=\([0-9]*\).*/\1/p'
}

# Is there a process with this word on its command line? Then `process` is its number: has_process WORD.
has_process() {
    process=$(processes_with "$1") && [ -n "$process" ]
}

test_slurm_gathers_nothing_unless_all_was_scattered_and_goes_on_where_it_stopped() { # tags: slurm
    start_slurm
    make_inputs a.txt b.txt c.txt d.txt
    mv in/d.txt d.txt
    slurm_recipe 2 in/{a,b,c,d}.txt
    slurm_done 3
    same '' "$(ls -A out)"
    mv d.txt in/d.txt
    slurm_recipe 2 in/*
    slurm_done 9
    same '1 1 1 0' "$(grep -c 'nothing was added' scatter-"$scatter"_*.log | cut -d : -f 2 | paste -s -d ' ' -)"
    has_batches a.txt b.txt c.txt d.txt
    gathered 2
}

# Two tasks read from FIFOs, so that both are surely killed half-way, one of them by Slurm.
test_slurm_tasks_that_are_killed_run_again_and_lose_and_double_nothing() { # tags: slurm
    start_slurm
    make_inputs a.txt b.txt c.txt d.txt
    mkfifo in/killed in/requeued
    slurm_recipe 2 "$PWD"/in/*
    for name in killed requeued; do
        wait_until has_process "$PWD/in/$name"
        exec 7>"in/$name"
        seq 10000 >&7
        wait_until has_begun $name
        if [ $name = killed ]; then
            kill -KILL "$process"
        else
            scontrol requeue "${scatter}_6"
        fi
        wait_until test ! -e "/proc/$process"
        exec 7>&-
    done
    for name in killed requeued; do
        wait_until has_process "$PWD/in/$name"
        seq -f "$name %g" 20000 | tee -a all >"in/$name"
    done
    slurm_done 8
    same '1 1' "$(slurm_restarts "${scatter}_5") $(slurm_restarts "${scatter}_6")"
    batches_later a.txt b.txt c.txt d.txt killed requeued
    gathered 2
}

# ---- GNU parallel ----

# parallel writes into the home directory, and asks, with a file there, not to be told again about citations.
needs_parallel() {
    needs parallel
    parallel --version 2>.stderr </dev/null | grep GNU >/dev/null || skip "the parallel here is not that of GNU"
    export HOME=$PWD/home
    mkdir -p home/.parallel
    touch home/.parallel/will-cite
}

parallel_recipe() {
    "$recipes/parallel.sh" store out "$@"
}

# The numbers of the tasks that were run, in a row, as the log has them: tasks FILE.
tasks() {
    awk 'NR > 1 { print $1 }' "$1" | sort -n | paste -s -d ' ' -
}

test_parallel_works_over_logins_and_runs_what_failed_again_and_nothing_else() { # tags: long
    needs_parallel
    make_inputs a.txt b.txt c.txt d.txt e.txt
    mv in/c.txt c.txt
    fails_with 1 "*bigshuf: in/c.txt: No such file or directory*" parallel_recipe 2 in/{a,b,c,d,e}.txt
    same '1 2 3 4 5' "$(tasks store.scatter.log)"
    same '' "$(ls -A out)"
    mv c.txt in/c.txt
    PARALLEL='--sshlogin : --workdir .' parallel_recipe 2 in/*
    same '1 2 3 3 4 5' "$(tasks store.scatter.log)"
    has_batches a.txt b.txt c.txt d.txt e.txt
    gathered 2
}

test_parallel_runs_what_was_killed_again() { # tags: long
    needs_parallel
    [ -e /proc/self/cmdline ] || skip "no /proc here"
    make_inputs a.txt b.txt
    mkfifo in/slain
    parallel_recipe 2 in/* 2>said &
    exec 7>in/slain
    seq 10000 >&7
    wait_until has_begun slain
    kill -KILL "$(processes_with --batch=slain)"
    fails_with 1 '' wait $!
    exec 7>&-
    seq 20000 | tee -a all >in/slain &
    parallel_recipe 2 in/*
    batches_later a.txt b.txt slain
    gathered 2
}

test_parallel_scatters_files_that_are_added_makes_again_what_is_missing_and_mixes_no_two_runs() { # tags: long
    local recipe=("$recipes/parallel.sh" 'the store' 'the output')
    needs_parallel
    mkdir "it's"
    cd "it's" || exit
    make_inputs b.txt c.txt
    mv in 'in $HOME'
    ln -s 'the store' store
    ln -s 'the output' out
    "${recipe[@]}" 2 'in $HOME'/*
    has_batches b.txt c.txt
    gathered 2
    fails_with 1 '*output/part-00001 is there from another run: remove it*' "${recipe[@]}" 1 'in $HOME'/*
    fails_with 1 '*store holds other batches than those of the files*' "${recipe[@]}" 2 'in $HOME/b.txt'
    fails_with 1 'usage: *' "${recipe[@]}" 0 'in $HOME/b.txt'
    seq -f 'a-%g' 300 | tee 'in $HOME/a.txt' >>all
    rm out/part-00001
    "${recipe[@]}" 2 'in $HOME'/*
    has_batches a.txt b.txt c.txt
    gathered 2
}
