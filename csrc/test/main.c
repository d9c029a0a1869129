/* main.c - runs the tests of the core without Python; with an argument, lists the kernels that run
 * on this machine.
 */
#include "../kernel/dispatch.h"
#include "check.h"

int checks_done, checks_failed;

static int list_kernels(void)
{
    const mbx_kernel *kernels[MBX_MAX_KERNELS];
    const int n = mbx_list_kernels(kernels);
    for (int i = 0; i < n; i++)
        printf("%s%s", kernels[i]->name, i < n - 1 ? " " : "\n");
    return 0;
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return list_kernels();
    test_game();
    test_position();
    test_rng();
    test_playout();
    test_kernels();
    test_tree();
    test_solve();
    test_layers();
    test_mcts();
    test_alphabeta();
    printf("%d passed, %d failed\n", checks_done - checks_failed, checks_failed);
    return checks_failed != 0;
}
