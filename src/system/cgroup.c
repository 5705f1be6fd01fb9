/*
 * A control group limits all the groups below it, so the limit that counts may stand at any level: /proc/self/cgroup
 * tells the group of this process, /proc/self/mountinfo where the tree of groups is mounted and which part of it, and
 * every directory from the group up to the mount is asked. In a container the group's name can be one that the mount
 * does not show; those levels are missing files, and the mount itself, which is the container's own group, remains.
 *
 * Version 1 has a tree for each controller, version 2 one tree for all; a machine may use both. Throughout this file
 * `controller` names a tree of version 1, and NULL is the tree of version 2.
 */

#include "system/cgroup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "system/textfile.h"

enum { NAME_BYTES = 8192 };

static uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (;;) {
        size_t next = strcspn(list, ",");

        if (next == length && memcmp(list, word, length) == 0)
            return true;
        if (list[next] == '\0')
            return false;
        list += next + 1;
    }
}

/* In mountinfo, blanks and the like in names are written as a backslash and three octal digits. */
static void unescape(char *name)
{
    char *to = name;

    for (const char *from = name; *from != '\0'; to++) {
        if (from[0] == '\\' && strspn(from + 1, "01234567") >= 3) {
            *to = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

/* The name of this process's group, found in the text of /proc/self/cgroup, which is changed; NULL if there is none.
 * Lines are "ID:CONTROLLER,CONTROLLER:NAME", for version 2 "0::NAME". */
static char *group_name(char *text, const char *controller)
{
    char *rest = NULL;

    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        char *list = strchr(line, ':'), *name = list == NULL ? NULL : strchr(list + 1, ':');

        if (name == NULL)
            continue;
        *name++ = '\0';
        if (controller == NULL ? strcmp(line, "0:") == 0 : has_word(list + 1, controller))
            return name;
    }
    return NULL;
}

struct mount {
    char *top;   /* the group that is seen at `point` */
    char *point; /* the directory */
};

/* Is this line of /proc/self/mountinfo a mount of the tree? The line is changed. Its fields: four, of which the last is
 * `top`; `point`, options, any number of others, "-", type, source, options of the file system. */
static bool parse_mount(char *line, const char *controller, struct mount *mount)
{
    char *rest = NULL, *field = strtok_r(line, " ", &rest);
    const char *type, *options;

    for (int number = 1; field != NULL && strcmp(field, "-") != 0; number++) {
        if (number == 4)
            mount->top = field;
        if (number == 5)
            mount->point = field;
        field = strtok_r(NULL, " ", &rest);
    }
    type = strtok_r(NULL, " ", &rest);
    (void)strtok_r(NULL, " ", &rest);
    options = strtok_r(NULL, " ", &rest);
    if (mount->top == NULL || mount->point == NULL || type == NULL || options == NULL)
        return false;
    if (controller == NULL ? strcmp(type, "cgroup2") != 0 : strcmp(type, "cgroup") != 0)
        return false;
    unescape(mount->top);
    unescape(mount->point);
    return controller == NULL || has_word(options, controller);
}

/* The first mount of the tree in the text of /proc/self/mountinfo, which is changed. */
static bool find_mount(char *text, const char *controller, struct mount *mount)
{
    char *rest = NULL;

    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        *mount = (struct mount){NULL, NULL};
        if (parse_mount(line, controller, mount))
            return true;
    }
    return false;
}

/* The part of a group's name that is below the group `top`, with its slash; "" if it is not below. */
static const char *below(const char *name, const char *top)
{
    size_t length = strcmp(top, "/") == 0 ? 0 : strlen(top);

    /* A group outside of what a container may see is "/../other". */
    if (strncmp(name, top, length) != 0 || name[length] != '/' || strstr(name, "/..") != NULL)
        return "";
    return name + length;
}

typedef uint64_t level_function(const char *directory);

/* The least of what `ask` says of every level, from this process's group up to the top of the tree. */
static uint64_t least_of_levels(const char *root, const char *controller, level_function *ask)
{
    char *groups = textfile_read("%s/proc/self/cgroup", root);
    char *mounts = textfile_read("%s/proc/self/mountinfo", root);
    const char *name = groups == NULL ? NULL : group_name(groups, controller);
    uint64_t result = UINT64_MAX;
    struct mount mount;

    if (name != NULL && mounts != NULL && find_mount(mounts, controller, &mount)) {
        char directory[NAME_BYTES];
        size_t top_length = strlen(root) + strlen(mount.point);
        int length = snprintf(directory, sizeof directory, "%s%s%s", root, mount.point, below(name, mount.top));

        while (length >= 0 && length < NAME_BYTES) {
            char *slash = strrchr(directory, '/');

            result = least(result, ask(directory));
            if (slash == NULL || (size_t)(slash - directory) < top_length)
                break;
            *slash = '\0';
        }
    }
    free(groups);
    free(mounts);
    return result;
}

/* The number that is all of a file; `otherwise` if there is no such file or no number in it. */
static uint64_t number_in(const char *directory, const char *name, uint64_t otherwise)
{
    char *text = textfile_read("%s/%s", directory, name);
    uint64_t number;

    if (text == NULL || !textfile_number(text, &number))
        number = otherwise;
    free(text);
    return number;
}

/* The sum of two lines of a file. */
static uint64_t sum_in(const char *directory, const char *name, const char *key, const char *other_key)
{
    char *text = textfile_read("%s/%s", directory, name);
    uint64_t number = 0, other = 0;

    if (text != NULL) {
        (void)textfile_number_of(text, key, &number);
        (void)textfile_number_of(text, other_key, &other);
    }
    free(text);
    return number + other;
}

static uint64_t memory_limit_v1(const char *directory)
{
    return number_in(directory, "memory.limit_in_bytes", UINT64_MAX);
}

static uint64_t memory_left_v1(const char *directory)
{
    uint64_t limit = memory_limit_v1(directory);
    uint64_t used = number_in(directory, "memory.usage_in_bytes", 0);
    uint64_t cache = sum_in(directory, "memory.stat", "total_inactive_file", "total_active_file");

    return difference(limit, difference(used, cache));
}

static uint64_t memory_limit_v2(const char *directory)
{
    return least(number_in(directory, "memory.max", UINT64_MAX), number_in(directory, "memory.high", UINT64_MAX));
}

static uint64_t memory_left_v2(const char *directory)
{
    uint64_t limit = memory_limit_v2(directory);
    uint64_t used = number_in(directory, "memory.current", 0);
    uint64_t cache = sum_in(directory, "memory.stat", "inactive_file", "active_file");

    return difference(limit, difference(used, cache));
}

static uint64_t quota(uint64_t time, uint64_t period)
{
    return period == 0 ? UINT64_MAX : time / period + (time % period != 0);
}

static uint64_t processors_v1(const char *directory)
{
    uint64_t time = number_in(directory, "cpu.cfs_quota_us", UINT64_MAX);

    return time == UINT64_MAX ? time : quota(time, number_in(directory, "cpu.cfs_period_us", 0));
}

/* "TIME PERIOD", where TIME may be "max". */
static uint64_t processors_v2(const char *directory)
{
    char *text = textfile_read("%s/cpu.max", directory);
    uint64_t time, period, result = UINT64_MAX;

    if (text != NULL && textfile_number(text, &time) && textfile_number(text + strcspn(text, " "), &period))
        result = quota(time, period);
    free(text);
    return result;
}

uint64_t cgroup_memory_left(const char *root)
{
    return least(least_of_levels(root, "memory", memory_left_v1), least_of_levels(root, NULL, memory_left_v2));
}

uint64_t cgroup_memory_limit(const char *root)
{
    return least(least_of_levels(root, "memory", memory_limit_v1), least_of_levels(root, NULL, memory_limit_v2));
}

uint64_t cgroup_processors(const char *root)
{
    return least(least_of_levels(root, "cpu", processors_v1), least_of_levels(root, NULL, processors_v2));
}
