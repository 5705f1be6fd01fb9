#pragma once

/* A constant that decides in which way the work is done, never what comes out: a block's size, how much is done at a
 * time, from what number on threads pay. A test build (`make HOSTILE=1`) has defined this before, and has a number from
 * `least` to `most` drawn for each process. */
#ifndef TUNABLE
#define TUNABLE(name, value, least, most) enum { name = (value) }
#endif
