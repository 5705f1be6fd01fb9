# What comes through a pipe and fits is held where it was read, and its records are referred to; what turns out not to
# fit is copied after all. Neither shows in anything but time: the order is that of a file, and memory and disk are
# what they were.
# shellcheck shell=bash disable=SC2086 # several options

# The output of a pipe is that of the file: same_piped FILE OPTION...
same_piped() {
    local file=$1
    shift
    bigshuf --seed=p "$@" "$file" >wanted
    bigshuf --seed=p "$@" < <(cat "$file") | cmp - wanted
}

# So many MB of lines of 100 to 300 bytes.
paragraphs() {
    long_lines "$(($1 * 5000))" 100 300
}

test_lines_of_any_length() {
    paragraphs 1 >in
    same_piped in
    same_piped in --parallel=1
    same_piped in --parallel=4 -S 64M
    seq 100000 >in
    same_piped in
    (seq 1000 && long_line 3000000 && echo && paragraphs 1) >in
    same_piped in
    same_piped in -S 8M --parallel=3
}

test_an_input_that_just_fits_or_just_does_not() {
    paragraphs 8 >in
    for mib in 8 9 10 11 12 14; do
        same_piped in -S "${mib}M"
    done
    same_piped in -S 8M --parallel=1
}

test_records_that_get_shorter_after_the_first_ones() {
    (paragraphs 2 && head -c 3000000 /dev/zero | tr '\0' '\n') >in
    same_piped in
    same_piped in -S 8M
    same_piped in -S 20M --parallel=1
}

test_records_that_get_longer_after_the_first_ones() {
    (seq 300000 && paragraphs 8) >in
    same_piped in
    same_piped in -S 8M
}

test_every_record_format() {
    paragraphs 2 >all
    head -n 9000 all >in
    for options in -z --records=lines:3 '--csv --header' --header=2 '--header-bytes=20 --records=start:1'; do
        same_piped in $options
    done
    head -c 1500000 in >fixed
    same_piped fixed --records=bytes:100
    sed 's/ 5/"\n"/g' in | awk '{ print "\"" $0 "\"" }' >table
    same_piped table --csv
    same_piped table --csv -S 8M
}

test_several_inputs_without_last_newlines() {
    paragraphs 1 >all
    head -c 900001 all >a
    printf 'end' >b
    : >empty
    bigshuf --seed=p a b empty a >wanted
    # shellcheck disable=SC2094 # it is only read
    bigshuf --seed=p <(cat a) b empty - < <(cat a) | cmp - wanted
    bigshuf --seed=p a <(cat b) <(:) <(cat a) | cmp - wanted
}

test_every_kind_of_output_and_sample() {
    paragraphs 1 >in
    same_piped in -n 10
    same_piped in -n 1000000
    same_piped in -r -n 1000
    same_piped in --keep-order -n 1000
    bigshuf --random-source=in in >wanted
    bigshuf --random-source=in < <(cat in) | cmp - wanted
    cp in out
    bigshuf --seed=p -o out < <(cat in)
    bigshuf --seed=p in | cmp - out
}

test_memory_and_disk_are_those_of_a_file() {
    paragraphs 30 >in
    for mib in 8 24; do
        same_piped in -S "${mib}M"
        needs_bare_program
        peak .peak bigshuf -S "${mib}M" -v < <(cat in) >out 2>said
        [ "$(<.peak)" -le $(((mib + 16) * 1024)) ]
        same_lines in out
        # Less memory than 64 MiB has a larger part of it in buffers: promise 5 with a half in place of 3/4.
        spilled=$(sed -n 's/.*spilled: .* \([0-9]*\) bytes/\1/p' said)
        [ "$spilled" -le $(($(wc -c <in) - (mib << 20) / 2)) ]
    done
}
