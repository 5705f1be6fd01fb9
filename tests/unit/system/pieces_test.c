/* Whatever the pieces are, what is taken from them is what they hold, in order, and no more than was asked for. */

#include <string.h>

#include "support/unit.h"

#include "system/pieces.h"

enum { PIECES = 5 };

/* "ab", "", "cde", "f", "" */
static void make(struct iovec pieces[PIECES])
{
    static char text[] = "abcdef";
    static const struct {
        size_t at, bytes;
    } places[PIECES] = {{0, 2}, {2, 0}, {2, 3}, {5, 1}, {6, 0}};

    for (int i = 0; i < PIECES; i++)
        pieces[i] = (struct iovec){.iov_base = text + places[i].at, .iov_len = places[i].bytes};
}

/* Is this what the pieces hold? */
static void assert_hold(const struct iovec *pieces, int count, const char *text)
{
    for (int i = 0; i < count; i++) {
        assert_memory_equal(pieces[i].iov_base, text, pieces[i].iov_len);
        text += pieces[i].iov_len;
    }
    assert_int_equal(*text, '\0');
}

UNIT_TEST(the_beginning_has_as_many_bytes_and_pieces_as_are_asked_for)
{
    static const struct {
        uint64_t limit;
        int room, made;
        const char *text;
    } cases[] = {
        {0, 5, 0, ""},          {1, 5, 1, "a"},     {2, 5, 1, "ab"},     {3, 5, 3, "abc"},
        {3, 2, 2, "ab"},        {5, 5, 3, "abcde"}, {6, 5, 4, "abcdef"}, {UINT64_MAX, 5, 5, "abcdef"},
        {UINT64_MAX, 0, 0, ""},
    };
    struct iovec pieces[PIECES], some[PIECES];
    size_t bytes;

    make(pieces);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(pieces_begin(pieces, PIECES, cases[i].limit, some, cases[i].room, &bytes), cases[i].made);
        assert_int_equal(bytes, strlen(cases[i].text));
        assert_hold(some, cases[i].made, cases[i].text);
    }
    assert_hold(pieces, PIECES, "abcdef");
}

UNIT_TEST(what_is_taken_away_leaves_the_rest)
{
    static const int used[] = {0, 0, 2, 2, 2, 3, 5};
    struct iovec pieces[PIECES];

    for (size_t bytes = 0; bytes <= strlen("abcdef"); bytes++) {
        make(pieces);
        assert_int_equal(pieces_advance(pieces, PIECES, bytes), used[bytes]);
        assert_hold(pieces, PIECES, &"abcdef"[bytes]);
        for (int i = 0; i < used[bytes]; i++)
            assert_int_equal(pieces[i].iov_len, 0);
    }
}
