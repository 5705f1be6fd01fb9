/*
 * Who exchanges `failed` first ends the run. A message is put together in one buffer and leaves with one write, so that
 * the lines of several processes on one terminal do not mix; the line of progress that may stand there is erased by the
 * same write. Nothing here takes a lock, or waits for a thread that may have one.
 */

#include "system/fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system/io.h"
#include "system/progress_line.h"
#include "system/signals.h"
#include "system/sys.h"

/* Room for the longest name that can be opened (PATH_MAX, 4096 on Linux) and its cause, small enough for the stack of
 * a worker. A longer name is cut, so that the cause can always be read. */
enum { LINE_BYTES = 6144, NAME_BYTES = 4096, CAUSE_BYTES = 256 };

/* The most that is shown for a byte: "\x1b". And the bytes of a line that are written at once. */
enum { SHOWN_BYTES = 4, SHOWN_LINE_BYTES = 2 * LINE_BYTES };

struct message {
    char text[LINE_BYTES];
    size_t length; /* never more than LINE_BYTES - 1 */
};

static void append_list(struct message *line, const char *format, va_list arguments)
{
    size_t room = LINE_BYTES - line->length;
    int wanted = vsnprintf(line->text + line->length, room, format, arguments);

    if (wanted > 0)
        line->length += (size_t)wanted < room ? (size_t)wanted : room - 1;
}

__attribute__((format(printf, 2, 3))) static void append_message(struct message *line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    append_list(line, format, arguments);
    va_end(arguments);
}

/* The character in UTF-8 with which text[0, bytes) begins, and its length; or the first byte as it is, if no character
 * begins there (RFC 3629: nothing overlong, no surrogates, nothing above U+10FFFF). */
static size_t read_character(const unsigned char *text, size_t bytes, uint32_t *character)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    const size_t more = text[0] > 0xf4 ? 0 : text[0] >= 0xf0 ? 3 : text[0] >= 0xe0 ? 2 : text[0] >= 0xc0;
    uint32_t number = text[0] & (more > 0 ? 0x3fu >> more : 0x7f);

    *character = text[0];
    for (size_t i = 1; i <= more; i++) {
        if (i == bytes || (text[i] & 0xc0) != 0x80)
            return 1;
        number = number << 6 | (text[i] & 0x3f);
    }
    if (more == 0 || number < least[more] || number >> 11 == 0xd800 >> 11 || number > 0x10ffff)
        return 1;
    *character = number;
    return 1 + more;
}

/* Does a terminal obey it: C0 and DEL, or C1, also as bare bytes? Or does it turn the direction of text, so that a name
 * looks like another one? */
static bool is_control(uint32_t character)
{
    static const uint32_t controls[][2] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                                           {0x200e, 0x200f}, {0x202a, 0x202e}, {0x2066, 0x2069}};
    size_t i = 0;

    while (i < sizeof controls / sizeof controls[0] && (character < controls[i][0] || character > controls[i][1]))
        i++;
    return i < sizeof controls / sizeof controls[0];
}

/* A byte of a control character, as C has it. */
static size_t show_byte(char *to, unsigned char byte)
{
    if (byte == '\t' || byte == '\n' || byte == '\r')
        return (size_t)snprintf(to, SHOWN_BYTES + 1, "\\%c", byte == '\t' ? 't' : byte == '\n' ? 'n' : 'r');
    return (size_t)snprintf(to, SHOWN_BYTES + 1, "\\x%02x", byte);
}

/* Print the line. Control characters are shown as escapes: one message is one line, no name gives orders to the
 * terminal, and a name that has such a character by mistake tells so. Mostly that is the end of a line of Windows. A
 * failure here cannot be reported. */
static void print(struct message *line)
{
    const unsigned char *text = (const unsigned char *)line->text;
    char shown[SHOWN_LINE_BYTES];
    size_t used = progress_line_is_drawn() ? sizeof PROGRESS_LINE_ERASE - 1 : 0;

    memcpy(shown, PROGRESS_LINE_ERASE, used);
    if (memchr(text, '\r', line->length) != NULL)
        append_message(line, ": \\r is a carriage return, as in lines that end with CRLF");
    for (size_t i = 0, length; i < line->length; i += length) {
        uint32_t character;

        length = read_character(text + i, line->length - i, &character);
        if (used > sizeof shown - SHOWN_BYTES * (SHOWN_BYTES + 1)) { /* only for a name full of escapes */
            (void)io_write(STDERR_FILENO, shown, used);
            used = 0;
        }
        if (is_control(character)) {
            for (size_t j = 0; j < length; j++)
                used += show_byte(shown + used, text[i + j]);
        } else {
            memcpy(shown + used, text + i, length);
            used += length;
        }
    }
    shown[used++] = '\n';
    (void)io_write(STDERR_FILENO, shown, used);
}

/* ---- The end of the run ---- */

static atomic_bool failed;
static _Thread_local bool ends; /* is it this thread that failed first? */
static _Atomic(const struct fault_duty *) set_duty;

void fault_set_duty(const struct fault_duty *duty)
{
    atomic_store(&set_duty, duty);
}

/* If others have moved the folder, or removed the file, there is nothing of this name. */
static void warn_of_kept(const char *path, int error)
{
    if (error != ENOENT && error != ENOTDIR)
        fault_warn("%s: cannot be removed: %s", path, fault_cause(error));
}

/* How the message of a failure begins; after the success it is a warning. */
static void begin_message(struct message *line)
{
    line->length = 0;
    append_message(line, "bigshuf: %s", signals_has_succeeded() ? "warning: " : "");
}

/* A duty that fails comes here again, in the same thread. */
_Noreturn static void end_run(struct message *line)
{
    const int status = signals_has_succeeded() ? EXIT_SUCCESS : EXIT_FAILURE;
    const struct fault_duty *duty;

    if (ends)
        signals_end(status, warn_of_kept);
    if (signals_is_dying() || atomic_exchange(&failed, true))
        signals_wait_for_end();
    ends = true;
    print(line);
    signals_give_up_hold();
    duty = atomic_load(&set_duty);
    if (duty != NULL)
        duty->act(duty->context);
    signals_end(status, warn_of_kept);
}

const char *fault_name(const char *name)
{
    return name[0] == '\0' ? "''" : name;
}

/* strerror may use one buffer for all threads. */
const char *fault_cause(int error)
{
    static _Thread_local char text[CAUSE_BYTES];

    if (strerror_r(error, text, sizeof text) != 0)
        snprintf(text, sizeof text, "error %d", error);
    return text;
}

void die_advising(const char *name, int error, const char *advice)
{
    const char *quote = name[0] == ' ' || (name[0] != '\0' && name[strlen(name) - 1] == ' ') ? "'" : "";
    struct message line;

    begin_message(&line);
    append_message(&line, "%s%.*s%s%s: %s%s%s", quote, NAME_BYTES, fault_name(name),
                   strlen(name) > NAME_BYTES ? "..." : "", quote,
                   error == 0 ? "unexpected end of file" : fault_cause(error), advice != NULL ? "; " : "",
                   advice != NULL ? advice : "");
    end_run(&line);
}

void die_errno(const char *name, int error)
{
    die_advising(name, error, NULL);
}

void die(const char *format, ...)
{
    struct message line;
    va_list arguments;

    begin_message(&line);
    va_start(arguments, format);
    append_list(&line, format, arguments);
    va_end(arguments);
    end_run(&line);
}

void fault_same_input(bool same)
{
    if (!same)
        die("the input has changed while it was read");
}

void *fault_allocate(size_t count, size_t bytes)
{
    return fault_memory(sys_allocate(count, bytes));
}

void *fault_reallocate(void *memory, size_t count, size_t bytes)
{
    return fault_memory(sys_reallocate(memory, count * bytes));
}

void *fault_memory(void *memory)
{
    if (memory == NULL)
        die_errno("memory", errno);
    return memory;
}

char *fault_text(const char *format, ...)
{
    va_list arguments;
    char *text;
    int length;

    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    text = fault_allocate((size_t)length + 1, 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

__attribute__((format(printf, 2, 0))) static void say_lines(const char *prefix, const char *format, va_list arguments)
{
    int errno_before = errno;
    struct message line = {.length = 0};

    append_message(&line, "%s", prefix);
    append_list(&line, format, arguments);
    print(&line);
    errno = errno_before;
}

void fault_warn(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say_lines("bigshuf: warning: ", format, arguments);
    va_end(arguments);
}

void fault_note(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say_lines("bigshuf: ", format, arguments);
    va_end(arguments);
}
