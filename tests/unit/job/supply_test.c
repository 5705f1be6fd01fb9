/* How the input is supplied: a user sees it only in time, memory, and what -v says. */

#include "support/unit.h"

#include "job/supply.h"

static const uint64_t MIB = (uint64_t)1 << 20;

/* Of a file, in 64 MiB of memory, unless a row says anything else. */
#define FILE_OF(mebibytes) .known = true, .files = 1, .bytes = (mebibytes)*MIB
#define LINES(length)      .memory_bytes = 64 * MIB, .record_bytes = (length)
#define ALL                .count = UINT64_MAX, .leaf_records = UINT64_MAX
#define TAR                .count = UINT64_MAX, .format.kind = &tar_kind

UNIT_TEST(the_plan_follows_from_options_and_facts)
{
    static const struct {
        struct options options;
        struct facts facts;
        enum supply supply;
        uint64_t mebibytes; /* for the engine */
    } rows[] = {
        {{ALL}, {.task = TASK_SHUFFLE, .files = 1}, SUPPLY_SMALL, 8},
        {{ALL}, {.task = TASK_SHUFFLE, .files = 1, .larger = true}, SUPPLY_COPIED, 0}, /* memory is to be looked up */
        {{ALL}, {.task = TASK_SHUFFLE, .files = 1, .larger = true, LINES(0)}, SUPPLY_HELD, 64},
        {{ALL}, {.task = TASK_SHUFFLE, .files = 1, .larger = true, LINES(63)}, SUPPLY_COPIED, 64},
        {{ALL}, {.task = TASK_SHUFFLE, .larger = true, LINES(0)}, SUPPLY_COPIED, 64}, /* words, numbers */
        {{.count = 3}, {.task = TASK_SHUFFLE, .files = 1, .larger = true, LINES(0)}, SUPPLY_COPIED, 64},
        {{ALL}, {.task = TASK_REPEAT, .known = true, .files = 1, .bytes = 1000}, SUPPLY_COPIED, 8},
        {{ALL}, {.task = TASK_SHUFFLE, FILE_OF(4), LINES(100)}, SUPPLY_HELD, 64},
        {{ALL}, {.task = TASK_SHUFFLE, FILE_OF(4), LINES(63)}, SUPPLY_COPIED, 64},
        {{ALL}, {.task = TASK_SHUFFLE, FILE_OF(4), LINES(64)}, SUPPLY_HELD, 64},
        {{ALL}, {.task = TASK_SHUFFLE, FILE_OF(56), LINES(0)}, SUPPLY_HELD, 64}, /* records may be long */
        {{ALL}, {.task = TASK_SHUFFLE, FILE_OF(57), LINES(0)}, SUPPLY_COPIED, 64},
        {{ALL}, {.task = TASK_SHUFFLE, FILE_OF(50), LINES(100)}, SUPPLY_HELD, 64},
        {{ALL}, {.task = TASK_SHUFFLE, FILE_OF(51), LINES(100)}, SUPPLY_COPIED, 64}, /* no room for references */
        {{ALL}, {.task = TASK_REPEAT, FILE_OF(4), LINES(100)}, SUPPLY_COPIED, 64},
        {{.count = 3}, {.task = TASK_SHUFFLE, FILE_OF(4), LINES(100)}, SUPPLY_COPIED, 64},
        {{TAR}, {.task = TASK_SHUFFLE, FILE_OF(54), LINES(9)}, SUPPLY_HELD, 64},
        {{TAR}, {.task = TASK_SHUFFLE, FILE_OF(55), LINES(9)}, SUPPLY_COPIED, 64},
        {{ALL, .unique = true}, {.task = TASK_SHUFFLE, .files = 1}, SUPPLY_COPIED, 0}, /* keys are never small */
        {{ALL, .unique = true}, {.task = TASK_SHUFFLE, .known = true, .files = 1, .bytes = 9}, SUPPLY_COPIED, 8},
        {{.count = 3, .unique = true}, {.task = TASK_SHUFFLE, FILE_OF(43), LINES(100)}, SUPPLY_HELD, 64},
        {{.count = 3, .unique = true}, {.task = TASK_SHUFFLE, FILE_OF(44), LINES(100)}, SUPPLY_COPIED, 64},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct plan plan = supply_plan(&rows[i].options, &rows[i].facts);

        assert_int_equal(plan.supply, rows[i].supply);
        assert_int_equal(plan.memory_bytes, rows[i].mebibytes * MIB);
        assert_true(plan.rereads == (rows[i].facts.known && rows[i].facts.files > 0 && !rows[i].facts.waits));
    }
}
