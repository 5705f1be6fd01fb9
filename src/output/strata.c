/*
 * Let a class have m records, and let P be the part of all records that the first j files are to have together. They
 * get floor(m P + u) records of the class, where u is drawn from [0, 1) for the class, and the same u for every j. So
 * each file's number, the difference between two of these, is less than one away from its share, and right on average.
 * u is a function of seed and key, so the numbers depend on the seed and the numbers of records alone. (If files are to
 * have numbers of records instead of parts, each takes its number in turn, as long as the class has any.)
 *
 * In the order of the output, a record goes to file j with the probability r_j / R: R records of its class are still to
 * come, and r_j of them belong to file j. Then all choices of records for the files are equally likely, and do not
 * depend on the order, so the order within each file is as random as that of the whole. (If records were dealt in
 * turns, it would not be: neighbours would go to different files.)
 *
 * Two hashes of its key, 128 bits together, stand for a class; nobody will ever see two classes with the same. The
 * first one is u as well. All classes are in one list, with room for as many as fit into the part of the memory limit
 * that is set aside for it; only what is used of it is touched, and the table by which they are found grows with them:
 * a table for more would be a page of memory and a miss for each class. Each lane counts in a small list of its own,
 * and adds that to the large one when it is full. So threads seldom wait for each other, and never if there are few
 * classes.
 */

#include "output/strata.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "output/division.h"
#include "record/hasher.h"
#include "system/fault.h"
#include "system/sys.h"

enum { SLOTS = 2 /* for each class, at least */ };
TUNABLE(FIRST_SLOTS, 1024, SLOTS, 1024);
TUNABLE(LANE_CLASSES, 512, 1, 512);

struct stratum {
    struct siphash_pair hash;
    uint64_t records;  /* counted, and then those that have not been dealt */
    uint64_t places[]; /* that are left in each split; not in a lane's list */
};

/* The number of a class, from 1, and a part of its hash, so that other classes need not be looked at; or 0. */
struct slot {
    uint32_t number, tag;
};

/* A list, and after it a table with open addressing. */
struct classes {
    uint8_t *list;
    size_t stratum_bytes;
    uint64_t most;  /* classes, for which there is memory */
    uint64_t slots; /* of the table, SLOTS for each class or more; later twice as many, and so on */
    uint64_t count;
};

struct strata {
    const struct output_plan *plan;
    struct random_words words; /* by which records are dealt */
    struct classes classes;
    pthread_mutex_t mutex; /* of the classes, while they are counted */
    struct hasher *hasher; /* for those who count in lanes, */
    struct classes *lane;  /* each with a list of its own */
    unsigned lanes;
    uint64_t smallest;  /* how many records a class has */
    uint64_t without[]; /* for each file: how many classes have no record in it */
};

/* ---- Classes ---- */

static size_t bytes_of(const struct classes *classes)
{
    return (size_t)classes->most * (classes->stratum_bytes + SLOTS * sizeof(struct slot));
}

static struct stratum *stratum_at(const struct classes *classes, uint64_t number)
{
    return (struct stratum *)(void *)(classes->list + (number - 1) * classes->stratum_bytes);
}

static struct slot *table_of(const struct classes *classes)
{
    return (struct slot *)(void *)(classes->list + classes->most * classes->stratum_bytes);
}

/* Where the class with this hash is looked for first. */
static struct slot *first_slot(const struct classes *classes, struct siphash_pair hash)
{
    return table_of(classes) + spread(hash.word[1], classes->slots);
}

/* The slot of the class with this hash; if there is none, where it would be. */
static struct slot *find(const struct classes *classes, struct siphash_pair hash)
{
    struct slot *slot = first_slot(classes, hash), *table = table_of(classes);

    while (slot->number > 0 && (slot->tag != (uint32_t)hash.word[0] ||
                                memcmp(&stratum_at(classes, slot->number)->hash, &hash, sizeof hash) != 0))
        slot = table + spread_next((uint64_t)(slot - table), classes->slots);
    return slot;
}

static void take_slot(struct slot *slot, uint64_t number, struct siphash_pair hash)
{
    *slot = (struct slot){(uint32_t)number, (uint32_t)hash.word[0]};
}

/* Use the table's first `slots` slots. */
static void use_slots(struct classes *classes, uint64_t slots)
{
    classes->slots = least(slots, SLOTS * classes->most);
    memset(table_of(classes), 0, (size_t)classes->slots * sizeof(struct slot));
    for (uint64_t i = 1; i <= classes->count; i++) {
        const struct siphash_pair hash = stratum_at(classes, i)->hash;

        take_slot(find(classes, hash), i, hash);
    }
}

/* `list` has zeroed memory for them. */
static void begin_classes(struct classes *classes, void *list)
{
    classes->list = list;
    classes->count = 0;
    use_slots(classes, FIRST_SLOTS);
}

/* Count `records` more records of a class. False: there is no room for one more class. */
static bool add(struct classes *classes, struct siphash_pair hash, uint64_t records)
{
    struct slot *slot = find(classes, hash);

    if (slot->number == 0 && classes->count == classes->most)
        return false;
    if (slot->number == 0 && SLOTS * (classes->count + 1) > classes->slots) {
        use_slots(classes, 2 * classes->slots);
        slot = find(classes, hash);
    }
    if (slot->number == 0) {
        take_slot(slot, ++classes->count, hash);
        stratum_at(classes, slot->number)->hash = hash;
    }
    stratum_at(classes, slot->number)->records += records;
    return true;
}

/* ---- Making ---- */

struct strata *strata_new(const struct output_plan *plan, uint64_t bytes)
{
    const size_t numbers = plan->splits * sizeof(uint64_t);
    struct strata *strata = fault_allocate(1, sizeof *strata + numbers + sizeof(uint64_t));

    strata->plan = plan;
    strata->classes.stratum_bytes = sizeof(struct stratum) + numbers;
    strata->classes.most = least(UINT32_MAX - 2, bytes / (strata->classes.stratum_bytes + SLOTS * sizeof(struct slot)));
    pthread_mutex_init(&strata->mutex, NULL);
    return strata;
}

size_t strata_lane_bytes(void)
{
    return sizeof(struct classes) + LANE_CLASSES * (sizeof(struct stratum) + SLOTS * sizeof(struct slot));
}

static void free_lanes(struct strata *strata)
{
    while (strata->lanes > 0)
        free(strata->lane[--strata->lanes].list);
    hasher_free(strata->hasher);
    strata->hasher = NULL;
    free(strata->lane);
    strata->lane = NULL;
}

static void free_classes(struct strata *strata)
{
    free_lanes(strata);
    if (strata->classes.list != NULL)
        sys_unmap(strata->classes.list, bytes_of(&strata->classes));
}

void strata_free(struct strata *strata)
{
    if (strata == NULL)
        return;
    free_classes(strata);
    pthread_mutex_destroy(&strata->mutex);
    free(strata);
}

void strata_begin(struct strata *strata, unsigned lanes)
{
    void *list;

    random_words_init(&strata->words, strata->plan->key, "deal");
    free_classes(strata);
    list = sys_map_large(bytes_of(&strata->classes));
    if (list == NULL)
        die_errno("memory", errno);
    begin_classes(&strata->classes, list);
    strata->lane = fault_allocate(lanes, sizeof *strata->lane);
    strata->hasher = hasher_new(&strata->plan->split_key, STRATA_LABEL, "--stratify-field", lanes);
    hasher_begin(strata->hasher, strata->plan->key);
    while (strata->lanes < lanes) {
        struct classes *classes = &strata->lane[strata->lanes++];

        *classes = (struct classes){.stratum_bytes = sizeof(struct stratum), .most = LANE_CLASSES};
        begin_classes(classes, fault_allocate(bytes_of(classes), 1));
    }
}

/* ---- Counting ---- */

/* The number `i` of a lane is merged soon: have the memory that is looked at then come, first the slot, then the class.
 */
static void announce(const struct classes *classes, const struct classes *from, uint64_t i)
{
    enum { SLOT_AHEAD = 16, CLASS_AHEAD = 8 };
    const struct slot *slot;

    if (i + SLOT_AHEAD <= from->count)
        __builtin_prefetch(first_slot(classes, stratum_at(from, i + SLOT_AHEAD)->hash));
    if (i + CLASS_AHEAD > from->count)
        return;
    slot = first_slot(classes, stratum_at(from, i + CLASS_AHEAD)->hash);
    if (slot->number > 0)
        __builtin_prefetch(stratum_at(classes, slot->number), 1);
}

/* Add what a lane has counted to what all have. */
static void merge(struct strata *strata, struct classes *from)
{
    pthread_mutex_lock(&strata->mutex);
    for (uint64_t i = 1; i <= from->count; i++) {
        announce(&strata->classes, from, i);
        if (!add(&strata->classes, stratum_at(from, i)->hash, stratum_at(from, i)->records))
            die("--stratify-field: more than %llu classes; use a larger -S, of 64M or more",
                (unsigned long long)strata->classes.most);
    }
    pthread_mutex_unlock(&strata->mutex);
    memset(from->list, 0, (size_t)from->count * from->stratum_bytes);
    from->count = 0;
    use_slots(from, FIRST_SLOTS);
}

void strata_count(struct strata *strata, unsigned lane, const uint8_t *data, size_t bytes, bool first, bool last)
{
    struct siphash_pair hash;
    const enum key_found found = hasher_piece(strata->hasher, lane, data, bytes, first, last, &hash);

    if (found == KEY_MISSING)
        hasher_refuse(strata->hasher, lane, "--stratify-field", 0, data, bytes - last);
    while (found == KEY_FOUND && !add(&strata->lane[lane], hash, 1))
        merge(strata, &strata->lane[lane]);
}

/* ---- Dealing ---- */

static void settle(struct strata *strata, struct stratum *stratum)
{
    const struct output_plan *plan = strata->plan;
    const uint64_t taken =
        split_class(plan->split, plan->splits, stratum->records, stratum->hash.word[0], stratum->places);

    for (size_t j = 0; j < plan->splits; j++)
        strata->without[j] += stratum->places[j] == 0;
    strata->without[plan->splits] += stratum->records == taken;
    strata->smallest = least(strata->smallest, stratum->records);
}

void strata_settle(struct strata *strata)
{
    const size_t files = strata->plan->splits + 1;

    for (unsigned i = 0; i < strata->lanes; i++)
        merge(strata, &strata->lane[i]);
    free_lanes(strata);
    strata->smallest = UINT64_MAX;
    for (uint64_t i = 1; i <= strata->classes.count; i++)
        settle(strata, stratum_at(&strata->classes, i));
    for (size_t j = 0; j < files; j++)
        if (strata->without[j] > 0 && division_is_wanted(strata->plan, j))
            fault_warn("%s: %llu of %llu classes have no record in it", division_called(strata->plan, j),
                       (unsigned long long)strata->without[j], (unsigned long long)strata->classes.count);
}

void strata_announce(const struct strata *strata, struct siphash_pair hash)
{
    __builtin_prefetch(first_slot(&strata->classes, hash));
}

uint32_t strata_find(const struct strata *strata, struct siphash_pair hash)
{
    return find(&strata->classes, hash)->number;
}

size_t strata_deal(struct strata *strata, uint32_t number)
{
    struct stratum *stratum = stratum_at(&strata->classes, number > 0 ? number : 1);
    const size_t splits = strata->plan->splits;
    uint64_t place;
    size_t j = 0;

    fault_same_input(number > 0 && stratum->records > 0);
    place = random_draw(&strata->words, stratum->records--);
    for (; j < splits && place >= stratum->places[j]; j++)
        place -= stratum->places[j];
    if (j < splits)
        stratum->places[j]--;
    return j;
}

void strata_note(const struct strata *strata)
{
    const unsigned long long classes = strata->classes.count;

    if (classes == 0)
        fault_note("classes:       0");
    else
        fault_note("classes:       %llu, the smallest of %llu records", classes, (unsigned long long)strata->smallest);
    for (size_t j = 0; j <= strata->plan->splits; j++)
        if (division_is_wanted(strata->plan, j))
            fault_note("missing:       %llu classes in %s", (unsigned long long)strata->without[j],
                       division_called(strata->plan, j));
}
