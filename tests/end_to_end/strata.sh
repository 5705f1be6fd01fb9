# With --stratify-field, each file has its share of every class, in an order that is as random as that of the whole.

# Print lines with a number, one of COUNT classes, some of them of few lines, and more: labelled LINES COUNT.
labelled() {
    seq "$1" | awk -v count="$2" '{ print $1 "\tc" int($1 * $1 % count * ($1 % 7) / 7) "\tx" }'
}

# Split FILE or standard input into a, b and rest: strata OPTION... [FILE].
strata() {
    bigshuf --seed=42 --stratify-field=2 --split=10%:a --split=20.5%:b -o rest "$@"
}

# The number of lines of each class in FILE, one on a line with its class: classes FILE...
classes() {
    cut -f 2 "$@" | sort | uniq -c | awk '{ print $2, $1 }'
}

# Each class has its share in a, b and rest of FILE, within one: shares FILE.
shares() {
    classes "$1" >all
    for part in '0.1 a' '0.305 a b' '0.205 b' '0.695 rest'; do
        classes ${part#* } | join -a 1 -e 0 -o 1.2,2.2 all - |
            awk -v part="${part%% *}" '{ off = $2 - $1 * part; if (off <= -1 || off >= 1) exit 1 }'
    done
}

test_each_file_has_its_share_of_each_class_and_no_line_is_lost() {
    labelled 5000 300 >in
    strata in 2>said
    shares in
    sort a b rest | cmp - <(sort in)
    for file in a b rest; do # in the order of the seed
        bigshuf --seed=42 in | grep -Fxf $file | cmp - $file
    done
}

# Fixed for ever, as the order is.
test_golden_shares() {
    labelled 1000 30 >in
    strata in 2>said
    same 510eb3f9902be1237ee8f27904b525fa "$(cat a b rest | md5)"
}

# One line of 3000 classes: chance gives a file 300 of them, 244 or less or 356 or more once in a thousand runs.
test_shares_of_less_than_one_are_right_on_average() {
    seq 3000 | awk '{ print $1 "\t" $1 }' >in
    strata in 2>said
    [ "$(wc -l <a)" -gt 244 ]
    [ "$(wc -l <a)" -lt 356 ]
    [ "$(wc -l <b)" -gt 542 ]
    [ "$(wc -l <b)" -lt 688 ]
    same "bigshuf: warning: a: $((3000 - $(wc -l <a))) of 3000 classes have no record in it
bigshuf: warning: b: $((3000 - $(wc -l <b))) of 3000 classes have no record in it
bigshuf: warning: rest: $((3000 - $(wc -l <rest))) of 3000 classes have no record in it" "$(<said)"
}

# The number of classes is more than a thread counts at a time; memory is too small for the lines.
test_memory_threads_and_pipes_do_not_matter() {
    more_than_memory | awk '{ print NR "\t" NR * 7 % 1100 "\t" $0 }' >in
    strata --parallel=1 in
    md5 a b rest >wanted
    for options in '-S 8M in' '-S 64M --parallel=3 in' '-S 1G --parallel=8'; do
        strata $options < <(cat in)
        md5 a b rest | cmp - wanted
    done
}

test_a_store_is_counted_before_it_is_written() {
    labelled 5000 900 >in
    strata in 2>said
    for file in a b rest; do classes $file >$file.classes; done
    head -n 2000 in | bigshuf --scatter=store --piles=16 --batch=one
    tail -n +2001 in | bigshuf --scatter=store --batch=two
    for options in '' '--epoch=7' '-S 8M --parallel=1' '--parallel=5'; do
        strata $options --gather=store 2>said.too
        cmp said said.too
        sort a b rest | cmp - <(sort in)
        for file in a b rest; do classes $file | cmp - $file.classes; done
    done
}

test_at_most_so_many_of_each_class_make_a_balanced_sample() {
    { echo 'n	label	x' && labelled 2000 30; } >in
    bigshuf --header --stratify-field=2 --split=20:sample -o /dev/null in 2>said
    is_empty said
    same "$(head -n 1 in)" "$(head -n 1 sample)"
    tail -n +2 sample | classes - | cmp - <(tail -n +2 in | classes - | awk '{ print $1, ($2 < 20 ? $2 : 20) }')
    printf '1\ta\n2\ta\n3\tb\n' | bigshuf --stratify-field=2 --split=18446744073709551615:a --split=1:b >out 2>said
    same 'bigshuf: warning: b: 2 of 2 classes have no record in it
bigshuf: warning: standard output: 2 of 2 classes have no record in it' "$(<said)"
    is_empty out
}

test_all_of_it_may_go_to_the_splits() {
    labelled 999 9 >in
    bigshuf --stratify-field=2 --split=33.3333%:a --split=33.3333%:b --split=33.3334%:c --split=0%:d in 2>said >out
    is_empty said
    is_empty out
    is_empty d
    sort a b c | cmp - <(sort in)
    : | bigshuf -v --stratify-field=2 --split=10%:a >out 2>said
    is_empty a
    grep -qx 'bigshuf: classes:       0' said
}

test_a_summary_tells_of_classes() {
    printf '1\ta\n2\ta\n3\ta\n4\tb\n5\tc\n6\tc\n' >in
    bigshuf -v --stratify-field=2 --split=2:two --split=1:one in 2>said >rest
    same 'bigshuf: warning: one: 2 of 3 classes have no record in it
bigshuf: warning: standard output: 3 of 3 classes have no record in it
bigshuf: classes:       3, the smallest of 1 records
bigshuf: missing:       0 classes in two
bigshuf: missing:       2 classes in one
bigshuf: missing:       3 classes in standard output' "$(grep -v besides said | grep class)"
}

test_fields_of_csv_and_long_records() {
    printf 'n,"a\nb"\r\n' >in
    seq 100 | awk '{ printf "%d,\"x\ny\"\r\n%d,\"z\"\"\"\r\n", $1, $1 }' >>in
    bigshuf --csv --header --stratify-field=2 --split=50%:a -o rest in
    for file in a rest; do same '50 50' "$(grep -c x $file) $(grep -c z $file)"; done
    giants | awk '{ print (NR > 2 ? "s" : $0) "\tp" NR % 5 "\t" NR }' >in
    strata -S 8M in
    shares in
}

test_names_and_json_pointers() {
    { echo 'n,label,x' && labelled 900 20 | tr '\t' ,; } >in
    tail -n +2 in | sed 's/\(.*\),\(.*\),x/{"n": \1, "meta": {"label": "\2"}}/' >json
    tail -n +2 in >plain
    bigshuf --seed=42 --csv --stratify-field=2 --split=10%:a -o b plain
    bigshuf --seed=42 --csv --header --stratify-field=label --split=10%:c -o d in
    bigshuf --seed=42 --stratify-field=/meta/label --split=10%:e -o f json
    tail -n +2 c | cmp - a
    tail -n +2 d | cmp - b
    tr -dc '0-9\n' <a | cmp - <(tr -dc '0-9\n' <e)
    tr -dc '0-9\n' <b | cmp - <(tr -dc '0-9\n' <f)
    bigshuf --scatter=store json
    bigshuf --gather=store --seed=42 --stratify-field=/meta/label --split=10%:g -o h
    sort g h | cmp - <(sort json)
    same "$(wc -l <e)" "$(wc -l <g)"
    bigshuf --scatter=headed --csv --header in
    bigshuf --gather=headed --stratify-field=label --split=50%:g -o h
    head -n 1 in | cmp - <(head -n 1 g)
    echo '{"n": 901, "meta": {"label": null}}' >>json
    cases <<'END'
bigshuf --stratify-field=/meta/label --split=10%:a json =! json:901: null at /meta/label: *
bigshuf --stratify-field=/meta --split=10%:a json =! json:1: *
bigshuf --stratify-field=/meta/label --split=10%:a in =! in:1: *
bigshuf --csv --header --stratify-field=lable --split=10%:a in =! in: no column 'lable': the header has 'n', 'label', 'x'
bigshuf --csv --stratify-field=label --split=10%:a in =! --stratify-field=label: a name needs a header line that has it; add --header, or give the number
bigshuf --gather=store --stratify-field=label --split=10%:a =! *=label: a name needs *
END
}

test_files_that_are_there_survive_what_is_refused() {
    { labelled 100 10 && echo 101; } >in
    seq 30000 >many
    for file in a b rest; do echo old >$file; done
    fails_with 1 "bigshuf: in:101: * '101'" strata in
    fails_with 1 "bigshuf: -:101: * '101'" strata -S 8M --parallel=1 <in
    fails_with 1 'bigshuf: --stratify-field: more than 21845 classes; use a larger -S, of 64M or more' \
        bigshuf -S 8M --stratify-field=1 --split=10%:a -o rest many
    bigshuf --scatter=store many
    fails_with 1 'bigshuf: --stratify-field: more than 21845 classes*' \
        bigshuf -S 8M --stratify-field=1 --split=10%:a -o rest --gather=store
    same 'old old old' "$(cat a b rest | xargs)"
    bigshuf -S 64M --stratify-field=1 --split=10%:a -o rest many 2>said
    same 30000 "$(sort -u a rest | wc -l | tr -d ' ')"
}

test_what_cannot_be_stratified_is_told() {
    seq 10 >in
    { printf begin && long_line 600000; } >long
    cases <<'END'
bigshuf --stratify-field=2 --split=9%:a long =! long:1: no field 2, only 1: 'begin*
bigshuf --stratify-field=1 --split=10%:a --split=10:b in =! --stratify-field: give each --split a percentage, or each a number of records
bigshuf --stratify-field=1 --split=60%:a --split=50%:b in =! --split: the percentages must not be more than 100% together
bigshuf --stratify-field=1 $(seq -f --split=1%%:%g 65) in =! --stratify-field: more than 64 splits
END
}
