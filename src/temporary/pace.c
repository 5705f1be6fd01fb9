#include "temporary/pace.h"

/* A sample of 64 KiB takes about 150 us, and writing this much 15 ms at least. */
static const uint64_t SAMPLE_BYTES = (uint64_t)32 << 20;

/* One write for each so many bytes is measured, since looking at the clock takes 4 us. */
static const uint64_t MEASURE_BYTES = (uint64_t)1 << 20;

/* Fewer measured writes say little, and more are not lately. */
enum { WRITES_LEAST = 16, WRITES_MOST = 128 };

/* The disk is asked after so much, when a run has taken some tenths of a second, about so much. Where it takes 1 GB/s,
 * 4 MiB in parts of 256 KiB took 10 ms. */
static const uint64_t ASK_AFTER_BYTES = (uint64_t)128 << 20;
static const uint64_t ASKED_BYTES = (uint64_t)4 << 20;

void pace_init(struct pace *pace)
{
    *pace = (struct pace){.write_cost = 0};
    pthread_mutex_init(&pace->mutex, NULL);
}

void pace_release(struct pace *pace)
{
    pthread_mutex_destroy(&pace->mutex);
}

void pace_press(struct pace *pace)
{
    pace->pressed = true;
}

static void decide(struct pace *pace)
{
    const double cost = pace->write_cost > pace->disk_cost ? pace->write_cost : pace->disk_cost;

    pace->packs = pace->saved > 0 && (pace->pressed || cost * pace->saved > pace->pack_cost);
}

bool pace_come(struct pace *pace, uint64_t bytes)
{
    uint64_t before;
    bool is_time;

    pthread_mutex_lock(&pace->mutex);
    before = pace->come_bytes;
    pace->come_bytes += bytes;
    is_time = before == 0 || before / SAMPLE_BYTES < pace->come_bytes / SAMPLE_BYTES;
    pthread_mutex_unlock(&pace->mutex);
    return is_time;
}

void pace_sampled(struct pace *pace, const struct frames_sample *sample)
{
    const double plain = (double)sample->plain_bytes;

    pthread_mutex_lock(&pace->mutex);
    pace->pack_cost = (double)sample->nanoseconds / plain;
    pace->saved = 1 - (double)sample->stored_bytes / plain;
    decide(pace);
    pthread_mutex_unlock(&pace->mutex);
}

bool pace_packs(struct pace *pace)
{
    bool packs;

    pthread_mutex_lock(&pace->mutex);
    packs = pace->packs;
    pthread_mutex_unlock(&pace->mutex);
    return packs;
}

bool pace_measures(struct pace *pace, uint64_t bytes)
{
    bool measures;

    pthread_mutex_lock(&pace->mutex);
    pace->passed_bytes += bytes;
    measures = !pace->packs && pace->passed_bytes >= MEASURE_BYTES;
    if (measures)
        pace->passed_bytes = 0;
    pthread_mutex_unlock(&pace->mutex);
    return measures;
}

void pace_wrote(struct pace *pace, uint64_t bytes, uint64_t nanoseconds)
{
    pthread_mutex_lock(&pace->mutex);
    pace->writes++;
    pace->bytes += bytes;
    pace->nanoseconds += nanoseconds;
    if (pace->writes >= WRITES_LEAST) {
        pace->write_cost = (double)pace->nanoseconds / (double)pace->bytes;
        decide(pace);
    }
    if (pace->writes == WRITES_MOST) {
        pace->writes /= 2;
        pace->bytes /= 2;
        pace->nanoseconds /= 2;
    }
    pthread_mutex_unlock(&pace->mutex);
}

bool pace_asks(struct pace *pace)
{
    bool asks;

    pthread_mutex_lock(&pace->mutex);
    asks = !pace->waits && !pace->packs && pace->come_bytes >= ASK_AFTER_BYTES && pace->asked_bytes < ASKED_BYTES;
    pace->waits |= asks;
    pthread_mutex_unlock(&pace->mutex);
    return asks;
}

void pace_asked(struct pace *pace, uint64_t bytes, uint64_t nanoseconds)
{
    pthread_mutex_lock(&pace->mutex);
    pace->waits = false;
    pace->asked_bytes += bytes;
    pace->asked_nanoseconds += nanoseconds;
    if (pace->asked_bytes >= ASKED_BYTES) {
        pace->disk_cost = (double)pace->asked_nanoseconds / (double)pace->asked_bytes;
        decide(pace);
    }
    pthread_mutex_unlock(&pace->mutex);
}
