/*
 * Requests of any bytes, to any records: a run ends with the same answers, at the same bad request if there is one,
 * whether they come from a file or through a pipe. That the answers are right, the soak sees.
 */

#include "end.h"

#include "sample/requests.h"
#include "system/sys.h"

/* Memory that a run maps: runs that end do not give it back. */
static struct {
    void *memory;
    size_t bytes;
} mappings[64];

static void *fuzz_map(size_t bytes)
{
    size_t i = 0;

    while (mappings[i].memory != NULL)
        FUZZ_CHECK(++i < sizeof mappings / sizeof *mappings);
    mappings[i].bytes = bytes;
    return mappings[i].memory = sys_map(bytes);
}

static void fuzz_unmap(void *memory, size_t bytes)
{
    for (size_t i = 0; i < sizeof mappings / sizeof *mappings; i++)
        if (mappings[i].memory == memory)
            mappings[i].memory = NULL;
    sys_unmap(memory, bytes);
}

static void fuzz_unmap_all(void)
{
    for (size_t i = 0; i < sizeof mappings / sizeof *mappings; i++)
        if (mappings[i].memory != NULL)
            fuzz_unmap(mappings[i].memory, mappings[i].bytes);
}

#define sys_map   fuzz_map
#define sys_unmap fuzz_unmap
#include "../../src/sample/requests.c" /* NOLINT(bugprone-suspicious-include) */
#include "../../src/system/table.c"    /* NOLINT(bugprone-suspicious-include) */
#undef sys_map
#undef sys_unmap

enum { INPUT_MAX = 12000, TEXT_MAX = 60000, REPEAT_MAX = 2000 };

static uint8_t input[INPUT_MAX], text[TEXT_MAX];
static size_t input_bytes, records, text_bytes;

/* A draw of more than this with repetition would take long, or too much memory. */
static bool asks_for_much(void)
{
    static char line[TEXT_MAX + 1];

    for (size_t at = 0; at < text_bytes; at += strlen(line) + 1) {
        const uint8_t *end = memchr(text + at, '\n', text_bytes - at);
        const size_t bytes = end == NULL ? text_bytes - at : (size_t)(end - text) - at;
        unsigned long long number = 0;

        memcpy(line, text + at, bytes);
        line[bytes] = '\0';
        if (strstr(line, " repeat") != NULL && sscanf(line, "draw %llu", &number) == 1 && number > REPEAT_MAX)
            return true;
        if (strlen(line) < bytes)
            return false; /* a bad one */
    }
    return false;
}

/* ---- The program ---- */

static size_t input_at;

static size_t read_input(void *context, uint8_t *data, size_t bytes)
{
    (void)context;
    bytes = bytes < input_bytes - input_at ? bytes : input_bytes - input_at;
    memcpy(data, input + input_at, bytes);
    input_at += bytes;
    return bytes;
}

static void release_input(void *context)
{
    (void)context;
}

static struct run run;
static struct {
    uint8_t *data;
    size_t bytes;
} answers;

static void answer(void)
{
    struct source *source = source_over(read_input, NULL, release_input);

    FUZZ_CHECK(source != NULL);
    requests_answer(&run, source, NULL);
    source_free(source);
}

static void open_input(bool piped)
{
    int way[2] = {open("requests", O_RDONLY | O_CLOEXEC), -1};

    if (piped) {
        close(way[0]);
        FUZZ_CHECK(pipe(way) == 0 && write(way[1], text, text_bytes) == (ssize_t)text_bytes);
        close(way[1]);
    }
    FUZZ_CHECK(dup2(way[0], STDIN_FILENO) == STDIN_FILENO);
    close(way[0]);
}

/* Returns whether the run has failed; its answers are in `answers`. */
static bool run_program(bool piped)
{
    static struct run_progress progress;
    static struct spill_place place;
    static const char *const here[] = {"."};
    static int out = -1;
    bool bad;

    if (out < 0)
        FUZZ_CHECK((out = open("answers", O_RDWR | O_CREAT | O_CLOEXEC, 0600)) >= 0);
    FUZZ_CHECK(ftruncate(out, 0) == 0 && lseek(out, 0, SEEK_SET) == 0 && dup2(out, STDOUT_FILENO) == STDOUT_FILENO);
    fuzz_put("requests", text, text_bytes);
    open_input(piped);
    input_at = 0;
    memset(&progress, 0, sizeof progress);
    spill_place_init(&place, here, 1, SPILL_NEVER);
    run = (struct run){.limit = UINT64_MAX, .expected = UINT64_MAX, .progress = &progress, .format.delimiter = '\n'};
    random_key_init(&run.order.key, "42", 2);
    (void)engine_open(&run.engine, engine_memory(ENGINE_MEMORY_MIN, 1), &place);
    bad = FUZZ_ENDS(answer());
    fuzz_unmap_all();
    engine_close(&run.engine);
    spill_place_release(&place);
    answers.bytes = (size_t)lseek(out, 0, SEEK_END);
    answers.data = malloc(answers.bytes + 1);
    FUZZ_CHECK(answers.data != NULL && pread(out, answers.data, answers.bytes, 0) == (ssize_t)answers.bytes);
    return bad;
}

/* ---- Inputs ---- */

static void put_text(const void *words, size_t bytes)
{
    if (bytes == 0 || bytes > TEXT_MAX - text_bytes)
        return;
    memcpy(text + text_bytes, words, bytes);
    text_bytes += bytes;
}

/* A request that is likely to be good. */
static void make_request(struct fuzz *fuzz)
{
    static const char *const weights[] = {"0", "1", "4294967296", "2.3283064365386963e-10", ".5", "3e3", "-0", "0.1"};
    char words[80];
    const uint8_t way = fuzz_byte(fuzz);
    const size_t number = fuzz_from_to(fuzz, 0, way % 2 == 0 ? 300 : 3000), i = records == 0 ? 0 : number % records;

    if (way % 8 < 2)
        (void)sprintf(words, "draw %zu%s\n", number, way < 64 && number <= REPEAT_MAX ? " repeat" : "");
    else if (way % 8 == 2)
        (void)sprintf(words, "add %s %zu\n", weights[way >> 5], number);
    else if (way % 8 < 6)
        (void)sprintf(words, "set %zu %s\n", i, weights[way >> 5]);
    else
        (void)sprintf(words, "set %zu %zu.%u\n", i, number, fuzz_byte(fuzz));
    put_text(words, strlen(words));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes};
    const uint8_t way = fuzz_byte(&fuzz), times = fuzz_byte(&fuzz);
    uint8_t *of_file;
    size_t bytes_of_file;
    bool bad;

    input_bytes = fuzz_repeat(&fuzz, fuzz_byte(&fuzz), times * 16U, input, INPUT_MAX - 1);
    if (input_bytes > 0)
        input[input_bytes++] = '\n';
    records = text_bytes = 0;
    for (size_t i = 0; i < input_bytes; i++)
        records += input[i] == '\n';
    for (unsigned made = way / 4; made > 0; made--)
        make_request(&fuzz);
    put_text(fuzz.data, fuzz.bytes);
    if (asks_for_much())
        return 0;
    bad = run_program(false);
    of_file = answers.data;
    bytes_of_file = answers.bytes;
    FUZZ_CHECK(run_program(true) == bad);
    FUZZ_CHECK(answers.bytes == bytes_of_file && memcmp(answers.data, of_file, bytes_of_file) == 0);
    free(of_file);
    free(answers.data);
    return 0;
}
