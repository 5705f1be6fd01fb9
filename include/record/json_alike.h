#pragma once

/* Finds a value in whole texts of JSON, most of which are like the one before. */

#include "record/json.h"

/* What json_begin, json_follow and json_end find in a text, which must stay: the value may stand there. The pointer is
 * the same for all texts of *json. */
enum json_value json_alike_find(struct json *json, const char *pointer, uint8_t *text, size_t room, bool folds,
                                const uint8_t *data, size_t bytes);
