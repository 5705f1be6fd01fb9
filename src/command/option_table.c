/*
 * A new option needs a row here and a field in options.h; if no type of argument.h fits its argument, also a setter
 * there.
 */

#include "command/option_table.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/decimal.h"
#include "base/number.h"
#include "shuffle/order.h"
#include "store/store.h"

/* The compiler warns if the field has another type. */
#define FIELD(type, name) (offsetof(struct options, name) + 0 * sizeof((type *)0 == &((struct options *)0)->name))

/* The argument of an option. */
#define TAKES(is, what, name)    .takes.type = (is), .takes.field = FIELD(what, name)
#define FLAG(name)               TAKES(ARGUMENT_FLAG, bool, name)
#define CONSTANT(what, name, is) TAKES(ARGUMENT_CONSTANT, what, name), .takes.least = (is)
#define COUNT(name, from, to)    TAKES(ARGUMENT_COUNT, uint64_t, name), .takes.least = (from), .takes.most = (to)
#define SIZE(name)               TAKES(ARGUMENT_SIZE, uint64_t, name)
#define WHICH(name)              TAKES(ARGUMENT_FIELD, struct field_choice, name)
#define KEY(name)                TAKES(ARGUMENT_KEY, struct key_choice, name), .again = AGAIN_MORE
#define RANGE(name, byte)        TAKES(ARGUMENT_RANGE, uint64_t, name), .takes.between = (byte)
#define TEXT(name)               TAKES(ARGUMENT_TEXT, const char *, name)
#define PRINT                    .takes.type = ARGUMENT_PRINT
#define FORMS(all)               .takes.type = ARGUMENT_FORMS, .takes.forms = (all)
#define SPECIAL(setter)          .takes.set = argument_##setter

/* The value if the option is not given, unless it is zero. */
#define PRESET(name, number) .takes.field = FIELD(uint64_t, name), .takes.preset = (number)

static bool is_probability(const char *text)
{
    uint64_t threshold;
    bool all;

    return decimal_threshold(text, &threshold, &all) == 0;
}

static bool is_count_of_piles(const char *text)
{
    uint64_t count;

    return number_parse(text, &count) == 0 && count >= STORE_FORMAT_PILES_MIN && count <= STORE_FORMAT_PILES_MAX &&
           (count & (count - 1)) == 0;
}

static bool is_there(const char *text)
{
    return text[0] != '\0';
}

static const struct argument_form headers[] = {
    {"N", COUNT(header.lines, 0, UINT64_MAX), .takes.valid = "must be a number of lines, bytes:N or start:STRING",
     .is = CLASS_HEADER_COUNT},
    {"bytes:N", COUNT(header.bytes, 0, UINT64_MAX), .excludes = CLASS_HEADER_COUNT | CLASS_HEADER_START},
    {"start:STRING", TAKES(ARGUMENT_START, const char *, header.start), .is = CLASS_HEADER_START},
    {"0", CONSTANT(unsigned, header.none, 1)},
    {.text = NULL},
};

static const struct argument_form shards[] = {
    {"K", COUNT(plan.shards, 1, UINT64_MAX), .takes.valid = "must be a number of files, records:N or bytes:BYTES",
     .is = CLASS_IN_TURN},
    {"records:N", COUNT(plan.shard_records, 1, UINT64_MAX)},
    {"bytes:BYTES", SIZE(plan.shard_bytes)},
    {.text = NULL},
};

/* Options about records, which maintenance of stores excludes. */
#define CLASSES_RECORDS                                                                                                \
    (CLASS_GIVEN | CLASS_NAMES | CLASS_READING | CLASS_DELIMITER | CLASS_KIND | CLASS_FIELD | CLASS_KEYED |            \
     CLASS_HEADER | CLASSES_ORDER | CLASS_COUNT | CLASS_PART | CLASS_SKIP | CLASS_OUTPUT | CLASS_TEMPORARY |           \
     CLASS_SCATTER | CLASS_GATHER | CLASS_BATCH | CLASS_VIEW | CLASS_REQUESTS | CLASS_STORE)

static const struct argument_form tunes[] = {
    {"leaf-records=T", COUNT(leaf_records, 8, (uint64_t)1 << 31)},
    {"compress-temporary=auto", CONSTANT(enum spill_packing, packing, SPILL_AUTO)},
    {"compress-temporary=always", CONSTANT(enum spill_packing, packing, SPILL_ALWAYS)},
    {"compress-temporary=never", CONSTANT(enum spill_packing, packing, SPILL_NEVER)},
    {"options", PRINT}, /* for tests */
    {.text = NULL},
};

static const struct argument_form progresses[] = {
    {"auto", CONSTANT(enum options_progress, progress, OPTIONS_PROGRESS_AUTO)},
    {"always", CONSTANT(enum options_progress, progress, OPTIONS_PROGRESS_ALWAYS)},
    {"never", CONSTANT(enum options_progress, progress, OPTIONS_PROGRESS_NEVER)},
    {.text = NULL},
};

const struct option_row option_table[] = {
    {"echo", 'e', GROUP_INPUT, NULL, "shuffle the ARGs, each as a line", FLAG(echo), .is = CLASS_GIVEN,
     .excludes = CLASS_GIVEN | CLASS_KIND | CLASS_HEADER},
    {"input-range", 'i', GROUP_INPUT, "LO-HI", "shuffle the numbers from LO to HI, as lines", SPECIAL(input_range),
     .again = AGAIN_NEVER, .is = CLASS_GIVEN | CLASS_RANGE, .excludes = CLASS_KIND | CLASS_HEADER},
    {"files0-from", 0, GROUP_INPUT, "F",
     "read the names of the FILEs, each ended by\nNUL, from file F; - is standard input", TEXT(files0_from),
     .is = CLASS_NAMES, .excludes = CLASS_GIVEN},
    {"compressed", 'Z', GROUP_INPUT, NULL, "read and write .gz .zst .xz .bz2 .lz4 files", FLAG(compressed),
     .is = CLASS_READING, .common = true},
    {"expect-records", 0, GROUP_INPUT, "N", "fail, leaving outputs untouched, unless there\nare exactly N lines",
     COUNT(expected_records, 0, UINT64_MAX - 1), .takes.preset = UINT64_MAX, .is = CLASS_READING,
     .excludes = CLASS_RANGE},

    {"zero-terminated", 'z', GROUP_RECORDS, NULL, "lines end with NUL instead of newline", FLAG(zero_terminated),
     .is = CLASS_ZERO, .common = true},
    {"delimiter", 0, GROUP_RECORDS, "STRING",
     "lines end with STRING, which may have escapes\nas in C, instead of newline", SPECIAL(delimiter),
     .is = CLASS_DELIMITER},
    {"records", 0, GROUP_RECORDS, "KIND", "shuffle records of this KIND instead of lines:", SPECIAL(records),
     .several = "kinds of records", .is = CLASS_KIND},
    {"csv", 0, GROUP_RECORDS, "backslash", "read CSV: quoted newlines do not end a record", SPECIAL(csv), .alone = "",
     .is = CLASS_KIND, .common = true},
    {"field-separator", 't', GROUP_RECORDS, "C",
     "fields end at C, or at an escape such as \\t;\ndefault: TAB, with --csv a comma", SPECIAL(separator),
     .again = AGAIN_NEVER},
    {"group-field", 0, GROUP_RECORDS, "FIELD",
     "keep all lines with the same FIELD together,\nin order: a column's number, from 1, its name\nin the header, or a "
     "JSON Pointer (/user/id)",
     KEY(order_key), .is = CLASS_FIELD | CLASS_KEYED,
     .excludes = CLASS_GIVEN | CLASS_WEIGHT_FIELD | CLASSES_ORDER | CLASS_REQUESTS | CLASS_KEYED},
    {"unique", 0, GROUP_RECORDS, "FIELD",
     "dedup: of duplicates (equal lines, or those\nwith the same FIELD) write the first", SPECIAL(unique),
     .again = AGAIN_MORE, .alone = argument_whole, .is = CLASS_KEYED,
     .excludes = CLASSES_ORDER | CLASS_REQUESTS | CLASS_KEYED | CLASS_GATHER},
    {"header", 0, GROUP_RECORDS, NULL,
     "keep the header on top: 1 or N lines, N bytes,\nor lines starting with STRING (and N lines)", .alone = "1",
     FORMS(headers), .is = CLASS_HEADER | CLASS_HEADER_RULE, .common = true},
    {"headers-differ", 0, GROUP_RECORDS, NULL, "allow the FILEs to have different headers, and\nkeep the first one",
     FLAG(header.may_differ), .is = CLASS_HEADER, .excludes = CLASS_EACH, .needs = CLASS_HEADER_RULE},

    {"seed", 0, GROUP_ORDER, "STRING", "give the same order for the same STRING", TEXT(seed),
     .takes.is_valid = is_there,
     .takes.valid = "must not be empty, as an unset variable is; leave it out for a new order each time",
     .is = CLASS_SEED, .excludes = CLASS_SOURCE, .common = true},
    {"random-source", 0, GROUP_ORDER, "FILE", "take the random bytes from FILE", TEXT(random_source),
     .several = "random sources", .is = CLASS_SOURCE, .excludes = CLASS_SAMPLE},
    {"head-count", 'n', GROUP_ORDER, "COUNT", "write at most COUNT lines", SPECIAL(head_count), .again = AGAIN_LEAST,
     PRESET(count, UINT64_MAX), .is = CLASS_COUNT, .common = true},
    {"part", 0, GROUP_ORDER, "R/W", "write the Rth of W equal parts (R from 1);\nneeds --seed", RANGE(part, '/'),
     .takes.least = 1, .takes.most = PART_MAX, .takes.valid = "must be R/W, part R of W, from 1/W to W/W, W below 2^32",
     .is = CLASS_PART, .excludes = CLASSES_ORDER | CLASS_SCATTER, .needs = CLASS_SEED,
     .why = ", so that all parts are of one order"},
    {"skip", 0, GROUP_ORDER, "K", "leave out the first K lines, before -n counts;\nneeds --seed",
     COUNT(skip, 0, UINT64_MAX), .is = CLASS_SKIP,
     .excludes = CLASS_SOURCE | CLASS_SHARDS | CLASS_SPLIT | CLASS_SCATTER, .needs = CLASS_SEED,
     .why = ", so that the order is the same again; to keep the first line on top write --header"},
    {"keep-order", 0, GROUP_ORDER, NULL, "write the sample of -n in the order of the\ninput", FLAG(keep_order),
     .is = CLASS_SAMPLE, .excludes = CLASS_REPEAT | CLASS_SKIP | CLASS_REQUESTS, .needs = CLASS_COUNT},
    {"repeat", 'r', GROUP_ORDER, NULL, "draw each line independently, so lines can\nrepeat; no end without -n",
     FLAG(repeat), .is = CLASS_REPEAT, .common = true},
    {"probability", 0, GROUP_ORDER, "P", "write each line with probability P, from 0\nto 1", TEXT(probability),
     .takes.is_valid = is_probability, .takes.called = "probability",
     .takes.valid = "must be a number from 0 to 1, such as 0.05 for 5%", .is = CLASS_SAMPLE,
     .excludes = CLASS_COUNT | CLASS_REPEAT | CLASS_SAMPLE | CLASS_SKIP | CLASS_REQUESTS},
    {"weights", 0, GROUP_ORDER, "FILE",
     "draw lines in proportion to their weights;\nline K of FILE is the weight of line K", TEXT(weights),
     .is = CLASS_SAMPLE, .excludes = CLASS_WEIGHT_FIELD | CLASS_EACH},
    {"weight-field", 0, GROUP_ORDER, "FIELD", "draw lines in proportion to their weights,\nthis FIELD of each",
     WHICH(weight_field), .is = CLASS_FIELD | CLASS_WEIGHT_FIELD | CLASS_SAMPLE},
    {"requests", 0, GROUP_ORDER, NULL,
     "answer requests on standard input: draw lines\nby weights that change; bigshuf-requests(7)", FLAG(requests),
     .is = CLASS_REQUESTS,
     .excludes = CLASS_GIVEN | CLASS_COUNT | CLASS_REPEAT | CLASS_SOURCE | CLASS_PART | CLASS_SKIP | CLASS_OUTPUT |
                 CLASS_TEMPORARY | CLASS_SCATTER | CLASS_GATHER},

    {"output", 'o', GROUP_OUTPUT, "FILE", "write to FILE, which may also be the input", TEXT(plan.path),
     .several = "output files", .is = CLASS_OUTPUT | CLASS_FILE, .common = true},
    {"shards", 0, GROUP_OUTPUT, NULL,
     "write K files, or N lines or BYTES to each; in\nthe name after -o, %05d stands for the number", FORMS(shards),
     .is = CLASS_OUTPUT | CLASS_SHARDS, .excludes = CLASS_SHARDS, .needs = CLASS_FILE, .common = true,
     .why = "; write -o part-%05d"},
    {"split", 0, GROUP_OUTPUT, "N:FILE|P%:FILE",
     "write N lines, or P% of them, to FILE, and the\nrest to -o or standard output; may be repeated", SPECIAL(split),
     .again = AGAIN_MORE, .is = CLASS_OUTPUT | CLASS_SPLIT, .common = true},
    {"split-field", 0, GROUP_OUTPUT, "FIELD", "with --split=P%:FILE: write all lines with the\nsame FIELD to one file",
     SPECIAL(split_field), .again = AGAIN_MORE, .is = CLASS_OUTPUT | CLASS_SPLIT_FIELD,
     .excludes = CLASS_GIVEN | CLASS_SOURCE | CLASS_IN_TURN, .needs = CLASS_SPLIT,
     .why = "; write --split=20%:test -o train"},
    {"stratify-field", 0, GROUP_OUTPUT, "FIELD",
     "with --split: split each class by itself; a\nclass is all lines with the same FIELD", SPECIAL(stratify_field),
     .again = AGAIN_MORE, .is = CLASS_OUTPUT | CLASS_SPLIT_FIELD,
     .excludes = CLASS_GIVEN | CLASSES_ORDER | CLASS_COUNT | CLASS_PART | CLASS_SHARDS | CLASS_IN_TURN | CLASS_FIELD |
                 CLASS_SPLIT_FIELD | CLASS_KEYED,
     .needs = CLASS_SPLIT, .why = "; write --split=20%:test -o train"},
    {"filter", 0, GROUP_OUTPUT, "COMMAND",
     "pipe each output through COMMAND, a line of\nshell in which $FILE is the name", TEXT(plan.filter),
     .takes.is_valid = is_there, .takes.valid = "must be a command, such as 'gzip > $FILE.gz'",
     .is = CLASS_OUTPUT | CLASS_IN_TURN, .needs = CLASS_FILE | CLASS_SPLIT},
    {"each", 0, GROUP_OUTPUT, NULL,
     "shuffle each FILE by itself, all in one order;\nin names after -o and --split, %s is its name", FLAG(plan.each),
     .is = CLASS_OUTPUT | CLASS_EACH,
     .excludes = CLASS_GIVEN | CLASS_SOURCE | CLASS_FIELD | CLASS_KEYED | CLASS_SPLIT_FIELD | CLASS_SHARDS |
                 CLASS_IN_TURN | CLASS_GATHER,
     .needs = CLASS_FILE | CLASS_SPLIT, .why = "; write -o 'new/%s'"},

    {"buffer-size", 'S', GROUP_RESOURCES, "SIZE", "use at most SIZE of memory, such as 8G or 50%", SPECIAL(memory),
     .again = AGAIN_LAST, .common = true},
    {"temporary-directory", 'T', GROUP_RESOURCES, "DIR", "put temporary files in DIR; may be repeated",
     SPECIAL(temporary), .again = AGAIN_MORE, .is = CLASS_TEMPORARY, .common = true},
    {"parallel", 0, GROUP_RESOURCES, "N",
     "use at most N threads; default: one for each\nprocessor, and a few more that wait for disks",
     COUNT(parallel, 1, UINT_MAX), .again = AGAIN_LAST, .takes.capped = true,
     .takes.valid = "must be a whole number; all processors are the default"},

    {"scatter", 0, GROUP_STORES, "DIR",
     "add the lines as a batch to the store of piles\nin DIR, which is made if need be", TEXT(scatter),
     .is = CLASS_SCATTER,
     .excludes = CLASS_GATHER | CLASS_GIVEN | CLASS_COUNT | CLASSES_ORDER | CLASS_OUTPUT | CLASS_TEMPORARY},
    {"gather", 0, GROUP_STORES, "DIR", "shuffle the lines of the store of piles in DIR", TEXT(gather),
     .is = CLASS_GATHER,
     .excludes = CLASS_GIVEN | CLASSES_ORDER | CLASS_NAMES | CLASS_ZERO | CLASS_DELIMITER | CLASS_KIND | CLASS_FIELD |
                 CLASS_HEADER},
    {"piles", 0, GROUP_STORES, "M",
     "with --scatter: the store has M piles, a power\nof two from 2 to 4096 (default: 512)",
     COUNT(piles, 0, UINT64_MAX), .takes.is_valid = is_count_of_piles,
     .takes.valid = "must be a power of two from 2 to 4096; to read some write --only-piles=J-K", .is = CLASS_BATCH,
     .needs = CLASS_SCATTER, .why = "; with --gather write --only-piles=J-K"},
    {"batch", 0, GROUP_STORES, "NAME",
     "with --scatter: call the batch NAME; default:\nthe time (UTC), host and process", TEXT(batch),
     .takes.is_valid = store_name_is_batch,
     .takes.valid = "must be 1 to 200 of A-Z a-z 0-9 . _ -, the first no dot, and not 'format' or 'header'",
     .is = CLASS_BATCH, .needs = CLASS_SCATTER, .why = "; --gather takes all batches"},
    {"keep-newest", 0, GROUP_STORES, "N", "with --scatter: then remove all batches but\nthe N newest by name",
     COUNT(newest, 1, UINT64_MAX), .is = CLASS_BATCH, .needs = CLASS_SCATTER},
    {"epoch", 0, GROUP_STORES, "E", "with --gather: each E gives another order of\nthe same seed; default: 0",
     COUNT(epoch, 0, UINT64_MAX), .is = CLASS_VIEW, .needs = CLASS_GATHER,
     .why = "; without a store, give each epoch a --seed of its own"},
    {"only-piles", 0, GROUP_STORES, "J-K", "with --gather: write only the piles J to K\n(from 0)",
     RANGE(pile_first, '-'), .takes.most = UINT64_MAX - 1, .takes.valid = "must be J-K, such as 3-3 for pile 3",
     .is = CLASS_VIEW, .excludes = CLASS_PART, .needs = CLASS_GATHER},
    {"list", 0, GROUP_STORES, "DIR",
     "list the batches of the store in DIR; with -z:\nTABs between fields, NULs after rows", TEXT(list),
     .is = CLASS_STORE, .excludes = CLASSES_RECORDS},
    {"sweep", 0, GROUP_STORES, "DIR", "remove, and list, batches that others left\nunfinished in the store in DIR",
     TEXT(sweep), .is = CLASS_STORE, .excludes = CLASSES_RECORDS},

    {"progress", 0, GROUP_OTHER, NULL,
     "watch progress on standard error; alone it is\nalways; default: auto, on a terminal after two\nseconds",
     .alone = "always", FORMS(progresses), .again = AGAIN_LAST, .takes.valid = "must be auto, always or never",
     .excludes = CLASS_REQUESTS},
    {"verbose", 'v', GROUP_OTHER, NULL, "end with a summary on standard error", FLAG(verbose)},
    {"tune", 0, GROUP_OTHER, FORMS(tunes), .again = AGAIN_LAST, PRESET(leaf_records, ORDER_LEAF_RECORDS),
     .takes.valid = "must be leaf-records=T or compress-temporary=auto|always|never"},
    {"help", 'h', GROUP_OTHER, NULL, "display all options, or with -h the common\nones, and exit", PRINT},
    {"version", 'V', GROUP_OTHER, NULL, "display the version and exit", PRINT},
    {.name = NULL},
};

int option_table_code(const struct option_row *row)
{
    return row->letter != 0 ? row->letter : OPTION_WORDS + (int)(row - option_table);
}

const struct option_row *option_table_row(int code)
{
    const struct option_row *row = option_table;

    while (option_table_code(row) != code)
        row++;
    return row;
}
