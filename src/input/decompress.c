/*
 * File i has turn i mod `turns`, so that the files that come next have a turn each. A program is given the descriptor
 * of a regular file. Of what cannot be read twice the first bytes have been read, so its program is fed (pump.h), and
 * only while it is read; nor is it opened ahead, which may have effects.
 *
 * There is no thread: whenever the file that is read has nothing to give, what the others have written is taken.
 */

#include "input/decompress.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/least.h"
#include "input/operand.h"
#include "system/io.h"
#include "system/pump.h"
#include "system/sys.h"

/* More would be of no use. */
enum { TURNS_MAX = 64 };

/* Of the descriptors that are left programs take no more than this part, one each. */
enum { DESCRIPTORS_SHARE = 8 };

/* Compressed bytes on their way to a program that is fed; and less memory than this is not worth a copy. */
enum { FEED_BYTES = 64 << 10, AHEAD_BYTES_MIN = 256 << 10 };

struct turn {
    size_t file; /* the number of the file that it is for, and 1; 0: none */
    bool runs;   /* does a program decompress it? Else it is not compressed, or was not looked into */
    bool ended;  /* there is no more to come from the program */
    const struct packer *packer;
    struct pump pump;
    struct flow flow;
    int fd; /* from which it is fed; -1: it is not, or no more */

    /* What was read ahead: `held` bytes from `from` on, going round. */
    size_t from, held;
};

struct decompress {
    const char *const *names;
    size_t count;
    struct fault *fault;
    uint8_t *memory; /* for what is read ahead: room for each turn */
    size_t memory_bytes, room;
    uint8_t feed[FEED_BYTES];
    size_t turns;
    struct turn turn[];
};

struct decompress *decompress_new(const char *const *names, size_t count, struct decompress_limits limits,
                                  struct fault *fault)
{
    size_t turns = least_size(limits.programs, sys_free_descriptors(TURNS_MAX * DESCRIPTORS_SHARE) / DESCRIPTORS_SHARE);
    struct decompress *decompress;

    turns = least_size(turns < count ? turns : count, TURNS_MAX);
    turns = turns > 0 ? turns : 1;
    decompress = sys_allocate(1, sizeof *decompress + turns * sizeof decompress->turn[0]);
    if (decompress == NULL) {
        fault_report(fault, "memory", errno);
        return NULL;
    }
    *decompress = (struct decompress){.names = names, .count = count, .fault = fault, .turns = turns};
    if (turns > 1 && limits.bytes / turns >= AHEAD_BYTES_MIN) {
        decompress->memory_bytes = (size_t)limits.bytes;
        decompress->memory = sys_map(decompress->memory_bytes);
    }
    if (decompress->memory != NULL)
        decompress->room = decompress->memory_bytes / turns;
    return decompress;
}

void decompress_free(struct decompress *decompress)
{
    if (decompress == NULL)
        return;
    for (size_t i = 0; i < decompress->turns; i++)
        pump_abandon(&decompress->turn[i].pump);
    if (decompress->memory != NULL)
        sys_unmap(decompress->memory, decompress->memory_bytes);
    free(decompress);
}

uint64_t decompress_memory(const struct decompress *decompress)
{
    return decompress->memory != NULL ? decompress->memory_bytes : 0;
}

static struct turn *turn_of(struct decompress *decompress, size_t i)
{
    return &decompress->turn[i % decompress->turns];
}

/* ---- Looking ---- */

/* As much as there is room for, or the file has. */
static int read_first(int fd, struct decompress_beginning *beginning)
{
    ssize_t got = 1;

    while (got > 0 && beginning->bytes < sizeof beginning->data) {
        got = io_read(fd, beginning->data + beginning->bytes, sizeof beginning->data - beginning->bytes);
        if (got > 0)
            beginning->bytes += (size_t)got;
    }
    return got < 0 ? -1 : 0;
}

/* A file that is shorter than any that is compressed is what its name says, so that its program tells what it lacks. */
static const struct packer *find_packer(const char *name, const uint8_t *first, size_t bytes)
{
    const struct packer *packer = packer_of_beginning(first, bytes);

    return packer == NULL && bytes < PACKER_LOOK_BYTES ? packer_of_name(name) : packer;
}

int decompress_look(int fd, const char *name, struct decompress_beginning *beginning)
{
    struct iovec piece = {.iov_base = beginning->data, .iov_len = sizeof beginning->data};
    struct stat status;
    off_t position;
    size_t seen;

    beginning->bytes = 0;
    if (sys_fstat(fd, &status) != 0)
        return -1;
    if (!S_ISREG(status.st_mode)) {
        if (read_first(fd, beginning) != 0)
            return -1;
        seen = beginning->bytes;
    } else {
        position = sys_seek(fd, 0, SEEK_CUR);
        if (position < 0 || (io_read_at(fd, &piece, 1, position, &seen) != 0 && errno != 0))
            return -1;
    }
    beginning->packer = find_packer(name, beginning->data, seen);
    return 0;
}

int decompress_check(const struct packer *packer, const char *name, struct fault *fault)
{
    struct packer_command command;

    return packer_unpack(&command, packer) == 0 ? 0 : packer_report(&command, name, fault);
}

/* ---- Starting ---- */

/* 0, or -1 with errno. */
static int start(struct turn *turn, size_t i, const struct packer *packer, int input, struct packer_command *command)
{
    *turn = (struct turn){.file = i + 1, .packer = packer, .fd = -1};
    if (packer_unpack(command, packer) != 0 || pump_start(&turn->pump, command->arguments, input) != 0)
        return -1;
    turn->runs = true;
    return 0;
}

int decompress_start(struct decompress *decompress, size_t i, int fd, const struct decompress_beginning *beginning)
{
    struct turn *turn = turn_of(decompress, i);
    const bool fed = beginning->bytes > 0;
    struct packer_command command;

    if (start(turn, i, beginning->packer, fed ? -1 : fd, &command) != 0)
        return packer_report(&command, decompress->names[i], decompress->fault);
    if (!fed)
        return 0;
    turn->fd = fd;
    memcpy(decompress->feed, beginning->data, beginning->bytes);
    turn->flow.in = decompress->feed;
    turn->flow.in_bytes = beginning->bytes;
    return 0;
}

bool decompress_is_ahead(struct decompress *decompress, size_t i)
{
    const struct turn *turn = turn_of(decompress, i);

    return turn->file == i + 1 && turn->runs;
}

/* What fails is tried again, and reported, when the file is to be read. */
static void try_ahead(struct decompress *decompress, size_t i)
{
    struct turn *turn = turn_of(decompress, i);
    const char *name = decompress->names[i];
    struct decompress_beginning beginning;
    struct packer_command command;
    struct stat status;
    int fd;

    *turn = (struct turn){.file = i + 1, .fd = -1};
    if (operand_is_standard_input(name) || sys_stat(name, &status) != 0 || !S_ISREG(status.st_mode))
        return;
    fd = operand_open(name);
    if (fd >= 0 && decompress_look(fd, name, &beginning) == 0 && beginning.packer != NULL && beginning.bytes == 0)
        (void)start(turn, i, beginning.packer, fd, &command);
    operand_close(fd);
}

void decompress_run_ahead(struct decompress *decompress, size_t i)
{
    for (size_t k = i + 1; k < i + decompress->turns && k < decompress->count; k++)
        if (turn_of(decompress, k)->file != k + 1)
            try_ahead(decompress, k);
}

/* ---- Reading ahead ---- */

static uint8_t *memory_of(const struct decompress *decompress, const struct turn *turn)
{
    return decompress->memory + (size_t)(turn - decompress->turn) * decompress->room;
}

/* Is what the program writes to be read ahead? That of the file that is read only behind what was. */
static bool reads_ahead(const struct decompress *decompress, const struct turn *turn, const struct turn *current)
{
    return turn->runs && !turn->ended && turn->held < decompress->room && (turn != current || turn->held > 0);
}

/* Take what is there. A failure shows when the file is read. */
static bool read_ahead(struct decompress *decompress, struct turn *turn)
{
    const size_t to = (turn->from + turn->held) % decompress->room;
    const size_t room = to < turn->from ? turn->from - to : decompress->room - to;
    struct flow flow = {.out = memory_of(decompress, turn) + to, .out_bytes = room};
    const enum pump_moved moved = pump_try(&turn->pump, &flow);

    turn->ended = moved == PUMP_ENDED;
    turn->held += room - flow.out_bytes;
    return moved == PUMP_MOVED;
}

static bool read_all_ahead(struct decompress *decompress, const struct turn *current)
{
    bool moved = false;

    for (size_t i = 0; i < decompress->turns; i++)
        if (reads_ahead(decompress, &decompress->turn[i], current))
            moved = read_ahead(decompress, &decompress->turn[i]) || moved;
    return moved;
}

static size_t take_held(struct decompress *decompress, struct turn *turn, uint8_t *data, size_t bytes)
{
    const size_t taken = least_size(bytes, least_size(turn->held, decompress->room - turn->from));

    memcpy(data, memory_of(decompress, turn) + turn->from, taken);
    turn->from = (turn->from + taken) % decompress->room;
    turn->held -= taken;
    return taken;
}

/* Wait until something can be moved. 0, or -1 with errno. */
static int wait_for_any(struct decompress *decompress, const struct turn *current)
{
    struct pollfd waits[TURNS_MAX + 1];
    unsigned count = 0;

    waits[count++] = (struct pollfd){.fd = current->pump.out, .events = POLLIN};
    waits[count++] = (struct pollfd){.fd = current->pump.in, .events = POLLOUT};
    for (size_t i = 0; i < decompress->turns; i++)
        if (&decompress->turn[i] != current && reads_ahead(decompress, &decompress->turn[i], current))
            waits[count++] = (struct pollfd){.fd = decompress->turn[i].pump.out, .events = POLLIN};
    return sys_poll_all(waits, count) >= 0 || io_again() ? 0 : -1;
}

/* ---- Reading ---- */

/* Have something to feed it with, or know that there is no more. 0, or -1 with errno. */
static int fetch(struct decompress *decompress, struct turn *turn)
{
    ssize_t got;

    if (turn->fd < 0 || turn->flow.in_bytes > 0)
        return 0;
    got = io_read(turn->fd, decompress->feed, sizeof decompress->feed);
    if (got < 0)
        return -1;
    if (got == 0)
        turn->fd = -1;
    turn->flow.in = decompress->feed;
    turn->flow.in_bytes = (size_t)got;
    return 0;
}

/* There is no more to come: has the program ended well? */
static int finish(struct decompress *decompress, struct turn *turn)
{
    const char *name = fault_name(decompress->names[turn->file - 1]);
    struct packer_command command;
    char text[PROGRAM_FAILURE_BYTES];
    const char *failure;
    int status;

    if (pump_end(&turn->pump, &status) != 0)
        return fault_report(decompress->fault, name, errno);
    turn->runs = false;
    failure = program_failure(status, text);
    if (failure == NULL)
        return 0;
    (void)packer_unpack(&command, turn->packer); /* for its text */
    return fault_say(decompress->fault, "%s: '%s' failed: %s", name, command.text, failure);
}

ssize_t decompress_read(struct decompress *decompress, size_t i, uint8_t *data, size_t bytes)
{
    struct turn *turn = turn_of(decompress, i);
    enum pump_moved moved = PUMP_MOVED;

    (void)read_all_ahead(decompress, turn);
    if (turn->held > 0)
        return (ssize_t)take_held(decompress, turn, data, bytes);
    if (!turn->runs)
        return 0;
    turn->flow.out = data;
    turn->flow.out_bytes = bytes;
    while (!turn->ended && moved != PUMP_FAILED && turn->flow.out == data) {
        moved = fetch(decompress, turn) == 0 ? pump_try(&turn->pump, &turn->flow) : PUMP_FAILED;
        turn->ended = moved == PUMP_ENDED;
        if (moved == PUMP_WAITS && !read_all_ahead(decompress, turn) && wait_for_any(decompress, turn) != 0)
            moved = PUMP_FAILED;
    }
    if (moved == PUMP_FAILED)
        return fault_report(decompress->fault, decompress->names[i], errno);
    return turn->ended ? finish(decompress, turn) : turn->flow.out - data;
}
