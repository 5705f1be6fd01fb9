#pragma once

/*
 * Guesses what a wrong word was meant to be: ends of messages, such as "; write --parallel=N", or "" without a guess.
 */

#include <getopt.h>

enum { SUGGEST_BYTES = 256 };

/* For an unknown option. `name` is the word after its dashes, up to the end or an equals sign; a single letter stands
 * for an option with one dash. It may be a word of other tools, or differ by few letters from such a word or from one
 * of `options`, which end with one without a name. Fills in `text`, and returns it. */
const char *suggest_option(const struct option *options, const char *name, char text[SUGGEST_BYTES]);

/* The same for an unknown kind of records, which may have an argument after a colon. */
const char *suggest_kind(const char *name, char text[SUGGEST_BYTES]);
