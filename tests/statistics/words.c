/* Decimal numbers below 2^32, one on a line, become words of 4 bytes in the machine's order, for dieharder. */

#include <stdint.h>
#include <stdio.h>

int main(void)
{
    uint32_t number = 0;
    int byte;

    while ((byte = getchar_unlocked()) != EOF) {
        if (byte != '\n') {
            number = 10 * number + (uint32_t)(byte - '0');
        } else {
            if (fwrite(&number, sizeof number, 1, stdout) != 1)
                return 1;
            number = 0;
        }
    }
    return 0;
}
