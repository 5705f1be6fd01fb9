# Records that begin with their length, TFRecord among them: messages tell the place of an error. (records.sh has them
# among all the formats.) tests/model/lengths.py makes them, and lines of them.

codings="tfrecord u32le u32be u64le u64be varint"

# ---- The order ----

test_empty_records_are_records() { # tags: long
    for coding in $codings; do
        seq 5000 | sed 's/^.*7$//' | lengths "$coding" >in
        seq 5000 | sed 's/^.*7$//' | bigshuf --seed=1363 | lengths "$coding" >wanted
        bigshuf --seed=1363 "--records=$coding" in | cmp - wanted
        sed 's/.*//' <(seq 5000) | lengths "$coding" >in
        bigshuf "--records=$coding" --expect-records=5000 in | cmp - in
    done
}

# ---- Where they come from and go ----

test_shards_hold_whole_records() { # tags: long
    seq 3000 >lines
    for coding in tfrecord u64be varint; do
        lengths "$coding" <lines >in
        bigshuf --seed=7 "--records=$coding" --split=100:part --shards=7 -o shard.%d in
        { cat part shard.?; } | cmp - <(bigshuf --seed=7 "--records=$coding" in)
        lengths "$coding" part shard.? | cmp - <(bigshuf --seed=7 lines)
        bigshuf --seed=7 lines | sed -n 1,100p | lengths "$coding" | cmp - part
        bigshuf --seed=7 "--records=$coding" --shards=bytes:1000 -o small.%03d in
        lengths "$coding" small.* | cmp - <(bigshuf --seed=7 lines)
        rm small.*
    done
}

# ---- What is wrong ----

# Reading FILE fails with this message, where NAME stands for it, as a file and from a pipe, and nothing is
# written: is_refused CODING MESSAGE FILE [OPTION]...
is_refused() {
    local coding=$1 message=$2 file=$3
    shift 3
    fails_with 1 "bigshuf: $file: $message" bigshuf "$@" "--records=$coding" "$file" >out
    is_empty out
    fails_with 1 "bigshuf: -: $message" bigshuf "$@" "--records=$coding" < <(cat "$file") >out
    is_empty out
}

test_an_impossible_length_is_told_with_its_place() {
    printf '\1x\200\200\200\200\200\200\200\200\200\1' >in
    is_refused varint 'record at byte 2: its length is no number below 2^63' in
    printf '\1x\200\200\200\200\200\200\200\200\200\200\200\1' >in
    is_refused varint 'record at byte 2: its length is no number below 2^63' in
    printf '\0\0\0\0\377\377\377\377' >in
    is_refused u32le 'record at byte 4 is cut short' in
    is_refused u64le 'record at byte 0: its length is no number below 2^63' in
}

test_damage_is_told_with_the_file_and_the_place_in_it() { # tags: long
    { seq 30000 && long_lines 900 5000 15000; } >lines
    lengths tfrecord <lines >fine
    echo more | lengths tfrecord | tr e f >in # changes no length
    { cat fine; cat in; } >damaged
    is_refused tfrecord "record at byte $(wc -c <fine | tr -d ' '): the checksum of its data is wrong" damaged
    is_refused tfrecord "record at byte $(wc -c <fine | tr -d ' '): the checksum of its data is wrong" damaged -S 8M
    fails_with 1 'bigshuf: in: record at byte 0: the checksum of its data is wrong' \
        bigshuf --records=tfrecord fine in fine >out
    is_empty out
    { printf 'magic\n'; cat in; } >damaged
    is_refused tfrecord 'record at byte 6: the checksum of its data is wrong' damaged --header=bytes:6
}
