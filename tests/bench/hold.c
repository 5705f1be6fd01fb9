/*
 * The yardstick of work in memory: `hold [huge] <IN >OUT` reads everything into one buffer, then writes it. No program
 * that must see its whole input before it can write the first byte does less.
 *
 * With "huge" it asks for huge pages, since the first touch of fresh memory is a good part of its
 * time.
 */

#ifdef __linux__
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier)
#endif

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t FIRST = (size_t)1 << 20; /* bytes of the buffer for a pipe, doubled when full */
static const size_t PIECE = (size_t)1 << 30; /* most systems take no more at a time */
static const uintptr_t PAGE = (uintptr_t)1 << 12;

/* `data` with room for `bytes`; large buffers are moved by the system, not copied. */
static char *resize(char *data, size_t bytes, bool huge)
{
    char *moved = realloc(data, bytes);

#ifdef MADV_HUGEPAGE
    if (moved != NULL && huge) {
        size_t inside = (size_t)(-(uintptr_t)moved & (PAGE - 1));

        if (bytes > inside)
            (void)madvise(moved + inside, bytes - inside, MADV_HUGEPAGE);
    }
#else
    (void)huge;
    (void)PAGE;
#endif
    return moved;
}

/* Returns the data, of *bytes bytes, or NULL. */
static char *read_everything(bool huge, size_t *bytes)
{
    struct stat status;
    size_t room = FIRST;
    size_t filled = 0;
    char *data;

    /* One byte more than there should be, so that the end is seen without growing. */
    if (fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode) && (uintmax_t)status.st_size < SIZE_MAX / 2)
        room = (size_t)status.st_size + 1;
    data = resize(NULL, room, huge);
    while (data != NULL) {
        size_t left = room - filled;
        ssize_t got = read(STDIN_FILENO, data + filled, left < PIECE ? left : PIECE);

        if (got == 0)
            break;
        if (got < 0) {
            free(data);
            return NULL;
        }
        filled += (size_t)got;
        if (filled == room) {
            char *moved = resize(data, room *= 2, huge);

            if (moved == NULL)
                free(data);
            data = moved;
        }
    }
    *bytes = filled;
    return data;
}

int main(int argc, char **argv)
{
    size_t bytes = 0;
    size_t done = 0;
    char *data = read_everything(argc > 1 && strcmp(argv[1], "huge") == 0, &bytes);

    while (data != NULL && done < bytes) {
        ssize_t written = write(STDOUT_FILENO, data + done, bytes - done < PIECE ? bytes - done : PIECE);

        if (written < 0)
            break;
        done += (size_t)written;
    }
    if (data == NULL || done < bytes) {
        perror("hold");
        return 1;
    }
    free(data);
    return 0;
}
