/*
 * A new option is a row here, and a field in options.h; if its argument is of no type of argument.h, a setter there.
 */

#include "command/option_table.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/decimal.h"
#include "shuffle/order.h"
#include "store/store.h"

/* A field of another type does not compile without a warning. */
#define FIELD(type, name) (offsetof(struct options, name) + 0 * sizeof((type *)0 == &((struct options *)0)->name))

/* What an option takes. */
#define TAKES(is, what, name)     .takes.type = (is), .takes.field = FIELD(what, name)
#define FLAG(name)                TAKES(ARGUMENT_FLAG, bool, name)
#define CONSTANT(what, name, is)  TAKES(ARGUMENT_CONSTANT, what, name), .takes.least = (is)
#define CHOICE(what, name, words) TAKES(ARGUMENT_CHOICE, what, name), .takes.choices = (words)
#define COUNT(name, from, to)     TAKES(ARGUMENT_COUNT, uint64_t, name), .takes.least = (from), .takes.most = (to)
#define SIZE(name)                TAKES(ARGUMENT_SIZE, uint64_t, name)
#define WHICH(name)               TAKES(ARGUMENT_FIELD, uint64_t, name)
#define RANGE(name, byte)         TAKES(ARGUMENT_RANGE, uint64_t, name), .takes.between = (byte)
#define TEXT(name)                TAKES(ARGUMENT_TEXT, const char *, name)
#define PRINT                     .takes.type = ARGUMENT_PRINT
#define ONCE(name, all)           TEXT(name), .takes.once = (all)
#define SPECIAL(setter)           .takes.set = argument_##setter

/* What is there if the option is not given, if that is not zero. */
#define PRESET(name, number) .takes.field = FIELD(uint64_t, name), .takes.preset = (number)

static const char *const when[] = {
    [COMPRESS_AUTO] = "auto", [COMPRESS_ALWAYS] = "always", [COMPRESS_NEVER] = "never", NULL};

static bool is_probability(const char *text)
{
    uint64_t threshold;
    bool all;

    return decimal_threshold(text, &threshold, &all) == 0;
}

static bool is_command(const char *text)
{
    return text[0] != '\0';
}

static const struct option_row rows[] = {
    {"echo", 'e', GROUP_INPUT, NULL, "the lines are the ARGs themselves", FLAG(echo), .is = CLASS_GIVEN,
     .excludes = CLASS_KIND | CLASS_HEADER},
    {"input-range", 'i', GROUP_INPUT, "LO-HI", "the lines are the numbers from LO to HI", SPECIAL(input_range),
     .is = CLASS_GIVEN | CLASS_RANGE, .excludes = CLASS_KIND | CLASS_HEADER, .common = true},
    {"files0-from", 0, GROUP_INPUT, "F",
     "read the names of the FILEs, each ended by\nNUL, from file F; - is standard input", TEXT(files0_from),
     .is = CLASS_NAMES, .excludes = CLASS_GIVEN},
    {"compressed", 'Z', GROUP_INPUT, NULL,
     "decompress FILEs made by gzip, zstd, xz, bzip2\nor lz4; compress the files of -o and --split\nnamed .gz, .zst, "
     ".xz, .bz2 or .lz4, but never\nstandard output",
     FLAG(compressed), .is = CLASS_READING},
    {"expect-records", 0, GROUP_INPUT, "N", "fail, and replace nothing, unless there are N\nlines",
     COUNT(expected_records, 0, UINT64_MAX - 1), .takes.preset = UINT64_MAX, .is = CLASS_READING,
     .excludes = CLASS_RANGE},

    {"zero-terminated", 'z', GROUP_RECORDS, NULL, "lines end with NUL instead of newline", FLAG(zero_terminated),
     .is = CLASS_ZERO, .common = true},
    {"delimiter", 0, GROUP_RECORDS, "STRING",
     "lines end with STRING, which may have escapes\nas in C, instead of newline", SPECIAL(delimiter),
     .is = CLASS_DELIMITER},
    {"records", 0, GROUP_RECORDS, "KIND", "shuffle records of this KIND instead of lines:", SPECIAL(records),
     .is = CLASS_KIND},
    {"csv", 0, GROUP_RECORDS, NULL, "newlines in double quotes do not end lines", SPECIAL(records), .is = CLASS_KIND,
     .common = true},
    {"group-field", 0, GROUP_RECORDS, "N",
     "shuffle groups of neighbouring lines with the\nsame field N, from 1, each as if it were one\nline; "
     "sort by the field first if need be",
     WHICH(group_field), .is = CLASS_FIELD, .excludes = CLASS_GIVEN | CLASS_WEIGHT_FIELD},
    {"header", 0, GROUP_RECORDS, "[N]",
     "keep the header, which is the first N lines\n(default 1) of every FILE, at the top",
     COUNT(header.lines, 0, UINT64_MAX), .is = CLASS_HEADER | CLASS_HEADER_COUNT, .common = true},
    {"header-bytes", 0, GROUP_RECORDS, "N", "the same with the first N bytes", COUNT(header.bytes, 0, UINT64_MAX),
     .is = CLASS_HEADER | CLASS_HEADER_BYTES},
    {"header-start", 0, GROUP_RECORDS, "STRING", "the same with all lines at the beginning that\nbegin with STRING",
     SPECIAL(header_start), .is = CLASS_HEADER | CLASS_HEADER_START, .excludes = CLASSES_HEADER},
    {"headers-differ", 0, GROUP_RECORDS, NULL, "the headers of the FILEs may differ; the first\none is kept",
     FLAG(header.may_differ), .is = CLASS_HEADER, .needs = CLASSES_HEADER},

    {"seed", 0, GROUP_ORDER, "STRING",
     "the same STRING and number of lines give the\nsame order; default: a new order every time", TEXT(seed),
     .is = CLASS_SEED, .excludes = CLASS_SOURCE, .common = true, .any_text = true},
    {"random-source", 0, GROUP_ORDER, "FILE", "take the random bytes from FILE", ONCE(random_source, "random sources"),
     .is = CLASS_SOURCE, .excludes = CLASS_SAMPLE},
    {"head-count", 'n', GROUP_ORDER, "COUNT", "write at most COUNT lines", SPECIAL(head_count),
     PRESET(count, UINT64_MAX), .is = CLASS_COUNT, .common = true},
    {"part", 0, GROUP_ORDER, "R/W",
     "write part R, from 1, of W equal parts of the\noutput, for the worker R of W; with --seed", RANGE(part, '/'),
     .takes.pair = true, .takes.least = 1, .takes.most = PART_MAX,
     .takes.valid = "it is R/W, part R of W: from 1/W to W/W, W below 2^32", .is = CLASS_PART,
     .excludes = CLASSES_ORDER | CLASS_SCATTER, .needs = CLASS_SEED},
    {"keep-order", 0, GROUP_ORDER, NULL, "with -n: a sample in the order of the input", FLAG(keep_order),
     .is = CLASS_SAMPLE, .excludes = CLASS_REPEAT, .needs = CLASS_COUNT},
    {"repeat", 'r', GROUP_ORDER, NULL, "draw lines again and again; no end without -n", FLAG(repeat),
     .is = CLASS_REPEAT, .common = true},
    {"probability", 0, GROUP_ORDER, "P", "write each line with the probability P, from\n0 to 1", TEXT(probability),
     .takes.is_valid = is_probability, .takes.called = "probability",
     .takes.valid = "it is a number from 0 to 1, such as 0.01", .is = CLASS_SAMPLE,
     .excludes = CLASS_COUNT | CLASS_REPEAT | CLASS_SAMPLE},
    {"weights", 0, GROUP_ORDER, "FILE", "draw lines in proportion to their weights,\nwhich are the lines of FILE",
     TEXT(weights), .is = CLASS_SAMPLE, .excludes = CLASS_WEIGHT_FIELD},
    {"weight-field", 0, GROUP_ORDER, "N", "the same with weights in the field N of each\nline, from 1",
     WHICH(weight_field), .is = CLASS_FIELD | CLASS_WEIGHT_FIELD | CLASS_SAMPLE},
    {"field-separator", 't', GROUP_ORDER, "C",
     "C, or an escape such as \\t, ends a field;\ndefault: TAB, with --csv a comma", SPECIAL(separator)},

    {"output", 'o', GROUP_OUTPUT, "FILE", "write to FILE, which may be an input as well", ONCE(output, "output files"),
     .is = CLASS_OUTPUT | CLASS_FILE, .common = true, .any_text = true},
    {"shards", 0, GROUP_OUTPUT, "K",
     "write the lines to K files; the name after -o\nhas their numbers in place of %05d or the like",
     COUNT(shards, 1, UINT64_MAX), .is = CLASS_OUTPUT | CLASS_SHARDS | CLASS_IN_TURN, .excludes = CLASS_SHARDS,
     .needs = CLASS_FILE, .common = true},
    {"shard-records", 0, GROUP_OUTPUT, "N", "the same with N lines in each file", COUNT(shard_records, 1, UINT64_MAX),
     .is = CLASS_OUTPUT | CLASS_SHARDS, .excludes = CLASS_SHARDS, .needs = CLASS_FILE},
    {"shard-bytes", 0, GROUP_OUTPUT, "BYTES", "the same with at most BYTES in each file", SIZE(shard_bytes),
     .is = CLASS_OUTPUT | CLASS_SHARDS, .needs = CLASS_FILE},
    {"split", 0, GROUP_OUTPUT, "N:FILE|P%:FILE",
     "write N lines, or P% of them, to FILE, and the\nrest to -o or standard output; may be repeated", SPECIAL(split),
     .is = CLASS_OUTPUT | CLASS_SPLIT, .common = true, .any_text = true},
    {"split-field", 0, GROUP_OUTPUT, "N",
     "with --split=P%:FILE: lines with the same\nfield N go to one file, P% of all fields", WHICH(split_field),
     .is = CLASS_OUTPUT | CLASS_SPLIT_FIELD, .excludes = CLASS_GIVEN | CLASS_SOURCE | CLASS_IN_TURN,
     .needs = CLASS_SPLIT},
    {"filter", 0, GROUP_OUTPUT, "COMMAND", "write files through COMMAND, a line of shell\nin which $FILE is the name",
     TEXT(filter), .takes.is_valid = is_command, .takes.valid = "it is a command, such as 'gzip > $FILE.gz'",
     .is = CLASS_OUTPUT | CLASS_IN_TURN, .needs = CLASS_FILE | CLASS_SPLIT, .any_text = true},

    {"buffer-size", 'S', GROUP_RESOURCES, "SIZE", "use at most SIZE of memory, such as 8G or 50%", SPECIAL(memory),
     .common = true},
    {"temporary-directory", 'T', GROUP_RESOURCES, "DIR",
     "keep what does not fit in memory in DIR; may\nbe repeated; default: $TMPDIR, else /var/tmp", SPECIAL(temporary),
     .is = CLASS_TEMPORARY, .common = true},
    {"compress-temporary", 0, GROUP_RESOURCES, NULL,
     "compress temporary files: always, never, or\nauto, the default: if their disk is slower\nthan compressing, or "
     "may be too small",
     CHOICE(enum compress_temporary, compress_temporary, when), .is = CLASS_TEMPORARY},
    {"parallel", 0, GROUP_RESOURCES, "N",
     "use at most N threads; default: one for each\nprocessor, and a few more that wait for disks", SPECIAL(parallel)},

    {"scatter", 0, GROUP_STORES, "DIR",
     "only scatter the lines: add them as a batch to\nthe store of piles in DIR, made if need be", TEXT(scatter),
     .is = CLASS_SCATTER,
     .excludes = CLASS_GATHER | CLASS_GIVEN | CLASS_COUNT | CLASSES_ORDER | CLASS_OUTPUT | CLASS_TEMPORARY,
     .any_text = true},
    {"piles", 0, GROUP_STORES, "M", "the store has M piles, a power of two from 2\nto 4096; default: 512",
     SPECIAL(piles), .is = CLASS_BATCH, .needs = CLASS_SCATTER},
    {"batch", 0, GROUP_STORES, "NAME", "call the batch NAME; default: the time (UTC),\nhost and process", TEXT(batch),
     .takes.is_valid = store_name_is_batch,
     .takes.valid = "it is 1 to 200 of the bytes A-Z a-z 0-9 . _ -, the first no dot, and not format or header",
     .is = CLASS_BATCH, .needs = CLASS_SCATTER},
    {"keep", 0, GROUP_STORES, "N", "then remove old batches, so that the N newest\nby name are left",
     COUNT(keep, 1, UINT64_MAX), .is = CLASS_BATCH, .needs = CLASS_SCATTER},
    {"sweep", 0, GROUP_STORES, NULL, "with --scatter: only remove, and list, what\nothers left unfinished", FLAG(sweep),
     .excludes = CLASS_READING | CLASS_NAMES | CLASS_BATCH, .needs = CLASS_SCATTER},
    {"gather", 0, GROUP_STORES, "DIR", "shuffle the lines of the store of piles in DIR", TEXT(gather),
     .is = CLASS_GATHER,
     .excludes = CLASS_GIVEN | CLASSES_ORDER | CLASS_NAMES | CLASS_DELIMITER | CLASS_KIND | CLASS_FIELD | CLASS_HEADER},
    {"pile", 0, GROUP_STORES, "J[-K]", "write only the files pile-J, or to pile-K", RANGE(pile_first, '-'),
     .takes.most = UINT64_MAX - 1, .takes.preset = UINT64_MAX,
     .takes.valid = "it is J or J-K, whole numbers from 0, K not below J", .is = CLASS_VIEW, .excludes = CLASS_PART,
     .needs = CLASS_GATHER},
    {"epoch", 0, GROUP_STORES, "E", "another order with the same seed; default: 0", COUNT(epoch, 0, UINT64_MAX),
     .is = CLASS_VIEW, .needs = CLASS_GATHER},
    {"list", 0, GROUP_STORES, NULL,
     "with --gather: only list what is in the store;\nwith -z: TABs between fields, NULs after rows", FLAG(list),
     .excludes = CLASS_READING | CLASS_VIEW | CLASS_COUNT | CLASS_OUTPUT | CLASS_PART, .needs = CLASS_GATHER},

    {"progress", 0, GROUP_OTHER, NULL,
     "show on standard error how far it has come;\ndefault: on a terminal, after two seconds",
     CONSTANT(enum options_progress, progress, OPTIONS_PROGRESS_SHOWN)},
    {"no-progress", 0, GROUP_OTHER, NULL, "never show it",
     CONSTANT(enum options_progress, progress, OPTIONS_PROGRESS_HIDDEN)},
    {"verbose", 'v', GROUP_OTHER, NULL, "end with a summary on standard error", FLAG(verbose)},
    {"tune", 0, GROUP_OTHER, "NAME=VALUE", NULL, SPECIAL(tune), PRESET(leaf_records, ORDER_LEAF_RECORDS)},
    {"usage", 'h', GROUP_OTHER, NULL, "display the most common options and exit", PRINT},
    {"help", 0, GROUP_OTHER, NULL, "display this help and exit", PRINT},
    {"version", 'V', GROUP_OTHER, NULL, "output version information and exit", PRINT},
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

bool option_table_is_optional(const struct option_row *row)
{
    return row->argument != NULL && row->argument[0] == '[';
}

const struct option_row *option_table_rows(size_t *count)
{
    *count = ROW_COUNT;
    return rows;
}

int option_table_code(const struct option_row *row)
{
    return row->letter != 0 ? row->letter : OPTION_WORDS + (int)(row - rows);
}

const struct option_row *option_table_row(int code)
{
    const struct option_row *row = rows;

    while (option_table_code(row) != code)
        row++;
    return row;
}
