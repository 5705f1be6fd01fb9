#include "temporary/pace.h"

#include "base/arithmetic.h"
#include "system/io.h"
#include "system/sys.h"

/* A sample of 64 KiB takes about 150 us, and writing this much 15 ms at least. */
static const uint64_t SAMPLE_BYTES = (uint64_t)32 << 20;

/* So much is measured, of writes or of what the disk is asked for, when so much has come, which took a run a tenth of a
 * second. */
static const uint64_t MEASURED_AFTER_BYTES = (uint64_t)64 << 20;
static const uint64_t MEASURED_BYTES = (uint64_t)16 << 20;

/* The disk is asked for the last bytes of files. For less at a time it is hardly the bytes that take the time, and more
 * could be very much. */
static const uint64_t EXTENT_LEAST_BYTES = (uint64_t)128 << 10;
static const uint64_t EXTENT_MOST_BYTES = (uint64_t)1 << 20;

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
    const double gain = 2 * pace->write_cost * pace->saved;
    const double cost = (1 + UNPACKING) * pace->pack_cost * pace->share;

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

/* ---- The measured stretch of writes ---- */

static bool measures(struct pace *pace)
{
    bool measures;

    pthread_mutex_lock(&pace->mutex);
    measures = !pace->measured && pace->come_bytes >= MEASURED_AFTER_BYTES;
    pthread_mutex_unlock(&pace->mutex);
    return measures;
}

/* A write took so long, and has made a file so long. Is it the last one of the stretch? */
static bool add_write(struct pace *pace, uint64_t bytes, uint64_t nanoseconds, int fd, uint64_t length)
{
    const uint64_t asked = least(length, EXTENT_MOST_BYTES);
    bool last = false;

    pthread_mutex_lock(&pace->mutex);
    if (!pace->measured) {
        pace->bytes += bytes;
        pace->nanoseconds += nanoseconds;
        if (length >= EXTENT_LEAST_BYTES) {
            pace->extent[pace->extents++] = (struct pace_extent){fd, (off_t)(length - asked), (off_t)asked};
            pace->extent_bytes += asked;
        }
        last = pace->bytes >= MEASURED_BYTES || pace->extent_bytes >= MEASURED_BYTES || pace->extents == PACE_EXTENTS;
        pace->measured = last;
    }
    pthread_mutex_unlock(&pace->mutex);
    return last;
}

/* Nobody adds extents any more. A file that has been closed since is asked for in vain: this is advice only. */
static void ask_disk(struct pace *pace, uint64_t start)
{
    double cost = (double)pace->nanoseconds / (double)pace->bytes;
    uint64_t now;

    for (unsigned i = 0; i < pace->extents; i++)
        sys_write_back(pace->extent[i].fd);
    for (unsigned i = 0; i < pace->extents; i++)
        sys_await_disk(pace->extent[i].fd, pace->extent[i].offset, pace->extent[i].bytes);
    if (pace->extent_bytes > 0 && sys_own_nanoseconds(&now) && now > start) {
        const double disk_cost = (double)(now - start) / (double)pace->extent_bytes;

        cost = disk_cost > cost ? disk_cost : cost;
    }
    pthread_mutex_lock(&pace->mutex);
    pace->write_cost = cost;
    decide(pace);
    pthread_mutex_unlock(&pace->mutex);
}

int pace_write(struct pace *pace, int fd, struct iovec *pieces, int count, off_t offset, size_t *done)
{
    uint64_t start, end;

    if (pace == NULL || !measures(pace) || !sys_own_nanoseconds(&start))
        return io_write_at(fd, pieces, count, offset, done);
    if (io_write_at(fd, pieces, count, offset, done) != 0)
        return -1;
    if (sys_own_nanoseconds(&end) &&
        add_write(pace, *done, end > start ? end - start : 0, fd, (uint64_t)offset + *done))
        ask_disk(pace, end);
    return 0;
}
