# Tables and variants, in small, as the readers of these formats take them.
# shellcheck shell=bash
# tags: plain

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
    same 401 "$(rows test.csv | wc -l | tr -d ' ')" # with its header
    cp a.csv old
    bigshuf --csv --header -o a.csv a.csv
    rows a.csv | cmp - <(rows old)
    same "$(head -n 2 old)" "$(head -n 2 a.csv)"
    fails_with 1 '' cmp -s old a.csv
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
