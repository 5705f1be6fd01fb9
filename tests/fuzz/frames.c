/* Any bytes that are read as frames are either found to be damaged or give the bytes asked for, in steps of any size,
 * and nothing outside is touched. */

#include "fuzz.h"

#include "temporary/frames.h"

static size_t get(void *context, uint8_t *data, size_t bytes)
{
    struct fuzz *fuzz = context;

    bytes = bytes < fuzz->bytes ? bytes : fuzz->bytes;
    memcpy(data, fuzz->data, bytes);
    fuzz->data += bytes;
    fuzz->bytes -= bytes;
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes};
    const size_t step = fuzz_from_to(&fuzz, 1, 100000);
    struct frames_reader reader = {.desk = NULL};
    uint8_t *memory = malloc(step);
    struct iovec piece = {.iov_base = memory, .iov_len = step};

    FUZZ_CHECK(memory != NULL);
    for (int i = 0; i < 10 && frames_read(&reader, &piece, 1, 0, get, &fuzz); i++)
        continue;
    frames_close(&reader);
    free(memory);
    return 0;
}
