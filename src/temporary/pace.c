#include "temporary/pace.h"

/* A sample of 64 KiB takes about 150 us, and writing this much 15 ms at least. */
static const uint64_t SAMPLE_BYTES = (uint64_t)32 << 20;

/* The disk is asked first after so much, when a run has taken a good part of a second; and again after so much, as long
 * as bytes are compressed. Where a disk takes 1 GB/s, so many bytes, 256 KiB each, took 5 ms. */
enum { FIRST_SAMPLE = 4, SAMPLES_BETWEEN = 16 };
static const uint64_t ASKED_BYTES = (uint64_t)4 << 20;

/* The times of fewer bytes say little, and more than that is not lately. */
static const uint64_t LEAST_BYTES = (uint64_t)16 << 20;
static const uint64_t MOST_BYTES = (uint64_t)128 << 20;

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
    pace->packs = pace->saved > 0 && (pace->pressed || pace->write_cost * pace->saved > pace->pack_cost);
}

static void forget_writes(struct pace *pace)
{
    pace->bytes = 0;
    pace->nanoseconds = 0;
}

/* Take the writes since the last time for how fast the disk is. */
static void measure(struct pace *pace)
{
    pace->write_cost = (double)pace->nanoseconds / (double)pace->bytes;
}

bool pace_come(struct pace *pace, uint64_t bytes)
{
    uint64_t sample;
    bool is_time;

    pthread_mutex_lock(&pace->mutex);
    sample = pace->plain_bytes / SAMPLE_BYTES;
    is_time = pace->plain_bytes == 0;
    pace->plain_bytes += bytes;
    if (pace->plain_bytes / SAMPLE_BYTES > sample) {
        sample = pace->plain_bytes / SAMPLE_BYTES;
        is_time = true;
        if (pace->packs ? sample % SAMPLES_BETWEEN == FIRST_SAMPLE : sample == FIRST_SAMPLE) {
            pace->asks = true;
            forget_writes(pace);
        } else if (!pace->asks && pace->bytes >= LEAST_BYTES) {
            measure(pace);
        }
    }
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

bool pace_asks(struct pace *pace)
{
    bool asks;

    pthread_mutex_lock(&pace->mutex);
    asks = pace->asks && !pace->waits;
    pace->waits |= asks;
    pthread_mutex_unlock(&pace->mutex);
    return asks;
}

void pace_wrote(struct pace *pace, uint64_t bytes, uint64_t nanoseconds, bool asked)
{
    pthread_mutex_lock(&pace->mutex);
    pace->waits &= !asked;
    if (asked == pace->asks && (asked || !pace->packs)) {
        pace->bytes += bytes;
        pace->nanoseconds += nanoseconds;
    }
    if (pace->asks && pace->bytes >= ASKED_BYTES) {
        pace->asks = false;
        measure(pace);
        decide(pace);
        forget_writes(pace);
    }
    if (pace->bytes > MOST_BYTES) {
        pace->bytes /= 2;
        pace->nanoseconds /= 2;
    }
    pthread_mutex_unlock(&pace->mutex);
}
