/* The words are those of tools that people know: shuf, sort, split and sed, terashuf, csvkit, Python's random, pandas
 * and scikit-learn, schedulers of clusters. */

#include "command/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arithmetic.h"
#include "record/record.h"

/* Names, with blanks between them, and what to write instead of each. */
struct word {
    const char *names, *advice;
};

static const struct word words[] = {
    {"in-place inplace i I", "write -o FILE FILE"},
    {"append", "write bigshuf FILE >> OTHER, or --scatter=DIR to add to a store"},
    {"store pile-store", "write --scatter=DIR to add to a store, --gather=DIR to read it"},
    {"threads jobs cores cpus workers processes num-threads num-workers num-proc nproc n-jobs j P @",
     "write --parallel=N"},
    {"replace replacement with-replacement bootstrap resample decimate", "write -r -n COUNT"},
    {"distinct dedup deduplicate drop-duplicates duplicates uniq unique-field no-duplicates check-chars skip-fields "
     "extdedup u w",
     "write --unique, or --unique=FIELD"},
    {"keep keep-first keep-last unique-last first-of-each",
     "write --unique=FIELD, which keeps the first, with tac FILE | before it the last; --keep-newest=N is of stores"},
    {"repeated all-repeated dupes dupes-output duplicates-only D",
     "write sort FILE | uniq -d; bigshuf does not look for them"},
    {"ignore-case case-insensitive", "write tr A-Z a-z < FILE | bigshuf; bytes are compared as they are"},
    {"without-replacement no-replacement no-replace no-repeat no-repeats", "leave it out; lines repeat only with -r"},
    {"undo unshuffle restore invert",
     "write bigshuf --seed=STRING -i 1-N | paste - SHUFFLED | sort -n | cut -f 2-, with N lines and the same STRING"},
    {"verify validate checksum", "write cmp <(sort FILE) <(sort OTHER); --expect-records=N checks their number"},
    {"assert-lines assert-records assert-count expect-lines expect-rows expect-count", "write --expect-records=N"},
    {"quiet silent q no-warnings no-progress", "write --progress=never; only warnings and errors are left"},
    {"overwrite force yes clobber y mode overwrite-or-ignore", "leave it out; -o replaces FILE"},
    {"count lines num number sample size sample-size limit max-count take first samples num-samples num-lines "
     "reservoir pick choose draw sample-n using-sample n "
     "max-lines max-records max-rows num-records nrows rows c l",
     "write -n COUNT, or --shards=records:N for files of N lines"},
    {"tail last", "write tail -n COUNT FILE | bigshuf"},
    {"memory mem low-memory ram max-memory memory-limit mem-limit max-mem block-size m M",
     "write -S SIZE, such as -S 4G"},
    {"tmpdir tmp tmp-dir tempdir temp temp-dir tmp-directory scratch-dir work-dir workdir", "write -T DIR"},
    {"random-seed random-state rand-seed rng rng-seed salt entropy deterministic reproducible repeatable s",
     "write --seed=STRING"},
    {"print-seed show-seed get-seed", "write -v, which prints the seed at the end"},
    {"no-seed", "leave it out; without --seed each run has another order"},
    {"drop-last cache prefetch on-bad-lines ignore-errors retries strict",
     "leave it out; a run writes all records, or fails"},
    {"glob union union-all all hive", "write bigshuf DIR/*; several FILEs are read as one"},
    {"exact approx", "write --split=P%:FILE -o /dev/null for exactly P%, --probability=P for about as many"},
    {"random shuf shuffle randomize randomise random-sort permutation shuffle-buffer R",
     "leave it out; the order is always random"},
    {"external streaming stream large mmap", "leave it out; files larger than memory need no option"},
    {"sort sorted reverse numeric-sort stable merge check order-by version-sort general-numeric-sort",
     "write sort FILE; bigshuf does not sort"},
    {"key k", "write --unique=FIELD or --group-field=FIELD; bigshuf does not sort"},
    {"grep exclude where query match filter-rows select", "write grep PATTERN FILE | bigshuf"},
    {"skip-header skip-lines skip-rows skiprows K has-header csv-header headers keep-header header-lines header-rows "
     "with-header names H",
     "write --header, or --header=N for N lines"},
    {"drop-header strip-header remove-header skip-first", "write tail -n +2 FILE | bigshuf"},
    {"no-header noheader no-headers no-header-row implicit-csv-header headerless",
     "leave it out; no line is a header unless --header is given"},
    {"header-start comment comment-char",
     "write --header=start:STRING, and --header=N as well for N lines after those, such as names of columns"},
    {"header-bytes skip-bytes", "write --header=bytes:N"},
    {"fraction frac ratio percent percentage proportion prob rate sample-rate p",
     "write --probability=P for a sample, --split=P%:FILE for a part"},
    {"train-test-split test-size train-size validation valid test train holdout train-ratio test-ratio val-size dev "
     "val test-split validation-split val-split",
     "write --split=20%:test -o train"},
    {"folds kfold k-fold num-folds n-folds n-splits num-splits cross-validation cv",
     "write --shards=K -o fold.%d for K folds"},
    {"chunks n-shards num-shards files n-files num-files n-chunks partitions outputs N",
     "write --shards=K -o part-%05d"},
    {"batches num-batches n-batches", "write --shards=records:N -o part-%05d; --batch=NAME names one of a store"},
    {"shard-records lines-per-file records-per-file records-per-shard lines-per-shard chunk-size shard-size batch-size "
     "chunksize row-group-size elide-empty-files",
     "write --shards=records:N -o part-%05d"},
    {"shard-bytes bytes file-size-bytes file-size max-size bytes-per-file line-bytes b C",
     "write --shards=bytes:SIZE -o part-%05d, or --records=bytes:N for records of N bytes"},
    {"hex-suffixes per-thread-output", "write --shards=K -o part-%05d; the numbers are decimal"},
    {"output-dir outdir out-dir output-folder", "write --shards=K -o DIR/part-%05d"},
    {"prefix output-prefix suffix additional-suffix numeric-suffixes suffix-length x a",
     "write --shards=K -o PREFIX%05dSUFFIX"},
    {"outfile out-file output-file dest destination O", "write -o FILE"},
    {"stdout", "leave it out; standard output is the default"},
    {"file infile input-file in-file from stdin", "write bigshuf FILE, or - for standard input"},
    {"concat concatenate cat", "write bigshuf FILE OTHER; several are read as one"},
    {"mix mixture mixing", "name a FILE twice for two copies of it, <(bigshuf -n COUNT FILE) for a part of it"},
    {"recursive r-recursive", "write find DIR -type f -print0 | sort -z | bigshuf --files0-from=-"},
    {"range seq numbers", "write -i LO-HI"},
    {"start offset resume checkpoint", "write --skip=K --seed=STRING"},
    {"rank world-size worker task-id num-parts", "write --part=R/W --seed=STRING"},
    {"epochs num-epochs n-epochs", "write --epoch=E with --gather, once for each; see bigshuf-store(7)"},
    {"parallel-files lockstep aligned align together in1 in2 in in-1 in-2 r1 r2 read1 read2 zip-files two-pass",
     "write --each -o 'new/%s' FILE..."},
    {"field", "write --group-field=FIELD, --unique=FIELD or another; -t C is what separates fields"},
    {"separator sep fs field-delimiter column-delimiter column-separator delimiters delim ifs ofs output-delimiter tab "
     "d F",
     "write -t C for fields, --delimiter=STRING for ends of lines"},
    {"quote quotechar quote-char quoting", "write --csv, which reads fields in double quotes"},
    {"escape escapechar escape-char backslash doublequote no-doublequote", "write --csv, or --csv=backslash"},
    {"groupby group-by groups keep-together by column col columns subset usecols fields f g",
     "write --group-field=FIELD, --unique=FIELD or --split-field=FIELD"},
    {"partition-by partition by-key split-by split-on split-column",
     "write --split-field=FIELD --split=P%:FILE for files of whole groups"},
    {"stratified stratify-by stratify-on strata label label-field class class-field",
     "write --stratify-field=FIELD --split=P%:FILE"},
    {"per-group per-class per-label per-stratum per-category n-per-class balanced balance class-balance equal "
     "downsample undersample",
     "write --stratify-field=FIELD --split=N:FILE -o /dev/null for N lines of each class"},
    {"oversample upsample", "write -r -n COUNT, and --weight-field=FIELD for what is to come more often"},
    {"weighted weight-column prob-field probabilities", "write --weight-field=N, or --weights=FILE"},
    {"replay prioritized per server serve interactive", "write --requests; see bigshuf-requests(7)"},
    {"level compression-level compress-level compress-program best fast 1 2 3 4 5 6 7 8 9",
     "write --filter='gzip -9 > $FILE' for another level; zstd also obeys ZSTD_CLEVEL"},
    {"long window memlimit ultra", "leave it out; -Z reads such files"},
    {"newest", "write --keep-newest=N with --scatter"},
    {"delete remove remove-batch delete-batch rm",
     "remove the file DIR/NAME; --keep-newest=N with --scatter removes all but the newest"},
    {"in-order keep-sorted preserve-order preserve-insertion-order", "write -n COUNT --keep-order"},
    {"usage help-all", "write -h"},
    {"number line-numbers linenumbers with-index index ignore-index", "write nl FILE | bigshuf"},
    {"complement drop drop-columns output-fields", "write cut FILE | bigshuf; records are written whole"},
    {"unbuffered line-buffered", "write --probability=P for a sample that is written while it is read"},
    {"dry-run dryrun simulate", "write -v -o /dev/null"},
    {"compress-temporary", "write --tune=compress-temporary=auto|always|never"},
    {"bar progress-bar show-progress tqdm nr-progress-mod", "write --progress=always"},
    {"debug log stats statistics memcheck explain", "write -v"},
};

/* Names of formats, as options and as kinds of records. */
static const struct word formats[] = {
    {"record-size fixed fixed-size binary struct", "write --records=bytes:N"},
    {"record-lines lines-per-record", "write --records=lines:N"},
    {"paired paired-end pairs pair mates mate interleaved interleave",
     "write --records=lines:8 for one interleaved FILE, --each for two"},
    {"record-start", "write --records=start:STRING"},
    {"record-length length-prefix length-prefixed u32 u64 uint32 uint64 int32 int64",
     "write --records=u32le, or another KIND"},
    {"protobuf proto delimited", "write --records=varint for messages with their lengths"},
    {"recordio tfrecords tf", "write --records=tfrecord"},
    {"webdataset wds", "write --records=tar"},
    {"format type input-format file-format", "write --records=KIND"},
    {"fq", "write --records=fastq"},
    {"fa fna faa", "write --records=fasta"},
    {"vcf gff gff3 gtf", "write --header=start:'#'; its records are lines"},
    {"sam", "write --header=start:@; its records are lines"},
    {"bam cram", "write samtools view FILE | bigshuf"},
    {"bed txt text line jsonl ndjson jsonlines libsvm", "leave it out; lines are the default"},
    {"parquet avro arrow feather orc hdf5 npy", "convert it to lines first, such as with DuckDB"},
    {"xml html yaml yml sql xlsx excel", "convert it to lines first"},
    {"crlf dos eol line-ending newline delimiter", "write --delimiter=STRING, such as '\\r\\n'"},
    {"json slurp slurpfile raw-output arg json-lines",
     "write jq -c '.[]' FILE | bigshuf; lines of JSON need no option"},
    {"tsv tabs itsv", "leave it out; TABs separate fields unless -t is given"},
    {"paragraphs conll conllu ldif srt deb822", "write --records=paragraph"},
    {"genbank embl stockholm", "write --records=end://"},
    {"sdf", "write --records=end:'$$$$'"},
    {"document documents doc docs sentence sentences", "write --delimiter=STRING for what ends each"},
    {"mail mailbox", "write --records=mbox"},
    {"null nul print0 null-data null-terminated 0", "write -z"},
    {"gzip gunzip gz bgzf bgzip zstd zst decompress uncompress compression bzip2 bz2 xz lz4",
     "write -Z, and -o FILE.gz to compress"},
    {"zip unzip", "write unzip -p FILE | bigshuf"},
    {"ojson otsv oxtab opprint pprint xtab nidx compact-output orient dtype trim lazy-quotes "
     "snifflimit sniff-limit",
     "leave it out; records are written byte for byte"},
    {"icsv ocsv csvlite c2p c2j c2t", "write --csv"},
    {"encoding charset utf16 utf-16",
     "write iconv -f UTF-16 -t UTF-8 FILE | bigshuf for UTF-16; others need no option"},
};

#define ROWS(table) (sizeof(table) / sizeof(table)[0])

enum { NAME_BYTES = 32, FAR = 3 /* edits: the words are not alike */ };

/* How many letters must be inserted, removed, changed, or swapped with their neighbours to make one name of the other
 * (the optimal string alignment distance); FAR if one is too long. */
static unsigned count_edits(const char *one, const char *other, size_t others)
{
    unsigned edits[NAME_BYTES + 1][NAME_BYTES + 1];
    const size_t ones = strlen(one);

    if (ones > NAME_BYTES || others > NAME_BYTES)
        return FAR;
    for (size_t i = 0; i <= ones; i++)
        for (size_t j = 0; j <= others; j++) {
            uint64_t best = i + j;

            if (i > 0 && j > 0)
                best = least(least(edits[i - 1][j], edits[i][j - 1]) + 1,
                             edits[i - 1][j - 1] + (one[i - 1] != other[j - 1]));
            if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
                best = least(best, edits[i - 2][j - 2] + 1);
            edits[i][j] = (unsigned)best;
        }
    return edits[ones][others];
}

struct nearest {
    char name[NAME_BYTES + 2]; /* the user's word in small letters, with dashes for underscores */
    size_t bytes;              /* of it */
    unsigned edits;            /* a match must need fewer */
    char *text;                /* the advice of the best match so far */
};

/* The name ends at a colon or an equals sign. A single letter keeps its case. */
static void begin_nearest(struct nearest *nearest, const char *name, char text[SUGGEST_BYTES])
{
    nearest->bytes = least_size(strcspn(name, "=:"), NAME_BYTES + 1);
    for (size_t i = 0; i < nearest->bytes; i++)
        nearest->name[i] = (char)(name[i] == '_'       ? '-'
                                  : nearest->bytes > 1 ? tolower((unsigned char)name[i])
                                                       : name[i]);
    nearest->name[nearest->bytes] = '\0';
    nearest->edits = FAR;
    nearest->text = text;
    text[0] = '\0';
}

/* Is another name nearer than those so far? One edit is too many for a name of fewer letters than `one`, two for one of
 * fewer than `two`. */
static bool is_nearer(struct nearest *nearest, const char *other, size_t bytes, size_t one, size_t two)
{
    const unsigned edits = count_edits(nearest->name, other, bytes);

    if (edits >= nearest->edits || (edits > 0 && nearest->bytes < one) || (edits > 1 && nearest->bytes < two))
        return false;
    nearest->edits = edits;
    return true;
}

/* Two edits are never near enough to a word: there are many, and wrong advice misleads. */
static void look_at_words(struct nearest *nearest, const struct word *word, size_t count)
{
    for (; count > 0; count--, word++)
        for (const char *name = word->names; *name != '\0'; name += strcspn(name, " "), name += *name == ' ')
            if (is_nearer(nearest, name, strcspn(name, " "), 6, SIZE_MAX))
                snprintf(nearest->text, SUGGEST_BYTES, "; %s", word->advice);
}

static void look_at_kinds(struct nearest *nearest)
{
    for (const struct record_kind *const *kind = record_kinds; *kind != NULL; kind++) {
        const char *argument = (*kind)->argument;

        if (is_nearer(nearest, (*kind)->name, strlen((*kind)->name), 4, 6))
            snprintf(nearest->text, SUGGEST_BYTES, "; write --records=%s%s%s", (*kind)->name,
                     argument != NULL ? ":" : "", argument != NULL ? argument : "");
    }
}

/* At the same distance, options go before words. A short name is near to too many. */
const char *suggest_option(const struct option *options, const char *name, char text[SUGGEST_BYTES])
{
    struct nearest nearest;

    begin_nearest(&nearest, name, text);
    for (; options->name != NULL; options++)
        if (is_nearer(&nearest, options->name, strlen(options->name), 3, 6))
            snprintf(text, SUGGEST_BYTES, "; did you mean --%s?", options->name);
    look_at_words(&nearest, words, ROWS(words));
    look_at_words(&nearest, formats, ROWS(formats));
    look_at_kinds(&nearest);
    return text;
}

/* With an argument, kinds go before words: line:4 is meant as lines:4. */
const char *suggest_kind(const char *name, char text[SUGGEST_BYTES])
{
    const bool has_argument = strchr(name, ':') != NULL;
    struct nearest nearest;

    begin_nearest(&nearest, name, text);
    if (has_argument)
        look_at_kinds(&nearest);
    if (text[0] == '\0')
        look_at_words(&nearest, formats, ROWS(formats));
    if (!has_argument)
        look_at_kinds(&nearest);
    return text;
}
