/*
 * What every file of a hostile build (make HOSTILE=1) begins with (-include). It includes nothing of libc, as a source
 * may still have to say which of its functions it wants; but its macros may rename these.
 *
 *   - Whatever is TUNABLE (include/base/tunable.h) is a variable, which has been drawn before main begins.
 *   - What is given back is overwritten: blocks of a pool, memory of malloc, and pages that do not come from a file and
 *     so cannot come back (madvise). Before a block is handed out, it is overwritten as well, since nobody may rely on
 *     zeros. (hostile.c)
 *
 * From the environment:
 *
 *     BIGSHUF_HOSTILE=SEED            draw all sizes from this seed, and moments (moments.h); the sizes are the usual
 *                                     ones if it is not given
 *     BIGSHUF_SIZES='NAME=SIZE ...'   these sizes are so, whatever the seed
 *     BIGSHUF_SIZES=?                 print those that were drawn, a line NAME=SIZE each, to standard error
 *
 * The seed decides as well which thread runs when (moments.c). BIGSHUF_MOMENTS=SEED does that alone.
 *
 * A name is that in the source, with the name of its file before it: 'shuffle/pile:PIECES=3'.
 */

#pragma once

/* The size of this name, of the source file `file`, from `least` to `most`. */
int hostile_size(const char *file, const char *name, int value, int least, int most);

/* In the order in which they stand in a file, so that one may depend on others before it. */
#define TUNABLE(name, value, least, most)                                                                              \
    __attribute__((unused)) static int name;                                                                           \
    __attribute__((constructor)) static void draw_##name(void)                                                         \
    {                                                                                                                  \
        name = hostile_size(__FILE__, #name, value, least, most);                                                      \
    }                                                                                                                  \
    extern int hostile_size(const char *, const char *, int, int, int)

/* An array whose size is drawn has a variable length, and a variable is not as harmless as the constant that it
 * replaces: the usual build warns of what matters. */
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"

#define madvise hostile_madvise

#include "moments.h"
