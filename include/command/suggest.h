#ifndef BIGSHUF_COMMAND_SUGGEST_H
#define BIGSHUF_COMMAND_SUGGEST_H

/*
 * What somebody may have meant who wrote what is wrong: ends of messages, such as "; write --parallel=N", or "" if
 * nothing is known to be better. All are put into `text`, which is returned.
 */

#include <getopt.h>

enum { SUGGEST_BYTES = 256 };

/* Instead of an option that is not there. `name` is what stands behind its dashes, up to the end or an equals sign; one
 * letter is an option with one dash. It may be a word of other tools, or differ by few letters from such a word or from
 * one of the options, which end with one without a name. If `options` is NULL, it must not differ. */
const char *suggest_option(const struct option *options, const char *name, char text[SUGGEST_BYTES]);

/* Instead of an argument of an option, which has its dashes: "json" of --records, "yes" of --header. */
const char *suggest_argument(const char *option, const char *argument, char text[SUGGEST_BYTES]);

#endif
