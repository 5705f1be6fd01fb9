# The examples of the man pages and the README work, and both describe every option. Examples are not repeated here but
# taken from the pages: the displays of the sections EXAMPLES, and the blocks marked `sh`.
# tags: plain

cd "$MEMORY" || exit

man_page=$TOP/man/bigshuf.1
order_page=$TOP/man/bigshuf-order.7
requests_page=$TOP/man/bigshuf-requests.7
store_page=$TOP/man/bigshuf-store-format.5
readme=$TOP/README.md
contributing=$TOP/.github/CONTRIBUTING.md

# Lines of a section: section TITLE PAGE.
section() {
    awk -v title="$1" '/^\.Sh / { here = $0 == ".Sh " title; next } here' "$2"
}

# Each display of the sections EXAMPLES, with a NUL after it: man_examples [PAGE].
man_examples() {
    local page
    for page in "$TOP"/man/bigshuf"${1+-$1}"*.[1-9]; do
        section EXAMPLES "$page"
    done | awk '/^\.Ed/ { inside = 0; printf "%c", 0 }
        inside
        /^\.Bd -literal/ { inside = 1 }' | sed 's/\\-/-/g; s/\\(aq/'\''/g; s/\\e/\\/g'
}

# Each block of the README, with a NUL after it.
readme_examples() {
    awk '/^ *```sh$/ { inside = 1; next }
         inside && /^ *```$/ { inside = 0; printf "%c", 0 }
         inside' "$readme"
}

# Make the files that examples mention, in the working folder.
make_examples() {
    mkdir disk1 disk2 photos
    seq 3000 >lines.txt
    seq 500 >other.txt
    seq 2000 | tee train.en train.fr >train.de
    seq 2000 | awk -v OFS='\t' '{ print $1, $1 % 700, $1 % 7 }' >table.tsv
    seq -f '{"n": %g}' 1000 >1.json
    seq -f '{"n": %g}' 1001 2000 >2.json
    { echo id,text && seq 20 | sed 's/$/,"two\nlines"/'; } | tee sales-1.csv >people.csv
    seq 100 | sed 's/.*/{"user": {"id": &}}/' >logs.jsonl
    seq 60 | awk '{ print "{\"session\": " $1 % 7 ", \"t\": \"" $1 "\\t\"}" }' >log.jsonl
    seq 100 | awk '{ print "{\"url\": \"/" $1 % 30 "\"}" }' >pages.jsonl
    seq 7001 8000 >code.txt
    printf 'a\n\nb\nb\n\nc\n' >entries.ldif
    printf 'a\n//\n\nb\n//\n\n' >genes.gb
    printf '#x\na,b\n1,2\n3,4\n' >log.csv
    for n in 1 2 3 4 5 6; do printf '@%s/%s\nACGT\n+\nIIII\n' $n 1 $n 2; done >pairs.fastq
    printf 'album,song\n1,a\n1,b\n2,c\n' >songs.csv
    seq -f '@%g
AC
+
II' 100 | tee reads_1.fastq >reads_2.fastq
    gzip -k reads_1.fastq reads_2.fastq
    seq 4000 6000 >web.txt
    seq 6001 7000 >books.txt
    echo '[{"n": 1}, {"n": 2}]' >array.json
    seq 100 | sed 's/$/<|endoftext|>/' | tr -d '\n' >corpus.txt
    seq -f '>gene %g
ACGT' 100 >genes.fasta
    seq -f %015g 100 >cooc.bin
    seq 3000 | gzip >x.1.gz
    gzip -c <1.json >1.jsonl.gz
    gzip -c <2.json >2.jsonl.gz
    tar -cf raw-1.tar lines.txt train.en train.de
    mkdir corpus log
    for name in corpus/{1,2,3,4}.txt; do
        seq 500 >"$name"
    done
    for name in log/2026-11-{17,18,19,20}; do
        seq 500 | awk '{ print $1 % 50 "\t" $1 }' >"$name"
    done
    touch photos/{1,2,3}.jpg photos/'with
newline.jpg'
    printf '##fileformat=VCFv4.3\n#CHROM\tPOS\n1\t7\n' >1.vcf
    printf '##fileformat=VCFv4.2\n#CHROM\tPOS\n2\t7\n' >2.vcf
    mkdir raw
    printf '\1\0\0\0\0\0\0\0\1\165\336\101x\120\75\252\141' >raw/1.tfrecord # the one record "x"
    ln -s "$(command -v bigshuf)" bigshuf
}

# Other programs in examples: there is nothing left to `make`, and the buckets are folders.
others='make() { :; }; rclone() { case $1 in lsf) ls "${2#s3:}" ;; cat) cat "${2#s3:}" ;; esac; }'

# Run the examples on standard input, at least so many, each in a folder of its own, twice: run_examples LEAST. They succeed,
# warn of nothing, and no file that they make or change is empty. (What is in it, the tests below say of those that are recipes.)
run_examples() {
    local example count=0
    mkdir files
    (cd files && make_examples)
    while IFS= read -r -d '' example; do
        count=$((count + 1))
        echo "example: $example"
        cp -R files "$count"
        for _ in first second; do
            (cd "$count" && bash -euo pipefail -c "$others; $example" </dev/null 2>../said) || { cat said; return 1; }
        done
        same '' "$(grep 'warning:' said | grep -v array.json || true)"
        same '' "$(find "$count" -type f -size 0 ! -path '*/photos/*' ! -name 'pile-*')"
    done
    [ $count -ge "$1" ]
}

test_man_page_examples_work() { # tags: long
    man_examples | run_examples 24
}

test_readme_examples_work() {
    readme_examples | run_examples 9
}

# Run the example that contains TEXT, as a user would who types it: typed TEXT.
typed() {
    bash -c "$others; $({ readme_examples && man_examples; } | grep -zF -e "$1" | tr -d '\0')" </dev/null
}

test_readme_recipe_of_parallel_files_refuses_what_is_longer() {
    make_examples
    echo more >>train.de
    typed "-o 'new/%s' reads_1" 2>said
    same 2 "$(grep -c 'bigshuf: train.de: .* 2001, not 2000 ' said)"
    same 'reads_1.fastq.gz reads_2.fastq.gz' "$(cd new && echo *)"
}

# What the recipes of that page make of the files in this folder, `lines` and `table` being the same with all newlines.
recipes_hold() {
    local lines key
    man_examples examples | xargs -0 printf '%s\n' | bash -euo pipefail -c "$others; . /dev/stdin" 2>said || { cat said; return 1; }
    lines=$(line_counts lines)
    consists_of lines test.txt valid.txt train.txt
    same "$((lines / 10)) $((lines / 10)) $((lines / 100))" "$(line_counts test.txt valid.txt some.txt | xargs)"
    consists_of table test.tsv train.tsv
    key='{ sub(/\r$/, ""); print $2 }'
    same '' "$(comm -12 <(awk "$key" test.tsv | sort -u) <(awk "$key" train.tsv | sort -u))"
    same "$((lines ? 140 : 0))" "$(awk "$key" test.tsv | sort -u | wc -l | xargs)"
    same "$((lines ? 700 : 0))" "$(line_counts pairs.tsv)"
    consists_of last.tsv <(tail -n 700 table)
    cmp in-order.txt <(head -n 2000 lines)
    consists_of <(sort -u left.txt) <(awk '!seen[$0]++' lines | tail -n +501)
    bigshuf --seed=7.3 lines | cmp - <(cat begun.txt rest.txt)
    cmp restored.txt lines
    for file in level.zst filter.zst; do consists_of lines <(zstd -dc $file); done
    consists_of lines <(gzip -dc ./?.gz)
}

test_recipes_of_the_manual_hold_for_files_with_any_ends() { # tags: long
    local ending
    make_examples
    seq 3000 | awk '{ print $1 % 2000 + 1 }' >lines
    seq 2100 | awk -v OFS='\t' '{ print $1, $1 % 700, $1 % 7 }' >table
    for ending in whole cut crlf empty; do
        case $ending in
        crlf) sed -i 's/$/\r/' lines table ;;
        empty) : | tee lines >table ;;
        esac
        head -n 500 lines >other.txt
        cp lines lines.txt
        cp table table.tsv
        [ $ending != cut ] || truncate -s -1 lines.txt table.tsv
        recipes_hold
    done
}

test_readme_recipe_of_a_bucket_makes_nothing_of_a_part() { # tags: long
    make_examples
    echo old >all.txt
    mkdir corpus/3.folder
    fails_with 1 '*corpus/3.folder*' typed 's3:corpus'
    rmdir corpus/3.folder
    mv corpus elsewhere
    fails_with 2 '*corpus*' typed 's3:corpus'
    mkdir corpus
    fails_with 1 '' typed 's3:corpus'
    same old "$(<all.txt)"
    mv elsewhere/* corpus
    printf 'no newline' >>corpus/1.txt
    typed 's3:corpus'
    awk 1 corpus/* | sort | cmp - <(sort all.txt)
}

# Lines of a file are those of others, each as often: consists_of FILE OTHER...
consists_of() {
    sort "$1" | cmp - <(sort "${@:2}")
}

test_readme_recipe_of_a_mixture_has_as_many_of_each_or_fails() {
    make_examples
    typed '-n 500 web.txt'
    same '500 300 200' "$(awk '{ ++n[$1 <= 6000 ? "web" : $1 <= 7000 ? "books" : "code"] }
        END { print n["web"], n["books"], n["code"] }' mixed.txt)"
    head -n 299 books.txt >few
    mv few books.txt
    fails_with 1 'bigshuf: *999, not 1000 *' typed '-n 500 web.txt'
}

test_readme_recipe_of_sessions_keeps_each_together_in_its_order() { # tags: long
    make_examples
    typed ' log.jsonl'
    consists_of sessions.jsonl log.jsonl
    same 7 "$(jq .session sessions.jsonl | uniq | wc -l | xargs)"
    jq -c '[.session, .t]' sessions.jsonl | sort -s -t , -k 1,1 | cmp - <(jq -c '[.session, .t]' log.jsonl | sort -s -t , -k 1,1)
}

test_readme_recipes_of_other_records() {
    make_examples
    typed 'shuffled.ldif'
    same 'a,b b,c' "$(tr '\n' ' ' <shuffled.ldif | sed 's/  /,/g; s/,$//' | tr , '\n' | sort | paste -s -d , -)"
    same 48 "$(line_counts shuffled.fastq)"
    same '' "$(grep @ shuffled.fastq | sed 's|/.||' | paste - - | awk '$1 != $2')"
    consists_of shuffled.fastq pairs.fastq
}

test_recipes_of_a_store_stop_at_the_first_file_that_fails() { # tags: long
    make_examples
    seq 501 600 >'corpus/part 07.jsonl'
    fails_with 1 "bigshuf: *--batch*'part 07.jsonl'*" typed 'in corpus/*'
    typed 'printf' >said 2>&1 || true
    grep 'xargs: .*255' said
    same '' "$(ls share.* epoch.* part.* 2>.stderr)"
}

test_recipe_of_a_store_takes_files_of_any_names() { # tags: long
    make_examples
    mkdir 'corpus/a folder' corpus/-n
    for name in 'part 07.jsonl' "it's" '"quoted"' $'new\nline' '%s $HOME' '-n/--batch=x' 'a folder/1.txt' format; do
        seq 501 600 >"corpus/$name"
    done
    for _ in 1 2; do
        typed 'find corpus' 2>said
        same 2800 "$(line_counts all.txt)"
    done
    same 12 "$(grep -c 'nothing was added$' said)"
}

test_store_page_begins_with_a_store_and_how_one_batch_is_removed() {
    make_examples
    typed '--batch=tuesday'
    same "format tuesday" "$(names store)"
    consists_of <(bigshuf --gather=store) 2.json
    typed '-vx -e format'
    same '4.txt format tuesday' "$(names store)"
}

# Of the section of that name: its lines whose last word is an MD5, and those that begin as the title says.
values_to_check() {
    sed -n '/^\.Sh VALUES TO CHECK/,/^\.Sh SEE/p' "$order_page" | sed 's/\\-/-/g'
}

test_golden_values_of_the_order_page_hold() {
    local n leaf sum command expected count=0
    while read -r n leaf sum; do
        [ "$n" -gt "$(scale 100000 500000 30000000)" ] ||
            same "$sum" "$(seq "$n" | bigshuf --seed=42 --tune=leaf-records="$leaf" | md5)"
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
    same 13 $count
    values_to_check | grep -Fx ".Ql $(seq 10 | bigshuf --seed=42 | xargs) ."
}

test_readme_begins_with_an_example_and_what_it_prints() {
    make_examples
    typed '&& seq' >printed 2>/dev/null
    awk '/^```/ { inside = $0 == "```text" && !count++; next } inside' "$readme" | cmp - printed
    same 2 "$(readme_examples | tr '\0' '\n' | grep -c -w make)" # of which two set the program up
}

test_links_lead_to_files_and_sections() {
    local file link
    for file in "$readme" "$contributing"; do
        grep -oE '\]\([^)]*\)' "$file" | sed 's/^](\(.*\))$/\1/' | sort -u >links
        [ -s links ]
        while read -r link; do
            case $link in
            \#*) sed -n 's/^###* //p' "$file" | tr 'A-Z ' 'a-z-' | grep -Fx -e "${link#\#}" ;;
            *) ls "${file%/*}/$link" ;;
            esac
        done <links
    done
}

# A bare name is that of a file beside this one.
test_files_that_the_page_for_contributors_names_exist() {
    tr '`' '\n' <"$contributing" | grep -E '^[.a-z0-9_/]*[a-z0-9_]\.(c|h|sh|[1-9])$' | sort -u >named
    [ -s named ]
    while read -r name; do
        ls "$TOP/$name" || ls "$TOP/tests/end_to_end/$name"
    done <named
}

test_readme_and_manual_are_short() {
    [ "$(wc -l <"$readme")" -le 230 ]
    [ "$(cat "$TOP"/man/*.[1-9] | wc -l)" -le 3000 ]
    needs mandoc
    [ "$(mandoc -O width=78 "$man_page" | wc -l)" -lt 700 ]
}

# As a terminal shows them: with the indent of a section, and that of the display.
test_no_line_of_an_example_is_longer_than_78_columns() {
    awk '/^\.Bd/ { indent = /offset indent/ ? 11 : /offset/ ? 7 : 5; inside = 1; next }
         /^\.Ed/ { inside = 0 }
         inside { gsub(/\\\(../, "x"); gsub(/\\[-&]/, "-"); gsub(/\\e/, "x") }
         inside && length + indent > 78 { print FILENAME ": " $0; long = 1 }
         END { exit long }' "$TOP"/man/*.[1-9]
}

# The options of --help or -h on standard input, as lines "LETTER NAME ARGUMENT": `-` for no letter, `=`, `[=` or nothing
# for an argument that is needed, optional or none.
options_of_help() {
    sed -n 's/^  \(.\{4\}\)--\([a-z0-9-]*\)\([=[]*\).*/\1\2 \3/p' | sed 's/^    /- /; s/^-\(.\), /\1 /'
}

# The same of the man page. There an option with a letter and an argument has it after each: `S Ar size , \-buffer-size`.
options_of_man_page() {
    section OPTIONS "$man_page" | sed 's/\\//g' | sed -n 's/^\.It Fl \(-.*\|. .*\)/\1/p' |
        sed 's/^-/- , Fl -/; s/^\(.\) .*, Fl -/\1 /' |
        sed 's/^\(. [a-z0-9-]*\) Ns = .*/\1 =/; s/^\(. [a-z0-9-]*\) Ns Oo Ns = .*/\1 [=/; s/^\(. [a-z0-9-]*\)$/\1 /'
}

test_man_page_and_help_have_the_same_options() {
    bigshuf --help | options_of_help | sort >help
    options_of_man_page | sort >page
    diff help page
    grep -x 'n head-count =' help
    grep -x -e '- header \[=' help
    grep -x -e '- csv \[=' help
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
    section OPTIONS "$man_page" |
        sed -n 's/^\.Ss //p; s/^\.It .*Fl \\-\([a-z0-9-]*\).*/\1/p' >page
    diff help page
    same 7 "$(grep -c '^[A-Z]' help)"
}

test_man_page_begins_with_the_options_of_the_short_help() {
    bigshuf -h | sed -n 's/^  -\(.\), .*/\1/p; s/^      -\(-[a-z]*\).*/\1/p' >help
    section 'COMMON OPTIONS' "$man_page" | sed -n 's/\\//g; s/^\.It Fl \([a-zA-Z-]*\).*/\1/p' | diff help -
}

# ---- Which options go together ----

# Lines "A B excludes C D", which may go on after an indent: each pair, whichever comes first; and what each needs.
each_pair() {
    awk '/^  / { line = line $0; next } { print line; line = $0 } END { print line }' | awk '{
        for (i = 1; i <= NF && $i != "excludes" && $i != "needs"; i++)
            continue
        for (j = 1; j < i; j++)
            for (k = i + 1; k <= NF; k++)
                print $i == "needs" ? $j " needs " $k : $j < $k ? $j " " $k : $k " " $j
    }' | sort -u
}

test_page_for_tests_has_the_options_that_exclude_or_need_others() {
    grep -E '^(  )?--?[a-zZT]' "$TOP/tests/README.md" | each_pair >page
    bigshuf --tune=options | sed 's/ or / /; s/,//g' | each_pair | diff page -
    grep -x -e '-e -i' page
    grep -x -e '--filter needs --split' page
}

# ---- What was measured ----

test_tables_are_what_the_kept_results_say() {
    cd "$TOP" || exit
    for page in README.md tests/bench/README.md; do awk -f tests/bench/table.awk $page | diff $page -; done
}

# A median or a ratio, with as many digits as in the tables.
test_readme_begins_with_numbers_that_were_measured() {
    sed '/<!--/q' "$readme" | grep -oE '[0-9.]+ (s|times)\b' | cut -d ' ' -f 1 | sort -u >claimed
    awk -F , '/^[^#]/ { for (i = 8; i < 15; i += 3) printf "%.2f\n%.1f\n%.0f\n", $i, $i, $i }' \
        "$TOP/tests/bench/results/peers.csv" | sort -u | comm -23 claimed - | diff /dev/null -
    [ "$(wc -l <claimed)" -gt 6 ]
}

test_man_pages_refer_to_pages_that_exist() {
    sed -n 's/^\.Xr \(bigshuf[a-z-]*\) \([1-9]\).*/\1.\2/p' "$TOP"/man/*.[1-9] | sort -u >named
    (cd "$TOP/man" && printf '%s\n' *.[1-9]) | diff - named
}

# The text of the displays of a page: displays PAGE.
displays() {
    sed -n '/^\.Bd/,/^\.Ed/{/^\./!p;}' "$1" | sed 's/\\e/\\/g'
}

test_man_page_explains_each_line_of_a_summary() {
    seq 3000000 | bigshuf -S 8M -v --seed=42 2>said >out
    sed -n 's/^bigshuf: \([a-z ]*:\).*/\1/p' said | diff - <(sed -n 's/^\.It Li "\([a-z ]*:\).*/\1/p' "$man_page")
}

test_requests_page_shows_what_its_examples_print() {
    typed 'set 0 7.5' | cmp - <(displays <(section ANSWERS "$requests_page"))
    grep -Fx ".Dl $(typed replay.py)" "$requests_page"
}

test_store_page_shows_files_as_they_are() {
    seq 10 | bigshuf --scatter=store --piles=4 --seed=42 --batch=a
    displays "$store_page" | head -n 5 | cmp - store/format
    od -A d -t x1 -v -j 4096 store/a | cmp - <(displays "$store_page" | grep -E '^[0-9]{7}')
}
