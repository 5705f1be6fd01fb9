# What people do who prepare data, as they would type it with the README beside them. A comment says the task; its case has
# the command, and what shows that the result is right.
# tags: plain

# How the lines of FILEs, or of standard input, differ from those of FILE: compared FILE [FILE...]
compared() {
    cat "$1" >.those # which may be a pipe
    cat "${@:2}" >.these
    if ! same_lines .those .these; then
        echo 'other lines'
    elif cmp -s .those .these; then
        echo 'the same order'
    else
        echo shuffled
    fi
}

# The number of lines of each FILE: count_lines FILE...
count_lines() {
    local file
    for file; do
        grep -c '' "$file" || true
    done
}

# 1000 numbers; ten files of 50 JSON lines, one without a newline at its end, and all of their lines in `all.jsonl`.
make_lines() {
    seq 1000 >lines.txt
    mkdir corpus
    for i in 0 1 2 3 4 5 6 7 8 9; do
        seq -f "{\"file\": $i, \"line\": %g}" 50 >"corpus/$i.jsonl"
        cat "corpus/$i.jsonl" >>all.jsonl
    done
    printf %s "$(cat corpus/1.jsonl)" >corpus/1.jsonl
}

test_files() { # tags: long
    needs gzip
    make_lines
    gzip -k corpus/[5-9].jsonl
    mkdir photos && touch photos/{1..30}.jpg $'photos/with\nnewline.jpg'
    find photos -type f | sort >photos.txt
    cases <<'END'
# one file
bigshuf lines.txt >new && compared lines.txt new => shuffled
# in place
cp lines.txt mine.txt && bigshuf -o mine.txt mine.txt && compared lines.txt mine.txt => shuffled
# many files as one, of which one does not end with a newline
bigshuf corpus/*.jsonl | compared all.jsonl => shuffled
# more files than a command line can take
find corpus -name '*.jsonl' -print0 | bigshuf --files0-from=- | compared all.jsonl => shuffled
# some compressed files and some plain ones, into a compressed one
bigshuf -Z -o new.gz corpus/[0-4].jsonl corpus/*.gz && gzip -dc new.gz | compared all.jsonl => shuffled
# a download, compressed again for an upload
cat corpus/*.gz | bigshuf -Z | gzip | gzip -dc | compared <(cat corpus/[5-9].jsonl) => shuffled
# any file names
find photos -type f -print0 | bigshuf -z | xargs -0 printf '%s\n' | compared photos.txt => shuffled
# the order of a run, again
seed=$(bigshuf -v lines.txt 2>&1 >first | sed -n 's/.*seed: *//p') && bigshuf --seed="$seed" lines.txt | compared first => the same order
# one source in full, 20 lines of another
{ cat corpus/3.jsonl; bigshuf -n 20 corpus/2.jsonl; } | bigshuf >new && grep -c '' new && grep -c 'file": 2' new => 70 20
# no progress in what cron sends by mail
bigshuf -o new lines.txt =>
# watch it
bigshuf --progress -o new lines.txt 2>&1 | grep -o 'done\|1000 records' => done 1000 records
END
}

test_tables() { # tags: long
    seq 300 | awk 'BEGIN { print "id,patient,note" } { printf "%d,p%d,\"first, of %d\nsecond\"\n", $1, $1 % 30, $1 }' >people.csv
    for i in 1 2 3; do
        { echo shop,sum && seq -f "$i,%g" 100 | tee -a sales.rows; } >sales-$i.csv
    done
    sed 's/$/'$'\r/' sales-1.csv >windows.csv
    seq 200 | awk 'BEGIN { print "album,song" } { printf "a%d,s%d\n", ($1 - 1) / 4, $1 }' >songs.csv
    seq 400 | awk -v OFS='\t' '{ print $1, "p" $1 % 20, $1 % 2 ? 0 : $1 == 222 ? "1e9" : 1 }' >table.tsv
    cases <<'END'
# a table with newlines in quoted fields
bigshuf --csv --header people.csv | paste -d + - - - | sed -n 1p | cut -c 1-16 => id,patient,note+
bigshuf --csv --header people.csv | sed 1d | paste - - | compared <(sed 1d people.csv | paste - -) => shuffled
# tables of one header as one
bigshuf --csv --header -o new.csv sales-*.csv && head -n 1 new.csv && sed 1d new.csv | compared sales.rows => shop,sum shuffled
# a table from Windows
bigshuf --csv --header windows.csv | compared windows.csv => shuffled
# all songs of an album together, in their order
bigshuf --csv --header --group-field=1 songs.csv >new.csv && compared songs.csv new.csv => shuffled
sed 1d new.csv | cut -d , -f 1 | uniq | count_lines - => 50
sed 1d new.csv | paste -d , - - - - | awk -F , '$2 "" != "s" substr($4, 2) - 1 || $1 != $7' =>
# all visits of a patient together, which they are not in the file
bigshuf --group-field=2 table.tsv | cut -f 2 | uniq | count_lines - => 20
bigshuf --group-field=2 --split=10%:test -o train table.tsv && cut -f 2 test | sort -u | comm -12 - <(cut -f 2 train | sort -u) =>
# without duplicates, and one visit of each patient
cat table.tsv table.tsv | bigshuf --unique | compared table.tsv => shuffled
bigshuf --unique=2 table.tsv | cut -f 2 | count_lines - => 20
# all visits of one patient in ten
bigshuf --seed=5 --split-field=2 --split=10%:some.tsv table.tsv >rest.tsv && cut -f 2 some.tsv | sort | uniq -c | awk '{ print $1 }' | uniq => 20
cut -f 2 some.tsv | sort -u | comm -12 - <(cut -f 2 rest.tsv | sort -u) =>
# column 3 is the weight: what has none is never drawn, and what has nearly all comes first
bigshuf --weight-field=3 -n 50 table.tsv >new && count_lines new && head -n 1 new | cut -f 1 && awk '$3 == 0' new => 50 222
END
}

test_shards_and_splits() { # tags: long
    needs gzip
    make_lines
    cases <<'END'
# 32 shards
bigshuf --shards=32 -o part-%02d.jsonl corpus/*.jsonl && compared all.jsonl part-*.jsonl && count_lines part-*.jsonl | uniq => shuffled 16 15
# shards of 300 lines
bigshuf --shards=records:300 -o three.%05d lines.txt && compared lines.txt three.* && count_lines three.* => shuffled 300 300 300 100
# shards of at most 1 kB
bigshuf --shards=bytes:1KB -o kb.%d lines.txt && compared lines.txt kb.* && wc -c kb.? | awk '$1 > 1000 { print $2 }' => shuffled total
# compressed by another command
bigshuf --shards=4 --filter='gzip >$FILE.gz' -o four.%d lines.txt && gzip -dc four.?.gz | compared lines.txt => shuffled
# test, validation and training data, by numbers and by percentages
bigshuf --split=100:test --split=200:valid -o train lines.txt && compared lines.txt test valid train && count_lines test valid train => shuffled 100 200 700
bigshuf --split=10%:test --split=5%:valid -o train lines.txt && compared lines.txt test valid train && count_lines test valid train => shuffled 100 50 850
# five folds, of which 3 is the test data
bigshuf --split=20%:fold.{1,2,3,4,5} lines.txt && cat fold.[!3] >train && compared lines.txt train fold.3 && count_lines fold.3 train => shuffled 200 800
END
}

test_files_that_belong_together() {
    seq -f 'hello %g' 500 >train.en
    seq -f 'hallo %g' 500 >train.de
    for r in 1 2; do
        seq 300 | awk -v OFS='\n' -v mate=$r '{ print "@r" $1 "/" mate, "ACGT", "+", "II>I" }' >reads_$r.fastq
    done
    cases <<'END'
# a text and its translation
for l in en de; do bigshuf --seed=7 --expect-records=500 -o new.$l train.$l; done; compared train.de new.de && paste new.en new.de | awk '$2 != $4' => shuffled
# one has lost a line: the old files stay
sed 7d train.de | bigshuf --seed=7 --expect-records=500 -o new.de =! standard input: the number of records is 499, not 500 as --expect-records says
# 20 of the paired reads
for r in 1 2; do bigshuf --seed=7 --records=fastq --expect-records=300 -n 20 -o new_$r reads_$r.fastq; done; count_lines new_1 && sed 's/1$/2/' new_1 | cmp - new_2 => 80
# files and labels in one table, and apart again
paste train.en train.de | bigshuf | tee both | cut -f 2 | compared train.de && cut -f 1 both | compared train.en => shuffled shuffled
END
}

# Records of two lines, the first as `first` says, and some end of their last one: pairs FORMAT END.
pairs() {
    seq 51 | awk -v first="$1" -v end="$2" '{ printf first, $1; printf "ACGT %d%s", $1, end }'
}

test_other_records() {
    pairs 'Title %d\n' '\n\n' >paragraphs.txt
    pairs 'mol%d\n' '\n$$$$\n' >molecules.sdf
    pairs '>gene %d\n' '\n' >genes.fasta
    pairs 'From a%d\n' '\n' >mail.mbox
    seq -f %016g 100 | tr -d '\n' >cooc.bin
    cases <<'END'
# paragraphs
bigshuf --delimiter='\n\n' paragraphs.txt | paste -d + - - - | compared <(paste -d + - - - <paragraphs.txt) => shuffled
# molecules, each with a last line of its own
bigshuf --delimiter='$$$$\n' molecules.sdf | paste - - - | compared <(paste - - - <molecules.sdf) => shuffled
# genes
bigshuf --records=fasta genes.fasta | paste - - | compared <(paste - - <genes.fasta) => shuffled
# letters, each with a first line of its own
bigshuf --records=start:'From ' mail.mbox | paste - - | compared <(paste - - <mail.mbox) => shuffled
# 16 bytes each
bigshuf --records=bytes:16 cooc.bin | fold -w 16 | compared <(fold -w 16 cooc.bin) => shuffled
bigshuf --records=bytes:15 cooc.bin =! cooc.bin: *
END
}

test_many_machines() { # tags: long
    make_lines
    cases <<'END'
# add each file, as many machines could; the same again adds nothing
for f in corpus/*; do bigshuf --scatter=store --piles=4 --seed=7 --batch="${f##*/}" "$f"; done =>
bigshuf --scatter=store --seed=7 --batch=3.jsonl corpus/3.jsonl => bigshuf: batch 3.jsonl is in store already: nothing was added
# gather it in three parts, or anew for each epoch
for r in 1 2 3; do bigshuf --gather=store --seed=7 --part=$r/3 -o share.$r; done; compared all.jsonl share.? => shuffled
for e in 1 2; do bigshuf --gather=store --seed=7 --epoch=$e -o epoch.$e; done; compared epoch.1 epoch.2 && compared all.jsonl epoch.1 => shuffled shuffled
# only the newest three batches stay when a new one comes
bigshuf --scatter=store --seed=7 --batch=new --keep-newest=3 lines.txt && bigshuf --gather=store | compared <(cat corpus/[89].jsonl lines.txt) => shuffled
END
}
