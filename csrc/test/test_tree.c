/* test_tree.c - published numbers of nodes; both fillings, numberings and orders agree. */
#include "../core/backward.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

static mbx_tree allocate(int64_t n)
{
    size_t size = (size_t)n;
    return (mbx_tree){0, malloc(size * 4), malloc(size * 4), malloc(size), malloc(size),
                      malloc(size), malloc(size), malloc(size * 4)};
}

static void release(mbx_tree *tree)
{
    free(tree->parent);
    free(tree->first_child);
    free(tree->move);
    free(tree->depth);
    free(tree->n_children);
    free(tree->status);
    free(tree->child_ids);
}

static bool same_tree(const mbx_tree *a, const mbx_tree *b)
{
    size_t n = (size_t)a->n_nodes;
    return a->n_nodes == b->n_nodes && memcmp(a->parent, b->parent, n * 4) == 0
           && memcmp(a->first_child, b->first_child, n * 4) == 0
           && memcmp(a->move, b->move, n) == 0 && memcmp(a->depth, b->depth, n) == 0
           && memcmp(a->n_children, b->n_children, n) == 0
           && memcmp(a->status, b->status, n) == 0;
}

static void check_values(const mbx_tree *tree, int expected)
{
    static int8_t leaves[MBX_MAX_DEPTHS][MBX_OUTCOMES];
    for (int depth = 0; depth < MBX_MAX_DEPTHS; depth++) {
        leaves[depth][MBX_FIRST] = 1;
        leaves[depth][MBX_SECOND] = -1;
    }
    mbx_minimax_rule rule = {0, {true, false}, (const int8_t(*)[MBX_OUTCOMES])leaves};
    size_t n = (size_t)tree->n_nodes;
    int8_t *by_id = malloc(n), *below = calloc(n, 1);
    CHECK(mbx_minimax(tree, &rule, NULL, by_id) == MBX_OK);
    CHECK(mbx_minimax_below(tree, 0, &rule, NULL, below) == MBX_OK);
    CHECK(by_id[0] == expected);
    CHECK(memcmp(by_id, below, n) == 0);
    free(by_id);
    free(below);
}

static void check_tree(int x, int y, int k, bool gravity, int64_t n_nodes, int value)
{
    mbx_game game;
    mbx_position root;
    int64_t n_at_depth[MBX_MAX_DEPTHS];
    CHECK(mbx_game_init(&game, 2, (int[]){x, y}, k, gravity) == MBX_OK);
    mbx_position_start(&root, &game);
    CHECK(mbx_tree_count(&root, n_nodes, NULL, n_at_depth) == MBX_OK);
    CHECK(mbx_tree_count(&root, n_nodes - 1, NULL, n_at_depth) == MBX_TOO_LARGE);
    mbx_tree_count(&root, n_nodes, NULL, n_at_depth);

    mbx_tree tree = allocate(n_nodes), linked = allocate(n_nodes), deep = allocate(n_nodes);
    free(tree.child_ids);
    free(linked.child_ids);
    tree.child_ids = linked.child_ids = NULL;
    CHECK(mbx_tree_fill(&root, n_at_depth, n_nodes - 1, NULL, &tree) == MBX_TOO_LARGE);
    CHECK(mbx_tree_fill(&root, n_at_depth, n_nodes, NULL, &tree) == MBX_OK);
    CHECK(tree.n_nodes == n_nodes);
    check_values(&tree, value);

    linked.n_nodes = n_nodes;
    memcpy(linked.move, tree.move, (size_t)n_nodes);
    memcpy(linked.status, tree.status, (size_t)n_nodes);
    memcpy(linked.n_children, tree.n_children, (size_t)n_nodes);
    CHECK(mbx_tree_link(&root, &linked) == MBX_OK);
    CHECK(same_tree(&tree, &linked));
    linked.n_children[0]++;
    CHECK(mbx_tree_link(&root, &linked) == MBX_BAD_GRAPH);

    CHECK(mbx_tree_to_depth_first(&tree, NULL, &deep) == MBX_OK);
    check_values(&deep, value);
    release(&tree);
    release(&linked);
    release(&deep);
    mbx_game_free(&game);
}

void test_tree(void)
{
    check_tree(3, 3, 3, false, 549946, 0);
    check_tree(5, 2, 3, false, 6499037, 0);
    check_tree(3, 3, 3, true, 3278, 0);
    check_tree(4, 3, 4, true, 1057009, 0);
    check_tree(2, 2, 3, false, 65, 0);
    check_tree(1, 100, 3, true, 101, 0);   /* more cells than the small trees have */
}
