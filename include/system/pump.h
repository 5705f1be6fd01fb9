#ifndef BIGSHUF_SYSTEM_PUMP_H
#define BIGSHUF_SYSTEM_PUMP_H

/*
 * A program between two pipes, which one thread feeds and reads:
 *
 *     in_bytes -> [in ... held] -> program -> [out] -> out_bytes
 *
 * Functions that return int return 0, or -1 with errno.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "system/program.h"

struct pump {
    struct program program;
    int in; /* -1: closed, or the program reads something else */
    int held;
    int out;
};

/* What goes in and what comes out: both move on as bytes are moved. */
struct flow {
    const uint8_t *in;
    size_t in_bytes; /* 0: there will be no more */
    uint8_t *out;
    size_t out_bytes;
};

/* Start a program (sys_spawn), which reads `input`, or what it is fed if that is -1. */
int pump_start(struct pump *pump, const char *const *arguments, const char *const *variables, int input);

enum pump_moved {
    PUMP_FAILED, /* with errno */
    PUMP_ENDED,  /* there is no more to come out */
    PUMP_MOVED,
    PUMP_WAITS /* nothing can be moved at the moment */
};

/* Move bytes in either direction, as far as that is possible at once. */
enum pump_moved pump_try(struct pump *pump, struct flow *flow);

/* Close the pipes and wait for the program, which has ended its output; *status is as of waitpid. */
int pump_end(struct pump *pump, int *status);

/* The same of a program that has not: it is killed, lest it complains about pipes that are closed too early. Also when
 * it has been waited for. */
void pump_abandon(struct pump *pump);

#endif
