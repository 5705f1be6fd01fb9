/*
 * What a file says of an owner is believed only if it can be understood, and then to the byte; whoever has the lock is
 * alive, whatever the file says.
 */

#include "fuzz.h"

#include <inttypes.h>

#include "store/owner.h"
#include "system/sys.h"

static struct folder folder;
static struct fault fault;

static enum owner_state ask(struct owner *owner, int *lock)
{
    enum owner_state state = owner_ask(&folder, "name", owner, lock);

    FUZZ_CHECK(!fault_any(&fault));
    FUZZ_CHECK((*lock < 0) == (state == OWNER_ALIVE));
    return state;
}

static int put_text(const struct owner *owner, char *text, size_t room)
{
    return snprintf(text, room, "host %s\nboot %s\nprocess %" PRIu64 "\nstart %" PRIu64 "\n", owner->host, owner->boot,
                    owner->process, owner->start);
}

static bool is_nobody(const struct owner *owner)
{
    return owner->host[0] == '\0' && owner->boot[0] == '\0' && owner->process == 0 && owner->start == 0;
}

/* The file says what was found in it, but for zeros before a number. */
static void check_text(const struct owner *owner, const uint8_t *data, size_t bytes)
{
    char text[4 * OWNER_WORD_BYTES];
    int length = put_text(owner, text, sizeof text);

    FUZZ_CHECK(owner->process > 0 && owner->process <= INT32_MAX);
    FUZZ_CHECK((size_t)length <= bytes);
    length = (int)(strlen("host \nboot \nprocess ") + strlen(owner->host) + strlen(owner->boot));
    FUZZ_CHECK(memcmp(text, data, (size_t)length) == 0);
}

/* The lock can be had, if it was not given to the caller: nothing was left of asking. */
static void check_locks(int given)
{
    int fd = open("name" OWNER_SUFFIX, O_RDWR | O_CLOEXEC), lock;
    struct owner owner;

    FUZZ_CHECK(fd >= 0);
    FUZZ_CHECK((sys_lock(fd, true) == 0) == (given < 0));
    FUZZ_CHECK(ask(&owner, &lock) == OWNER_ALIVE && lock < 0);
    close(fd);
}

static void read_text(const uint8_t *data, size_t bytes)
{
    struct owner owner;
    int lock;

    fuzz_put("name" OWNER_SUFFIX, data, bytes);
    (void)ask(&owner, &lock);
    if (!is_nobody(&owner))
        check_text(&owner, data, bytes);
    check_locks(lock);
    if (lock >= 0)
        close(lock);
}

static void take_word(struct fuzz *fuzz, char word[OWNER_WORD_BYTES])
{
    size_t length = 1 + fuzz_byte(fuzz) % (OWNER_WORD_BYTES - 1);

    for (size_t i = 0; i < length; i++)
        word[i] = (char)(' ' + fuzz_byte(fuzz) % ('~' - ' ' + 1));
    word[length] = '\0';
}

static void write_and_read(struct fuzz *fuzz)
{
    char text[4 * OWNER_WORD_BYTES];
    struct owner made = {.start = 0}, owner;
    int lock;

    take_word(fuzz, made.host);
    take_word(fuzz, made.boot);
    made.process = 1 + fuzz_number(fuzz) % INT32_MAX;
    made.start = fuzz_number(fuzz);
    fuzz_put("name" OWNER_SUFFIX, text, (size_t)put_text(&made, text, sizeof text));
    (void)ask(&owner, &lock);
    FUZZ_CHECK(strcmp(owner.host, made.host) == 0 && strcmp(owner.boot, made.boot) == 0);
    FUZZ_CHECK(owner.process == made.process && owner.start == made.start);
    if (lock >= 0)
        close(lock);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes};

    fault_init(&fault);
    FUZZ_CHECK(folder_open(&folder, ".", &fault) == FOLDER_OK);
    read_text(data, bytes);
    write_and_read(&fuzz);
    folder_close(&folder);
    fault_release(&fault);
    return 0;
}
