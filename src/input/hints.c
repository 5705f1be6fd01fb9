#include "input/hints.h"

#include <string.h>

#include "system/fault.h"
#include "system/packer.h"

/* The beginnings of text in UTF-16, either way round. */
static bool is_utf16(const uint8_t *data, size_t bytes)
{
    return bytes >= 2 && (memcmp(data, "\xff\xfe", 2) == 0 || memcmp(data, "\xfe\xff", 2) == 0);
}

void hints_look(struct hints *hints, const struct record_format *format, const char *name, const uint8_t *data,
                size_t bytes)
{
    const struct packer *packer = packer_of_beginning(data, bytes);

    if (hints->encoding_told || format->kind == RECORD_SIZE)
        return;
    if (packer != NULL)
        fault_warn("%s: compressed by %s, and shuffled as it is: to shuffle its lines: bigshuf -Z", fault_name(name),
                   packer_name(packer));
    else if (is_utf16(data, bytes))
        fault_warn("%s: text in UTF-16, and shuffled as it is: to shuffle its lines: iconv -f UTF-16 -t UTF-8 FILE | "
                   "bigshuf",
                   fault_name(name));
    else
        return;
    hints->encoding_told = true;
}

void hints_look_at_quotes(struct hints *hints, const struct tail *tail, const char *name)
{
    if (hints->quote_told || tail->stray_line == 0)
        return;
    fault_warn("%s:%llu: a quote within a field that does not begin with one: from there on, --csv may take several "
               "lines for one",
               fault_name(name), (unsigned long long)tail->stray_line);
    hints->quote_told = true;
}
