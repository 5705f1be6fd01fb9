#pragma once

/*
 * For fuzzers of functions that may end the run (fault.h). Here it ends with a jump back to who began it, since a
 * process for each would be a thousand times as slow. The memory (malloc) and descriptors that it held are freed.
 * Everything else is the fuzzer's task: it renews any object from before that the run may have changed.
 */

#include <sanitizer/allocator_interface.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"
#include "system/signals.h"

/* fault.c as it is, but for its end; that of the library then is not linked. */
_Noreturn static void fuzz_end(int status, void (*kept)(const char *name, int error));
#define signals_end fuzz_end
#include "../../src/system/fault.c" /* NOLINT(bugprone-suspicious-include) */
#undef signals_end

/* What runs hold may be so many pieces of memory; and descriptors below this. */
enum { FUZZ_PIECES_MAX = 4096, FUZZ_DESCRIPTORS = 64 };

static struct fuzz_run {
    bool begun;
    bool held[FUZZ_DESCRIPTORS]; /* the descriptors that were open before */
    const volatile void *piece[FUZZ_PIECES_MAX];
    size_t pieces;
    jmp_buf jump;
} fuzz_run;

static void fuzz_on_malloc(const volatile void *piece, size_t bytes)
{
    (void)bytes;
    if (!fuzz_run.begun || piece == NULL)
        return;
    FUZZ_CHECK(fuzz_run.pieces < FUZZ_PIECES_MAX);
    fuzz_run.piece[fuzz_run.pieces++] = piece;
}

static void fuzz_on_free(const volatile void *piece)
{
    for (size_t i = fuzz_run.pieces; fuzz_run.begun && i-- > 0;)
        if (fuzz_run.piece[i] == piece) {
            fuzz_run.piece[i] = fuzz_run.piece[--fuzz_run.pieces];
            return;
        }
}

/* A run begins: true. It is over when fuzz_stop is called, or ends. */
static bool fuzz_start(void)
{
    static bool installed;

    if (!installed)
        FUZZ_CHECK(__sanitizer_install_malloc_and_free_hooks(fuzz_on_malloc, fuzz_on_free) > 0);
    installed = true;
    for (int fd = 0; fd < FUZZ_DESCRIPTORS; fd++)
        fuzz_run.held[fd] = fcntl(fd, F_GETFD) >= 0;
    fuzz_run.pieces = 0;
    fuzz_run.begun = true;
    return true;
}

static bool fuzz_stop(void)
{
    fuzz_run.begun = false;
    return false;
}

_Noreturn static void fuzz_end(int status, void (*kept)(const char *name, int error))
{
    (void)kept;
    FUZZ_CHECK(fuzz_run.begun && status == EXIT_FAILURE);
    longjmp(fuzz_run.jump, 1);
}

/* The run has ended: true. Another one may begin. */
static bool fuzz_ended(void)
{
    fuzz_run.begun = false;
    while (fuzz_run.pieces > 0)
        free((void *)fuzz_run.piece[--fuzz_run.pieces]);
    for (int fd = 0; fd < FUZZ_DESCRIPTORS; fd++)
        if (!fuzz_run.held[fd])
            (void)close(fd);
    atomic_store(&set_duty, NULL);
    atomic_store(&failed, false);
    ends = false;
    return true;
}

/* Does the expression end the run? If so, what it has changed of the function's own variables is lost. */
#define FUZZ_ENDS(expression)                                                                                          \
    (fuzz_start() && setjmp(fuzz_run.jump) == 0 ? ((void)(expression), fuzz_stop()) : fuzz_ended())
