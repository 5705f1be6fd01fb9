/*
 * A model of the permutation, to hold the program against: `model SEED T <in >out` shuffles the lines of its standard
 * input. It is written from the published definition alone and shares no code with the program, so that a mistake
 * would have to be made twice to go unseen. It is slow and keeps all in memory; in return each step reads as the
 * definition does.
 *
 *     key     SHA-256 of the seed
 *     words   the key stream of ChaCha with 8 rounds, one stream for each node of a tree, read as little-endian words
 *     tree    the root always scatters its records into 512 children; another node with more than T records scatters
 *             them into 4 to 512; what is left are leaves, which are shuffled
 *     output  the leaves from left to right
 *
 * Stores of piles, whose records are those of several files, one for each batch:
 *
 *     model gather SEED T PILES EPOCH NAME=FILE...   what comes out of the store
 *     model pile SEED PILES NAME J <FILE             what of a batch stands in pile J, as it stands there
 *     model identity SEED                            how a batch names its key
 *
 * with keys that are each the SHA-256 of the key, a label, a zero byte, and arguments: numbers as 8 bytes, a string as
 * its length and its bytes.
 *
 *     batch   record i goes to the pile that the leading bits of the i-th word of 16 bits choose; key: batch(NAME)
 *     order   the numbers of the piles shuffled as a leaf; key: epoch(EPOCH)
 *     pile    the records of all batches in bytewise order of the batches' names, shuffled as a node 0 that need not
 *             scatter; key: pile(EPOCH, J)
 */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(uint64_t count, size_t bytes)
{
    void *memory = calloc(count ? (size_t)count : 1, bytes);

    if (!memory) {
        perror("model");
        exit(1);
    }
    return memory;
}

/* ---- SHA-256: FIPS 180-4, sections 4.1.2, 4.2.2, 5.1.1, 5.3.3 and 6.2 ---- */

static const uint32_t sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate_right(uint32_t x, int bits)
{
    return x >> bits | x << (32 - bits);
}

static void sha256_block(uint32_t state[8], const uint8_t block[64])
{
    uint32_t w[64];
    uint32_t s[8];

    for (int t = 0; t < 16; t++) {
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
               (uint32_t)block[4 * t + 3];
    }
    for (int t = 16; t < 64; t++) {
        uint32_t sigma0 = rotate_right(w[t - 15], 7) ^ rotate_right(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t sigma1 = rotate_right(w[t - 2], 17) ^ rotate_right(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = sigma1 + w[t - 7] + sigma0 + w[t - 16];
    }

    memcpy(s, state, sizeof s);
    for (int t = 0; t < 64; t++) {
        uint32_t sum0 = rotate_right(s[0], 2) ^ rotate_right(s[0], 13) ^ rotate_right(s[0], 22);
        uint32_t sum1 = rotate_right(s[4], 6) ^ rotate_right(s[4], 11) ^ rotate_right(s[4], 25);
        uint32_t choose = (s[4] & s[5]) ^ (~s[4] & s[6]);
        uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        uint32_t t1 = s[7] + sum1 + choose + sha256_constants[t] + w[t];
        uint32_t t2 = sum0 + majority;

        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

static void sha256(const uint8_t *message, size_t bytes, uint8_t digest[32])
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    /* The message, a bit 1, zeroes, and the message's length in bits as 8 bytes: whole blocks in all. */
    size_t padded_bytes = (bytes + 1 + 8 + 63) / 64 * 64;
    uint8_t *padded = allocate(padded_bytes, 1);

    memcpy(padded, message, bytes);
    padded[bytes] = 0x80;
    for (int i = 0; i < 8; i++)
        padded[padded_bytes - 1 - (size_t)i] = (uint8_t)((uint64_t)bytes * 8 >> 8 * i);
    for (size_t at = 0; at < padded_bytes; at += 64)
        sha256_block(state, padded + at);
    free(padded);

    for (int i = 0; i < 32; i++)
        digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

/* ---- ChaCha with 8 rounds: D. J. Bernstein, "ChaCha, a variant of Salsa20", 2008 ---- */

static uint32_t little_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void quarter_round(uint32_t x[16], int a, int b, int c, int d)
{
    x[a] += x[b], x[d] = rotate_right(x[d] ^ x[a], 16);
    x[c] += x[d], x[b] = rotate_right(x[b] ^ x[c], 20);
    x[a] += x[b], x[d] = rotate_right(x[d] ^ x[a], 24);
    x[c] += x[d], x[b] = rotate_right(x[b] ^ x[c], 25);
}

/* The 64 bytes of block `counter` of stream `stream`. */
static void chacha8_block(const uint8_t key[32], uint64_t counter, uint64_t stream, uint8_t out[64])
{
    uint32_t in[16];
    uint32_t x[16];

    for (int i = 0; i < 4; i++)
        in[i] = little_endian((const uint8_t *)"expand 32-byte k" + 4 * i);
    for (int i = 0; i < 8; i++)
        in[4 + i] = little_endian(key + 4 * i);
    in[12] = (uint32_t)counter;
    in[13] = (uint32_t)(counter >> 32);
    in[14] = (uint32_t)stream;
    in[15] = (uint32_t)(stream >> 32);

    memcpy(x, in, sizeof x);
    for (int round = 0; round < 8; round += 2) {
        for (int i = 0; i < 4; i++) /* columns */
            quarter_round(x, i, 4 + i, 8 + i, 12 + i);
        for (int i = 0; i < 4; i++) /* diagonals */
            quarter_round(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
    }
    for (int i = 0; i < 64; i++)
        out[i] = (uint8_t)((x[i / 4] + in[i / 4]) >> 8 * (i % 4));
}

/* The words of one stream. */
struct stream {
    const uint8_t *key;
    uint64_t number;
    uint64_t counter; /* of the block held */
    bool held;
    uint8_t block[64];
};

/* The byte at place `i` of the key stream. */
static uint8_t stream_byte(struct stream *stream, uint64_t i)
{
    if (!stream->held || stream->counter != i / 64) {
        stream->counter = i / 64;
        stream->held = true;
        chacha8_block(stream->key, stream->counter, stream->number, stream->block);
    }
    return stream->block[i % 64];
}

/* The i-th word of 16 bits. */
static uint32_t stream_u16(struct stream *stream, uint64_t i)
{
    return (uint32_t)stream_byte(stream, 2 * i) | (uint32_t)stream_byte(stream, 2 * i + 1) << 8;
}

/* The i-th word of 32 bits. */
static uint32_t stream_u32(struct stream *stream, uint64_t i)
{
    return stream_u16(stream, 2 * i) | stream_u16(stream, 2 * i + 1) << 16;
}

/* ---- The permutation ---- */

enum { ROOT_BITS = 9 };

struct permutation {
    uint8_t key[32];
    uint64_t leaf_records; /* T */
};

/* Fisher-Yates, forwards: the record at i changes places with one of those from i to the end. */
static void shuffle_leaf(struct stream *stream, uint64_t *records, uint64_t count)
{
    uint64_t word = 0;

    for (uint64_t i = 0; i + 1 < count; i++) {
        uint64_t bound = count - i;
        uint64_t product;

        do { /* draw again where the low half falls into the remainder of 2^32 by the bound: what is left is even */
            product = stream_u32(stream, word++) * bound;
        } while ((uint32_t)product < (UINT64_C(1) << 32) % bound);

        uint64_t chosen = i + (product >> 32);
        uint64_t record = records[i];
        records[i] = records[chosen];
        records[chosen] = record;
    }
}

/* How many leading bits of a word choose the child: the fewest, from 2 to 9, that give children of T/2 on average. */
static int scatter_bits(const struct permutation *permutation, uint64_t count)
{
    int bits = 2;

    while (bits < 9 && 2 * count > permutation->leaf_records << bits)
        bits++;
    return bits;
}

/* Put records[0, count), which entered node `node` in this order, into their order in the output. */
static void shuffle_node(const struct permutation *permutation, bool root, uint64_t node, uint64_t *records,
                         uint64_t count)
{
    struct stream stream = {.key = permutation->key, .number = node};

    if (!root && count <= permutation->leaf_records) {
        shuffle_leaf(&stream, records, count);
        return;
    }

    int bits = root ? ROOT_BITS : scatter_bits(permutation, count);
    uint64_t children = UINT64_C(1) << bits;
    uint64_t *first = allocate(children + 1, sizeof *first); /* child j gets scattered[first[j], first[j + 1]) */
    uint64_t *filled = allocate(children, sizeof *filled);
    uint64_t *scattered = allocate(count, sizeof *scattered);

    for (uint64_t i = 0; i < count; i++)
        first[(stream_u16(&stream, i) >> (16 - bits)) + 1]++;
    for (uint64_t j = 0; j < children; j++)
        first[j + 1] += first[j];
    for (uint64_t i = 0; i < count; i++) {
        uint64_t child = stream_u16(&stream, i) >> (16 - bits);
        scattered[first[child] + filled[child]++] = records[i];
    }
    memcpy(records, scattered, (size_t)count * sizeof *records);
    free(scattered);
    free(filled);

    for (uint64_t j = 0; j < children; j++)
        shuffle_node(permutation, false, 512 * node + j + 1, records + first[j], first[j + 1] - first[j]);
    free(first);
}

/* ---- Lines in, lines out ---- */

struct lines {
    char *text;
    size_t bytes;
    uint64_t *starts; /* of each line, and where the last one ends */
    uint64_t count;
};

/* All of a file, with a line feed after the last line. */
static void read_all(struct lines *lines, FILE *file)
{
    size_t room = 1 << 20;
    size_t filled = 0;
    char *text = allocate(room, 1);

    for (;;) {
        filled += fread(text + filled, 1, room - filled, file);
        if (filled < room) {
            break; /* the end, and a free byte behind it */
        }
        room *= 2;
        text = realloc(text, room);
        if (!text) {
            perror("model");
            exit(1);
        }
    }
    if (ferror(file)) {
        perror("model: input");
        exit(1);
    }
    if (filled > 0 && text[filled - 1] != '\n')
        text[filled++] = '\n';
    lines->text = text;
    lines->bytes = filled;
}

static void find_lines(struct lines *lines)
{
    uint64_t line = 0;

    lines->count = 0;
    for (size_t i = 0; i < lines->bytes; i++)
        lines->count += lines->text[i] == '\n';
    lines->starts = allocate(lines->count + 1, sizeof *lines->starts);
    for (size_t i = 0; i < lines->bytes; i++) {
        if (lines->text[i] == '\n')
            lines->starts[++line] = i + 1;
    }
}

static void read_lines(struct lines *lines, FILE *file)
{
    read_all(lines, file);
    find_lines(lines);
}

static void write_line(const struct lines *lines, uint64_t line)
{
    fwrite(lines->text + lines->starts[line], 1, (size_t)(lines->starts[line + 1] - lines->starts[line]), stdout);
}

static void free_lines(struct lines *lines)
{
    free(lines->starts);
    free(lines->text);
}

static void shuffle(struct permutation *permutation, const char *seed)
{
    struct lines lines;

    sha256((const uint8_t *)seed, strlen(seed), permutation->key);
    read_lines(&lines, stdin);

    uint64_t *order = allocate(lines.count, sizeof *order);

    for (uint64_t i = 0; i < lines.count; i++)
        order[i] = i;
    shuffle_node(permutation, true, 0, order, lines.count);
    for (uint64_t i = 0; i < lines.count; i++)
        write_line(&lines, order[i]);
    free(order);
    free_lines(&lines);
}

/* ---- Stores ---- */

/* What a key is made of. */
struct ingredients {
    uint8_t bytes[512];
    size_t count;
};

static void add_bytes(struct ingredients *ingredients, const void *bytes, size_t count)
{
    if (count > sizeof ingredients->bytes - ingredients->count) {
        fputs("model: name too long\n", stderr);
        exit(1);
    }
    memcpy(ingredients->bytes + ingredients->count, bytes, count);
    ingredients->count += count;
}

static void add_number(struct ingredients *ingredients, uint64_t number)
{
    uint8_t bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    add_bytes(ingredients, bytes, sizeof bytes);
}

/* The key of the seed, and the label with what stands behind it: a zero byte if there are arguments. */
static void begin_key(struct ingredients *ingredients, const char *seed, const char *label, size_t label_bytes)
{
    uint8_t key[32];

    ingredients->count = 0;
    sha256((const uint8_t *)seed, strlen(seed), key);
    add_bytes(ingredients, key, sizeof key);
    add_bytes(ingredients, label, label_bytes);
}

static void end_key(const struct ingredients *ingredients, uint8_t key[32])
{
    sha256(ingredients->bytes, ingredients->count, key);
}

static void batch_key(uint8_t key[32], const char *seed, const char *name)
{
    struct ingredients ingredients;

    begin_key(&ingredients, seed, "batch", sizeof "batch");
    add_number(&ingredients, strlen(name));
    add_bytes(&ingredients, name, strlen(name));
    end_key(&ingredients, key);
}

static void pile_key(uint8_t key[32], const char *seed, uint64_t epoch, uint64_t pile)
{
    struct ingredients ingredients;

    begin_key(&ingredients, seed, "pile", sizeof "pile");
    add_number(&ingredients, epoch);
    add_number(&ingredients, pile);
    end_key(&ingredients, key);
}

static void epoch_key(uint8_t key[32], const char *seed, uint64_t epoch)
{
    struct ingredients ingredients;

    begin_key(&ingredients, seed, "epoch", sizeof "epoch");
    add_number(&ingredients, epoch);
    end_key(&ingredients, key);
}

/* The pile of a record among `piles`, a power of two. */
static uint64_t pile_of(struct stream *batch, uint64_t record, uint64_t piles)
{
    return stream_u16(batch, record) / (65536 / piles);
}

static void print_pile(const char *seed, uint64_t piles, const char *name, uint64_t pile)
{
    uint8_t key[32];
    struct stream stream = {.key = key, .number = 0};
    struct lines lines;

    batch_key(key, seed, name);
    read_lines(&lines, stdin);
    for (uint64_t i = 0; i < lines.count; i++) {
        if (pile_of(&stream, i, piles) == pile)
            write_line(&lines, i);
    }
    free_lines(&lines);
}

static void print_identity(const char *seed)
{
    struct ingredients ingredients;
    uint8_t key[32];

    begin_key(&ingredients, seed, "identity", strlen("identity"));
    end_key(&ingredients, key);
    for (int i = 0; i < 16; i++)
        printf("%02x", key[i]);
    putchar('\n');
}

struct batch {
    const char *name;
    struct lines lines;
};

static int compare_names(const void *one, const void *other)
{
    return strcmp(((const struct batch *)one)->name, ((const struct batch *)other)->name);
}

/* NAME=FILE, which is changed. */
static void read_batch(struct batch *batch, char *argument)
{
    char *file_name = strchr(argument, '=');
    FILE *file;

    if (!file_name) {
        fputs("model: NAME=FILE is needed\n", stderr);
        exit(1);
    }
    *file_name++ = '\0';
    file = fopen(file_name, "rb");
    if (!file) {
        perror(file_name);
        exit(1);
    }
    batch->name = argument;
    read_lines(&batch->lines, file);
    fclose(file);
}

/* A record of a store: which batch, which line. */
struct place {
    uint64_t batch;
    uint64_t line;
};

static void gather_pile(struct permutation *permutation, const char *seed, uint64_t piles, uint64_t epoch,
                        uint64_t pile, const struct batch *batches, uint64_t batch_count)
{
    uint64_t most = 0;
    uint64_t count = 0;

    for (uint64_t b = 0; b < batch_count; b++)
        most += batches[b].lines.count;

    struct place *places = allocate(most, sizeof *places);

    for (uint64_t b = 0; b < batch_count; b++) {
        uint8_t key[32];
        struct stream stream = {.key = key, .number = 0};

        batch_key(key, seed, batches[b].name);
        for (uint64_t i = 0; i < batches[b].lines.count; i++) {
            if (pile_of(&stream, i, piles) == pile)
                places[count++] = (struct place){b, i};
        }
    }

    uint64_t *order = allocate(count, sizeof *order);

    for (uint64_t i = 0; i < count; i++)
        order[i] = i;
    pile_key(permutation->key, seed, epoch, pile);
    shuffle_node(permutation, false, 0, order, count);
    for (uint64_t i = 0; i < count; i++)
        write_line(&batches[places[order[i]].batch].lines, places[order[i]].line);
    free(order);
    free(places);
}

static void gather(struct permutation *permutation, const char *seed, uint64_t piles, uint64_t epoch, char **arguments,
                   int argument_count)
{
    uint64_t batch_count = (uint64_t)argument_count;
    struct batch *batches = allocate(batch_count, sizeof *batches);
    uint64_t *numbers = allocate(piles, sizeof *numbers);
    uint8_t key[32];
    struct stream stream = {.key = key, .number = 0};

    for (uint64_t b = 0; b < batch_count; b++)
        read_batch(&batches[b], arguments[b]);
    qsort(batches, (size_t)batch_count, sizeof *batches, compare_names);
    for (uint64_t j = 0; j < piles; j++)
        numbers[j] = j;
    epoch_key(key, seed, epoch);
    shuffle_leaf(&stream, numbers, piles);
    for (uint64_t j = 0; j < piles; j++)
        gather_pile(permutation, seed, piles, epoch, numbers[j], batches, batch_count);
    for (uint64_t b = 0; b < batch_count; b++)
        free_lines(&batches[b].lines);
    free(numbers);
    free(batches);
}

/* ---- The command line ---- */

static void usage(void)
{
    fputs("usage: model SEED T <INPUT >OUTPUT\n"
          "       model gather SEED T PILES EPOCH NAME=FILE...\n"
          "       model pile SEED PILES NAME J <INPUT\n"
          "       model identity SEED\n"
          "T, the most records of a leaf, is 8 to 2^31; PILES is a power of two from 2 to 4096\n",
          stderr);
    exit(1);
}

static uint64_t number(const char *text, uint64_t least, uint64_t most)
{
    char *end;
    uint64_t value;

    errno = 0;
    value = strtoull(text, &end, 10);
    if (end == text || *end || errno || value < least || value > most)
        usage();
    return value;
}

static uint64_t leaf_records(const char *text)
{
    return number(text, 8, UINT64_C(1) << 31);
}

static uint64_t pile_count(const char *text)
{
    uint64_t piles = number(text, 2, 4096);

    if (piles & (piles - 1))
        usage();
    return piles;
}

int main(int argc, char **argv)
{
    struct permutation permutation;
    const char *what = argc > 1 ? argv[1] : "";

    if (argc >= 7 && !strcmp(what, "gather")) {
        permutation.leaf_records = leaf_records(argv[3]);
        gather(&permutation, argv[2], pile_count(argv[4]), number(argv[5], 0, UINT64_MAX), argv + 6, argc - 6);
    } else if (argc == 6 && !strcmp(what, "pile")) {
        print_pile(argv[2], pile_count(argv[3]), argv[4], number(argv[5], 0, 4095));
    } else if (argc == 3 && !strcmp(what, "identity")) {
        print_identity(argv[2]);
    } else if (argc == 3) {
        permutation.leaf_records = leaf_records(argv[2]);
        shuffle(&permutation, argv[1]);
    } else {
        usage();
    }
    if (ferror(stdout) || fclose(stdout)) {
        perror("model: standard output");
        return 1;
    }
    return 0;
}
