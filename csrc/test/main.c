/* main.c - runs the tests of the core without Python. */
#include "check.h"

int checks_done, checks_failed;

int main(void)
{
    test_game();
    test_position();
    test_rng();
    test_playout();
    test_tree();
    printf("%d passed, %d failed\n", checks_done - checks_failed, checks_failed);
    return checks_failed != 0;
}
