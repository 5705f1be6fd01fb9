#pragma once

/*
 * The arguments of options: their types, and how they are stored in struct options. Arguments known from other tools
 * are accepted as there, and refused in the same words, followed by what would be valid; the models are shuf, sort and
 * cut of GNU coreutils 9.1, in the C locale.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command/options.h"
#include "record/record.h"

enum { ARGUMENT_SPELLING_BYTES = 64 };

/* A command line that is being parsed. */
struct parsing {
    struct options *options;                       /* the options to be filled in */
    int code;                                      /* of the current option (option_table.h) */
    const struct argument *argument;               /* the argument it takes */
    unsigned form;                                 /* index of the form that was given; else 0 */
    char spelling[ARGUMENT_SPELLING_BYTES];        /* as the user wrote it: "-S", "--buffer-size", "--shards=bytes" */
    int print;                                     /* code of --help, -h or -V once it was given; else 0 */
    const struct record_kind *kind;                /* --records; NULL if not given */
    const char *kind_text;                         /* its argument */
    char kind_spelling[ARGUMENT_SPELLING_BYTES];   /* "--csv", or "--records=tar" without its argument */
    uint8_t delimiter[RECORD_DELIMITER_BYTES_MAX]; /* --delimiter */
    size_t delimiter_bytes;                        /* 0: not given */
};

/* Store the argument of an option; the run ends if it is invalid. `text` is NULL if there is none. */
typedef void argument_setter(struct parsing *parsing, const char *text);

enum argument_type {
    ARGUMENT_SPECIAL,  /* only `set` reads it */
    ARGUMENT_PRINT,    /* none: the option prints a text */
    ARGUMENT_FLAG,     /* none: bool, true */
    ARGUMENT_CONSTANT, /* none, or just the form's word: an enum, `least` */
    ARGUMENT_COUNT,    /* a number from `least` to `most` in digits alone: uint64_t */
    ARGUMENT_SIZE,     /* a number of bytes, perhaps with a unit, at least 1: uint64_t */
    ARGUMENT_FIELD,    /* the number of a field, from 1, its name, or a JSON Pointer: struct field_choice */
    ARGUMENT_KEY,      /* the same, added to the fields of a struct key_choice */
    ARGUMENT_RANGE,    /* two numbers, `least` <= first <= second <= `most`: two uint64_t */
    ARGUMENT_TEXT,     /* any text: const char * */
    ARGUMENT_START,    /* a text that can be the start of a line: const char * */
    ARGUMENT_FORMS     /* one of the forms `forms`, each of its own type */
};

struct argument_form;

struct argument {
    enum argument_type type;
    size_t field; /* offset in struct options of the field that is set; 0: `set` knows */
    uint64_t least, most;
    uint64_t preset;                    /* value of the uint64_t there if the option is not given */
    bool capped;                        /* ARGUMENT_COUNT: a number above `most` counts as `most` */
    char between;                       /* ARGUMENT_RANGE: the byte between the numbers */
    bool (*is_valid)(const char *text); /* ARGUMENT_TEXT, ARGUMENT_COUNT; NULL: all are */
    const char *valid;                  /* for a message: what would be valid */
    const char *called;                 /* its name in that message; NULL: the argument of the option */
    const struct argument_form *forms;  /* ends with a zeroed one */
    argument_setter *set;
};

/* Classes of option_table.h, a bit each. */
typedef uint64_t option_classes;

/* "bytes:N" is known by "bytes:", a range by the byte between its numbers; the first form takes everything else. */
struct argument_form {
    const char *text; /* its name in --help */
    struct argument takes;
    option_classes is, excludes, needs; /* besides those of the option */
    const char *why;                    /* added to the message that a needed option is missing */
};

void argument_set(struct parsing *parsing, const struct argument *argument, const char *text);

/* After all options: make the record format from the options about records. */
void argument_settle_records(struct parsing *parsing);

/* A number as `shuf -n` takes it: blanks and a plus sign may come first; one above 2^64 - 1 counts as 2^64 - 1. */
argument_setter argument_head_count;

/* LO-HI as `shuf -i` takes it, with blanks and plus signs as above. HI may be LO - 1, for no numbers at all. Unlike
 * there, the range may have all 2^64 numbers. */
argument_setter argument_input_range;

argument_setter argument_separator; /* one byte, as `sort -t` takes it, or an escape of escape.h, such as \0 and \t */

/* What ends a line: 1 to RECORD_DELIMITER_BYTES_MAX bytes, as escape_parse takes them. */
argument_setter argument_delimiter;

argument_setter argument_records; /* KIND or KIND:ARGUMENT, of record.h */
argument_setter argument_csv;     /* "backslash" or nothing */

/* One more field, or argument_whole, the whole record. */
argument_setter argument_unique;
extern const char argument_whole[];

argument_setter argument_split;
argument_setter argument_split_field;
argument_setter argument_stratify_field;
argument_setter argument_memory;    /* as number_parse_size takes it; at least HARDWARE_MEMORY_MIN */
argument_setter argument_temporary; /* one more directory */

/* Append `one` to a list "a, b or c" in a message. `last`: it is the last one. */
enum { ARGUMENT_LIST_BYTES = 256 };
void argument_list(char text[ARGUMENT_LIST_BYTES], const char *one, bool last);

/* From now on, a message that ends the run is followed by the line about --help. */
void argument_misused(void);
