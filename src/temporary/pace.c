#include "temporary/pace.h"

#include "base/least.h"
#include "system/io.h"
#include "system/sys.h"

/* A sample of 64 KiB takes about 150 us, and writing this much 15 ms at least. */
static const uint64_t SAMPLE_BYTES = (uint64_t)32 << 20;

/* One write for each so many bytes is measured, since looking at the clock takes 4 us. */
static const uint64_t MEASURE_BYTES = (uint64_t)1 << 20;

/* Fewer measured writes say little, and more are not lately. */
enum { WRITES_LEAST = 16, WRITES_MOST = 128 };

/* The disk is asked after so much, when a run has taken some tenths of a second, about so much. */
static const uint64_t ASK_AFTER_BYTES = (uint64_t)128 << 20;
static const uint64_t ASKED_BYTES = (uint64_t)16 << 20;

/* For less at a time it is hardly the bytes that take the time, and more could be very much. */
static const uint64_t ASK_LEAST_BYTES = (uint64_t)128 << 10;
static const uint64_t ASK_MOST_BYTES = (uint64_t)1 << 20;

/* What decompressing takes of the time of compressing, about. */
static const double UNPACKING = 0.25;

void pace_init(struct pace *pace)
{
    *pace = (struct pace){.share = 1};
    pthread_mutex_init(&pace->mutex, NULL);
}

void pace_release(struct pace *pace)
{
    pthread_mutex_destroy(&pace->mutex);
}

void pace_use_threads(struct pace *pace, unsigned threads)
{
    pace->share = threads > 1 ? 0.5 : 1;
}

static void decide(struct pace *pace)
{
    const double write_cost = pace->write_cost > pace->disk_cost ? pace->write_cost : pace->disk_cost;
    const double gain = 2 * write_cost * pace->saved, cost = (1 + UNPACKING) * pace->pack_cost * pace->share;

    pace->packs = pace->saved > 0 && (pace->pressed || gain > cost);
}

void pace_press(struct pace *pace, double needed)
{
    pthread_mutex_lock(&pace->mutex);
    pace->pressed = true;
    pace->needed = needed;
    decide(pace);
    pthread_mutex_unlock(&pace->mutex);
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
    if (pace->needed > 0 && pace->pack_cost == 0)
        pace->hopeless = (double)sample->stored_bytes > pace->needed * plain;
    pace->pack_cost = (double)sample->nanoseconds / plain;
    pace->saved = 1 - (double)sample->stored_bytes / plain;
    decide(pace);
    pthread_mutex_unlock(&pace->mutex);
}

enum pace_choice pace_advice(struct pace *pace)
{
    enum pace_choice choice;

    pthread_mutex_lock(&pace->mutex);
    choice = pace->hopeless ? PACE_HOPELESS : pace->packs ? PACE_PACKED : PACE_PLAIN;
    pthread_mutex_unlock(&pace->mutex);
    return choice;
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

bool pace_asks(struct pace *pace, struct pace_part part)
{
    bool asks = false;

    pthread_mutex_lock(&pace->mutex);
    if (!pace->asks && !pace->packs && pace->disk_cost == 0 && pace->come_bytes >= ASK_AFTER_BYTES) {
        pace->part[pace->parts++] = part;
        pace->part_bytes += (uint64_t)part.bytes;
        asks = pace->part_bytes >= ASKED_BYTES || pace->parts == PACE_PARTS;
        pace->asks = asks;
    }
    pthread_mutex_unlock(&pace->mutex);
    return asks;
}

void pace_asked(struct pace *pace, uint64_t nanoseconds)
{
    pthread_mutex_lock(&pace->mutex);
    pace->disk_cost = (double)nanoseconds / (double)pace->part_bytes;
    pace->asks = false;
    pace->parts = 0;
    pace->part_bytes = 0;
    decide(pace);
    pthread_mutex_unlock(&pace->mutex);
}

/* ---- Clock and disk ---- */

/* How much time was the thread's own since `start`? False if that is not known. */
static bool own_time_since(uint64_t start, uint64_t *nanoseconds)
{
    uint64_t now;

    if (!sys_own_nanoseconds(&now))
        return false;
    *nanoseconds = now > start ? now - start : 0;
    return true;
}

int pace_write(struct pace *pace, int fd, struct iovec *pieces, int count, off_t offset, size_t *done)
{
    uint64_t bytes = 0;
    uint64_t start;
    uint64_t nanoseconds;

    for (int i = 0; i < count; i++)
        bytes += pieces[i].iov_len;
    if (pace == NULL || !pace_measures(pace, bytes) || !sys_own_nanoseconds(&start))
        return io_write_at(fd, pieces, count, offset, done);
    if (io_write_at(fd, pieces, count, offset, done) != 0)
        return -1;
    if (own_time_since(start, &nanoseconds))
        pace_wrote(pace, bytes, nanoseconds);
    return 0;
}

/* Nobody adds parts meanwhile. A file that has been closed since is asked for in vain: this is advice only. */
static void ask_for_all(const struct pace *pace)
{
    for (unsigned i = 0; i < pace->parts; i++)
        sys_write_back(pace->part[i].fd);
    for (unsigned i = 0; i < pace->parts; i++)
        sys_await_disk(pace->part[i].fd, pace->part[i].offset, pace->part[i].bytes);
}

void pace_ask(struct pace *pace, int fd, uint64_t length)
{
    const uint64_t bytes = least(length, ASK_MOST_BYTES);
    const struct pace_part part = {.fd = fd, .offset = (off_t)(length - bytes), .bytes = (off_t)bytes};
    uint64_t start;
    uint64_t nanoseconds = 0;

    if (pace == NULL || length < ASK_LEAST_BYTES || !pace_asks(pace, part))
        return;
    if (sys_own_nanoseconds(&start)) {
        ask_for_all(pace);
        if (!own_time_since(start, &nanoseconds))
            nanoseconds = 0;
    }
    pace_asked(pace, nanoseconds);
}
