#ifndef BIGSHUF_COMMAND_COMMAND_LINE_H
#define BIGSHUF_COMMAND_COMMAND_LINE_H

/* Parsing of the command line. */

#include "command/options.h"

enum command_line_verdict {
    COMMAND_LINE_RUN,  /* do the job */
    COMMAND_LINE_DONE, /* --help, -h or --version was printed well, and standard output closed: exit status 0 */
    COMMAND_LINE_BAD,  /* a message has been printed: exit status 1 */
};

/* Fill `options` from the command line, which stays as it is: words may stand in any order, as GNU has it, unless
 * POSIXLY_CORRECT is set. `options` must be released whatever the verdict. */
enum command_line_verdict command_line_parse(struct options *options, int argc, char **argv);
void command_line_release(struct options *options);

#endif
