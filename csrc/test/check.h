/* check.h - a test is a function; CHECK prints what does not hold and counts it. */
#ifndef MBX_CHECK_H
#define MBX_CHECK_H

#include <stdio.h>

extern int checks_done, checks_failed;

#define CHECK(condition)                                                        \
    do {                                                                        \
        checks_done++;                                                          \
        if (!(condition)) {                                                     \
            checks_failed++;                                                    \
            printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);      \
        }                                                                       \
    } while (0)

void test_game(void);
void test_position(void);
void test_rng(void);
void test_playout(void);
void test_kernels(void);
void test_tree(void);
void test_solve(void);
void test_layers(void);
void test_mcts(void);
void test_alphabeta(void);

#endif
