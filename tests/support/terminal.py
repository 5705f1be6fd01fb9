#!/usr/bin/env python3
"""Run a command with standard error on a terminal, and show what somebody who sits there would see:

    terminal COLUMNS RECORD COMMAND...

The terminal has this many columns; 0: it does not tell. All that it is sent goes to the file RECORD as it comes. At the
end, what is on the screen then goes to standard output, as lines. They are never broken: a line that is too long shows
by its length. Standard input and output are the command's own, but output goes to the terminal as well if
TERMINAL_OUTPUT is set, and it is /dev/tty if TERMINAL_CONTROLS is. The exit status is the command's, 128 and more for a
signal.
"""

import fcntl
import os
import re
import struct
import subprocess
import sys
import termios


def control():
    """In the new process: the terminal is its /dev/tty."""
    os.setsid()
    fcntl.ioctl(2, termios.TIOCSCTTY, 0)


def shown(line):
    """What is left of a line of which the terminal was sent these bytes; it knows "\\r", and "\\033[K", which erases."""
    screen, column = bytearray(), 0
    for part in re.findall(rb"\033\[K|\r|[^\033\r]+|\033", line):
        if part == b"\r":
            column = 0
        elif part == b"\033[K":
            del screen[column:]
        else:
            screen[column:column + len(part)] = part
            column += len(part)
    return bytes(screen)


columns, sent = int(sys.argv[1]), b""
master, slave = os.openpty()
modes = termios.tcgetattr(slave)
modes[1] &= ~termios.OPOST  # a newline is not made two bytes
termios.tcsetattr(slave, termios.TCSANOW, modes)
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", 24 if columns else 0, columns, 0, 0))
with open(sys.argv[2], "wb", 0) as record:
    process = subprocess.Popen(sys.argv[3:], stdout=slave if "TERMINAL_OUTPUT" in os.environ else None, stderr=slave,
                               preexec_fn=control if "TERMINAL_CONTROLS" in os.environ else None)
    os.close(slave)
    try:
        while data := os.read(master, 4096):
            record.write(data)
            sent += data
    except OSError:  # nobody has it open any more
        pass
sys.stdout.buffer.write(b"\n".join(map(shown, sent.split(b"\n"))))
status = process.wait()
sys.exit(status if status >= 0 else 128 - status)
