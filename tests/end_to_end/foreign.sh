# Files that others and former versions have made (tests/files/README.md) are read as their makers read them.

files=$TOP/tests/files

test_compressed_files_of_other_programs_are_those_lines() {
    local file
    for program in gzip zstd lz4 xz bzip2; do needs $program; done
    seq 100 | bigshuf --seed=1 >wanted
    for file in "$files"/*.{gz,zst,lz4,Z,lzma,xz,bz2}; do
        echo "$file"
        bigshuf -Z --seed=1 "$file" | cmp - wanted
        bigshuf -Z --seed=1 < <(cat "$file") | cmp - wanted
    done
}

test_archives_of_other_programs_keep_their_members_and_samples() {
    local file
    for file in "$files"/*.tar; do
        bigshuf --records=tar --seed=2 "$file" >out.tar
        tar -tvf out.tar | same_lines /dev/stdin <(tar -tvf "$file")
        tar -xOf out.tar | same_lines /dev/stdin <(tar -xOf "$file")
    done
    cases <<'END'
bigshuf --records=tar --seed=2 "$files/gnu.tar" | tar -tf - | sed 's/0*7/7/' => d/7.txt d/2.cls d/2.txt d/1.cls d/1.txt d/3.cls d/3.txt
bigshuf --records=tar --seed=2 "$files/bsd-ustar.tar" | tar -tf - => d/1.cls d/1.txt d/3.cls d/3.txt d/2.cls d/2.txt
bigshuf --records=tar --seed=2 "$files/bsd-pax.tar" | tar -tf - | sed 's/0*7/7/' => d/7.txt d/1.cls d/1.txt
bigshuf --records=tar --seed=2 "$files/pax-ustar.tar" | tar -tf - => d/1.cls d/1.txt d/3.cls d/3.txt d/2.cls d/2.txt
END
}

test_records_of_specifications() {
    cases <<'END'
bigshuf --records=tfrecord --seed=1 "$files/records.tfrecord" | od -An -v -tx1 -w48 | tr -d ' ' | cut -c 17-40 => 29039807d8ea82a220000000 00000000faffd70f20000000 ffffffff29b009f920000000 1c1d1e1f92781f95
bigshuf --records=fastq --seed=1 "$files/reads.fastq" | grep -o '^@read[0-9] [a-z ]*' => @read4 qualities that look like the line before them @read1 all qualities @read5 nothing @read2 its title again @read3 qualities that look like a title
bigshuf --records=fastq --expect-records=5 --keep-order -n 5 "$files/reads.fastq" | cmp - "$files/reads.fastq" =>
bigshuf --header=start:'#' --seed=3 "$files/variants.vcf" | cut -f 1,2 | cut -d , -f 1 => ##fileformat=VCFv4.3 ##FILTER=<ID=PASS ##contig=<ID=1 #CHROM	POS 1	7 1	20 1	19
bigshuf "$files/variants.vcf" 2>&1 >out | cut -d : -f 4 =>  a VCF file, and shuffled as it is; add --header=start
END
}

# Rows as Python reads them, between | and |.
rows() {
    python3 -c 'import csv, sys
for row in csv.reader(open(sys.argv[1], newline="")): print("|".join(row).join("||").encode())' "$1"
}

test_rows_of_every_kind_of_csv_are_those_of_python() { # tags: long
    local file
    needs python3
    for file in "$files"/csv/*.csv; do
        bigshuf --csv --header --seed=1 "$file" >out
        rows "$file" >wanted
        rows out >got
        same_lines wanted got
        cmp <(head -n 1 wanted) <(head -n 1 got)
        bigshuf --csv --header --keep-order -n 9 "$file" | cmp - <(cat "$file" && case $file in *simple.csv) echo ;; *simple_crlf*) printf '\r\n' ;; esac)
    done
}

test_a_store_of_each_version_is_gathered_in_the_order_of_that_version() {
    cases <<'END'
bigshuf --gather="$files/store-3" --seed=42 | grep -o '^[0-9a-z]*,' | tr -d '\n' => id,5,13,1,4,14,7,18,11,12,16,19,2,17,3,9,10,15,6,8,
bigshuf --gather="$files/store-3" --seed=42 --epoch=3 | grep -o '^[0-9a-z]*,' | tr -d '\n' => id,7,5,4,18,13,1,14,11,2,12,8,15,19,17,9,10,16,3,6,
bigshuf --list="$files/store-3" -z | tr '\0\t' '\n ' => one 2 9 72 two 2 10 50
END
}
