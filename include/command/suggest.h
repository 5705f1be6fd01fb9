#pragma once

/*
 * What somebody may have meant who wrote what is wrong: ends of messages, such as "; write --parallel=N", or "" if
 * nothing is known to be better.
 */

#include <getopt.h>

enum { SUGGEST_BYTES = 256 };

/* Instead of an option that is not there. `name` is what follows its dashes, up to the end or an equals sign; one
 * letter is an option with one dash. It may be a word of other tools, or differ by few letters from such a word or from
 * one of the options, which end with one without a name. The text is put into `text`, which is returned. */
const char *suggest_option(const struct option *options, const char *name, char text[SUGGEST_BYTES]);

/* The same instead of a kind of records that is not there, which may have an argument after a colon. */
const char *suggest_kind(const char *name, char text[SUGGEST_BYTES]);
