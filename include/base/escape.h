#pragma once

/* Strings on the command line in which bytes may be written as in C: \a \b \f \n \r \t \v \\ \' \" \?, \ and one to
 * three octal digits, \x and one or two hexadecimal digits. Every other byte stands for itself. */

#include <stddef.h>
#include <stdint.h>

/* Write the string to bytes[0, room) and its length to *count. -1 with errno EINVAL (no such escape) or ERANGE (too
 * long, or above \377). */
int escape_parse(const char *text, uint8_t *bytes, size_t room, size_t *count);
