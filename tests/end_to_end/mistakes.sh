# What people are likely to type, and what they are told: one line, which begins with what is wrong and says what would
# be right. A row has the whole message.

# The cases of standard input, in a folder of files.
mistakes() {
    seq 3 >in
    seq 4 6 >other
    mkdir folder full
    echo 1 | tee few >full/x
    echo head >one
    : | tee nothing >empty.gz
    printf '\37\213\n' >zipped
    printf '\50\265\57\375\0\0' >zst.zst
    printf 'id,price\n1,2\n2,3\n' >table.csv
    printf 'id,cost\n3,4\n' >other.csv
    printf 'id,price\n9,2\n2,3\n' >other2.csv
    printf 'id,price\r\n1,2\r\n' >crlf.csv
    printf '5,e\n6,f\n' >rows.csv
    printf 'a,1\nb,2\na,3\n' >torn.csv
    printf '%s,"%s, %s",%s\n' id artist title length {1..80} >songs.csv
    printf '@r/1\nA\n+\nI\n@r/2\nC\n+\nI\n' >pairs.fq
    printf '@r 1:N\nA\n+\nI\n@r 2:N\nC\n+\nI\n' >pairs2.fq
    printf '%s\nA\n+\nI\n' @r7 @r7 @r8 @r8 >pairs3.fq
    printf '%s\nA\n+\nI\n' @S.7.1 @S.7.2 @S.8.1 @S.8.2 >pairs4.fq
    printf '%s\nA\n+\nI\n' @S.1 @S.2 @S.3 @S.4 >counted.fq
    printf '@r/1\nA\n+\nI\n@s/1\nC\n+\nI\n' >r1.fq
    printf '%s\n' ----- a ----- b >documents
    printf 'x,y\n"a,b\n' >quote.csv
    printf 'A\tx\nB\t\nC\t\n' >empties
    printf 'id,size\n1,16" deep\n2,3" deep\n' >inches.csv
    printf 'id,said\n1,"say \\"go\non\\""\n' >spark.csv
    printf 'a,"b"c\n' >late.csv
    printf 'a;"b"\n' >semiquote.csv
    printf '@r1\nACGT\n+\nIIII\n@r2\nAC\nGT\n+\nII\nII\n' >long.fq
    printf '@r1\nA\n+\nI\n@r2\n+\nI\n@r3\nA\n+\nI\nI\n' >lost.fq
    printf '@r1\nACGT\n+\nIII' >cut.fq
    printf '@r1\nACGT\n+\nIIII\n\n' >blank.fq
    printf '@r1\r\nACGT\r\n+\r\nIIIII\n' >crlf5.fq
    printf 'a;1\nb;2\n' >semi.csv
    printf 'a\t1\nb\t2\n' >tabs.csv
    printf 'a;1,2\n' >both.csv
    printf '0\n1\n1e-999\n' >zeros
    printf '>g1\nACGT\nGGTA\n' >genes.fa
    printf '[{"a": 1},\n{"b": 2}]\n' >array.json
    printf 'x,y\n"a\nb",c\n' >fields.csv
    printf '{"w": 1}\n{"w": 2}\n' >lines.jsonl
    bigshuf --scatter=store --piles=4 --batch=a in
    cases
}

test_likely_mistakes_with_options_of_other_tools_and_misspelt_ones_are_told_with_what_would_be_right() {
    mistakes <<'END'
bigshuf --in-place in =! unrecognized option '--in-place'; write -o FILE FILE
bigshuf -j4 in =! invalid option -- 'j'; write --parallel=N
bigshuf --paralel=4 in =! unrecognized option '--paralel=4'; did you mean --parallel?
bigshuf --fastq in =! unrecognized option '--fastq'; write --records=fastq
bigshuf --random_state=42 in =! unrecognized option '--random_state=42'; write --seed=STRING
bigshuf -N 4 in =! invalid option -- 'N'; write --shards=K -o part-%05d
bigshuf --file=in =! in:1: '1\n2\n3\n': No such file or directory: names must end with NUL, not newline; make the list with find -print0, or tr '\n' '\0'
bigshuf -R in =! invalid option -- 'R'; leave it out; the order is always random
bigshuf -0 in =! invalid option -- '0'; write -z
bigshuf --keep=3 in =! unrecognized option '--keep=3'; write --unique=FIELD, which keeps the first, with tac FILE | before it the last; --keep-newest=N is of stores
bigshuf --additional-suffix=.txt in =! unrecognized option '--additional-suffix=.txt'; write --shards=K -o PREFIX%05dSUFFIX
bigshuf --input=in =! invalid input range: 'in': must be LO-HI, the smaller number first, such as 1-100; write FILE alone to shuffle it, -o FILE FILE in place
bigshuf --header-start='#' in =! unrecognized option '--header-start=#'; write --header=start:STRING, and --header=N as well for N lines after those, such as names of columns
bigshuf --sead=42 in =! unrecognized option '--sead=42'; did you mean --seed?
bigshuf --verison =! unrecognized option '--verison'; did you mean --version?
bigshuf --cvs in =! unrecognized option '--cvs'; did you mean --csv?
bigshuf --overwrite in =! unrecognized option '--overwrite'; leave it out; -o replaces FILE
bigshuf --per-group=4 in =! unrecognized option '--per-group=4'; write --stratify-field=FIELD --split=N:FILE -o /dev/null for N lines of each class
bigshuf --upsample in =! unrecognized option '--upsample'; write -r -n COUNT, and --weight-field=FIELD for what is to come more often
bigshuf --strata=2 in =! unrecognized option '--strata=2'; write --stratify-field=FIELD --split=P%:FILE
bigshuf --interleaved in =! unrecognized option '--interleaved'; write --records=lines:8 for one interleaved FILE, --each for two
bigshuf --level=9 -Z in =! unrecognized option '--level=9'; write --filter='gzip -9 > $FILE' for another level; zstd also obeys ZSTD_CLEVEL
bigshuf --quote='"' in =! unrecognized option '--quote="'; write --csv, which reads fields in double quotes
bigshuf --long=31 in =! unrecognized option '--long=31'; leave it out; -Z reads such files
bigshuf --zip in =! unrecognized option '--zip'; write unzip -p FILE | bigshuf
bigshuf --scatter=store --remove=a =! unrecognized option '--remove=a'; remove the file DIR/NAME; --keep-newest=N with --scatter removes all but the newest
bigshuf --drop-header in =! unrecognized option '--drop-header'; write tail -n +2 FILE | bigshuf
bigshuf --recursive folder =! unrecognized option '--recursive'; write find DIR -type f -print0 | sort -z | bigshuf --files0-from=-
bigshuf --mix in =! unrecognized option '--mix'; name a FILE twice for two copies of it, <(bigshuf -n COUNT FILE) for a part of it
bigshuf --merge in =! unrecognized option '--merge'; write sort FILE; bigshuf does not sort
bigshuf -d, in =! invalid option -- 'd'; write -t C for fields, --delimiter=STRING for ends of lines
bigshuf -g id in =! invalid option -- 'g'; write --group-field=FIELD, --unique=FIELD or --split-field=FIELD
bigshuf --using-sample=10 in =! unrecognized option '--using-sample=10'; write -n COUNT, or --shards=records:N for files of N lines
bigshuf --c2p in =! unrecognized option '--c2p'; write --csv
bigshuf --table in =! unrecognized option '--table'
bigshuf --no-such-option in =! unrecognized option '--no-such-option'
bigshuf --sh in =! invalid --shards argument 'in': must be a number of files, records:N or bytes:BYTES
bigshuf --weight in =! option '--weight' is ambiguous; write --weights or --weight-field
bigshuf -seed=42 in =! invalid option -- 's'; long options begin with two dashes: --seed=42
bigshuf -header in =! -h goes with no other letters, as in '-header'; long options begin with two dashes
bigshuf --seed =! option '--seed' requires an argument; write --seed=STRING
bigshuf in --shards =! option '--shards' requires an argument; write --shards=K
bigshuf in -n =! option requires an argument -- 'n'; write -n COUNT
bigshuf in -o =! option requires an argument -- 'o'; write -o FILE
bigshuf in --records =! option '--records' requires an argument; write --records=KIND
bigshuf --unique --key=2 in =! unrecognized option '--key=2'; write --unique=FIELD or --group-field=FIELD; bigshuf does not sort
bigshuf --unique --ignore-case in =! unrecognized option '--ignore-case'; write tr A-Z a-z < FILE | bigshuf; bytes are compared as they are
bigshuf --unique=id,date in =! --unique=id,date: a name needs a header line that has it; add --header, or give the number; repeat the option for several fields
bigshuf --unique --keep=first in =! unrecognized option '--keep=first'; write --unique=FIELD, which keeps the first, with tac FILE | before it the last; --keep-newest=N is of stores
bigshuf -f2 in =! invalid option -- 'f'; write --group-field=FIELD, --unique=FIELD or --split-field=FIELD
bigshuf --csv --delimiter=, in =! cannot combine --delimiter and --csv; a kind says where records end, and -t C what separates fields
bigshuf -n l/4 in =! invalid line count: 'l/4': must be a whole number, digits only; write --shards=K -o part-%05d for K files
bigshuf --shards=4 in =! --shards needs -o; write -o part-%05d
bigshuf --epoch=2 --seed=1 in =! --epoch needs --gather; without a store, give each epoch a --seed of its own
bigshuf --batches=3 in =! unrecognized option '--batches=3'; write --shards=records:N -o part-%05d; --batch=NAME names one of a store
bigshuf -Z -9 in =! invalid option -- '9'; write --filter='gzip -9 > $FILE' for another level; zstd also obeys ZSTD_CLEVEL
bigshuf -n 1% in =! invalid line count: '1%': must be a whole number, digits only; write --probability=P for about a share of the lines, --split=P%:FILE -o /dev/null for exactly one
bigshuf --unique -n 1 --keep-order in =! cannot combine --unique and --keep-order; for the first of each in input order write awk '!seen[$0]++'
bigshuf --repeated in =! unrecognized option '--repeated'; write sort FILE | uniq -d; bigshuf does not look for them
bigshuf --undo in =! unrecognized option '--undo'; write bigshuf --seed=STRING -i 1-N | paste - SHUFFLED | sort -n | cut -f 2-, with N lines and the same STRING
bigshuf --partition-by=2 in =! unrecognized option '--partition-by=2'; write --split-field=FIELD --split=P%:FILE for files of whole groups
bigshuf --verify in =! unrecognized option '--verify'; write cmp <(sort FILE) <(sort OTHER); --expect-records=N checks their number
bigshuf --reservoir in =! unrecognized option '--reservoir'; write -n COUNT, or --shards=records:N for files of N lines
bigshuf --in1=in in =! unrecognized option '--in1=in'; write --each -o 'new/%s' FILE...
bigshuf -w 9 in =! invalid option -- 'w'; write --unique, or --unique=FIELD
bigshuf --no-header-row in =! unrecognized option '--no-header-row'; leave it out; no line is a header unless --header is given
bigshuf --append=store in =! unrecognized option '--append=store'; write bigshuf FILE >> OTHER, or --scatter=DIR to add to a store
bigshuf --store=store in =! unrecognized option '--store=store'; write --scatter=DIR to add to a store, --gather=DIR to read it
bigshuf --print-seed in =! unrecognized option '--print-seed'; write -v, which prints the seed at the end
bigshuf --assert-lines=3 in =! unrecognized option '--assert-lines=3'; write --expect-records=N
bigshuf --split-by=2 in =! unrecognized option '--split-by=2'; write --split-field=FIELD --split=P%:FILE for files of whole groups
bigshuf --unique-last in =! unrecognized option '--unique-last'; write --unique=FIELD, which keeps the first, with tac FILE | before it the last; *
bigshuf --bytes=24 in =! unrecognized option '--bytes=24'; write --shards=bytes:SIZE -o part-%05d, or --records=bytes:N for records of N bytes
bigshuf --csv backslash table.csv =! backslash: No such file or directory; write --csv=backslash
bigshuf --repeat=3 in =! option '--repeat' doesn't allow an argument; it stands alone
END
}

test_likely_mistakes_with_numbers_and_other_arguments_are_told_with_what_would_be_right() {
    mistakes <<'END'
bigshuf -n 1e6 in =! invalid line count: '1e6': must be a whole number, digits only; write -n COUNT
bigshuf -n 5% in =! invalid line count: '5%': must be a whole number, digits only; write --probability=P for about a share of the lines, --split=P%:FILE -o /dev/null for exactly one
bigshuf -n=5 in =! -n=5: a letter takes no =; write -n 5
bigshuf -o=out in =! -o=out: a letter takes no =; write -o out
bigshuf -t=, --group-field=1 torn.csv =! -t=,: a letter takes no =; write -t ,
bigshuf --skip=header --seed=x table.csv =! invalid --skip argument 'header': must be a whole number, digits only
bigshuf -n $'10\r' in =! invalid line count: '10\r': must be a whole number, digits only; write -n COUNT: \r is a carriage return, as in lines that end with CRLF
bigshuf -n "" in =! invalid line count: '': must be a whole number, digits only; write -n COUNT
bigshuf -n in =! invalid line count: 'in': must be a whole number, digits only; write -n COUNT
bigshuf --head-count=in in =! invalid line count: 'in': must be a whole number, digits only; write -n COUNT
bigshuf --split-field=1 --split=10:a torn.csv =! cannot combine --split-field and --split=N:FILE; write P%:FILE, or --group-field for N groups
bigshuf -i 100 =! invalid input range: '100': must be LO-HI, the smaller number first, such as 1-100
bigshuf -i "'1-6'" =! invalid input range: ''1': must be LO-HI, the smaller number first, such as 1-100
bigshuf -i 1-1e6 =! invalid input range: '1e6': must be LO-HI, the smaller number first, such as 1-100
bigshuf -i -5-5 =! invalid input range: '': must be LO-HI, the smaller number first, such as 1-100
bigshuf -i in =! invalid input range: 'in': must be LO-HI, the smaller number first, such as 1-100; write FILE alone to shuffle it, -o FILE FILE in place
bigshuf -i 1-10 in =! extra operand 'in'; -i takes no files
bigshuf --probability=1% in =! invalid probability: '1%': must be a number from 0 to 1, such as 0.05 for 5%
bigshuf --probability=5 in =! invalid probability: '5': must be a number from 0 to 1, such as 0.05 for 5%
bigshuf --parallel=auto in =! invalid --parallel argument 'auto': must be a whole number; all processors are the default
bigshuf --shards=100MB -o %d in =! invalid --shards argument '100MB': must be a number of files, records:N or bytes:BYTES
bigshuf --shards=lines:1000 -o %d in =! invalid --shards argument 'lines:1000': must be a number of files, records:N or bytes:BYTES
bigshuf --part=5/4 --seed=1 in =! invalid --part argument '5/4': must be R/W, part R of W, from 1/W to W/W, W below 2^32
bigshuf --part=1/4294967296 --seed=1 in =! invalid --part argument '1/4294967296': must be R/W, part R of W, from 1/W to W/W, W below 2^32
bigshuf --skip=1 in =! --skip needs --seed, so that the order is the same again; to keep the first line on top write --header
bigshuf -t /tmp in =! multi-character tab '/tmp': must be one byte, such as ',', or an escape, such as '\t'; write -T DIR for temporary files
bigshuf -i 1-9999 --split=20:test -o train =?
bigshuf -i 1-10000 --split=20:test -o train =? --split=20:test takes 20 of 10000 records; for a share write --split=20%:test
bigshuf -t '||' --weight-field=2 in =! multi-character tab '||': must be one byte, such as ',', or an escape, such as '\t'; for others, write sed 's/::/\t/g' FILE | bigshuf -t '\t'
bigshuf -t '' --weight-field=2 in =! empty tab: must be one byte, such as ',', or an escape, such as '\t'
bigshuf --delimiter='\d' in =! invalid --delimiter argument '\d': must have one of abfnrtv\ or a byte's number behind a backslash, such as \n or \xff
bigshuf --weight-field=price in =! --weight-field=price: a name needs a header line that has it; add --header, or give the number; in lines of JSON, a field is a JSON Pointer, such as /user/id
bigshuf --group-field='$.user.id' in =! --group-field=$.user.id: a name needs a header line that has it; add --header, or give the number; in lines of JSON, a field is a JSON Pointer, such as /user/id
bigshuf --csv --group-field=.user in =! --group-field=.user: a name needs a header line that has it; add --header, or give the number
bigshuf --split-field=1,2 --split=9%:a in =! --split-field=1,2: a name needs a header line that has it; add --header, or give the number; repeat the option for several fields
bigshuf --csv --header --weight-field=prize table.csv =! table.csv: no column 'prize': the header has 'id', 'price'
bigshuf --group-field=/user in =! in:1: nothing at /user: '1'; jq can mend such records, or leave them out
bigshuf --epoch=last --gather=store =! invalid --epoch argument 'last': must be a whole number, digits only
bigshuf --gather=store --only-piles=3- =! invalid --only-piles argument '3-': must be J-K, such as 3-3 for pile 3
bigshuf --tune=fast in =! invalid --tune argument 'fast': must be leaf-records=T or compress-temporary=auto|always|never
bigshuf --records=jsonl in =! invalid record kind 'jsonl'; leave it out; lines are the default
bigshuf --records=parquet in =! invalid record kind 'parquet'; convert it to lines first, such as with DuckDB
bigshuf --records=tsv in =! invalid record kind 'tsv'; leave it out; TABs separate fields unless -t is given
bigshuf --records=vcf in =! invalid record kind 'vcf'; write --header=start:'#'; its records are lines
bigshuf --records=paragraphs in =! invalid record kind 'paragraphs'; write --records=paragraph
bigshuf --records=webdataset in =! invalid record kind 'webdataset'; write --records=tar
bigshuf --records=CSV in =! invalid record kind 'CSV'; write --records=csv
bigshuf --records=csv:header in =! invalid record kind 'csv:header'; write --records=csv
bigshuf --records=fasq in =! invalid record kind 'fasq'; write --records=fastq
bigshuf --records=lines in =! invalid record kind 'lines'; write --records=lines:N
bigshuf --records=line:4 in =! invalid record kind 'line:4'; write --records=lines:N
bigshuf --records=fixed:16 in =! invalid record kind 'fixed:16'; write --records=bytes:N
bigshuf --records=delimiter:x in =! invalid record kind 'delimiter:x'; write --delimiter=STRING, such as '\r\n'
bigshuf --records=16 in =! invalid record kind '16': must be one of lines:N, bytes:N, start:STRING, end:STRING, paragraph, csv, mbox, pgn, fasta, fastq, tar, tfrecord, u32le, u32be, u64le, u64be or varint
bigshuf --seed= in =! invalid --seed argument '': must not be empty, as an unset variable is; leave it out for a new order each time
bigshuf --random-source=42 in =! 42: No such file or directory; write --seed=STRING for a seed
bigshuf --header=yes in =! invalid --header argument 'yes': must be a number of lines, bytes:N or start:STRING
bigshuf --header=2MB in =! invalid --header argument '2MB': must be a number of lines, bytes:N or start:STRING
bigshuf --progress=no in =! invalid --progress argument 'no': must be auto, always or never
END
}

test_likely_mistakes_with_memory_and_temporary_folders_are_told_with_what_would_be_right() {
    mistakes <<'END'
bigshuf -S 64mb in =! invalid -S argument '64mb': write 64MB
bigshuf -S '64 MB' in =! invalid -S argument '64 MB': write 64MB
bigshuf -S 4M in =! -S 4M: memory must be at least 8 MiB
bigshuf -S 64 in =! -S 64: memory must be at least 8 MiB; a number alone counts KiB, so add a unit, such as 64M
bigshuf -S max in =! invalid -S argument 'max': must be a number and a unit, such as 64M, 1.5G or 50%
bigshuf --shards=bytes:100megs -o %d in =! invalid --shards=bytes argument '100megs': must be a number of bytes, such as 1000, 64K or 1.5G
bigshuf -S 50%% in =! invalid -S argument '50%%': must be a number and a unit, such as 64M, 1.5G or 50%
bigshuf -T scratch in =! temporary file in scratch: No such file or directory
bigshuf -T in in =! temporary file in in: Not a directory
bigshuf -T .,folder in =! temporary file in .,folder: No such file or directory; write -T for each directory
END
}

test_likely_mistakes_with_splits_are_told_with_what_would_be_right() {
    mistakes <<'END'
bigshuf --split=80:10:10 in =! --split=80:10:10: repeat --split for each file, as in --split=10%:test --split=10%:valid -o train
bigshuf --split=80%:a,20%:b in =! --split=80%:a,20%:b: repeat --split for each file, as in --split=10%:test --split=10%:valid -o train
bigshuf --split=1:a,b --header -o new table.csv =?
bigshuf --split=0.2:test in =! invalid --split argument '0.2:test': must be N:FILE or P%:FILE, such as 100:test or 2.5%:test, with at most four decimals
bigshuf --split=test:20% in =! invalid --split argument 'test:20%': must be N:FILE or P%:FILE, such as 100:test or 2.5%:test, with at most four decimals
bigshuf --split=33.33333%:test in =! invalid --split argument '33.33333%:test': must be N:FILE or P%:FILE, such as 100:test or 2.5%:test, with at most four decimals
bigshuf --split=1000:test in =! --split: the files must not take more than the 3 records there are
bigshuf --split=10%:test -o rest in =? test: will be empty, since its share of 3 records is less than one
bigshuf --split=1:out -o out in =! out and out: are the same output file; give them different names
bigshuf --stratify-field=1 in =! --stratify-field needs --split; write --split=20%:test -o train
bigshuf --stratify-field=1 -n 4 --split=9%:a in =! cannot combine --stratify-field and -n; write --split=N:FILE -o /dev/null for N lines of each class
bigshuf --stratify-field=1 --split-field=1 --split=9%:a in =! cannot combine --stratify-field and --split-field; split a list of the groups by class, then the lines by group
bigshuf --split-field=1 --shards=2 -o %d in =! cannot combine --split-field and --shards; write --split=P%:FILE for each file
bigshuf --seed=2 --split-field=2 --split=10%:a in =! in:1: no field 2, only 1: '1'; -t sets the separator of fields, --csv makes it a comma
END
}

test_likely_mistakes_with_outputs_are_told_with_what_would_be_right() {
    mistakes <<'END'
bigshuf -o no/out in =! no/out: No such file or directory; make its folder first
bigshuf -o folder in =! folder: Is a directory; name a file in it
bigshuf --shards=4 -o out in =! out: must contain one %d, or %0Nd for N digits, such as part-%05d
bigshuf --shards=10 -o s%d in =? s%d: 7 of the 10 shards are empty; --shards=records:N makes only as many as are needed
bigshuf -o out.gz in =? out.gz: will be plain text despite its name; add -Z
bigshuf --filter= -o out in =! invalid --filter argument '': must be a command, such as 'gzip > $FILE.gz'
bigshuf --filter=gzip -o out.gz in =? --filter='gzip': does not mention $FILE, so out.gz is not written; write 'gzip > $FILE'
bigshuf --filter=cat --split=1:a in =? --filter='cat': does not mention $FILE, so a is not written; write 'cat > $FILE'
FILE=; bigshuf --filter="gzip > $FILE.gz" --shards=2 -o %d in =! --filter='gzip > .gz': must mention $FILE, which names each file; write it in single quotes, so that the shell leaves $FILE alone
bigshuf --filter='gzip > $FILENAME.gz' --shards=2 -o %d in =! --filter='gzip > $FILENAME.gz': must mention $FILE, which names each file; write it in single quotes, so that the shell leaves $FILE alone
bigshuf -o in </dev/null =! in: left alone, since no input is named, and standard input is /dev/null; name the input, or /dev/null to empty it
bigshuf -o in in ./in =! in: is both input and output; give the outputs other names
bigshuf -o in in other =! in: is both input and output; give the outputs other names
bigshuf -o songs.csv songs.csv =! songs.csv: a table whose first line names its columns, and also the output, so its header would be lost; add --header to keep that line at the top, or --header=0 if it is none
bigshuf --csv -o songs.csv songs.csv =! songs.csv: a table whose first line names its columns, and also the output, *
bigshuf --csv -o rows.csv rows.csv =! rows.csv: is also the output, so a header would be lost; add --header, or --header=0 if there is none
for i in --header=0 --header; do bigshuf --csv $i -o rows.csv rows.csv; done =?
bigshuf --split=9:part songs.csv =! songs.csv: a table whose first line names its columns, and only one of the outputs would have it; add --header *
bigshuf songs.csv =? songs.csv: a table whose first line names its columns, and shuffled as it is; add --header *
bigshuf --header=0 songs.csv =?
bigshuf --header -o new songs.csv =?
bigshuf --delimiter=, -o torn.csv torn.csv =! torn.csv: lines with fields, and also the output, so its records would be torn; leave --delimiter out to shuffle lines; fields are separated by -t ','
bigshuf --delimiter=, torn.csv =? torn.csv: lines with fields, and shuffled as it is; *
bigshuf --records=fastq -o pairs.fq pairs.fq =! pairs.fq: a FASTQ file with pairs of reads, and also the output, so its pairs would be separated; write --records=lines:8 to keep each pair together
for i in '' 2 3 4; do bigshuf --records=fastq pairs$i.fq; done =? pairs.fq: a FASTQ file with pairs of reads, and * pairs2.fq: a FASTQ* pairs3.fq: a FASTQ* pairs4.fq: a FASTQ *
bigshuf --records=fastq -o counted.fq counted.fq =?
bigshuf --split=1:in in =! in: is both input and output; give the outputs other names
bigshuf --split-field=1 --split=50%:./in - <in =! -: is both input and output; give the outputs other names
printf 'a\0' >nul; bigshuf -o nul nul =! nul: a file with NUL bytes, and also the output, so its contents would be lost; add -z if they end its records, --records=bytes:N if these have N bytes, or --records=lines:1 if they are lines
printf 'a\0b\n' >nul; bigshuf nul; bigshuf --records=lines:1 -o nul nul =?
bigshuf -o - in =! -: is no name for standard output, which is written to without -o; write ./- for such a file
bigshuf --split=1:- in =! -: is no name for standard output, which is written to without -o; write ./- for such a file
bigshuf -o zipped zipped =! zipped: compressed by gzip, and also the output, so its contents would be lost; add -Z to shuffle its lines
bigshuf store/* =? store/a: a batch of a store, and shuffled as it is; write bigshuf --gather=STORE to read it
END
}

test_likely_mistakes_with_inputs_are_told_with_what_would_be_right() {
    mistakes <<'END'
bigshuf 'in ' =! 'in ': No such file or directory
bigshuf '' =! '': No such file or directory
bigshuf --header 1 in =! 1: No such file or directory; a number belongs to an option, as in --unique=1 or -n 1
bigshuf 1-10 =! 1-10: No such file or directory; write -i LO-HI to shuffle numbers
bigshuf in,other =! in,other: No such file or directory; write a blank between two FILEs, not a comma
bigshuf '*.jsonl.gz' =! *.jsonl.gz: No such file or directory; no file's name is like that, or it is quoted
bigshuf '~/in' =! ~/in: No such file or directory; the shell replaces ~ only if it is not quoted
bigshuf –n 3 in =! –n: No such file or directory; this is no hyphen, with which options begin, but a dash
bigshuf --seed in =! --seed=in: the only file that is named, and standard input is empty; name the FILE to shuffle after it
: | bigshuf --seed in -o out =! --seed=in: the only file that is named, and standard input is empty; name the FILE to shuffle after it
bigshuf --scatter=store2 --seed in < <(:) =! --seed=in: the only file that is named, and standard input is empty; name the FILE to shuffle after it
bigshuf --delimiter in =! --delimiter=in: the only file that is named, and standard input is empty; name the FILE to shuffle after it
bigshuf --random in =! --random-source=in: the only file that is named, and standard input is empty; name the FILE to shuffle after it
bigshuf $'in\r' =! in\r: No such file or directory: \r is a carriage return, as in lines that end with CRLF
bigshuf folder =! folder: Is a directory; name the files in it
bigshuf store =! store: Is a directory; a store is read with --gather=DIR
bigshuf in out =! out: No such file or directory; every FILE is an input; write -o out for the output
bigshuf --unique /user/id in =! /user/id: No such file or directory; a field belongs to its option, as in --unique=id or --unique=/user/id
bigshuf https://example.org/data.txt =! https://example.org/data.txt: No such file or directory; bigshuf reads files, not URLs; write COMMAND | bigshuf
bigshuf --shards=2 -o s3://bucket/%d in =! s3://bucket/0: No such file or directory; bigshuf writes files, not URLs; leave -o out, and write bigshuf FILE | COMMAND
bigshuf in -- -n 3 =! -n: No such file or directory; options must come before --, or with POSIXLY_CORRECT before all files
POSIXLY_CORRECT=1 bigshuf in -n 3 =! -n: No such file or directory; options must come before --, or with POSIXLY_CORRECT before all files
bigshuf --requests -n 2 in =! cannot combine --requests and -n; requests say it: draw COUNT, or draw COUNT repeat
bigshuf --group-field=1 --weight-field=2 in =! cannot combine --group-field and --weight-field; a group has no weight
bigshuf --split-field=1 --split=9%:a --filter=cat in =! cannot combine --split-field and --filter; its files are written side by side
bigshuf zipped =! zipped: compressed by gzip; add -Z to shuffle its lines
bigshuf --csv <zipped =! -: compressed by gzip; add -Z to shuffle its records
bigshuf zst.zst =! zst.zst: compressed by zstd; add -Z to shuffle its lines
bigshuf -Z empty.gz =! empty.gz: too short for a compressed file; it may be cut off
bigshuf --files0-from=nothing =! nothing: there are no file names in it
bigshuf --files0-from=names in =! extra operand 'in'; file operands cannot be combined with --files0-from
bigshuf --csv quote.csv =! quote.csv: unclosed quote that starts in line 2
bigshuf --csv inches.csv =? inches.csv: in line 2: a quote inside a field is taken literally
bigshuf --csv --header=0 -o inches.csv inches.csv =! inches.csv: in line 2: a quote inside a field is taken literally; mend it, or write to another file, since an input is also the output
bigshuf --csv spark.csv =? spark.csv: in line 2: text after a closing quote; if backslashes escape quotes, write --csv=backslash
bigshuf --csv --header -o spark.csv spark.csv =! spark.csv: in line 2: text after a closing quote; if backslashes escape quotes, write --csv=backslash; mend it, or write to another file, since an input is also the output
bigshuf --csv=backslash spark.csv inches.csv =? inches.csv: in line 2: a quote inside a field is taken literally
bigshuf --csv=backslash late.csv =? late.csv: in line 1: text after a closing quote is taken literally
bigshuf --csv -t , semiquote.csv =? semiquote.csv: in line 1: a quote inside a field is taken literally
bigshuf --csv=quoted in =! invalid --csv argument 'quoted': must be backslash, or nothing; for a separator write -t C
bigshuf --csv -t '"' in =! -t must be another byte than a quote or a line end with CSV
bigshuf fields.csv =? fields.csv: a CSV file with newlines in fields, and shuffled as it is; add --csv --header to shuffle its records, or --header=0 if line 1 is one
bigshuf --header fields.csv =? fields.csv: a CSV file with newlines in fields, and shuffled as it is; add --csv to shuffle its records
bigshuf array.json =? array.json: a JSON array, and shuffled as it is; to shuffle its elements, write jq -c '.[]' 'array.json' | bigshuf
bigshuf genes.fa =? genes.fa: a FASTA file, and shuffled as it is; add --records=fasta to shuffle its sequences
bigshuf -z in =? -z: the input does not contain NUL, so each file is one record; leave -z out to shuffle lines
bigshuf --delimiter=, in =? the input does not contain the delimiter, so each file is one record
bigshuf --records=end:----- documents =! documents: record at byte 14, the last one, has no last line '-----'; if it only separates records, write --delimiter='-----\n'
tac documents | bigshuf --records=start:----- =! -: text before the first '-----'; to keep it at the top, write --header=1; if such a line only separates records, write --delimiter='-----\n'
bigshuf --records=lines:2 in =! in: 1 line is left over at the end; records must have 2 lines
bigshuf --records=fastq genes.fa =! genes.fa: line 1 begins with '>', but each read begins with '@'; FASTA is --records=fasta
bigshuf --records=fastq long.fq =! long.fq: line 7 begins with 'G', but line 3 of each read begins with '+'; to have four lines for each read, write seqtk seq -l0 FILE | bigshuf --records=fastq
bigshuf --records=fastq -o long.fq long.fq =! long.fq: line 7 begins with 'G', but line 3 of each read begins with '+'; to have four lines for each read, write seqtk seq -l0 FILE | bigshuf --records=fastq
bigshuf --records=fastq -S8M <long.fq =! -: line 7 begins with 'G', but line 3 of each read begins with '+'; to have four lines for each read, write seqtk seq -l0 FILE | bigshuf --records=fastq
bigshuf --records=fastq lost.fq =! lost.fq: line 7 begins with 'I', but line 3 of each read begins with '+'; to have four lines for each read, write seqtk seq -l0 FILE | bigshuf --records=fastq
bigshuf --records=fastq cut.fq =! cut.fq: line 4: 3 qualities for 4 letters; to have four lines for each read, write seqtk seq -l0 FILE | bigshuf --records=fastq
cat cut.fq long.fq | bigshuf --records=fastq =! -: line 4: 6 qualities for 4 letters; to have four lines for each read, write seqtk seq -l0 FILE | bigshuf --records=fastq
head -n 7 long.fq | bigshuf --records=fastq --header=5 =! -: what follows the header begins with 'A', but each read begins with '@'
head -n 6 long.fq | bigshuf --records=fastq =! -: line 5: the last read has 2 of 4 lines; to have four lines for each read, write seqtk seq -l0 FILE | bigshuf --records=fastq
tail -n 5 long.fq | bigshuf --records=fastq =! -: line 1 begins with 'A', but each read begins with '@'; to have four lines for each read, write seqtk seq -l0 FILE | bigshuf --records=fastq
printf '\357\273\277@a\n' | bigshuf --records=fastq =! -: line 1 begins with '\xef', but each read begins with '@'; to have four lines for each read, write seqtk seq -l0 FILE | bigshuf --records=fastq
bigshuf --records=fastq blank.fq =! blank.fq: line 5 is empty, but each read begins with '@'; to have four lines for each read, write seqtk seq -l0 FILE | bigshuf --records=fastq
bigshuf --header=1 --records=fastq cut.fq =! cut.fq: what follows the header begins with 'A', but each read begins with '@'
bigshuf --header=4 --records=fastq blank.fq =! blank.fq: what follows the header is empty, but each read begins with '@'
bigshuf --records=fastq crlf5.fq =! crlf5.fq: line 4: 5 qualities for 4 letters; to have four lines for each read, write seqtk seq -l0 FILE | bigshuf --records=fastq
bigshuf --records=tar in =! in: truncated, or no tar archive: its size, 6 bytes, is not a multiple of 512
bigshuf --records=u32le in =! in: record at byte 0 is cut short
bigshuf --expect-records=2 in =! in: the number of records is 3, not 2 as --expect-records says
bigshuf --expect-records=3 in in =! 2 input files: the number of records is 6, not 3 as --expect-records says
bigshuf --expect-records=2 <in =! standard input: the number of records is 3, not 2 as --expect-records says
bigshuf in >in2; bigshuf in2 >in2 =! in2: is also the output, so the shell has emptied it; write -o in2
bigshuf in in2 >in2 =! in2: is also the output, so the shell has emptied it; give the output another name
END
}

test_likely_mistakes_with_mates_and_their_fields_are_told_with_what_would_be_right() {
    mistakes <<'END'
sed 's/^@./@x/' r1.fq >r2.fq; bigshuf --each --records=fastq -o %s.new r1.fq r2.fq =! r2.fq: 2 of the first 2 reads have other names than in r1.fq, so they are no mates; sort both by name first, or write --records=lines:4
sed 's/^@s/@x/' r1.fq >r2.fq; bigshuf --each --records=fastq -o %s.new r1.fq r2.fq =? r2.fq: 1 of the first 2 reads have other names*
bigshuf --records=fastq r1.fq <(sed 's/1$/2/' r1.fq) =? *; if they are mates, write --each -o 'new/%s'
sed 's/1$/2 x/' r1.fq >r2.fq; bigshuf --each --records=fastq -o %s.new r1.fq r2.fq =?
bigshuf --records=fastq --unique=2 pairs.fq =! cannot combine --records=fastq and --unique of a field; a field is one of a line: make a line of each record, as paste - - - - < FILE does, or seqkit fx2tab
bigshuf --group-field=1 --records=fasta genes.fa =! cannot combine --group-field and --records=fasta; a field is one of a line: *
printf 'a\r\na\nb\r\n' | bigshuf --unique =? --unique: some lines end with a carriage return, others do not, and are taken for different ones; write tr -d '\r' < FILE | bigshuf --unique
END
}

test_likely_mistakes_with_fields_and_weights_are_told_with_what_would_be_right() {
    mistakes <<'END'
bigshuf --weight-field=2 in =! in:1: no field 2, only 1: '1'; -t sets the separator of fields, --csv makes it a comma
bigshuf --unique=2 empties =? --unique: 2 records have an empty field, and are taken for equal there
{ printf 'a\t\n'; seq -f $'a\t%099.0f' 99999; } | bigshuf -S 8M --group-field=2 >all =?
bigshuf --group-field=1 --group-field=2 empties =? --group-field: 2 records have an empty field, and are taken for equal there
bigshuf --stratify-field=2 --split=1:part -o /dev/null empties =? --stratify-field: 2 records have an empty field, *
bigshuf -t, in =! -t separates fields, and no option takes one; write --group-field=FIELD, --unique=FIELD or another
bigshuf --field=2 in =! unrecognized option '--field=2'; write --group-field=FIELD, --unique=FIELD or another; -t C is what separates fields
bigshuf --weight-field=2 -t, crlf.csv =! crlf.csv:1: invalid weight: 'price'; if this is a header, add --header
bigshuf --seed=2 --split-field=2 --split=9%:a crlf.csv =! crlf.csv:1: no field 2, only 1: 'id,price'; -t sets the separator of fields, --csv makes it a comma
bigshuf --csv --weight-field=2 table.csv =! table.csv:1: invalid weight: 'price'; if this is a header, add --header
bigshuf --csv --weight-field=3 table.csv =! table.csv:1: no field 3, only 2: 'id,price'; -t sets the separator of fields
bigshuf --csv --group-field=2 tabs.csv =! tabs.csv:1: no field 2, only 1: 'a\t1'; -t sets the separator of fields
bigshuf --csv --seed=2 --split-field=2 --split=9%:a semi.csv =! semi.csv:1: no field 2, only 1: 'a;1'; -t sets the separator of fields
bigshuf --csv --header --group-field=b semi.csv =! semi.csv: no column 'b': the header has 'a;1'; -t sets the separator of fields
bigshuf --csv -t '|' --group-field=2 semi.csv =! semi.csv:1: no field 2, only 1: 'a;1'; -t sets the separator of fields
bigshuf --csv --group-field=3 both.csv =! both.csv:1: no field 3, only 2: 'a;1,2'; -t sets the separator of fields
bigshuf --seed=2 --split-field=1 -t, --split=9%:a -o out torn.csv =? a: is empty, since no value of --split-field came there by chance
bigshuf --seed=2 --split-field=1 -t, --split=99%:a torn.csv =? standard output: is empty, since no value of --split-field came there by chance
bigshuf --weights=price --csv --header table.csv =! price: No such file or directory; write --weight-field=FIELD for a field of each record
bigshuf --weights=few in =! few: too few weights: there are more than 1 records
bigshuf --csv --group-field=3 table.csv =! table.csv:1: no field 3, only 2: 'id,price'; -t sets the separator of fields
bigshuf --group-field=1 table.csv =? --group-field: no line contains the separator, so each whole line is the field; -t sets the separator of fields, --csv makes it a comma
bigshuf --seed=2 --csv --split-field=3 --split=10%:a -o out table.csv =! table.csv:1: no field 3, only 2: 'id,price'; -t sets the separator of fields
bigshuf --stratify-field=3 --split=10%:a -o out tabs.csv =! tabs.csv:1: no field 3, only 2: 'a\t1'; -t sets the separator of fields, --csv makes it a comma
yes line 2>/dev/null | timeout 200 bigshuf --split-field=2 --split=10%:a =! -:1: no field 2, only 1: 'line'; -t sets the separator of fields, --csv makes it a comma
bigshuf --split-field=2 --split=9%:a lines.jsonl =! lines.jsonl:1: no field 2, only 1: '{"w": 1}'; in lines of JSON, a field is a JSON Pointer, such as /user/id
bigshuf --weight-field=1 lines.jsonl =! lines.jsonl:1: invalid weight: '{"w": 1}'; in lines of JSON, a field is a JSON Pointer, such as /user/id
bigshuf --header --weight-field=w lines.jsonl =! lines.jsonl: no column 'w': the header has '{"w": 1}'; in lines of JSON, a field is a JSON Pointer, such as /user/id
bigshuf --group-field=1 lines.jsonl =? --group-field: no line contains the separator, so each whole line is the field; in lines of JSON, a field is a JSON Pointer, such as /user/id
bigshuf --split-field=1 --split=100%:a table.csv =? --split-field: no line contains the separator, so each whole line is the field; -t sets the separator of fields, --csv makes it a comma
bigshuf --weight-field=1 zeros =? records of weight 0 are never drawn: 2
bigshuf --weights=zeros -o out zeros =? records of weight 0 are never drawn: 2
END
}

test_likely_mistakes_with_headers_are_told_with_what_would_be_right() {
    mistakes <<'END'
bigshuf --header table.csv other.csv =! other.csv: header differs from that of table.csv in line 1, at byte 4; --headers-differ keeps the first, and drops this line of other.csv: 'id,cost'
bigshuf --header=2 table.csv other2.csv =! other2.csv: header differs from that of table.csv in line 2, at byte 10; --headers-differ keeps the first, and drops 2 lines of other2.csv: '9,2'
bigshuf --header crlf.csv table.csv =! table.csv: header differs from that of crlf.csv in line 1, at byte 9, by a carriage return; --headers-differ keeps the first, and drops this line of table.csv: 'id,price'
bigshuf --header table.csv <(printf '\357\273\277id,price\n') =! /dev/fd/*: header differs from that of table.csv in line 1, at byte 1, by a byte-order mark; *
bigshuf --csv --header table.csv rows.csv =! rows.csv: header differs from that of table.csv in line 1, at byte 1; --headers-differ keeps the first, and drops this line of rows.csv: '5,e'
bigshuf --header=10 in =! in: shorter than a header of 10 lines
bigshuf --header one =? the input is only a header of 1 line
END
}

test_likely_mistakes_with_stores_are_told_with_what_would_be_right() {
    mistakes <<'END'
bigshuf --gather=store in =! extra operand 'in'; a store that is read takes no files
bigshuf --gather=store --piles=9-9 =! invalid --piles argument '9-9': must be a power of two from 2 to 4096; to read some write --only-piles=J-K
bigshuf --gather=store --list =! option '--list' requires an argument; write --list=DIR
bigshuf --scatter=store --newest=3 in =! unrecognized option '--newest=3'; write --keep-newest=N with --scatter
bigshuf --gather=store --part=1/9 --seed=1 =! store: --part must not have more parts than the 4 piles
bigshuf --gather=store --expect-records=5 =! store: the number of records is 3, not 5 as --expect-records says
bigshuf --gather=store --only-piles=9-9 =! store: there is no pile 9; the last one is 3
bigshuf --scatter=full in =! full: not a store of piles, and not empty, since it holds 'x'; name a new folder
bigshuf --scatter=in in =! in: Not a directory
bigshuf --scatter=store --piles=3 in =! invalid --piles argument '3': must be a power of two from 2 to 4096; to read some write --only-piles=J-K
bigshuf --scatter=store --piles=8 in =! store/format: the store has 4 piles, not 8 piles
bigshuf --scatter=store --batch=a other =! store/a: a batch of this name is there already, made with another seed; remove that file to replace it, or give another --batch
for i in 1 2; do bigshuf --scatter=two in; done =? two: the batch 20*Z-* has the same inputs already, so each record is in the store twice; to undo that, remove two/20*
touch -t 203001010000 in; bigshuf --scatter=two in =?
bigshuf --scatter=store --batch=a/b in =! invalid --batch argument 'a/b': must be 1 to 200 of A-Z a-z 0-9 . _ -, the first no dot, and not 'format' or 'header'
bigshuf --scatter=store --batch=b </dev/null =! store: nothing is added, since no input is named, and standard input is /dev/null; name the input, or /dev/null for an empty batch
bigshuf --scatter=store --batch=b9 --keep-newest=1 in =?
bigshuf --scatter=store --batch=b10 --keep-newest=1 in =? store: the batch b10 is kept, but not the last by name; name batches so that they sort, as day08 and day12
bigshuf --scatter=store -o out in =! cannot combine --scatter and -o; all records go to the store, and --gather writes them
bigshuf --gather=store --batch=a =! --batch needs --scatter; --gather takes all batches
bigshuf --epoch=1 in =! --epoch needs --gather; without a store, give each epoch a --seed of its own
bigshuf --scatter=store store =! store: Is a directory; a store is read with --gather=DIR
END
}

# Nobody misses what has no weight.
test_a_sample_that_is_full_has_no_warning_of_weights_of_zero() {
    printf '0\n1\n0\n2\n' >in
    for options in '-n 2' '-n 1 --keep-order' '-r -n 9' '-n 0'; do
        fails_with 0 '' bigshuf --weight-field=1 $options in >out
    done
}
