/* mcts_views.c - a tree search as arrays: one node, the last simulation, the whole tree. */
#include "mcts_object.h"

void *mbx_array_data(PyObject *object, int type, npy_intp least, const char *name)
{
    PyArrayObject *array = (PyArrayObject *)object;
    if (PyArray_Check(object) && PyArray_TYPE(array) == type && PyArray_SIZE(array) >= least
        && PyArray_ISCARRAY_RO(array))
        return PyArray_DATA(array);
    PyErr_Format(PyExc_TypeError, "%s must be a C-contiguous array of %zd values or more", name,
                 (Py_ssize_t)least);
    return NULL;
}

PyObject *mbx_new_array(npy_intp n, int type, void *data)
{
    PyObject *array = PyArray_SimpleNew(1, &n, type);
    *(void **)data = array ? PyArray_DATA((PyArrayObject *)array) : NULL;
    return array;
}

/* moves, visits, sums, lower, upper, priors (None without an evaluator) of a node's edges. */
static PyObject *describe_node(const mbx_mcts *mcts, char *node)
{
    const npy_intp n = mbx_node_edges(node);
    int32_t *moves;
    int64_t *visits;
    double *sums;
    int8_t *lower, *upper;
    float *priors = NULL;
    PyObject *columns[] = {
        mbx_new_array(n, NPY_INT32, &moves), mbx_new_array(n, NPY_INT64, &visits),
        mbx_new_array(n, NPY_DOUBLE, &sums), mbx_new_array(n, NPY_INT8, &lower),
        mbx_new_array(n, NPY_INT8, &upper),
        mcts->options.playouts ? Py_NewRef(Py_None) : mbx_new_array(n, NPY_FLOAT32, &priors),
    };
    PyObject *result = PyTuple_New(6);
    for (int i = 0; i < 6; i++) {
        if (result && columns[i])
            PyTuple_SET_ITEM(result, i, columns[i]);
        else {
            Py_CLEAR(result);
            Py_XDECREF(columns[i]);
        }
    }
    for (npy_intp i = 0; result && i < n; i++) {
        const mbx_edge *edge = mbx_node_edge(node, (size_t)i);
        const int bounds = mbx_node_bounds(node)[i];
        moves[i] = mbx_node_moves(node)[i];
        visits[i] = edge->visits;
        sums[i] = edge->sum;
        lower[i] = (int8_t)mbx_lower(bounds);
        upper[i] = (int8_t)mbx_upper(bounds);
        if (priors)
            priors[i] = mbx_node_priors(node)[i];
    }
    return result;
}

/* The node below the root along the moves, or NULL where it has no block. */
static char *find_node(const mbx_mcts *mcts, PyObject *moves)
{
    if (!mcts->n_units)
        return NULL;
    char *node = mbx_node(mcts, 0);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(moves); i++) {
        const long move = PyLong_AsLong(PyList_GET_ITEM(moves, i));
        int edge = 0;
        while (edge < mbx_node_edges(node) && mbx_node_moves(node)[edge] != move)
            edge++;
        if (edge == mbx_node_edges(node))
            return NULL;
        const uint32_t link = mbx_node_edge(node, (size_t)edge)->link;
        if (!link)
            return NULL;
        node = mbx_node(mcts, link);
    }
    return node;
}

PyObject *mcts_look(mcts_object *self, PyObject *moves)
{
    if (!PyList_Check(moves))
        return PyErr_Format(PyExc_TypeError, "moves must be a list, not %R", moves);
    if (!mbx_acquire(self->lock))
        return NULL;
    char *node = find_node(self->mcts, moves);
    PyObject *result = PyErr_Occurred() ? NULL
                       : node           ? describe_node(self->mcts, node)
                                        : Py_NewRef(Py_None);
    PyThread_release_lock(self->lock);
    return result;
}

PyObject *mcts_samples(mcts_object *self, PyObject *unused)
{
    (void)unused;
    if (!mbx_acquire(self->lock))
        return NULL;
    const mbx_mcts *mcts = self->mcts;
    const npy_intp n = mcts->n_units ? mbx_node_edges(mbx_node(mcts, 0)) : 0;
    int64_t *counted;
    double *totals, *squares;
    PyObject *a = mbx_new_array(n, NPY_INT64, &counted), *b = mbx_new_array(n, NPY_DOUBLE, &totals);
    PyObject *c = mbx_new_array(n, NPY_DOUBLE, &squares);
    if (counted && totals && squares) {
        memcpy(counted, mcts->counted, (size_t)n * sizeof *counted);
        memcpy(totals, mcts->totals, (size_t)n * sizeof *totals);
        memcpy(squares, mcts->squares, (size_t)n * sizeof *squares);
    }
    PyThread_release_lock(self->lock);
    return Py_BuildValue("NNN", a, b, c);
}

PyObject *mcts_last(mcts_object *self, PyObject *unused)
{
    (void)unused;
    if (!mbx_acquire(self->lock))
        return NULL;
    const mbx_simulation *last = &self->mcts->last;
    PyObject *path = PyList_New(0), *moves = PyList_New(0);
    for (int i = 0; path && i < last->length; i++) {
        const mbx_step step = last->path[i];
        PyObject *move = PyLong_FromLong(mbx_node_moves(step.node)[step.edge]);
        if (!move || PyList_Append(path, move) < 0)
            Py_CLEAR(path);
        Py_XDECREF(move);
    }
    for (int i = 0; moves && i < last->n_moves; i++) {
        PyObject *move = PyLong_FromLong(last->moves[i]);
        if (!move || PyList_Append(moves, move) < 0)
            Py_CLEAR(moves);
        Py_XDECREF(move);
    }
    const double first = last->rewards[0], second = last->rewards[1];
    PyThread_release_lock(self->lock);
    return Py_BuildValue("NN(dd)", path, moves, first, second);
}

/* --- the whole tree ------------------------------------------------------------------------- */

PyObject *mcts_columns(mcts_object *self, PyObject *unused)
{
    (void)unused;
    if (!mbx_acquire(self->lock))
        return NULL;
    mbx_mcts *mcts = self->mcts;
    mbx_mcts_columns c = {.n = mbx_mcts_count(mcts)};
    if (c.n > INT32_MAX) {
        PyThread_release_lock(self->lock);
        return mbx_mcts_raise(self, MBX_TOO_LARGE);
    }
    const npy_intp n = (npy_intp)c.n;
    PyObject *arrays[] = {
        mbx_new_array(n, NPY_INT32, &c.parent),     mbx_new_array(n, NPY_INT32, &c.first_child),
        mbx_new_array(n, NPY_INT32, &c.n_children), mbx_new_array(n, NPY_INT32, &c.move),
        mbx_new_array(n, NPY_INT32, &c.depth),      mbx_new_array(n, NPY_INT64, &c.visits),
        mbx_new_array(n, NPY_DOUBLE, &c.sums),      mbx_new_array(n, NPY_INT8, &c.lower),
        mbx_new_array(n, NPY_INT8, &c.upper),
        mcts->options.playouts ? Py_NewRef(Py_None) : mbx_new_array(n, NPY_FLOAT32, &c.priors),
    };
    enum { N_ARRAYS = sizeof arrays / sizeof *arrays };
    mbx_error error = MBX_OK;
    for (int i = 0; i < N_ARRAYS; i++)
        if (!arrays[i])
            error = MBX_NO_MEMORY;
    if (error == MBX_OK) {
        Py_BEGIN_ALLOW_THREADS
        error = mbx_mcts_write(mcts, &c);
        Py_END_ALLOW_THREADS
    }
    PyThread_release_lock(self->lock);
    PyObject *result = error == MBX_OK ? PyTuple_New(N_ARRAYS) : NULL;
    for (int i = 0; i < N_ARRAYS; i++)
        if (result)
            PyTuple_SET_ITEM(result, i, arrays[i]);
        else
            Py_XDECREF(arrays[i]);
    if (!result && error != MBX_OK)
        PyErr_Clear();
    return result || error == MBX_OK ? result : mbx_mcts_raise(self, error);
}

/* What a file keeps beside the columns: the generator and the samples of the root. */
PyObject *mcts_state(mcts_object *self, PyObject *unused)
{
    (void)unused;
    if (!mbx_acquire(self->lock))
        return NULL;
    const mbx_rng rng = self->mcts->rng;
    const int depth = self->mcts->depth;
    PyThread_release_lock(self->lock);
    return Py_BuildValue("KKKKi", (unsigned long long)rng.a, (unsigned long long)rng.b,
                         (unsigned long long)rng.c, (unsigned long long)rng.counter, depth);
}

PyObject *mcts_restore(mcts_object *self, PyObject *args)
{
    PyObject *parent, *visits, *sums, *lower, *upper, *priors, *counted, *totals, *squares;
    unsigned long long a, b, c, counter;
    int depth;
    if (!PyArg_ParseTuple(args, "OOOOOOOOO(KKKKi):restore", &parent, &visits, &sums, &lower, &upper,
                          &priors, &counted, &totals, &squares, &a, &b, &c, &counter, &depth))
        return NULL;
    mbx_mcts *mcts = self->mcts;
    if (!PyArray_Check(parent))
        return PyErr_Format(PyExc_TypeError, "parent must be an array, not %R", parent);
    const npy_intp n = PyArray_SIZE((PyArrayObject *)parent);
    const npy_intp m = mcts->n_units ? mbx_node_edges(mbx_node(mcts, 0)) : 0;
    mbx_mcts_columns columns = {.n = (size_t)n};
    int64_t *counted_data;
    double *totals_data, *squares_data;
    const bool has_priors = mcts->options.playouts == 0;
    if (!(columns.parent = mbx_array_data(parent, NPY_INT32, n, "parent"))
        || !(columns.visits = mbx_array_data(visits, NPY_INT64, n, "visits"))
        || !(columns.sums = mbx_array_data(sums, NPY_DOUBLE, n, "sums"))
        || !(columns.lower = mbx_array_data(lower, NPY_INT8, n, "lower"))
        || !(columns.upper = mbx_array_data(upper, NPY_INT8, n, "upper"))
        || (has_priors && !(columns.priors = mbx_array_data(priors, NPY_FLOAT32, n, "priors")))
        || !(counted_data = mbx_array_data(counted, NPY_INT64, m, "counted"))
        || !(totals_data = mbx_array_data(totals, NPY_DOUBLE, m, "totals"))
        || !(squares_data = mbx_array_data(squares, NPY_DOUBLE, m, "squares")))
        return NULL;
    if (!mbx_acquire(self->lock))
        return NULL;
    mbx_error error;
    Py_BEGIN_ALLOW_THREADS
    error = mbx_mcts_read(mcts, &columns);
    Py_END_ALLOW_THREADS
    const int n_edges = mcts->n_units ? mbx_node_edges(mbx_node(mcts, 0)) : 0;
    const bool fits = PyArray_SIZE((PyArrayObject *)counted) >= n_edges
                      && PyArray_SIZE((PyArrayObject *)totals) >= n_edges
                      && PyArray_SIZE((PyArrayObject *)squares) >= n_edges;
    if (error == MBX_OK && fits) {
        memcpy(mcts->counted, counted_data, (size_t)n_edges * sizeof *counted_data);
        memcpy(mcts->totals, totals_data, (size_t)n_edges * sizeof *totals_data);
        memcpy(mcts->squares, squares_data, (size_t)n_edges * sizeof *squares_data);
        mcts->rng = (mbx_rng){a, b, c, counter};
        mcts->depth = depth;
    }
    PyThread_release_lock(self->lock);
    if (error == MBX_OK && !fits)
        return PyErr_Format(PyExc_ValueError, "there must be samples of every move");
    return error == MBX_OK ? Py_NewRef(Py_None) : mbx_mcts_raise(self, error);
}
