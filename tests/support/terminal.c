/*
 * Run a command with standard error on a terminal, and show what somebody who sits there would see:
 *
 *     terminal COLUMNS RECORD COMMAND...
 *
 * The terminal is so many columns wide; 0: it does not tell. All that it is sent goes to the file RECORD as it comes.
 * At the end, what is on the screen then goes to standard output, as lines. They are never broken: a line that is too
 * long shows by its length. Standard input and output are the command's own, but output goes to the terminal as well if
 * TERMINAL_OUTPUT is set, and it is /dev/tty if TERMINAL_CONTROLS is. The exit status is the command's, 128 and more
 * for a signal.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { LINE_BYTES = 4096 };

struct screen {
    char line[LINE_BYTES];
    size_t column, length;
};

static void fail(const char *what)
{
    fprintf(stderr, "terminal: %s: %s\n", what, strerror(errno));
    exit(125);
}

/* The master's descriptor; *slave is the other end. */
static int open_terminal(unsigned short columns, int *slave)
{
    struct winsize size = {.ws_row = columns > 0 ? 24 : 0, .ws_col = columns};
    struct termios modes;
    int master = posix_openpt(O_RDWR | O_NOCTTY);

    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        fail("pseudo-terminal");
    *slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    if (*slave < 0 || tcgetattr(*slave, &modes) != 0)
        fail("pseudo-terminal");
    modes.c_oflag &= ~(tcflag_t)OPOST; /* a newline is not made two bytes */
    if (tcsetattr(*slave, TCSANOW, &modes) != 0 || ioctl(*slave, TIOCSWINSZ, &size) != 0)
        fail("pseudo-terminal");
    fcntl(master, F_SETFD, FD_CLOEXEC);
    return master;
}

static pid_t start(char **command, int slave)
{
    pid_t child = fork();

    if (child < 0)
        fail("fork");
    if (child == 0) {
        dup2(slave, STDERR_FILENO);
        if (getenv("TERMINAL_OUTPUT") != NULL)
            dup2(slave, STDOUT_FILENO);
        if (getenv("TERMINAL_CONTROLS") != NULL && (setsid() < 0 || ioctl(slave, TIOCSCTTY, 0) != 0))
            fail("controlling terminal");
        close(slave);
        execvp(command[0], command);
        _exit(127);
    }
    close(slave);
    return child;
}

/* Carriage return, newline, and the erasing of a line from where it stands: "\033[K". */
static void show(struct screen *screen, char byte)
{
    static const char erase[] = "\033[K";
    static size_t matched;

    if (byte == erase[matched]) {
        if (erase[++matched] == '\0') {
            screen->length = screen->column;
            matched = 0;
        }
        return;
    }
    if (matched > 0) {
        printf("terminal: unknown sequence\n");
        matched = 0;
    }
    if (byte == '\n') {
        printf("%.*s\n", (int)screen->length, screen->line);
        screen->length = screen->column = 0;
    } else if (byte == '\r') {
        screen->column = 0;
    } else if (screen->column < LINE_BYTES) {
        screen->line[screen->column++] = byte;
        if (screen->column > screen->length)
            screen->length = screen->column;
    }
}

int main(int argc, char **argv)
{
    struct screen screen = {.length = 0};
    char data[4096];
    int slave, master, record, status;
    pid_t child;
    ssize_t got;

    if (argc < 4) {
        fprintf(stderr, "usage: terminal COLUMNS RECORD COMMAND...\n");
        return 125;
    }
    record = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (record < 0)
        fail(argv[2]);
    master = open_terminal((unsigned short)atoi(argv[1]), &slave);
    child = start(argv + 3, slave);
    while ((got = read(master, data, sizeof data)) > 0 || (got < 0 && errno == EINTR)) {
        if (got > 0 && write(record, data, (size_t)got) != got)
            fail(argv[2]);
        for (ssize_t i = 0; i < got; i++)
            show(&screen, data[i]);
    }
    printf("%.*s", (int)screen.length, screen.line);
    if (waitpid(child, &status, 0) != child)
        fail("wait");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
