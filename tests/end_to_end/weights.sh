# Weights, of a field or of a file: which there are, where they stand, and what is told of those that are none.

# The first keys may say nothing about later ones.
test_weights_that_grow_from_record_to_record() {
    needs_scale small
    long_lines 50000 100 300 | awk '{ print "1e" int(NR / 200) "\t" $0 }' >in
    bigshuf -S 1G --seed=x --weight-field=1 in >wanted
    bigshuf -S 8M -v --seed=x --weight-field=1 in 2>said | cmp - wanted
    [ "$(spilled said)" -lt $(($(wc -c <in) * 3)) ]
    bigshuf -S 8M -v --seed=x --weight-field=1 -n 100 in 2>said | cmp - <(head -n 100 wanted)
    [ "$(spilled said)" -lt $(($(wc -c <in) * 3)) ]
}

test_weights_from_a_file_do_as_in_a_field() {
    seq 20000 | weigh >in
    cut -f 1 in >weights
    for options in '' '-n 100' '-n 100 --keep-order' '-r -n 5000'; do
        bigshuf --seed=x --weights=weights $options in | cmp - <(bigshuf --seed=x --weight-field=1 $options in)
    done
    bigshuf --seed=x --weight-field=1 in >wanted
    bigshuf --seed=x --weights=<(cat weights) <in | cmp - wanted
    bigshuf --seed=x --weights=- in <weights | cmp - wanted
    seq 5 >in
    printf '%s\n' 3 0 1 5 2 >weights
    for options in '' '-n 2' '-n 2 --keep-order' '-r -n 50'; do
        bigshuf --seed=x --weights=weights $options in >wanted
        bigshuf --seed=x --weights=weights $options -i 1-5 | cmp - wanted
        bigshuf --seed=x --weights=weights $options -e 1 2 3 4 5 | cmp - wanted
    done
}

# Hundreds of KiB behind its beginning, or more than there is memory.
test_a_weight_may_stand_anywhere_in_its_record() { # tags: long
    long_line "$(scale 2000000 9000000 90000000)" | tr -d '\n' >long
    long_lines 12 1 700000 | awk '{ print $0 "\t" NR % 7 "\t" NR }' >in
    { cat long; printf '\t2'; } >>in
    cut -f 2 in >weights
    for options in '' '-n 5 --keep-order' '-r -n 9'; do
        bigshuf -S 1G --seed=x --weights=weights $options in >wanted
        bigshuf -S 1G --seed=x --weight-field=2 $options in | cmp - wanted
        bigshuf -S 8M --seed=x --weight-field=2 $options in | cmp - wanted
        bigshuf -S 8M --seed=x --weight-field=2 $options < <(cat in) | cmp - wanted
    done
    cat long >>in
    fails_with 1 "bigshuf: in:13: weight is too long: '21 2 3 *'" bigshuf -S 8M --weight-field=2 in >out
    { head -n 12 in; cat long; } >none
    fails_with 1 "bigshuf: none:13: no field 2, only 1: '1 2 3 *'" bigshuf -S 8M --weight-field=2 none >out
}

test_ends_of_lines_and_records_are_no_part_of_a_weight() {
    printf '3\r\n0\r\n1 \r' >weights
    printf 'a\t3\r\nb\t0\r\nc\t1\r' >in
    bigshuf --seed=x --weights=weights in >wanted
    bigshuf --seed=x --weight-field=2 in | cmp - wanted
    same_lines wanted <(printf 'a\t3\r\nc\t1\r\n')
    cases <<'END'
printf '3\r\0' | bigshuf -z --weight-field=1 =! -:1: invalid weight: '3\\r': * CRLF
printf '3\r\ta\n' | bigshuf --weight-field=1 =! -:1: invalid weight: '3\\r': * CRLF
printf '3\r\r\n' | bigshuf --weight-field=1 =! -:1: invalid weight: '3\\r': * CRLF
END
    printf '1\na;0\n;' >in # the lines of their file end with a newline, whatever the records end with
    printf '1\n0' >weights
    bigshuf --delimiter=';' --weights=weights in | cmp - <(printf '1\na;')
    bigshuf --delimiter=';' --weight-field=1 -t '\n' in | cmp - <(printf '1\na;')
}

test_a_weight_of_zero_is_never_drawn() {
    shared weighed_lines >in
    grep -v '^0' in >wanted
    bigshuf -S 8M --weight-field=1 in >out
    same_lines out wanted
    bigshuf -S 64M --weight-field=1 --keep-order -n 99999999 in | cmp - wanted
    bigshuf -r -n 100000 --weight-field=1 in >out
    same 0 "$(grep -c '^0' out || true)"
}

test_weights_may_be_zero_alone_or_of_any_size() {
    seq 1000 | sed 's/.*/0/' >in
    printf '%s\n' 1e-300 1e300 5e-324 1.7e308 1e-200 >sizes
    cases <<'END'
bigshuf --weight-field=1 in => bigshuf: warning: records of weight 0 are never drawn: 1000
bigshuf --weight-field=1 -n 5 in => bigshuf: warning: records of weight 0 are never drawn: 1000
bigshuf --weight-field=1 -n 5 --keep-order in => bigshuf: warning: records of weight 0 are never drawn: 1000
bigshuf --weights=/dev/null /dev/null =>
bigshuf -r -n 1 --weight-field=1 in =! all weights are zero
bigshuf --weight-field=1 sizes => 1.7e308 1e300 1e-200 1e-300 5e-324
bigshuf --weight-field=1 -r -n 3 sizes => 1.7e308 1.7e308 1.7e308
END
}

# Weights are refused in a field of a file's second line, and in the second line of --weights, with a message that names
# the place: refuses_weight MESSAGE WEIGHT...
refuses_weight() {
    local options weight
    for weight in "${@:2}"; do
        printf '%s\n' 1 "$weight" 1 >weights
        printf 'a\t1\nb\t%s\n' "$weight" >in
        for options in '' '-n 1 --keep-order' '-r -n 1'; do
            fails_with 1 "bigshuf: weights:2: $1: '$weight'" bigshuf $options --weights=weights -i 1-3 >out
            fails_with 1 "bigshuf: in:2: $1: '$weight'" bigshuf $options --weight-field=2 first in >out
            is_empty out
        done
    done
}

test_weights_that_are_none_are_errors() {
    printf 'a\t1\n' >first
    refuses_weight 'negative weight' -1 -1e-300 -inf
    refuses_weight 'infinite weight' inf Infinity 1e999
    refuses_weight 'weight is not a number' NaN
    refuses_weight 'invalid weight' '' x 1x 1,5 0x10 1e 'one two' --1
}

test_weights_at_fault_are_named_by_their_place() {
    printf '1\t2\n3\n' >short
    printf '1\n2\n3' >one
    printf '4\n\n5\n' >two
    printf '1\n2\nx' >three
    printf 'h\n\n1\nx\n' >headed
    printf '#1\n#2\n1\n' >first
    printf '#1\n1\nx\n' >second
    printf 'a;"1;5"\n' >quoted
    printf 'h,w\n"a\nb",1\nc\n' >missing
    awk 'BEGIN { for (i = 0; i < 300000; i++) print "a\t1" }' >large
    printf 'b\tx\n' >small
    { printf 1. && head -c 3000000 /dev/zero | tr '\0' 0 && printf 'x\n2\n'; } >long # of which a part would pass for one
    : >empty
    cases <<'END'
bigshuf --weights=long -i 1-2 =! long:1: weight is too long: '1.00*
bigshuf --weight-field=1 long =! long:1: weight is too long: '1.00*
bigshuf --weight-field=2 short =! short:2: no field 2, only 1: '3'
bigshuf --weight-field=1 one empty two =! two:2: invalid weight: ''
bigshuf --weight-field=1 three empty two =! three:3: invalid weight: 'x'
bigshuf --weight-field=2 -n 1 large small =! small:1: invalid weight: 'x'
bigshuf --header=2 --weight-field=1 headed headed =! headed:4: invalid weight: 'x'
bigshuf --header=2 --weight-field=1 <headed =! -:4: invalid weight: 'x'
bigshuf --header=bytes:3 --weight-field=1 headed headed =! headed:4: invalid weight: 'x'
bigshuf --header=start:'#' --headers-differ --weight-field=1 first second =! second: record 2: invalid weight: 'x'
printf 'h\n;1;x;' | bigshuf --header=1 --delimiter=';' --weight-field=1 =! -:3: invalid weight: 'x'
bigshuf --csv -t ';' --weight-field=2 quoted =! quoted:1: invalid weight: '1;5'
bigshuf --csv --header --weight-field=2 missing missing =! missing:4: no field 2, only 1: 'c'
printf '0123456789012345678901234567890123456789xx\n' | bigshuf --weight-field=1 =! -:1: invalid weight: '0123456789012345678901234567890123456789'
printf 'a\033\0\n' | bigshuf --weight-field=1 =! -:1: invalid weight: 'a\\x1b'; if this is a header, add --header
bigshuf --weights=- < <(seq 3) =! standard input cannot hold both records and weights
bigshuf --weights=/dev/stdin - < <(seq 3) =! standard input cannot hold both records and weights
bigshuf --weights=nowhere -o short one =! nowhere: No such file or directory*
END
    same '1	2 3' "$(paste -s -d ' ' short)"
}

test_too_few_or_too_many_weights_are_errors() {
    seq 3 >in
    seq 2 >few
    seq 4 >many
    for options in '' '-n 1' '-n 1 --keep-order' '-r -n 1'; do
        fails_with 1 'bigshuf: few: too few weights: *more than 2 records' bigshuf $options --weights=few in >out
        fails_with 1 'bigshuf: many: too many weights: there are 3 records' bigshuf $options --weights=many in >out
        is_empty out
    done
}
