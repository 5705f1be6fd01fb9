# Real tasks, in small, that took a pipeline or a special program before. If the tools of that pipeline are installed,
# the test runs both.
# shellcheck shell=bash
# shellcheck disable=SC2016 # the filters'
# shellcheck disable=SC2012 # names that tests have chosen

# The number of lines of the files, or of standard input: records [FILE...].
records() {
    cat "$@" | wc -l | tr -d ' '
}

# ---- Training data for a language model ----

# 40 files of JSON lines, every third without a newline at its end, and all of their lines in `all`.
make_corpus() {
    mkdir corpus
    for file in $(seq 10 49); do
        seq -f "{\"file\": $file, \"n\": %g, \"text\": \"a \\\\n b é\"}" $((500 + file)) >"corpus/$file.jsonl"
        cat "corpus/$file.jsonl" >>all
        if [ $((file % 3)) = 0 ]; then
            printf %s "$(cat "corpus/$file.jsonl")" >shorter
            mv shorter "corpus/$file.jsonl"
        fi
    done
}

test_json_lines_become_a_validation_file_and_shards() {
    make_corpus
    bigshuf --split=10000:valid.jsonl --shards=32 -o chunk.%02d.jsonl corpus/*.jsonl
    same "$(seq -f chunk.%02g.jsonl 0 31) $(records valid.jsonl)" "$(ls chunk.*) 10000"
    same_lines all <(cat valid.jsonl chunk.*.jsonl)
    for file in chunk.*; do
        records "$file"
    done | sort -n -r | uniq >lengths
    same "$((($(records all) - 10000 + 31) / 32)) $((($(records all) - 10000) / 32))" "$(paste -s -d ' ' lengths)"
}

# The samples of archives as webdataset reads them, a line of JSON for each: samples FILE...
samples() {
    python3 -c '
import hashlib, json, re, sys, tarfile
for url in sys.argv[1:]:
    sample = None
    with tarfile.open(url, mode="r|*") as stream:
        for info in stream:
            match = re.match(r"^((?:.*/|)[^.]+)[.]([^/]*)$", info.name)
            if not info.isreg() or not match:
                continue
            key, extension = match.groups()
            if sample is None or sample["__key__"] != key:
                if sample:
                    print(json.dumps(sample))
                sample = {"__key__": key}
            if extension in sample:
                sys.exit(info.name + ": duplicate file name in tar file")
            sample[extension] = hashlib.md5(stream.extractfile(info).read()).hexdigest()
        if sample:
            print(json.dumps(sample))' "$@"
}

test_samples_for_webdataset_are_shuffled_into_shards() {
    needs python3
    tar --version 2>/dev/null | grep -q GNU || skip "no GNU tar here"
    long_line 6000 >image
    for raw in 1 2 3; do
        mkdir -p raw/$raw
        seq -f "raw/$raw/%03g" 100 | while read -r name; do
            echo ${#name} >"$name.cls"
            head -c $((2000 * raw)) image >"$name.seg.png"
            echo "{\"file\": \"$name\"}" >"$name.json"
        done
        tar --sort=name -cf raw-$raw.tar raw/$raw
    done
    bigshuf --records=tar --seed=x --shards=bytes:500K -o out-%06d.tar raw-*.tar
    same 300 "$(samples out-*.tar | tee read | sort -u | wc -l | tr -d ' ')"
    samples raw-*.tar | same_lines /dev/stdin read
    fails_with 1 '' cmp -s <(samples raw-*.tar) read
    for shard in out-*.tar; do
        test "$(wc -c <"$shard")" -le $((500 * 1024))
        tar -tf "$shard" >/dev/null
    done
    test "$(wc -c <out-000001.tar)" -gt $((450 * 1024)) # no shard but the last is much smaller
}

# ---- Tables ----

# Rows with commas, quotes and up to two line breaks in quotes, under a header with one.
make_table() {
    printf 'id,name,"the\nnote"\n'
    seq 2000 | awk '{
        printf "%d,\"Name, %d\",\"", $1, $1
        for (i = 0; i < $1 % 3; i++)
            printf "line %d of \"\"%d\"\"\n", i, $1
        print "\""
    }'
}

# The same rows by a reader of CSV, sorted: rows FILE.
rows() {
    python3 -c '
import csv, sys
rows = list(csv.reader(open(sys.argv[1], newline="")))
print(rows[0])
for row in sorted(rows[1:]):
    print(row)' "$1"
}

test_tables_of_one_header_become_one_training_and_one_test_table() {
    needs python3
    make_table >a.csv
    make_table >b.csv
    bigshuf --csv --header --split=10%:test.csv -o train.csv a.csv b.csv
    { rows test.csv; rows train.csv | tail -n +2; } >both
    { rows a.csv; rows b.csv | tail -n +2; } | sort | cmp - <(sort both)
    same 401 "$(rows test.csv | records)" # with its header
    cp a.csv old
    bigshuf --csv --header -o a.csv a.csv
    rows a.csv | cmp - <(rows old)
    same "$(head -n 2 old)" "$(head -n 2 a.csv)"
    fails_with 1 '' cmp -s old a.csv
}

# Patients, whose visits are lines with quotes and line breaks, sorted by nothing: a model that has seen a patient must not
# be tested with that one.
make_visits() {
    printf 'visit,patient,note\n'
    seq 3000 | awk '{ printf "%d,\"p%d, \"\"%s\"\"\",\"line %d\nline\"\r\n", $1, $1 * 7919 % 400, $1 * 7919 % 2 ? "m" : "f", $1 }'
}

# The patients of a table, by a reader of CSV: patients FILE.
patients() {
    python3 -c '
import csv, sys
rows = list(csv.reader(open(sys.argv[1], newline="")))
assert rows[0] == ["visit", "patient", "note"]
for patient in sorted(set(row[1] for row in rows[1:])):
    print(patient)' "$1"
}

test_no_patient_is_in_training_and_test_data() {
    needs python3
    make_visits >visits.csv
    bigshuf --seed=1 --csv --header --split-field=2 --split=10%:test.csv --split=10%:valid.csv -o train.csv visits.csv
    for part in test valid train; do patients $part.csv; done | sort | cmp - <(patients visits.csv)
    [ "$(patients test.csv | records)" -gt 20 ] && [ "$(patients test.csv | records)" -lt 60 ]
    same_lines visits.csv <(cat train.csv && tail -q -n +2 test.csv valid.csv)
    { head -n 1 visits.csv && tail -n +2 visits.csv | bigshuf --csv; } >shuffled.csv
    patients test.csv >before
    bigshuf --seed=1 --csv --header --split-field=2 --split=10%:test.csv --split=10%:valid.csv >train.csv <shuffled.csv
    patients test.csv | cmp - before
}

# ---- Files that belong together ----

# Reads NUMBER of pairs, 4 lines each: make_reads NUMBER.
make_reads() {
    seq 3000 | awk -v mate="$1" '{ print "@read" $1 "/" mate; print "ACGT" $1; print "+"; print "@II" $1 }'
}

test_paired_reads_stay_in_step() {
    make_reads 1 >1.fastq
    make_reads 2 >2.fastq
    bigshuf --seed=run7 --records=lines:4 -o out1.fastq 1.fastq
    bigshuf --seed=run7 --records=lines:4 -S 8M --parallel=1 -o out2.fastq <2.fastq
    same_lines <(paste - - - - <1.fastq) <(paste - - - - <out1.fastq)
    same_lines <(paste - - - - <2.fastq) <(paste - - - - <out2.fastq)
    sed 's,/1$,,' out1.fastq | cmp - <(sed 's,/2$,,' out2.fastq)
}

test_a_corpus_in_three_languages_stays_parallel() {
    for language in en de fr; do
        seq -f "$language %g" 20000 >train.$language
        bigshuf --seed=7 --split=1000:dev.$language --split=1000:test.$language -o shuffled.$language train.$language
    done
    for part in dev test shuffled; do
        paste $part.en $part.de $part.fr
    done >together
    same '' "$(awk '$2 != $4 || $4 != $6' together)"
    cut -f 1 together | same_lines train.en /dev/stdin
    same '1000 1000 18000' "$(records dev.en) $(records test.de) $(records shuffled.fr)"
}

# ---- Sequencing data ----

# A VCF file, as far as its lines go (VCF 4.3, section 1): standard input has `##fileformat`, other meta-information, one line
# of names, and records with as many columns.
is_vcf() {
    awk -F '\t' 'NR == 1 && !/^##fileformat=VCFv4\.[0-9]$/ { exit wrong = 1 }
        /^##/ { if (columns || !/^##[A-Za-z_]+=./) exit wrong = 1; next }
        /^#/ {
            if (columns || !/^#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO(\tFORMAT(\t[^\t]+)+)?$/)
                exit wrong = 1
            columns = NF
            next
        }
        NF != columns || $2 !~ /^[0-9]+$/ || $4 !~ /^[ACGTN]+$/ || $5 == "" { exit wrong = 1 }
        END { exit wrong || !columns }'
}

make_vcf() {
    printf '##fileformat=VCFv4.3\n##FILTER=<ID=PASS,Description="All filters passed">\n'
    seq -f '##contig=<ID=%g,length=1000000>' 25
    printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tone\n'
    awk -v count="$1" 'BEGIN {
        for (i = 1; i <= count; i++)
            printf "%d\t%d\t.\tA\tC\t50\tPASS\t.\tGT\t0/1\n", 1 + i % 25, i * 7
    }'
}

# grep '^#' in.vcf > out.vcf; grep -v '^#' in.vcf | shuf -n 1000 >> out.vcf
test_a_sample_of_variants_below_their_header() {
    make_vcf 30000 >in.vcf
    bigshuf --header=start:'#' -n 1000 --seed=7 in.vcf >out.vcf
    is_vcf <out.vcf
    { grep '^#' in.vcf; grep -v '^#' in.vcf | bigshuf -n 1000 --seed=7; } | cmp - out.vcf
    bigshuf --header=start:'#' -n 1000 --seed=7 < <(cat in.vcf) | cmp - out.vcf
    bigshuf --header=start:'#' --shards=4 -o shard.%d.vcf in.vcf
    for file in shard.?.vcf; do is_vcf <"$file"; done
    cat shard.?.vcf | grep -v '^#' | same_lines /dev/stdin <(grep -v '^#' in.vcf)
    fails_with 1 '' is_vcf < <(bigshuf --seed=7 in.vcf)
}

# Those of two files differ in their dates.
test_variants_of_several_files() {
    make_vcf 100 | sed '2i ##fileDate=20261101' >a.vcf
    make_vcf 200 | sed '2i ##fileDate=20261102' >b.vcf
    bigshuf --header=start:'#' --headers-differ -o all.vcf a.vcf b.vcf
    is_vcf <all.vcf
    grep '^#' all.vcf | cmp - <(grep '^#' a.vcf)
    grep -v '^#' all.vcf | same_lines /dev/stdin <(cat a.vcf b.vcf | grep -v '^#')
}

# ---- Compressed shards ----

test_gzipped_shards_are_those_of_split() {
    needs gzip
    split --version >/dev/null 2>&1 || skip "no GNU split here"
    seq 10000 >in
    bigshuf --seed=x in | split -a 5 -d -l 700 - old. --filter='gzip -n -c > $FILE.gz'
    bigshuf --seed=x --parallel=4 --shards=records:700 --filter='gzip -n -c > $FILE.gz' -o new.%05d in
    for file in old.*; do
        cmp "$file" "new.${file#old.}"
    done
    same "$(ls old.* | records)" "$(ls new.* | records)"
}

# find data -name '*.jsonl.zst' -print0 | xargs -0 zstdcat | terashuf | split -a 2 -d -n r/32 - out.
test_a_corpus_in_zstd_becomes_shards_in_zstd() {
    needs zstd
    make_corpus
    zstd -q --rm corpus/*.jsonl
    find corpus -name '*.jsonl.zst' -print0 | bigshuf -Z --files0-from=- --shards=32 -o out.%02d.jsonl.zst
    same "$(seq -f out.%02g.jsonl.zst 0 31)" "$(ls out.*)"
    zstdcat out.*.zst | same_lines all /dev/stdin
    same '662 661' "$(for file in out.*; do zstdcat "$file" | records; done | sort -n -r | uniq | paste -s -d ' ' -)"
    find corpus -name '*.jsonl.zst' -print0 | sort -z | bigshuf -Z --seed=x --files0-from=- | cmp - <(bigshuf --seed=x all)
}
