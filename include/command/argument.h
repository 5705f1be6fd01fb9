#pragma once

/*
 * The arguments of options: their types, and how they are stored in struct options. An argument that other tools have,
 * too, is accepted as they do, and refused in their words, followed by what would be valid; the models are shuf, sort
 * and cut of GNU coreutils 9.1, in the C locale.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command/options.h"
#include "record/record.h"

enum { ARGUMENT_SPELLING_BYTES = 64 };

/* A command line that is being parsed. */
struct parsing {
    struct options *options;                       /* what is filled */
    int code;                                      /* of the option at hand (option_table.h), */
    const struct argument *argument;               /* and what it takes */
    unsigned form;                                 /* of that, the number of the one that was given; else 0 */
    char spelling[ARGUMENT_SPELLING_BYTES];        /* as it was given: "-S", "--buffer-size", "--shards=bytes" */
    int print;                                     /* the code of --help or -V once one of them was given; else 0 */
    const struct record_kind *kind;                /* --records; NULL if not given */
    const char *kind_text;                         /* its argument */
    char kind_spelling[ARGUMENT_SPELLING_BYTES];   /* "--csv", or "--records=tar" without what follows */
    uint8_t delimiter[RECORD_DELIMITER_BYTES_MAX]; /* --delimiter */
    size_t delimiter_bytes;                        /* 0: not given */
};

/* Carry out an option; the run ends if its argument is invalid. `text` is NULL if it has none. */
typedef void argument_setter(struct parsing *parsing, const char *text);

enum argument_type {
    ARGUMENT_SPECIAL,  /* what `set` makes of it */
    ARGUMENT_PRINT,    /* there is none: the option prints a text */
    ARGUMENT_FLAG,     /* there is none: bool, true */
    ARGUMENT_CONSTANT, /* there is none, or the word that is the form: an enum, `least` */
    ARGUMENT_COUNT,    /* a number from `least` to `most` in digits alone: uint64_t */
    ARGUMENT_SIZE,     /* a number of bytes, which may have a unit, at least 1: uint64_t */
    ARGUMENT_FIELD,    /* the number of a field, from 1, its name, or a JSON Pointer: struct field_choice */
    ARGUMENT_KEY,      /* the same, one field more of several: struct key_choice */
    ARGUMENT_RANGE,    /* two numbers, the second one not below the first, which is at least `least`, and at most
                          `most`: two uint64_t */
    ARGUMENT_TEXT,     /* any text: const char * */
    ARGUMENT_START,    /* a text that can be the start of a line: const char * */
    ARGUMENT_FORMS     /* has one of the forms `forms`, each of a type of its own */
};

struct argument_form;

struct argument {
    enum argument_type type;
    size_t field; /* the offset in struct options of what is set; 0 if only `set` knows */
    uint64_t least, most;
    uint64_t preset;                    /* what the uint64_t there is if the option is not given */
    bool capped;                        /* ARGUMENT_COUNT: a number above `most` counts as `most` */
    char between;                       /* ARGUMENT_RANGE: stands between the numbers */
    bool (*is_valid)(const char *text); /* ARGUMENT_TEXT, ARGUMENT_COUNT; NULL: each is */
    const char *valid;                  /* what is said to be right */
    const char *called; /* in the message about one that is not; NULL: it is the argument of the option */
    const struct argument_form *forms; /* end with a zeroed one */
    argument_setter *set;
};

/* Classes of option_table.h, a bit each. */
typedef uint64_t option_classes;

/* "bytes:N" is told by "bytes:", a range by what is between its numbers; the first form takes everything else. */
struct argument_form {
    const char *text; /* what --help calls it */
    struct argument takes;
    option_classes is, excludes, needs; /* besides those of the option */
    const char *why;                    /* follows the message that nothing is there of what is needed */
};

void argument_set(struct parsing *parsing, const struct argument *argument, const char *text);

/* After all options: make the record format from the options about records. */
void argument_settle_records(struct parsing *parsing);

/* A number as `shuf -n` takes it: blanks and a plus sign may come first; one above 2^64 - 1 counts as 2^64 - 1. */
argument_setter argument_head_count;

/* LO-HI as `shuf -i` takes it, with blanks and plus signs as above. HI may be LO - 1, for no numbers at all. Unlike
 * there, all the 2^64 numbers are a range too. */
argument_setter argument_input_range;

argument_setter argument_separator; /* one byte, as `sort -t` takes it, or an escape of escape.h, such as \0 and \t */

/* What ends a line: 1 to RECORD_DELIMITER_BYTES_MAX bytes, as escape_parse takes them. */
argument_setter argument_delimiter;

argument_setter argument_records; /* KIND or KIND:ARGUMENT, of record.h */
argument_setter argument_csv;     /* "backslash" or nothing */

/* A field more, or argument_whole, the whole record. */
argument_setter argument_unique;
extern const char argument_whole[];

argument_setter argument_split;
argument_setter argument_split_field;
argument_setter argument_stratify_field;
argument_setter argument_memory;    /* as number_parse_size takes it; at least HARDWARE_MEMORY_MIN */
argument_setter argument_temporary; /* one directory more */

/* Append to a message "a, b or c", of which this is one. `last` says that nothing follows. */
enum { ARGUMENT_LIST_BYTES = 256 };
void argument_list(char text[ARGUMENT_LIST_BYTES], const char *one, bool last);

/* The command line is wrong: after the message that ends the run, print the line about --help. */
void argument_misused(void);
