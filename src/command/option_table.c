/*
 * A new option is a row here, with a code of `enum option_code` if it has no letter; a setter above the rows unless one
 * of those that serve several options will do; a field in options.h, with its default in options.c if that is not zero;
 * and what it does not go together with, in combination.c.
 */

#include "command/option_table.h"

#include <errno.h>
#include <string.h>

#include "base/decimal.h"
#include "command/argument.h"
#include "output/split.h"
#include "record/length.h"
#include "record/record.h"
#include "store/store.h"

/* ---- Setters that serve several options ---- */

static void *field(const struct parsing *parsing)
{
    return (char *)parsing->options + parsing->row->field;
}

static int set_flag(struct parsing *parsing, const char *argument)
{
    bool *flag = field(parsing);

    (void)argument;
    *flag = true;
    return 0;
}

static int set_text(struct parsing *parsing, const char *text)
{
    const char **value = field(parsing);

    *value = text;
    return 0;
}

static int set_number(struct parsing *parsing, const char *number)
{
    return argument_number(parsing->fault, parsing->spelling, number, 0, field(parsing));
}

static int set_positive(struct parsing *parsing, const char *number)
{
    return argument_number(parsing->fault, parsing->spelling, number, 1, field(parsing));
}

static int set_field(struct parsing *parsing, const char *number)
{
    return argument_field(parsing->fault, number, field(parsing));
}

static int set_print(struct parsing *parsing, const char *argument)
{
    (void)argument;
    parsing->print = parsing->row->code;
    return 0;
}

/* ---- What is shuffled, and how ---- */

static int set_range(struct parsing *parsing, const char *range)
{
    struct options *options = parsing->options;
    uint64_t last;

    if (options->range)
        return fault_say(parsing->fault, "multiple -i options specified");
    if (argument_range(parsing->fault, range, &options->range_first, &last) != 0)
        return -1;
    options->range = true;
    options->range_count = last - options->range_first + 1; /* 2^64 is 0 */
    options->range_full = options->range_first == 0 && last == UINT64_MAX;
    return 0;
}

static int set_count(struct parsing *parsing, const char *number)
{
    uint64_t count;

    if (argument_count(parsing->fault, number, &count) != 0)
        return -1;
    if (count < parsing->options->count)
        parsing->options->count = count;
    return 0;
}

/* What may be given again only if it is the same; `all` says what there are several of otherwise. */
static int set_once(struct parsing *parsing, const char **value, const char *text, const char *all)
{
    if (*value != NULL && strcmp(*value, text) != 0)
        return fault_say(parsing->fault, "multiple %s specified", all);
    *value = text;
    return 0;
}

static int set_random_source(struct parsing *parsing, const char *name)
{
    return set_once(parsing, &parsing->options->random_source, name, "random sources");
}

static int set_probability(struct parsing *parsing, const char *probability)
{
    uint64_t threshold;
    bool all;

    if (decimal_threshold(probability, &threshold, &all) != 0)
        return fault_say(parsing->fault, "invalid probability: '%s': it is a number from 0 to 1, such as 0.01",
                         probability);
    parsing->options->probability = probability;
    return 0;
}

static int set_part(struct parsing *parsing, const char *part)
{
    return argument_part(parsing->fault, parsing->spelling, part, &parsing->options->part, &parsing->options->parts);
}

static int set_field_separator(struct parsing *parsing, const char *tab)
{
    uint8_t separator;

    if (argument_separator(parsing->fault, tab, &separator) != 0)
        return -1;
    if (parsing->options->separator_given && separator != parsing->options->field_separator)
        return fault_say(parsing->fault, "incompatible tabs");
    parsing->options->separator_given = true;
    parsing->options->field_separator = separator;
    return 0;
}

/* ---- Records ---- */

static int set_zero_terminated(struct parsing *parsing, const char *argument)
{
    (void)argument;
    parsing->options->format.delimiter = '\0';
    return 0;
}

static int set_delimiter(struct parsing *parsing, const char *text)
{
    struct record_format *format = &parsing->options->format;
    uint8_t *string = parsing->options->string;
    size_t bytes;

    if (argument_delimiter(parsing->fault, parsing->spelling, text, string, &bytes) != 0)
        return -1;
    format->kind = bytes == 1 ? RECORD_BYTE : RECORD_STRING;
    format->delimiter = string[0];
    format->string = string;
    format->string_bytes = bytes;
    parsing->given[OPTION_DELIMITER_NOT_NUL] = bytes > 1 || string[0] != '\0';
    parsing->given[OPTION_DELIMITER_DIGIT] = bytes == 1 && string[0] >= '0' && string[0] <= '9';
    parsing->given[OPTION_DELIMITER_LONG] = bytes > 1;
    return 0;
}

static int set_record_lines(struct parsing *parsing, const char *number)
{
    parsing->options->format.kind = RECORD_LINES;
    return argument_number(parsing->fault, parsing->spelling, number, 1, &parsing->options->format.count);
}

static int set_record_size(struct parsing *parsing, const char *bytes)
{
    parsing->options->format.kind = RECORD_SIZE;
    return argument_bytes(parsing->fault, parsing->spelling, bytes, &parsing->options->format.count);
}

static int set_record_length(struct parsing *parsing, const char *coding)
{
    int which;

    if (argument_word(parsing->fault, parsing->spelling, coding, length_names, LENGTH_CODINGS,
                      "tfrecord, u32le, u32be, u64le, u64be or varint", &which) != 0)
        return -1;
    parsing->options->format.kind = RECORD_LENGTH;
    parsing->options->format.coding = (enum length_coding)which;
    return 0;
}

/* The newline before what records start with belongs to the delimiter. */
static int set_record_start(struct parsing *parsing, const char *text)
{
    struct record_format *format = &parsing->options->format;
    uint8_t *string = parsing->options->string;
    size_t bytes;

    if (argument_start(parsing->fault, parsing->spelling, text, &bytes) != 0)
        return -1;
    string[0] = '\n';
    memcpy(string + 1, text, bytes);
    format->kind = RECORD_STRING;
    format->starts = true;
    format->string = string;
    format->string_bytes = bytes + 1;
    return 0;
}

static int set_csv(struct parsing *parsing, const char *argument)
{
    (void)argument;
    parsing->options->format.kind = RECORD_CSV;
    return 0;
}

static int set_tar(struct parsing *parsing, const char *argument)
{
    (void)argument;
    parsing->options->format.kind = RECORD_TAR;
    parsing->options->format.grouped = true;
    return 0;
}

static int set_group_field(struct parsing *parsing, const char *number)
{
    parsing->options->format.grouped = true;
    return set_field(parsing, number);
}

static int set_header(struct parsing *parsing, const char *lines)
{
    return argument_number(parsing->fault, parsing->spelling, lines != NULL ? lines : "1", 0,
                           &parsing->options->header.lines);
}

static int set_header_start(struct parsing *parsing, const char *text)
{
    size_t bytes;

    parsing->options->header.start = text;
    return argument_start(parsing->fault, parsing->spelling, text, &bytes);
}

/* ---- Outputs ---- */

static int set_output(struct parsing *parsing, const char *name)
{
    return set_once(parsing, &parsing->options->output, name, "output files");
}

static int set_shard_bytes(struct parsing *parsing, const char *bytes)
{
    return argument_bytes(parsing->fault, parsing->spelling, bytes, &parsing->options->shard_bytes);
}

static int set_split(struct parsing *parsing, const char *text)
{
    struct split *split = &parsing->options->split[parsing->options->splits];

    if (split_parse(text, split) != 0)
        return argument_refuse(parsing->fault, parsing->spelling, text,
                               "it is N:FILE or P%:FILE, such as 100:test or 2.5%:test; P has at most four decimals");
    parsing->options->splits++;
    if (!split->is_percentage)
        parsing->given[OPTION_SPLIT_COUNT] = true;
    return 0;
}

static int set_filter(struct parsing *parsing, const char *command)
{
    if (command[0] == '\0')
        return fault_say(parsing->fault, "invalid --filter argument '': it is a command, such as 'gzip > $FILE.gz'");
    parsing->options->filter = command;
    return 0;
}

/* ---- Stores ---- */

static int set_piles(struct parsing *parsing, const char *number)
{
    return argument_piles(parsing->fault, parsing->spelling, number, &parsing->options->piles);
}

static int set_batch(struct parsing *parsing, const char *name)
{
    if (!store_name_is_batch(name))
        return fault_say(parsing->fault,
                         "invalid --batch argument '%s': it is 1 to %d of the bytes A-Z a-z 0-9 . _ -, the first no "
                         "dot, and not format or header",
                         name, STORE_NAME_MAX);
    parsing->options->batch = name;
    return 0;
}

static int set_pile(struct parsing *parsing, const char *piles)
{
    return argument_pile(parsing->fault, parsing->spelling, piles, &parsing->options->pile_first,
                         &parsing->options->pile_last);
}

/* ---- Resources ---- */

static int set_memory(struct parsing *parsing, const char *size)
{
    return argument_memory(parsing->fault, parsing->spelling, size, &parsing->options->memory_bytes);
}

static int set_temporary(struct parsing *parsing, const char *directory)
{
    parsing->options->temporary[parsing->options->temporary_count++] = directory;
    return 0;
}

static int set_parallel(struct parsing *parsing, const char *number)
{
    return argument_parallel(parsing->fault, parsing->spelling, number, &parsing->options->parallel);
}

static int set_compress_program(struct parsing *parsing, const char *program)
{
    return set_once(parsing, &parsing->options->compress_program, program, "compress programs");
}

/* There are never 2^64 - 1 of them; that number stands for none given. */
static int set_expected(struct parsing *parsing, const char *number)
{
    uint64_t *expected = &parsing->options->expected_records;

    if (argument_number(parsing->fault, parsing->spelling, number, 0, expected) != 0)
        return -1;
    errno = ERANGE;
    return *expected < UINT64_MAX ? 0 : argument_refuse(parsing->fault, parsing->spelling, number, NULL);
}

static int set_progress(struct parsing *parsing, const char *argument)
{
    (void)argument;
    parsing->options->progress =
        parsing->row->code == OPTION_PROGRESS ? OPTIONS_PROGRESS_SHOWN : OPTIONS_PROGRESS_HIDDEN;
    return 0;
}

static int set_compress_temporary(struct parsing *parsing, const char *when)
{
    static const char *const words[] = {
        [COMPRESS_AUTO] = "auto", [COMPRESS_ALWAYS] = "always", [COMPRESS_NEVER] = "never"};
    int which;

    if (argument_word(parsing->fault, parsing->spelling, when, words, sizeof words / sizeof words[0],
                      "auto, always or never", &which) != 0)
        return -1;
    parsing->options->compress_temporary = (enum compress_temporary)which;
    return 0;
}

static int set_tune(struct parsing *parsing, const char *text)
{
    return argument_tune(parsing->fault, text, &parsing->options->leaf_records);
}

/* ---- The table ---- */

/* A setter that serves several options, and the field it is to set; a field of another type does not compile without a
 * warning. */
#define FIELD(type, name) (offsetof(struct options, name) + 0 * sizeof((type *)0 == &((struct options *)0)->name))
#define FLAG(name)        set_flag, FIELD(bool, name)
#define TEXT(name)        set_text, FIELD(const char *, name)
#define NUMBER(name)      set_number, FIELD(uint64_t, name)
#define WHICH(name)       set_field, FIELD(uint64_t, name)
#define POSITIVE(name)    set_positive, FIELD(uint64_t, name)

static const struct option_row rows[] = {
    {"echo", 'e', GROUP_INPUT, NULL, "the lines are the ARGs themselves", FLAG(echo)},
    {"input-range", 'i', GROUP_INPUT, "LO-HI", "the lines are the numbers from LO to HI", set_range, 0},
    {"files0-from", OPTION_FILES0_FROM, GROUP_INPUT, "F",
     "read the names of the FILEs, each ended by\nNUL, from file F; - is standard input", TEXT(files0_from)},
    {"compressed", 'Z', GROUP_INPUT, NULL,
     "decompress FILEs made by gzip, zstd, xz, bzip2\nor lz4; compress the files of -o and --split\nnamed .gz, .zst, "
     ".xz, .bz2 or .lz4, but never\nstandard output",
     FLAG(compressed)},
    {"expect-records", OPTION_EXPECT_RECORDS, GROUP_INPUT, "N", "fail, and replace nothing, unless there are N\nlines",
     set_expected, 0},

    {"zero-terminated", 'z', GROUP_RECORDS, NULL, "lines end with NUL instead of newline", set_zero_terminated, 0},
    {"delimiter", OPTION_DELIMITER, GROUP_RECORDS, "STRING",
     "lines end with STRING, which may have escapes\nas in C, instead of newline", set_delimiter, 0},
    {"record-lines", OPTION_RECORD_LINES, GROUP_RECORDS, "N", "shuffle groups of N lines as if each were one",
     set_record_lines, 0},
    {"record-size", OPTION_RECORD_SIZE, GROUP_RECORDS, "BYTES", "shuffle records of BYTES instead of lines",
     set_record_size, 0},
    {"record-length", OPTION_RECORD_LENGTH, GROUP_RECORDS, "CODING",
     "shuffle records that begin with their length:\ntfrecord, u32le, u32be, u64le, u64be or varint", set_record_length,
     0},
    {"record-start", OPTION_RECORD_START, GROUP_RECORDS, "STRING",
     "shuffle records that begin with a line that\nbegins with STRING", set_record_start, 0},
    {"csv", OPTION_CSV, GROUP_RECORDS, NULL, "newlines in double quotes do not end lines", set_csv, 0},
    {"tar", OPTION_TAR, GROUP_RECORDS, NULL,
     "shuffle the samples in tar archives: members\nwhose names are the same up to the first dot", set_tar, 0},
    {"group-field", OPTION_GROUP_FIELD, GROUP_RECORDS, "N",
     "shuffle groups of neighbouring lines with the\nsame field N, from 1, each as if it were one\nline; "
     "sort by the field first if need be",
     set_group_field, FIELD(uint64_t, group_field)},
    {"header", OPTION_HEADER, GROUP_RECORDS, "[N]",
     "keep the header, which is the first N lines\n(default 1) of every FILE, at the top", set_header, 0},
    {"header-bytes", OPTION_HEADER_BYTES, GROUP_RECORDS, "N", "the same with the first N bytes", NUMBER(header.bytes)},
    {"header-start", OPTION_HEADER_START, GROUP_RECORDS, "STRING",
     "the same with all lines at the beginning that\nbegin with STRING", set_header_start, 0},
    {"headers-differ", OPTION_HEADERS_DIFFER, GROUP_RECORDS, NULL,
     "the headers of the FILEs may differ; the first\none is kept", FLAG(header.may_differ)},

    {"seed", OPTION_SEED, GROUP_ORDER, "STRING",
     "the same STRING and number of lines give the\nsame order; default: a new order every time", TEXT(seed)},
    {"random-source", OPTION_RANDOM_SOURCE, GROUP_ORDER, "FILE", "take the random bytes from FILE", set_random_source,
     0},
    {"head-count", 'n', GROUP_ORDER, "COUNT", "write at most COUNT lines", set_count, 0},
    {"part", OPTION_PART, GROUP_ORDER, "R/W",
     "write part R, from 1, of W equal parts of the\noutput, for the worker R of W; with --seed", set_part, 0},
    {"keep-order", OPTION_KEEP_ORDER, GROUP_ORDER, NULL, "with -n: a sample in the order of the input",
     FLAG(keep_order)},
    {"repeat", 'r', GROUP_ORDER, NULL, "draw lines again and again; no end without -n", FLAG(repeat)},
    {"probability", OPTION_PROBABILITY, GROUP_ORDER, "P", "write each line with the probability P, from\n0 to 1",
     set_probability, 0},
    {"weights", OPTION_WEIGHTS, GROUP_ORDER, "FILE",
     "draw lines in proportion to their weights,\nwhich are the lines of FILE", TEXT(weights)},
    {"weight-field", OPTION_WEIGHT_FIELD, GROUP_ORDER, "N",
     "the same with weights in the field N of each\nline, from 1", WHICH(weight_field)},
    {"field-separator", 't', GROUP_ORDER, "C",
     "C, or an escape such as \\t, ends a field;\ndefault: TAB, with --csv a comma", set_field_separator, 0},

    {"output", 'o', GROUP_OUTPUT, "FILE", "write to FILE, which may be an input as well", set_output, 0},
    {"shards", OPTION_SHARDS, GROUP_OUTPUT, "K",
     "write the lines to K files; the name after -o\nhas their numbers in place of %05d or the like", POSITIVE(shards)},
    {"shard-records", OPTION_SHARD_RECORDS, GROUP_OUTPUT, "N", "the same with N lines in each file",
     POSITIVE(shard_records)},
    {"shard-bytes", OPTION_SHARD_BYTES, GROUP_OUTPUT, "BYTES", "the same with at most BYTES in each file",
     set_shard_bytes, 0},
    {"split", OPTION_SPLIT, GROUP_OUTPUT, "N:FILE|P%:FILE",
     "write N lines, or P% of them, to FILE, and the\nrest to -o or standard output; may be repeated", set_split, 0},
    {"split-field", OPTION_SPLIT_FIELD, GROUP_OUTPUT, "N",
     "with --split=P%:FILE: lines with the same\nfield N go to one file, P% of all fields", WHICH(split_field)},
    {"filter", OPTION_FILTER, GROUP_OUTPUT, "COMMAND",
     "write files through COMMAND, a line of shell\nin which $FILE is the name", set_filter, 0},

    {"buffer-size", 'S', GROUP_RESOURCES, "SIZE", "use at most SIZE of memory, such as 8G or 50%", set_memory, 0},
    {"temporary-directory", 'T', GROUP_RESOURCES, "DIR",
     "keep what does not fit in memory in DIR; may\nbe repeated; default: $TMPDIR, else /var/tmp", set_temporary, 0},
    {"compress-program", OPTION_COMPRESS_PROGRAM, GROUP_RESOURCES, "PROG",
     "compress temporary files with PROG, and\ndecompress them with PROG -d", set_compress_program, 0},
    {"compress-temporary", OPTION_COMPRESS_TEMPORARY, GROUP_RESOURCES, "WHEN",
     "compress temporary files by itself: always,\nnever, or auto, the default: if their disk is\nslower than "
     "compressing, or may be too small",
     set_compress_temporary, 0},
    {"parallel", OPTION_PARALLEL, GROUP_RESOURCES, "N",
     "use at most N threads; default: one for each\nprocessor, and a few more that wait for disks", set_parallel, 0},

    {"scatter", OPTION_SCATTER, GROUP_STORES, "DIR",
     "only scatter the lines: add them as a batch to\nthe store of piles in DIR, made if need be", TEXT(scatter)},
    {"piles", OPTION_PILES, GROUP_STORES, "M", "the store has M piles, a power of two from 2\nto 4096; default: 512",
     set_piles, 0},
    {"batch", OPTION_BATCH, GROUP_STORES, "NAME", "call the batch NAME; default: the time (UTC),\nhost and process",
     set_batch, 0},
    {"keep", OPTION_KEEP, GROUP_STORES, "N", "then remove old batches, so that the N newest\nby name are left",
     POSITIVE(keep)},
    {"sweep", OPTION_SWEEP, GROUP_STORES, NULL, "with --scatter: only remove, and list, what\nothers left unfinished",
     FLAG(sweep)},
    {"gather", OPTION_GATHER, GROUP_STORES, "DIR", "shuffle the lines of the store of piles in DIR", TEXT(gather)},
    {"pile", OPTION_PILE, GROUP_STORES, "J[-K]", "write only pile J, or piles J to K, from 0", set_pile, 0},
    {"epoch", OPTION_EPOCH, GROUP_STORES, "E", "another order of the same store; default: 0", NUMBER(epoch)},
    {"list", OPTION_LIST, GROUP_STORES, NULL,
     "with --gather: only list what is in the store;\nwith -z: TABs between fields, NULs after rows", FLAG(list)},

    {"progress", OPTION_PROGRESS, GROUP_OTHER, NULL,
     "show on standard error how far it has come;\ndefault: on a terminal, after two seconds", set_progress, 0},
    {"no-progress", OPTION_NO_PROGRESS, GROUP_OTHER, NULL, "show it only when a signal asks for it", set_progress, 0},
    {"verbose", 'v', GROUP_OTHER, NULL, "end with a summary on standard error", FLAG(verbose)},
    {"tune", OPTION_TUNE, GROUP_OTHER, "NAME=VALUE", "for testing: leaf-records=T changes the order", set_tune, 0},
    {"usage", 'h', GROUP_OTHER, NULL, "display the most common options and exit", set_print, 0},
    {"help", OPTION_HELP, GROUP_OTHER, NULL, "display this help and exit", set_print, 0},
    {"version", 'V', GROUP_OTHER, NULL, "output version information and exit", set_print, 0},
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

static const struct option_abbreviation abbreviations[] = {
    {"e", 'e'}, {"hea", 'n'}, {"head", 'n'}, {"re", 'r'}, {"v", 'V'}, {"ve", 'V'}, {"ver", 'V'},
};

/* What most people need. */
static const int common[] = {
    'n', OPTION_SEED, 'r', 'i', 'z', OPTION_CSV, OPTION_HEADER, 'o', OPTION_SHARDS, OPTION_SPLIT, 'S', 'T',
};

bool option_table_has_letter(const struct option_row *row)
{
    return row->code <= UCHAR_MAX;
}

bool option_table_is_optional(const struct option_row *row)
{
    return row->argument != NULL && row->argument[0] == '[';
}

const struct option_row *option_table_rows(size_t *count)
{
    *count = ROW_COUNT;
    return rows;
}

const struct option_row *option_table_row(int code)
{
    const struct option_row *row = rows;

    while (row->code != code)
        row++;
    return row;
}

const int *option_table_common(size_t *count)
{
    *count = sizeof common / sizeof common[0];
    return common;
}

const struct option_abbreviation *option_table_abbreviations(size_t *count)
{
    *count = sizeof abbreviations / sizeof abbreviations[0];
    return abbreviations;
}
