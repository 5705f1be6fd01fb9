/* Other tools are those that people come from: shuf, sort, split and sed, terashuf, csvkit, Python's random, pandas and
 * scikit-learn, the schedulers of clusters. */

#include "command/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/arithmetic.h"
#include "record/record.h"

/* Names, with blanks between them, and what to write instead of each. */
static const struct {
    const char *names, *advice;
} words[] = {
    {"in-place inplace overwrite i", "write -o FILE FILE"},
    {"append", "write bigshuf FILE >> OTHER"},
    {"threads jobs cores cpus workers processes num-threads num-workers nproc j P", "write --parallel=N"},
    {"replace replacement with-replacement bootstrap resample duplicates", "write -r -n COUNT"},
    {"unique uniq distinct dedup deduplicate u", "write sort -u FILE | bigshuf"},
    {"without-replacement no-replacement no-repeat no-repeats", "leave it out; lines repeat only with -r"},
    {"quiet silent q", "write --progress=never; only warnings and errors are left"},
    {"force yes clobber f", "leave it out; -o replaces FILE"},
    {"count lines num number sample size sample-size limit max-count take head samples num-samples num-lines max-lines "
     "nrows rows c l",
     "write -n COUNT, or --shards=records:N for files of N lines"},
    {"memory mem ram max-memory memory-limit mem-limit max-mem m M", "write -S SIZE, such as -S 4G"},
    {"tmpdir tmp tmp-dir tempdir temp temp-dir tmp-directory scratch-dir work-dir workdir", "write -T DIR"},
    {"random-seed random-state rand-seed rng rng-seed deterministic s", "write --seed=STRING"},
    {"random shuffle randomize randomise random-sort permutation shuffle-buffer R",
     "leave it out; the order is always random"},
    {"sort key reverse numeric-sort stable k", "write sort FILE; bigshuf does not sort"},
    {"grep exclude where query match", "write grep PATTERN FILE | bigshuf"},
    {"skip-header skip-lines skip-rows has-header headers keep-header header-lines header-rows with-header H",
     "write --header, or --header=N for N lines"},
    {"no-header noheader", "leave it out; no line is a header unless --header is given"},
    {"header-start comment comment-char", "write --header=start:STRING"},
    {"header-bytes skip-bytes", "write --header=bytes:N"},
    {"fraction frac ratio percent percentage proportion prob rate sample-rate p",
     "write --probability=P for a sample, --split=P%:FILE for a part"},
    {"train-test-split test-size train-size validation valid test train holdout train-ratio test-ratio val-size dev "
     "val test-split validation-split val-split",
     "write --split=20%:test -o train"},
    {"folds kfold k-fold cross-validation", "write --split=20%:FILE once for each fold"},
    {"chunks n-shards num-shards files n-files num-files n-chunks partitions outputs N",
     "write --shards=K -o part-%05d"},
    {"shard-records lines-per-file records-per-file records-per-shard lines-per-shard chunk-size shard-size",
     "write --shards=records:N -o part-%05d"},
    {"shard-bytes bytes file-size max-size bytes-per-file line-bytes b", "write --shards=bytes:SIZE -o part-%05d"},
    {"output-dir outdir out-dir output-folder", "write --shards=K -o DIR/part-%05d"},
    {"prefix output-prefix suffix additional-suffix numeric-suffixes suffix-length",
     "write --shards=K -o PREFIX%05dSUFFIX"},
    {"outfile out-file output-file dest destination O", "write -o FILE"},
    {"stdout", "leave it out; standard output is the default"},
    {"file infile input-file in-file from stdin", "write bigshuf FILE, or - for standard input"},
    {"recursive", "write find DIR -type f -print0 | bigshuf --files0-from=-"},
    {"range seq", "write -i LO-HI"},
    {"start offset resume checkpoint", "write --skip=K --seed=STRING"},
    {"rank world-size worker task-id num-parts", "write --part=R/W --seed=STRING"},
    {"record-size", "write --records=bytes:N"},
    {"record-lines lines-per-record", "write --records=lines:N"},
    {"record-start", "write --records=start:STRING"},
    {"record-length length-prefix", "write --records=u32le, or another KIND"},
    {"webdataset", "write --records=tar"},
    {"format type input-format file-format", "write --records=KIND"},
    {"fq", "write --records=fastq"},
    {"fa", "write --records=fasta"},
    {"vcf sam", "write --header=start:STRING, such as '#' or '@'"},
    {"paired paired-end interleaved", "shuffle each FILE with the same --seed"},
    {"parquet avro arrow feather", "convert it to lines first, such as with DuckDB"},
    {"crlf dos eol line-ending newline", "write --delimiter=STRING, such as '\\r\\n'"},
    {"jsonl ndjson txt text line", "leave it out; lines are the default"},
    {"json", "write jq -c '.[]' FILE | bigshuf; lines of JSON need no option"},
    {"tsv", "leave it out; TABs separate fields unless -t is given"},
    {"paragraphs paragraph", "write --delimiter='\\n\\n'"},
    {"null nul print0 null-data null-terminated 0", "write -z"},
    {"separator sep fs field-delimiter column-delimiter column-separator delimiters d F",
     "write -t C for fields, --delimiter=STRING for ends of lines"},
    {"groupby group-by keep-together by column col columns", "write --group-field=FIELD, or --split-field=FIELD"},
    {"stratified stratify-by label label-field class class-field", "write --stratify-field=FIELD --split=P%:FILE"},
    {"weighted weight-column prob-field probabilities", "write --weight-field=N, or --weights=FILE"},
    {"replay prioritized per server serve interactive", "write --requests; see bigshuf-requests(7)"},
    {"gzip gunzip zstd decompress uncompress bzip2 xz lz4 unzip", "write -Z"},
    {"keep keep-newest delete remove", "write --newest=N with --scatter"},
    {"in-order keep-sorted preserve-order", "write -n COUNT --keep-order"},
    {"usage", "write -h"},
    {"no-progress", "write --progress=never"},
    {"compress-temporary", "write --tune=compress-temporary=auto|always|never"},
    {"bar progress-bar show-progress", "write --progress=always"},
    {"debug log stats statistics", "write -v"},
};

enum { WORDS = sizeof words / sizeof words[0], NAME_BYTES = 32, EDITS = 2, EDITED_BYTES = 4 };

/* How many letters are to be put in, left out, changed, or swapped with their neighbours to make one name of the other
 * (the optimal string alignment distance); more than EDITS if one is too long. */
static unsigned count_edits(const char *one, const char *other, size_t others)
{
    unsigned edits[NAME_BYTES + 1][NAME_BYTES + 1];
    const size_t ones = strlen(one);

    if (ones > NAME_BYTES || others > NAME_BYTES)
        return EDITS + 1;
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
    const char *name; /* that was written, in small letters, with dashes for underscores */
    unsigned edits;   /* fewer than these are wanted */
    char *text;       /* the advice that goes with the fewest so far */
};

/* Is another name nearer than those so far? */
static bool is_nearer(struct nearest *nearest, const char *other, size_t bytes)
{
    const unsigned edits = count_edits(nearest->name, other, bytes);

    if (edits >= nearest->edits)
        return false;
    nearest->edits = edits;
    return true;
}

static void look_at_words(struct nearest *nearest)
{
    for (size_t i = 0; i < WORDS; i++)
        for (const char *name = words[i].names; *name != '\0'; name += strcspn(name, " "), name += *name == ' ')
            if (is_nearer(nearest, name, strcspn(name, " ")))
                snprintf(nearest->text, SUGGEST_BYTES, "; %s", words[i].advice);
}

static void look_at_kinds(struct nearest *nearest)
{
    for (const struct record_kind *const *kind = record_kinds; *kind != NULL; kind++)
        if ((*kind)->argument == NULL && is_nearer(nearest, (*kind)->name, strlen((*kind)->name)))
            snprintf(nearest->text, SUGGEST_BYTES, "; write --records=%s", (*kind)->name);
}

/* Options go before words that are as near. A short name is near to too many. */
const char *suggest_option(const struct option *options, const char *name, char text[SUGGEST_BYTES])
{
    const size_t bytes = least_size(strcspn(name, "="), NAME_BYTES + 1);
    char small[NAME_BYTES + 2];
    struct nearest nearest = {.name = small, .text = text};

    for (size_t i = 0; i < bytes; i++)
        small[i] = (char)(name[i] == '_' ? '-' : bytes > 1 ? tolower((unsigned char)name[i]) : name[i]);
    small[bytes] = '\0';
    text[0] = '\0';
    nearest.edits = bytes < EDITED_BYTES ? 1 : bytes == EDITED_BYTES ? EDITS : EDITS + 1;
    for (; options->name != NULL; options++)
        if (is_nearer(&nearest, options->name, strlen(options->name)))
            snprintf(text, SUGGEST_BYTES, "; did you mean --%s?", options->name);
    look_at_words(&nearest);
    look_at_kinds(&nearest);
    return text;
}
