/* tree_functions.c - trees and the passes over them, on columns that the caller allocates.
 *
 * A tree is passed as the tuple (parent, first_child, move, depth, n_children, status) of
 * one-dimensional arrays, with child_ids as a seventh where the numbering is depth first (tree.h).
 */
#include "module.h"

#include "../core/backward.h"

enum access { READ, WRITE };

/* The data of a contiguous array of `type` with at least so many rows, each of `columns` items (0:
 * the array has one dimension).  NULL with TypeError where it is not, or cannot be written to. */
static void *array_data(PyObject *object, const char *name, int type, npy_intp least_rows,
                        npy_intp columns, enum access access)
{
    PyArrayObject *array = (PyArrayObject *)object;
    if (PyArray_Check(object) && PyArray_TYPE(array) == type
        && PyArray_NDIM(array) == (columns ? 2 : 1)
        && (access == WRITE ? PyArray_ISCARRAY(array) : PyArray_ISCARRAY_RO(array))
        && PyArray_DIM(array, 0) >= least_rows && (!columns || PyArray_DIM(array, 1) == columns))
        return PyArray_DATA(array);
    PyErr_Format(PyExc_TypeError, "%s must be a contiguous%s array of the right type and shape",
                 name, access == WRITE ? ", writable" : "");
    return NULL;
}

/* The columns as a tree of n_nodes; all have at least that many rows. */
static bool parse_tree(PyObject *columns, npy_intp n_nodes, enum access access, mbx_tree *tree)
{
    static const char *const names[] = {"parent", "first_child", "move", "depth",
                                        "n_children", "status", "child_ids"};
    static const int types[] = {NPY_INT32, NPY_INT32, NPY_UINT8, NPY_UINT8,
                                NPY_UINT8, NPY_INT8, NPY_INT32};
    void *data[7] = {NULL};
    Py_ssize_t n = PyTuple_Check(columns) ? PyTuple_GET_SIZE(columns) : 0;
    if (n < 6 || n > 7) {
        PyErr_SetString(PyExc_TypeError, "columns must be a tuple of 6 or 7 arrays");
        return false;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        data[i] = array_data(PyTuple_GET_ITEM(columns, i), names[i], types[i], n_nodes, 0, access);
        if (!data[i])
            return false;
    }
    *tree = (mbx_tree){n_nodes, data[0], data[1], data[2], data[3], data[4], data[5], data[6]};
    return true;
}

static npy_intp column_rows(PyObject *columns)
{
    if (!PyTuple_Check(columns) || PyTuple_GET_SIZE(columns) < 1
        || !PyArray_Check(PyTuple_GET_ITEM(columns, 0)))
        return 0;
    return PyArray_SIZE((PyArrayObject *)PyTuple_GET_ITEM(columns, 0));
}

/* None, or NULL with the exception of an error. */
static PyObject *done(PyObject *module, mbx_error error)
{
    if (error != MBX_OK)
        return mbx_raise(PyModule_GetState(module), error);
    Py_RETURN_NONE;
}

static PyObject *tree_count(PyObject *module, PyObject *args)
{
    module_state *state = PyModule_GetState(module);
    position_object *root;
    long long limit;
    PyObject *cancel_arg;
    Py_buffer view;
    mbx_cancel cancel;
    if (!PyArg_ParseTuple(args, "O!LO:tree_count", state->position_type, &root, &limit,
                          &cancel_arg)
        || !mbx_parse_cancel(cancel_arg, &view, &cancel))
        return NULL;
    npy_intp n_depths = MBX_MAX_DEPTHS;
    PyObject *counts = PyArray_SimpleNew(1, &n_depths, NPY_INT64);
    mbx_error error = MBX_NO_MEMORY;
    if (counts) {
        const mbx_position position = root->position;
        int64_t *data = PyArray_DATA((PyArrayObject *)counts);
        Py_BEGIN_ALLOW_THREADS
        error = mbx_tree_count(&position, limit, cancel, data);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&view);
    if (error != MBX_OK) {
        Py_XDECREF(counts);
        return mbx_raise(state, error);
    }
    return counts;
}

static PyObject *tree_is_small(PyObject *module, PyObject *args)
{
    module_state *state = PyModule_GetState(module);
    position_object *root;
    if (!PyArg_ParseTuple(args, "O!:tree_is_small", state->position_type, &root))
        return NULL;
    return PyBool_FromLong(mbx_tree_is_small(&root->position));
}

static PyObject *tree_fill(PyObject *module, PyObject *args)
{
    module_state *state = PyModule_GetState(module);
    position_object *root;
    PyObject *counts, *columns, *cancel_arg;
    Py_buffer view;
    mbx_cancel cancel;
    mbx_tree tree;
    if (!PyArg_ParseTuple(args, "O!OOO:tree_fill", state->position_type, &root, &counts, &columns,
                          &cancel_arg))
        return NULL;
    npy_intp capacity = column_rows(columns);
    const mbx_position position = root->position;
    const int64_t *n_at_depth = NULL;
    if (!parse_tree(columns, capacity, WRITE, &tree))
        return NULL;
    if (counts != Py_None || !mbx_tree_is_small(&position)) {
        n_at_depth = array_data(counts, "n_at_depth", NPY_INT64, MBX_MAX_DEPTHS, 0, READ);
        if (!n_at_depth)
            return NULL;
    }
    if (!mbx_parse_cancel(cancel_arg, &view, &cancel))
        return NULL;
    mbx_error error;
    Py_BEGIN_ALLOW_THREADS
    error = mbx_tree_fill(&position, n_at_depth, capacity, cancel, &tree);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&view);
    return error == MBX_OK ? PyLong_FromLongLong(tree.n_nodes) : mbx_raise(state, error);
}

static PyObject *tree_to_depth_first(PyObject *module, PyObject *args)
{
    PyObject *columns, *renumbered, *cancel_arg;
    Py_buffer view;
    mbx_cancel cancel;
    mbx_tree tree, result;
    if (!PyArg_ParseTuple(args, "OOO:tree_to_depth_first", &columns, &renumbered, &cancel_arg))
        return NULL;
    npy_intp n_nodes = column_rows(columns);
    if (!parse_tree(columns, n_nodes, READ, &tree)
        || !parse_tree(renumbered, n_nodes, WRITE, &result))
        return NULL;
    if (tree.child_ids || !result.child_ids) {
        PyErr_SetString(PyExc_TypeError, "renumbered, not columns, must have child_ids");
        return NULL;
    }
    if (!mbx_parse_cancel(cancel_arg, &view, &cancel))
        return NULL;
    mbx_error error;
    Py_BEGIN_ALLOW_THREADS
    error = mbx_tree_to_depth_first(&tree, cancel, &result);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&view);
    return done(module, error);
}

static PyObject *tree_link(PyObject *module, PyObject *args)
{
    module_state *state = PyModule_GetState(module);
    position_object *root;
    PyObject *columns;
    mbx_tree tree;
    if (!PyArg_ParseTuple(args, "O!O:tree_link", state->position_type, &root, &columns)
        || !parse_tree(columns, column_rows(columns), WRITE, &tree))
        return NULL;
    const mbx_position position = root->position;
    mbx_error error;
    Py_BEGIN_ALLOW_THREADS
    error = mbx_tree_link(&position, &tree);
    Py_END_ALLOW_THREADS
    return done(module, error);
}

/* The node where a pass over `tree` ends: -1 for a pass over all nodes. */
static bool node_is_ok(const mbx_tree *tree, long long node)
{
    if (node >= -1 && node < tree->n_nodes)
        return true;
    PyErr_Format(PyExc_IndexError, "node must be from 0 to %lld, not %lld",
                 (long long)tree->n_nodes - 1, node);
    return false;
}

static PyObject *minimax(PyObject *module, PyObject *args)
{
    PyObject *columns, *leaves, *values, *cancel_arg;
    int root_turn, first_largest, second_largest;
    long long node;
    Py_buffer view;
    mbx_cancel cancel;
    mbx_tree tree;
    if (!PyArg_ParseTuple(args, "OiOppOLO:minimax", &columns, &root_turn, &leaves, &first_largest,
                          &second_largest, &values, &node, &cancel_arg)
        || !parse_tree(columns, column_rows(columns), READ, &tree) || !node_is_ok(&tree, node))
        return NULL;
    const void *table = array_data(leaves, "leaf_value", NPY_INT8, MBX_MAX_DEPTHS, MBX_OUTCOMES,
                                   READ);
    int8_t *data = array_data(values, "values", NPY_INT8, tree.n_nodes, 0, WRITE);
    if (!table || !data || !mbx_parse_cancel(cancel_arg, &view, &cancel))
        return NULL;
    mbx_minimax_rule rule = {root_turn & 1, {first_largest != 0, second_largest != 0}, table};
    mbx_error error;
    Py_BEGIN_ALLOW_THREADS
    error = node < 0 ? mbx_minimax(&tree, &rule, cancel, data)
                     : mbx_minimax_below(&tree, node, &rule, cancel, data);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&view);
    return done(module, error);
}

static mbx_error count_outcomes_in(const mbx_tree *tree, int64_t node, const mbx_count_rule *rule,
                                   mbx_cancel cancel, bool narrow, void *counts)
{
    if (node < 0)
        return narrow ? mbx_count_outcomes32(tree, rule, cancel, counts)
                      : mbx_count_outcomes64(tree, rule, cancel, counts);
    return narrow ? mbx_count_outcomes_below32(tree, node, rule, cancel, counts)
                  : mbx_count_outcomes_below64(tree, node, rule, cancel, counts);
}

static PyObject *count_outcomes(PyObject *module, PyObject *args)
{
    PyObject *columns, *weight, *factor, *counts, *cancel_arg;
    long long node;
    Py_buffer view;
    mbx_cancel cancel;
    mbx_tree tree;
    if (!PyArg_ParseTuple(args, "OOOOLO:count_outcomes", &columns, &weight, &factor, &counts,
                          &node, &cancel_arg)
        || !parse_tree(columns, column_rows(columns), READ, &tree) || !node_is_ok(&tree, node))
        return NULL;
    mbx_count_rule rule;
    rule.weight = array_data(weight, "weight", NPY_UINT64, MBX_MAX_DEPTHS, 0, READ);
    rule.factor = array_data(factor, "factor", NPY_UINT64, MBX_MAX_DEPTHS, 0, READ);
    bool narrow = PyArray_Check(counts) && PyArray_TYPE((PyArrayObject *)counts) == NPY_UINT32;
    void *data = array_data(counts, "counts", narrow ? NPY_UINT32 : NPY_UINT64, tree.n_nodes,
                            MBX_OUTCOMES, WRITE);
    if (!rule.weight || !rule.factor || !data || !mbx_parse_cancel(cancel_arg, &view, &cancel))
        return NULL;
    mbx_error error;
    Py_BEGIN_ALLOW_THREADS
    error = count_outcomes_in(&tree, node, &rule, cancel, narrow, data);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&view);
    return done(module, error);
}

static PyMethodDef functions[] = {
    {"tree_count", tree_count, METH_VARARGS,
     "tree_count($module, root, limit, cancel, /)\n--\n\n"
     "Number of nodes of each depth: int64 array (256,); TooLargeError beyond limit in all."},
    {"tree_is_small", tree_is_small, METH_VARARGS,
     "tree_is_small($module, root, /)\n--\n\n"
     "Can tree_fill do without the result of tree_count?"},
    {"tree_fill", tree_fill, METH_VARARGS,
     "tree_fill($module, root, n_at_depth, columns, cancel, /)\n--\n\n"
     "Fill the columns breadth first and return the number of nodes."},
    {"tree_to_depth_first", tree_to_depth_first, METH_VARARGS,
     "tree_to_depth_first($module, columns, renumbered, cancel, /)\n--\n\n"
     "Write the tree in depth-first numbering into the columns `renumbered`."},
    {"tree_link", tree_link, METH_VARARGS,
     "tree_link($module, root, columns, /)\n--\n\n"
     "Derive parent, first_child and depth from n_children, status and move, which are checked."},
    {"minimax", minimax, METH_VARARGS,
     "minimax($module, columns, root_turn, leaf_value, first_largest, second_largest, values,"
     " node, cancel, /)\n--\n\n"
     "Fill values (int8) from the leaves; below one node, or everywhere where node is -1."},
    {"count_outcomes", count_outcomes, METH_VARARGS,
     "count_outcomes($module, columns, weight, factor, counts, node, cancel, /)\n--\n\n"
     "Fill counts (uint32 or uint64, (n, 3)); below one node, or everywhere where node is -1."},
    {NULL, NULL, 0, NULL},
};

int mbx_init_tree(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
