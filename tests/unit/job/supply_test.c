/* How the input is supplied: a user sees it only in time, memory, and what -v says. */

#include "support/unit.h"

#include "job/supply.h"

static const uint64_t MIB = (uint64_t)1 << 20;

/* Of a file, mapped to see, in 64 MiB of memory, unless a row says anything else. */
#define FILE_OF(mebibytes)                                                                                             \
    .known = true, .fixed = true, .files = 1, .bytes = (mebibytes)*MIB, .mapped_bytes = (mebibytes)*MIB
#define LINES(length) .memory_bytes = 64 * MIB, .addresses = UINT64_MAX, .record_bytes = (length)
#define BUT(mapped, fix, count, room)                                                                                  \
    .task = TASK_SHUFFLE, .known = true, .bytes = 4 * MIB, .memory_bytes = 64 * MIB, .record_bytes = 100,              \
    .mapped_bytes = (mapped), .fixed = (fix), .files = (count), .addresses = (room)
#define ALL .count = UINT64_MAX, .leaf_records = UINT64_MAX
#define TAR .count = UINT64_MAX, .format.kind = &tar_kind

UNIT_TEST(the_plan_follows_from_options_and_facts)
{
    static const struct {
        struct options options;
        struct facts facts;
        enum supply supply;
        uint64_t mebibytes; /* for the engine */
    } rows[] = {
        {{ALL}, {.task = TASK_SHUFFLE, .files = 1}, SUPPLY_SMALL, 8},
        {{ALL}, {.task = TASK_SHUFFLE, .files = 1, .larger = true}, SUPPLY_HELD, 0},  /* memory is to be looked up */
        {{ALL}, {.task = TASK_SHUFFLE, .larger = true, LINES(0)}, SUPPLY_COPIED, 64}, /* words, numbers */
        {{.count = 3}, {.task = TASK_SHUFFLE, .files = 1, .larger = true, LINES(0)}, SUPPLY_COPIED, 64},
        {{ALL}, {.task = TASK_REPEAT, .known = true, .files = 1, .bytes = 1000}, SUPPLY_COPIED, 8},
        {{ALL}, {.task = TASK_SHUFFLE, FILE_OF(4), LINES(100)}, SUPPLY_MAPPED, 60},
        {{ALL}, {.task = TASK_SHUFFLE, FILE_OF(4), LINES(10)}, SUPPLY_COPIED, 64},
        {{ALL}, {.task = TASK_SHUFFLE, FILE_OF(4), LINES(24)}, SUPPLY_MAPPED, 60},
        {{ALL}, {.task = TASK_SHUFFLE, FILE_OF(51), LINES(100)}, SUPPLY_COPIED, 64}, /* no room for references */
        {{ALL}, {.task = TASK_SHUFFLE, FILE_OF(50), LINES(100)}, SUPPLY_MAPPED, 14},
        {{ALL}, {.task = TASK_SHUFFLE, FILE_OF(65), LINES(0)}, SUPPLY_COPIED, 64},
        {{ALL}, {.task = TASK_REPEAT, FILE_OF(48), LINES(100)}, SUPPLY_COPIED, 64},
        {{ALL}, {.task = TASK_REPEAT, FILE_OF(47), LINES(100)}, SUPPLY_MAPPED, 17},
        {{.count = 3}, {.task = TASK_SHUFFLE, FILE_OF(4), LINES(100)}, SUPPLY_COPIED, 64},
        {{ALL}, {.task = TASK_KEEP_ORDER, FILE_OF(4), LINES(100)}, SUPPLY_COPIED, 64},
        {{TAR}, {.task = TASK_SHUFFLE, FILE_OF(43), LINES(1)}, SUPPLY_MAPPED, 21},
        {{TAR}, {.task = TASK_REPEAT, FILE_OF(43), LINES(1)}, SUPPLY_COPIED, 64},
        {{TAR}, {.task = TASK_SHUFFLE, FILE_OF(56), LINES(1)}, SUPPLY_HELD, 64},
        {{TAR}, {.task = TASK_SHUFFLE, FILE_OF(65), LINES(1)}, SUPPLY_COPIED, 64},
        {{ALL, .unique = true}, {.task = TASK_SHUFFLE, .files = 1}, SUPPLY_HELD, 0}, /* keys are never small */
        {{ALL, .unique = true}, {.task = TASK_SHUFFLE, .known = true, .files = 1, .bytes = 9}, SUPPLY_COPIED, 8},
        {{.count = 3, .unique = true}, {.task = TASK_SHUFFLE, FILE_OF(4), LINES(100)}, SUPPLY_MAPPED, 60},
        {{ALL}, {BUT(0, true, 1, UINT64_MAX)}, SUPPLY_COPIED, 64},
        {{ALL}, {BUT(4 * MIB, false, 1, UINT64_MAX)}, SUPPLY_COPIED, 64},
        {{ALL}, {BUT(4 * MIB, true, 32, UINT64_MAX)}, SUPPLY_MAPPED, 60},
        {{ALL}, {BUT(4 * MIB, true, 33, UINT64_MAX)}, SUPPLY_COPIED, 64}, /* small, on average */
        {{ALL}, {BUT(4 * MIB, true, 1, 67 * MIB)}, SUPPLY_COPIED, 64},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct plan plan = supply_plan(&rows[i].options, &rows[i].facts);

        assert_int_equal(plan.supply, rows[i].supply);
        assert_int_equal(plan.memory_bytes, rows[i].mebibytes * MIB);
        assert_true(plan.rereads == (rows[i].facts.known && rows[i].facts.files > 0 && !rows[i].facts.waits));
    }
}
