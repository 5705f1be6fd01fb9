/*
 * Linked into a program that contains many mutants of itself (mutants.py). From the environment: MUTANT, the number of
 * the one that is to act, none if it is not there; MUTANTS_REACHED, a file of as many bytes as there are mutants, in
 * which the byte of each that is reached becomes 1.
 */

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool mutant_is(unsigned number);

static unsigned acting; /* 0: none */
static unsigned char *reached;
static unsigned known;

/* Before anything of the program runs: it may be in a signal handler, or short of descriptors, later. */
__attribute__((constructor)) static void look_around(void)
{
    const char *number = getenv("MUTANT"), *name = getenv("MUTANTS_REACHED");
    const int fd = name != NULL ? open(name, O_RDWR | O_CLOEXEC) : -1;
    struct stat status;

    if (number != NULL)
        acting = (unsigned)strtoul(number, NULL, 10);
    if (fd < 0)
        return;
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
        void *memory = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

        if (memory != MAP_FAILED) {
            reached = memory;
            known = (unsigned)status.st_size;
        }
    }
    (void)close(fd);
}

bool mutant_is(unsigned number)
{
    if (number < known && reached[number] == 0)
        reached[number] = 1;
    return number == acting;
}
