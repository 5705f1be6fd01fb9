#pragma once

/*
 * A system layer that fails on demand. It takes the place of sys.c in every unit test and in bigshuf-faulty, and passes
 * each call that can fail on to the true one, which is compiled once more with its name changed from sys_X to
 * real_sys_X. What cannot fail is the true one at once, unless it has a row in faulty_sys.c. Nothing fails until
 * somebody says so: a unit test does with the functions below, and bigshuf-faulty is told by its environment
 * (faulty_environment.c).
 *
 * A call is named as in sys.h: "read" stands for sys_read. Several names are one string with a space between them. A
 * name of no call aborts.
 *
 * A test that wants more of a call than failure defines sys_X itself: the functions of this layer are weak symbols,
 * and give way. Such a function asks faulty_fails, and calls real_sys_X, which the test declares.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct faulty {
    /* One call fails, or all from one on. Values that change while other threads read them are atomic. */
    const char *only;           /* the calls that count; NULL: all */
    atomic_uint at;             /* the one of them that fails, from 1 on; 0: none */
    bool stays;                 /* so do all that come after it */
    int error;                  /* with this in errno */
    bool dies;                  /* instead of failing, it ends the process with status 0 */
    void (*_Atomic meet)(void); /* instead of failing, it is made after others did this. Once. */
    bool damages;               /* instead of failing, a preadv succeeds with one byte changed */
    bool ends;                  /* instead of failing, a preadv finds the end of the file */

    /* What is so all the time. */
    const char *never; /* the calls that always fail, with the same error, and do not count; NULL: none */
    bool is_short;     /* every read and write transfers at most half of what is asked for */
    unsigned hurry;    /* the clock goes so many times as fast; 0 stands for 1 */
    bool interrupts;   /* a thread's every second call of those that signals interrupt fails with EINTR */
    uint64_t rate;     /* bytes that all preadv and pwritev, which are for temporary files, move in a second, as a disk
                          does that has one queue; 0: as fast as they can */

    /* Told of each call that is made to fail; while `at` is 0, of each that counts. */
    void (*log)(const char *name);

    /* What has been seen. */
    atomic_uint calls;       /* that count, so far */
    atomic_uint write_backs; /* calls of write_back, which cannot fail */
};

extern struct faulty faulty;

/* The calls that can fail; NULL at the end. */
extern const char *const faulty_names[];

/* Is the name one of these? */
bool faulty_is_among(const char *names, const char *name);

/* Nothing fails, and nothing has been seen; the error is EIO. */
void faulty_reset(void);

/* From now on, the call number `at` of those of these names (NULL: of any) fails in this way. */
void faulty_fail(const char *only, unsigned at, int error);

/* All calls of these names fail in this way. */
void faulty_fail_all(const char *names, int error);

/* For a test's own sys_X: is this call to fail? If so, errno says how. */
bool faulty_fails(const char *name);
