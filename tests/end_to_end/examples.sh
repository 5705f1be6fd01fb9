# What the man pages and the README show works, and they tell of all that there is. Examples are not repeated here but
# taken from the pages: the displays of the section EXAMPLES, and the blocks marked `sh`.
# shellcheck shell=bash

man_page=$TOP/man/bigshuf.1
order_page=$TOP/man/bigshuf-order.7
store_page=$TOP/man/bigshuf-store.5
readme=$TOP/README.md

# Each display under .Sh EXAMPLES, with a NUL after it.
man_examples() {
    awk '/^\.Sh / { here = $2 == "EXAMPLES" }
         here && /^\.Ed/ { inside = 0; printf "%c", 0 }
         inside
         here && /^\.Bd -literal/ { inside = 1 }' "$man_page" | sed 's/\\-/-/g; s/\\(aq/'\''/g; s/\\e/\\/g'
}

# Each block of the README, with a NUL after it.
readme_examples() {
    awk '/^ *```sh$/ { inside = 1; next }
         inside && /^ *```$/ { inside = 0; printf "%c", 0 }
         inside' "$readme"
}

# Make the files that examples mention, in the working folder.
make_files() {
    mkdir disk1 disk2 photos
    seq 3000 >lines.txt
    seq 2000 >train.en
    seq 2000 >train.de
    seq 2000 | awk -v OFS='\t' '{ print $1, $1 % 5, $1 % 7 }' >table.tsv
    seq -f '{"n": %g}' 1000 >1.json
    seq -f '{"n": %g}' 1001 2000 >2.json
    printf 'id,text\n1,"two\nlines"\n2,one\n' >people.csv
    printf 'album,song\n1,a\n1,b\n2,c\n' >songs.csv
    seq 400 | tee reads_1.fastq >reads_2.fastq
    seq 2000 >train.fr
    seq 100 | sed 's/$/<|endoftext|>/' | tr -d '\n' >corpus.txt
    seq -f '>gene %g
ACGT' 100 >genes.fasta
    seq -f %015g 100 >cooc.bin
    seq 3000 | gzip >x.1.gz
    gzip -c <1.json >1.jsonl.gz
    gzip -c <2.json >2.jsonl.gz
    tar -cf raw-1.tar lines.txt train.en train.de
    mkdir corpus log
    for name in corpus/{1,2,3,4}.txt log/2026-11-{17,18,19,20}; do
        seq 500 >"$name"
    done
    touch photos/{1,2,3}.jpg photos/'with
newline.jpg'
    printf '##fileformat=VCFv4.3\n#CHROM\tPOS\n1\t7\n' >1.vcf
    printf '##fileformat=VCFv4.2\n#CHROM\tPOS\n2\t7\n' >2.vcf
    mkdir raw
    printf '\1\0\0\0\0\0\0\0\1\165\336\101x\120\75\252\141' >raw/1.tfrecord # the one record "x"
    ln -s "$(command -v bigshuf)" bigshuf
}

# Run the examples on standard input, each in a folder of its own. There is nothing left to `make`.
run_examples() {
    local example count=0
    mkdir files
    (cd files && make_files)
    while IFS= read -r -d '' example; do
        count=$((count + 1))
        echo "example: $example"
        cp -R files "$count"
        (cd "$count" && bash -euo pipefail -c "make() { :; }; $example" </dev/null)
    done
    [ $count -ge 8 ]
}

test_man_page_examples_work() {
    man_examples | run_examples
}

test_readme_examples_work() {
    readme_examples | run_examples
}

# The example of the README in which this stands, run as somebody who types it would: typed TEXT.
typed() {
    bash -c "make() { :; }; $(readme_examples | grep -zF -e "$1" | tr -d '\0')" </dev/null
}

test_readme_recipe_of_files_in_step_refuses_what_is_longer() {
    make_files
    echo more >>train.de
    fails_with 1 'bigshuf: train.de: *2001, not 2000 *' typed 'wc -l train.en train.de'
    same 'shuffled.en train.de train.en train.fr' "$(echo shuffled.* train.*)"
}

test_readme_recipe_of_a_store_stops_at_the_first_file_that_fails() {
    make_files
    seq 501 600 >'corpus/part 07.jsonl'
    fails_with 1 "bigshuf: *--batch*'part 07.jsonl'*xargs: *255*" stopped
    same '' "$(ls share.* epoch.* 2>.stderr)"
}

# With the exit status of a failure, whatever that of xargs is.
stopped() {
    typed 'corpus/*' || return 1
}

test_readme_recipe_of_a_store_takes_files_of_any_names() {
    make_files
    mkdir 'corpus/a folder' corpus/-n
    # shellcheck disable=SC2016 # a name
    for name in 'part 07.jsonl' "it's" '"quoted"' $'new\nline' '%s $HOME' '-n/--batch=x' 'a folder/1.txt' format; do
        seq 501 600 >"corpus/$name"
    done
    for _ in 1 2; do
        typed 'find corpus' 2>said
        same 2800 "$(wc -l <all.txt | tr -d ' ')"
    done
    same 12 "$(grep -c 'nothing was added$' said)"
}

# Of the section of that name: its lines whose last word is an MD5, and those that begin as the title says.
values_to_check() {
    sed -n '/^\.Sh VALUES TO CHECK/,/^\.Sh SIZES/p' "$order_page" | sed 's/\\-/-/g'
}

test_values_of_the_order_page_hold() {
    local n leaf sum command expected count=0
    while read -r n leaf sum; do
        [ "$n" -gt 2000000 ] || same "$sum" "$(seq "$n" | bigshuf --seed=42 --tune=leaf-records="$leaf" | md5)"
        count=$((count + 1))
    done < <(values_to_check | grep -E ' [0-9a-f]{32}$')
    same 6 $count
    while IFS='|' read -r command expected; do
        case $command in
        seq*) command="${command/,/ | bigshuf --seed=42}" ;;
        *) command="bigshuf --seed=42 $command" ;;
        esac
        [[ "$(bash -c "$command" | xargs) " = "$expected "* ]]
        count=$((count + 1))
    done < <(values_to_check | sed -nE 's/^((seq [0-9]+,|-i) .*[^ ])  +([0-9 ]+)$/\1|\3/p')
    same 11 $count
    values_to_check | grep -Fx ".Ql $(seq 10 | bigshuf --seed=42 | xargs) ,"
    values_to_check | grep -Fx ".Ql $(seq 10 | bigshuf --seed= | xargs) ."
}

test_readme_begins_with_an_example_and_what_it_prints() {
    make_files
    typed '&& seq' >printed 2>/dev/null
    awk '/^```/ { inside = $0 == "```text" && !count++; next } inside' "$readme" | cmp - printed
}

test_readme_sets_up_with_two_commands() {
    same 2 "$(readme_examples | tr '\0' '\n' | grep -c -w make)"
}

# A bare name is that of a file beside this one.
test_files_that_the_readme_names_exist() {
    tr '`' '\n' <"$readme" | grep -E '^[.a-z0-9_/]*[a-z0-9_]\.(c|h|sh|[1-9])$' | sort -u >named
    while read -r name; do
        ls "$TOP/$name" || ls "$TOP/tests/end_to_end/$name"
    done <named
    [ -s named ]
}

# The options of --help or -h on standard input, as lines "LETTER NAME ARGUMENT": `-` for no letter, `=`, `[=` or nothing
# for an argument that is needed, optional or none.
options_of_help() {
    sed -n 's/^  \(.\{4\}\)--\([a-z0-9-]*\)\([=[]*\).*/\1\2 \3/p' | sed 's/^    /- /; s/^-\(.\), /\1 /'
}

# The same of the man page. There an option with a letter and an argument has it after each: `S Ar size , \-buffer-size`.
options_of_man_page() {
    sed 's/\\//g' "$man_page" | sed -n 's/^\.It Fl \(-.*\|. .*\)/\1/p' |
        sed 's/^-/- , Fl -/; s/^\(.\) .*, Fl -/\1 /' |
        sed 's/^\(. [a-z0-9-]*\) Ns = .*/\1 =/; s/^\(. [a-z0-9-]*\) Ns Oo Ns = .*/\1 [=/; s/^\(. [a-z0-9-]*\)$/\1 /'
}

# But for --tune, which is for testing.
test_man_page_and_help_have_the_same_options() {
    bigshuf --help | options_of_help | { cat && echo "- tune ="; } | sort >help
    options_of_man_page | sort >page
    diff help page
    grep -x 'n head-count =' help
    grep -x -e '- header \[=' help
    grep -x -e '- csv ' help
}

test_the_short_help_is_a_part_of_the_help() {
    bigshuf --help >long
    bigshuf -h >short
    same 12 "$(options_of_help <short | tee options | grep -c .)"
    same '' "$(grep -vxF -f <(options_of_help <long) options)"
    same '' "$(sed -n '/^  /p' short | grep -vxF -f long)"
    [ "$(grep -c '' short)" -le 23 ]
    same '' "$(grep -E '.{80}' long short)"
}

# Headings, each with the names of its options.
test_man_page_has_the_groups_and_the_order_of_help() {
    bigshuf --help | sed -n '/^Usage:/d; s/^\([A-Z].*\):$/\1/p; s/^  .\{4\}--\([a-z0-9-]*\).*/\1/p' >help
    sed -n '/^\.Sh OPTIONS/,/^\.Sh SAMPLES/{
        s/^\.Ss //p
        s/^\.It .*Fl \\-\([a-z0-9-]*\).*/\1/p
    }' "$man_page" | grep -v '^tune$' >page
    diff help page
    same 7 "$(grep -c '^[A-Z]' help)"
}

test_man_pages_refer_to_pages_that_exist() {
    sed -n 's/^\.Xr \(bigshuf[a-z-]*\) \([1-9]\).*/\1.\2/p' "$TOP"/man/*.[1-9] | sort -u >named
    (cd "$TOP/man" && printf '%s\n' *.[1-9]) | diff - named
}

# The displays of a page, without what is only for its looks: displays PAGE.
displays() {
    sed -n '/^\.Bd/,/^\.Ed/{/^\./!p;}' "$1" | sed 's/\\e/\\/g'
}

test_store_page_shows_files_as_they_are() {
    seq 10 | bigshuf --scatter=store --piles=4 --seed=42 --batch=a
    displays "$store_page" | head -n 4 | cmp - store/format
    displays "$store_page" | sed -n '/^bigshuf batch/,/^checksum/p' | cmp - store/a/manifest
}

# The table of golden orders: lines "N T MD5".
test_golden_orders_of_the_man_page() {
    local records leaf md5 most
    most=$(scale 100000 2000000 30000000)
    grep -E '^[0-9]+ +[0-9]+ +[0-9a-f]{32}$' "$order_page" >golden
    same 6 "$(grep -c . golden)"
    while read -r records leaf md5; do
        if [ "$records" -le "$most" ]; then
            same "$md5" "$(seq "$records" | bigshuf --seed=42 --tune=leaf-records="$leaf" | md5)"
        fi
    done <golden
}
