/*
 * File i has turn i mod `turns`, so that each of the next files has a turn. There are more turns than programs that may
 * run: small files beside a large one are held when their programs have ended, and the next ones begin. A program is
 * given the descriptor of a regular file. An input that cannot be read twice has lost its first bytes to the look, so
 * its program is fed, and only while it is read. Such an input is not opened ahead either, since that may have effects.
 *
 * There is no thread. Our ends of pipes do not block: a read feeds as much as the pipe takes, reads the bytes that are
 * there, and waits only if it could do neither. Whenever the file that is read has no bytes ready, the bytes of the
 * others are read.
 */

#include "input/decompress.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "input/operand.h"
#include "system/fault.h"
#include "system/io.h"
#include "system/pool.h"
#include "system/program.h"
#include "system/sys.h"

/* More programs would not help, nor would more files held while a larger one is read. */
TUNABLE(TURNS_MAX, 64, 1, 64);

/* Programs may take 1/DESCRIPTORS_SHARE of the descriptors that are left. Each takes two, since its file stays open. */
enum { DESCRIPTORS_SHARE = 8 };

/* Compressed bytes on their way to a program that is fed. */
enum { FEED_BYTES = 64 << 10 };

/* Bytes read ahead go to blocks of this size; fewer than BLOCKS_MIN blocks are not worth a copy. */
TUNABLE(BLOCK_BITS, 18, 10, 18);
TUNABLE(BLOCKS_MIN, 4, 1, 4);
#define BLOCK_BYTES ((size_t)1 << BLOCK_BITS)

struct turn {
    size_t file; /* number of its file, plus 1; 0: none */
    bool runs;   /* does a program decompress it? Else the file is not compressed, or not looked at yet */
    bool ended;  /* has the program closed its output? */
    struct packer_command command;
    struct program program;
    int fd; /* the file, while its program runs; else -1 */

    /* Bytes read ahead: from offset `from` of the first block to `to` of the last one. */
    uint32_t first, last; /* POOL_NONE: there are none */
    size_t from, to;
};

/*
 * Bytes that are read here and fed to the program of the current file. The program's end of the pipe stays open here as
 * well: so a dead program leaves the pipe with a reader, and a write to it raises no SIGPIPE, which must stay deadly
 * for standard output. The pipe just gets full, and the end of the program's output shows that it has died.
 */
struct feed {
    int pipe, held; /* its ends; -1: none, or all has been fed */
    const uint8_t *next;
    size_t bytes; /* left in `data` */
    uint8_t data[FEED_BYTES];
};

struct decompress {
    const char *const *names;
    struct file_mark *marks;
    size_t count;
    struct pool pool; /* for bytes read ahead; zeroed if none are */
    struct feed feed;
    unsigned programs; /* that may run at a time */
    size_t turns;
    struct turn turn[];
};

static const struct turn no_turn = {.program = {.out = -1}, .fd = -1, .first = POOL_NONE, .last = POOL_NONE};

struct decompress *decompress_new(const char *const *names, struct file_mark *marks, size_t count,
                                  struct decompress_limits limits)
{
    const bool reads_ahead = limits.bytes / BLOCK_BYTES >= BLOCKS_MIN && limits.programs > 1;
    const size_t most = sys_free_descriptors(TURNS_MAX * DESCRIPTORS_SHARE) / DESCRIPTORS_SHARE;
    size_t turns = least_size(reads_ahead ? TURNS_MAX : limits.programs, most);
    struct decompress *decompress;

    turns = least_size(turns < count ? turns : count, TURNS_MAX);
    turns = turns > 0 ? turns : 1;
    decompress = fault_allocate(1, sizeof *decompress + turns * sizeof decompress->turn[0]);
    *decompress = (struct decompress){.names = names,
                                      .marks = marks,
                                      .count = count,
                                      .programs = limits.programs,
                                      .turns = turns,
                                      .feed = {.pipe = -1, .held = -1}};
    for (size_t i = 0; i < turns; i++)
        decompress->turn[i] = no_turn;
    if (turns > 1 && reads_ahead)
        (void)pool_open(&decompress->pool, (size_t)limits.bytes, BLOCK_BYTES); /* else nothing is read ahead */
    return decompress;
}

static void close_feed(struct feed *feed)
{
    operand_close(feed->pipe);
    operand_close(feed->held);
    feed->pipe = feed->held = -1;
}

void decompress_free(struct decompress *decompress)
{
    if (decompress == NULL)
        return;
    for (size_t i = 0; i < decompress->turns; i++) {
        program_kill(&decompress->turn[i].program);
        operand_close(decompress->turn[i].fd);
    }
    close_feed(&decompress->feed);
    pool_close(&decompress->pool);
    free(decompress);
}

static struct turn *turn_of(struct decompress *decompress, size_t i)
{
    return &decompress->turn[i % decompress->turns]; /* NOLINT(clang-analyzer-core.DivideZero): there is always one */
}

/* ---- Looking ---- */

/* At most this many skippable frames at the start of a file are followed; no known file has more than one. */
enum { SKIPS_MAX = 1000 };

int decompress_look(int fd, off_t at, struct decompress_beginning *beginning)
{
    uint8_t data[PACKER_LOOK_BYTES];
    struct iovec piece = {.iov_base = data, .iov_len = sizeof data};
    const struct packer *packer = NULL;
    uint64_t skipped = 1;
    size_t got;

    *beginning = (struct decompress_beginning){.packer = NULL};
    for (unsigned i = 0; skipped > 0 && i < SKIPS_MAX; i++) {
        if (io_read_at(fd, &piece, 1, at, &got) != 0 && errno != 0)
            return -1;
        packer = packer_of_beginning(data, got);
        beginning->packer = packer != NULL ? packer : beginning->packer;
        beginning->seen = i == 0 ? got : beginning->seen;
        skipped = packer_skips(data, got);
        at += (off_t)skipped;
    }
    return 0;
}

/* Reads no more than it needs. Skipped frames may need more than there is room for: see packer.c. */
int decompress_look_once(struct decompress *decompress, int fd, struct decompress_beginning *beginning)
{
    uint8_t *data = decompress->feed.data;
    uint64_t wanted = PACKER_LOOK_BYTES, skipped = 0;
    size_t used = 0;
    ssize_t got = 1;

    while (got > 0 && used < wanted && wanted <= FEED_BYTES) {
        got = io_read(fd, data + used, (size_t)wanted - used);
        if (got < 0)
            return -1;
        used += (size_t)got;
        if (used == wanted) {
            skipped = packer_skips(data + used - PACKER_LOOK_BYTES, PACKER_LOOK_BYTES);
            wanted += skipped;
        }
    }
    *beginning = (struct decompress_beginning){
        .packer = packer_of_beginning(data, used), .seen = used, .bytes = used, .data = data};
    return 0;
}

/* ---- Starting ---- */

/* Start the program of file i, open as `fd`. It reads `input`, the file or the pipe that feeds it; below 0: opening
 * that has failed. 0, or -1 with errno. */
static int start_program(struct turn *turn, size_t i, const struct decompress_beginning *beginning, int fd, int input)
{
    *turn = no_turn;
    turn->file = i + 1;
    packer_unpack(&turn->command, beginning->packer);
    if (input < 0 ||
        program_start(&turn->program, turn->command.arguments, packer_own_variables, input, PROGRAM_PIPE) != 0)
        return -1;
    if (sys_set_nonblocking(turn->program.out) != 0) {
        program_kill(&turn->program);
        return -1;
    }
    sys_widen_pipe(turn->program.out);
    turn->runs = true;
    turn->fd = fd;
    return 0;
}

/* Make a pipe to feed a program with `bytes` bytes that were read. Returns the program's end, or -1 with errno. */
static int begin_feed(struct feed *feed, size_t bytes)
{
    int ends[2];

    if (sys_pipe(ends) != 0)
        return -1;
    feed->held = ends[0];
    feed->pipe = ends[1];
    feed->next = feed->data;
    feed->bytes = bytes;
    sys_widen_pipe(feed->pipe);
    return sys_set_nonblocking(feed->pipe) == 0 ? feed->held : -1;
}

void decompress_start(struct decompress *decompress, size_t i, int fd, const struct decompress_beginning *beginning)
{
    const int input = beginning->bytes > 0 ? begin_feed(&decompress->feed, beginning->bytes) : fd;
    struct turn *turn = turn_of(decompress, i);

    if (start_program(turn, i, beginning, fd, input) != 0)
        packer_report(&turn->command, decompress->names[i]);
}

bool decompress_is_ahead(struct decompress *decompress, size_t i)
{
    const struct turn *turn = turn_of(decompress, i);

    return turn->file == i + 1 && turn->runs;
}

/* A failure is ignored: the file is tried again, and the failure reported, when it is to be read. */
static void try_ahead(struct decompress *decompress, size_t i)
{
    struct turn *turn = turn_of(decompress, i);
    const char *name = decompress->names[i];
    struct decompress_beginning beginning = {.bytes = 0};
    int fd;

    *turn = no_turn;
    turn->file = i + 1;
    if (operand_is_standard_input(name) || !file_mark_is_known(&decompress->marks[i]))
        return;
    fd = operand_open(name, true);
    if (fd < 0 || file_mark_open(&decompress->marks[i], fd) != 0 || decompress_look(fd, 0, &beginning) != 0 ||
        beginning.packer == NULL || start_program(turn, i, &beginning, fd, fd) != 0)
        operand_close(fd);
}

void decompress_run_ahead(struct decompress *decompress, size_t i)
{
    unsigned running = 0;

    for (size_t k = 0; k < decompress->turns; k++)
        running += decompress->turn[k].runs && !decompress->turn[k].ended;
    for (size_t k = i + 1; k < i + decompress->turns && k < decompress->count && running < decompress->programs; k++)
        if (turn_of(decompress, k)->file != k + 1) {
            try_ahead(decompress, k);
            running += turn_of(decompress, k)->runs;
        }
}

/* ---- Reading ahead ---- */

/* Has the last block room, or is there another one? */
static bool has_room(struct decompress *decompress, const struct turn *turn)
{
    if (decompress->pool.memory == NULL)
        return false;
    return (turn->last != POOL_NONE && turn->to < BLOCK_BYTES) || pool_free(&decompress->pool) > 0;
}

/* Should the program's output be read ahead? For the current file, only if bytes of it have been read ahead. */
static bool reads_ahead(struct decompress *decompress, const struct turn *turn, const struct turn *current)
{
    return turn->runs && !turn->ended && (turn != current || turn->first != POOL_NONE) && has_room(decompress, turn);
}

static void add_block(struct decompress *decompress, struct turn *turn)
{
    const uint32_t block = pool_get(&decompress->pool);

    if (turn->last != POOL_NONE)
        decompress->pool.next[turn->last] = block;
    else
        turn->first = block;
    turn->last = block;
    turn->to = 0;
}

static void drop_first(struct decompress *decompress, struct turn *turn)
{
    const uint32_t block = turn->first;

    turn->first = decompress->pool.next[block];
    turn->last = turn->first != POOL_NONE ? turn->last : POOL_NONE;
    turn->from = 0;
    pool_put(&decompress->pool, block, block, 1);
}

/* Up to `bytes` bytes that the program has written; 0 at their end, -1 with errno, EAGAIN if there is nothing yet. */
static ssize_t take_output(struct turn *turn, uint8_t *data, size_t bytes)
{
    ssize_t got;

    IO_REPEAT(got, sys_read(turn->program.out, data, bytes));
    turn->ended = got == 0;
    return got;
}

/* Read as much as there is room for. A failure shows when the file is read. A program's end makes room for another. */
static bool read_ahead(struct decompress *decompress, struct turn *turn, const struct turn *current)
{
    ssize_t got;

    if (turn->last == POOL_NONE || turn->to == BLOCK_BYTES)
        add_block(decompress, turn);
    got = take_output(turn, pool_block(&decompress->pool, turn->last) + turn->to, BLOCK_BYTES - turn->to);
    turn->to += got > 0 ? (size_t)got : 0;
    if (turn->ended)
        decompress_run_ahead(decompress, current->file - 1);
    return got > 0;
}

/* The next file first: it may take all the memory. */
static bool read_all_ahead(struct decompress *decompress, struct turn *current)
{
    const size_t first = (size_t)(current - decompress->turn);
    bool moved = false;

    for (size_t i = 0; i < decompress->turns; i++) {
        struct turn *turn = turn_of(decompress, first + i);

        if (reads_ahead(decompress, turn, current))
            moved = read_ahead(decompress, turn, current) || moved;
    }
    return moved;
}

/* Up to `bytes` bytes that were read ahead; 0 if none are left. */
static size_t take_held(struct decompress *decompress, struct turn *turn, uint8_t *data, size_t bytes)
{
    size_t taken = 0;

    while (taken == 0 && turn->first != POOL_NONE) {
        const size_t end = turn->first == turn->last ? turn->to : BLOCK_BYTES;

        taken = least_size(bytes, end - turn->from);
        memcpy(data, pool_block(&decompress->pool, turn->first) + turn->from, taken);
        turn->from += taken;
        if (turn->from == end)
            drop_first(decompress, turn);
    }
    return taken;
}

/* Wait until something can be moved. */
static void wait_for_any(struct decompress *decompress, const struct turn *current)
{
    struct pollfd waits[TURNS_MAX + 1];
    unsigned count = 0;

    waits[count++] = (struct pollfd){.fd = current->program.out, .events = POLLIN};
    waits[count++] = (struct pollfd){.fd = decompress->feed.pipe, .events = POLLOUT};
    for (size_t i = 0; i < decompress->turns; i++)
        if (&decompress->turn[i] != current && reads_ahead(decompress, &decompress->turn[i], current))
            waits[count++] = (struct pollfd){.fd = decompress->turn[i].program.out, .events = POLLIN};
    if (sys_poll_all(waits, count) < 0 && errno != EINTR)
        die_errno(decompress->names[current->file - 1], errno);
}

/* ---- Reading ---- */

/* Feed the program as much as its pipe takes; at the end of the file, close it. True if anything was fed. */
static bool give(struct decompress *decompress, const struct turn *turn)
{
    struct feed *feed = &decompress->feed;
    const char *name = decompress->names[turn->file - 1];
    ssize_t got = 1;

    if (feed->pipe < 0)
        return false;
    if (feed->bytes == 0) {
        got = io_read(turn->fd, feed->data, sizeof feed->data);
        feed->next = feed->data;
        feed->bytes = got > 0 ? (size_t)got : 0;
    }
    if (got == 0)
        close_feed(feed);
    if (got > 0) {
        IO_REPEAT(got, sys_write(feed->pipe, feed->next, feed->bytes));
        feed->next += got > 0 ? got : 0;
        feed->bytes -= got > 0 ? (size_t)got : 0;
    }
    if (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
        die_errno(name, errno);
    return got > 0;
}

/* The program shares the descriptor of a regular file, whose offset thus tells how far the program has read. */
static void end_packed_file(const struct decompress *decompress, struct turn *turn)
{
    const size_t i = turn->file - 1;

    if (file_mark_check(&decompress->marks[i], turn->fd, sys_seek(turn->fd, 0, SEEK_CUR)) != 0)
        file_mark_report(decompress->names[i]);
    operand_close(turn->fd);
    turn->fd = -1;
}

/* The output has ended: the run ends if the file has changed or the program has failed. */
static void finish_turn(struct decompress *decompress, struct turn *turn)
{
    const char *name = fault_name(decompress->names[turn->file - 1]);
    int status;

    close_feed(&decompress->feed);
    program_wait(&turn->program, name, &status);
    turn->runs = false;
    end_packed_file(decompress, turn);
    program_judge(status, NULL, name, turn->command.text);
}

size_t decompress_read(struct decompress *decompress, size_t i, uint8_t *data, size_t bytes)
{
    struct turn *turn = turn_of(decompress, i);
    size_t held;

    (void)read_all_ahead(decompress, turn);
    held = take_held(decompress, turn, data, bytes);
    if (held > 0 || !turn->runs)
        return held;
    while (!turn->ended) {
        const bool gave = give(decompress, turn);
        const ssize_t got = take_output(turn, data, bytes);

        if (got > 0)
            return (size_t)got;
        if (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
            die_errno(decompress->names[i], errno);
        if (!turn->ended && !gave && !read_all_ahead(decompress, turn))
            wait_for_any(decompress, turn);
    }
    finish_turn(decompress, turn);
    return 0;
}
