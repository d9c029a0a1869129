/* mcts_type.c - _core.Mcts: a tree search in one thread.
 *
 *     core = Mcts(position, playouts, expand_all, solver, draw_value, max_nodes, max_bytes, key, row)
 *     core.explore(visits, c)             exploration terms up to there (core.terms, core.visits_of)
 *     core.search(n, recorded, cancel)    -> simulations done
 *     core.gather(most, n, boards)        -> (leaves, simulations, is_full); core.apply(...)
 *     core.root() -> statistics of the moves;  core.look(moves) -> those of a node below
 *
 * A lock lets one thread at a time in; the GIL is free while it works.
 */
#include "mcts_object.h"

#include "../core/mcts_evaluator.h"

static module_state *state_of(PyTypeObject *type)
{
    return PyModule_GetState(PyType_GetModuleByDef(type, &mbx_core_module));
}

PyObject *mbx_mcts_raise(mcts_object *self, mbx_error error)
{
    module_state *state = state_of(Py_TYPE(self));
    if (error != MBX_GAME_OVER)
        return mbx_raise(state, error);
    PyErr_SetString(state->game_over_error, "the game is over: there is nothing to search");
    return NULL;
}

static PyObject *mcts_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"position", "playouts", "expand_all", "solver", "draw_value",
                            "max_nodes", "max_bytes", "key", "row", NULL};
    module_state *state = state_of(type);
    PyObject *position, *key;
    int expand_all, solver;
    unsigned long long max_nodes, max_bytes, row;
    mbx_mcts_options options = {0};
    mbx_seed seed;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!ippdKKOK:Mcts", names, state->position_type,
                                     &position, &options.playouts, &expand_all, &solver,
                                     &options.draw_value, &max_nodes, &max_bytes, &key, &row)
        || !mbx_parse_seed(key, &seed))
        return NULL;
    if (options.playouts < 0 || options.playouts > MBX_MAX_PLAYOUTS || max_nodes < 1)
        return PyErr_Format(PyExc_ValueError, "playouts or max_nodes is out of range");
    options.expand_all = expand_all;
    options.solver = solver;
    options.max_nodes = max_nodes;
    options.max_bytes = (size_t)max_bytes;
    mcts_object *self = (mcts_object *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->game = (game_object *)Py_NewRef(((position_object *)position)->game);
    self->lock = PyThread_allocate_lock();
    if (!self->lock || mbx_mcts_create(&self->mcts, &((position_object *)position)->position,
                                       &options, seed, row) != MBX_OK) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void mcts_dealloc(mcts_object *self)
{
    PyTypeObject *type = Py_TYPE(self);
    if (self->lock)
        PyThread_free_lock(self->lock);
    mbx_mcts_free(self->mcts);
    Py_XDECREF(self->game);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

/* --- searching ------------------------------------------------------------------------------ */

static PyObject *mcts_restart(mcts_object *self, PyObject *args)
{
    module_state *state = state_of(Py_TYPE(self));
    PyObject *position, *key;
    unsigned long long row;
    mbx_seed seed;
    if (!PyArg_ParseTuple(args, "O!OK:restart", state->position_type, &position, &key, &row)
        || !mbx_parse_seed(key, &seed))
        return NULL;
    const mbx_position *root = &((position_object *)position)->position;
    if (!mbx_game_equal(root->game, &self->game->game))
        return PyErr_Format(PyExc_ValueError, "the position must be of the search's game");
    if (!mbx_acquire(self->lock))
        return NULL;
    const mbx_error error = mbx_mcts_restart(self->mcts, root, seed, row);
    PyThread_release_lock(self->lock);
    return error == MBX_OK ? Py_NewRef(Py_None) : mbx_mcts_raise(self, error);
}

static PyObject *mcts_advance(mcts_object *self, PyObject *arg)
{
    long long move;
    if (!mbx_parse_int(arg, "move", INT64_MIN, INT64_MAX, &move) || !mbx_acquire(self->lock))
        return NULL;
    mbx_error error;
    Py_BEGIN_ALLOW_THREADS
    error = mbx_mcts_advance(self->mcts, move);
    Py_END_ALLOW_THREADS
    PyThread_release_lock(self->lock);
    return error == MBX_OK ? Py_NewRef(Py_None) : mbx_raise(state_of(Py_TYPE(self)), error);
}

static PyObject *mcts_visits_of(mcts_object *self, PyObject *arg)
{
    long long visits;
    if (!mbx_parse_int(arg, "visits", 0, INT64_MAX, &visits))
        return NULL;
    const size_t first = self->mcts->n_exploration, end = mbx_visits_index(visits) + 1;
    npy_intp n = end > first ? (npy_intp)(end - first) : 0;
    PyObject *array = PyArray_SimpleNew(1, &n, NPY_INT64);
    for (npy_intp i = 0; array && i < n; i++)
        ((int64_t *)PyArray_DATA((PyArrayObject *)array))[i] = mbx_visits_at(first + (size_t)i);
    return array;
}

static PyObject *mcts_explore(mcts_object *self, PyObject *args)
{
    long long visits;
    PyObject *c_arg, *visits_arg;
    if (!PyArg_ParseTuple(args, "OO:explore", &visits_arg, &c_arg)
        || !mbx_parse_int(visits_arg, "visits", 0, INT64_MAX, &visits))
        return NULL;
    PyArrayObject *c = (PyArrayObject *)PyArray_FROM_OTF(c_arg, NPY_DOUBLE, NPY_ARRAY_IN_ARRAY);
    if (!c)
        return NULL;
    const bool is_constant = PyArray_NDIM(c) == 0;
    mbx_error error = MBX_OK;
    if (!mbx_acquire(self->lock)) {
        Py_DECREF(c);
        return NULL;
    }
    const size_t end = mbx_visits_index(visits) + 1, first = self->mcts->n_exploration;
    const bool fits = is_constant || end <= first || (size_t)PyArray_SIZE(c) == end - first;
    if (fits)
        error = mbx_mcts_explore(self->mcts, visits, PyArray_DATA(c), is_constant);
    PyThread_release_lock(self->lock);
    Py_DECREF(c);
    if (!fits)
        return PyErr_Format(PyExc_ValueError, "c must be a number, or have one for every entry");
    return error == MBX_OK ? Py_NewRef(Py_None) : mbx_mcts_raise(self, error);
}

/* May so many simulations follow?  Sets an error if not. */
static bool allows(const mbx_mcts *mcts, long long simulations)
{
    if (simulations >= 0 && simulations <= MBX_MAX_SIMULATIONS - mcts->root_visits
        && mcts->n_exploration > mbx_visits_index(mcts->root_visits + simulations))
        return true;
    PyErr_SetString(PyExc_ValueError, "so many simulations were not prepared by explore");
    return false;
}

static PyObject *mcts_search(mcts_object *self, PyObject *args)
{
    long long simulations;
    int is_recorded;
    PyObject *cancel_arg;
    Py_buffer view;
    mbx_cancel cancel;
    if (!PyArg_ParseTuple(args, "LpO:search", &simulations, &is_recorded, &cancel_arg)
        || !mbx_parse_cancel(cancel_arg, &view, &cancel))
        return NULL;
    if (!mbx_acquire(self->lock)) {
        PyBuffer_Release(&view);
        return NULL;
    }
    mbx_error error = MBX_OK;
    int64_t done = 0;
    mbx_mcts *mcts = self->mcts;
    const mbx_kernel *kernel = state_of(Py_TYPE(self))->kernel;
    const bool is_allowed = mcts->options.playouts > 0 && allows(mcts, simulations);
    if (is_allowed) {
        Py_BEGIN_ALLOW_THREADS
        error = kernel->search_tree(mcts, kernel, simulations, is_recorded, cancel, &done);
        Py_END_ALLOW_THREADS
    }
    PyThread_release_lock(self->lock);
    PyBuffer_Release(&view);
    if (!is_allowed)
        return NULL;
    return error == MBX_OK || error == MBX_CANCELLED ? PyLong_FromLongLong(done)
                                                     : mbx_mcts_raise(self, error);
}

/* --- with an evaluator ---------------------------------------------------------------------- */

static PyObject *mcts_gather(mcts_object *self, PyObject *args)
{
    int most;
    long long simulations;
    PyObject *boards_arg;
    if (!PyArg_ParseTuple(args, "iLO:gather", &most, &simulations, &boards_arg))
        return NULL;
    mbx_mcts *mcts = self->mcts;
    if (most < 1 || mcts->options.playouts > 0)
        return PyErr_Format(PyExc_ValueError, "gather needs an evaluator and room for a leaf");
    const npy_intp n_values = (npy_intp)most * mcts->game->n_cells;
    int8_t *boards = mbx_array_data(boards_arg, NPY_INT8, n_values, "boards");
    if (!boards || PyArray_FailUnlessWriteable((PyArrayObject *)boards_arg, "boards") < 0
        || !mbx_acquire(self->lock))
        return NULL;
    mbx_gathered gathered;
    mbx_error error = MBX_OK;
    const bool is_allowed = allows(mcts, simulations);
    if (is_allowed)
        error = mbx_mcts_gather(mcts, most, simulations, boards, &gathered);
    PyThread_release_lock(self->lock);
    if (!is_allowed)
        return NULL;
    if (error != MBX_OK)
        return mbx_mcts_raise(self, error);
    return Py_BuildValue("iLN", gathered.n_leaves, (long long)gathered.simulations,
                         PyBool_FromLong(gathered.is_full));
}

static PyObject *mcts_apply(mcts_object *self, PyObject *args)
{
    PyObject *priors_arg, *values_arg;
    if (!PyArg_ParseTuple(args, "OO:apply", &priors_arg, &values_arg) || !mbx_acquire(self->lock))
        return NULL;
    mbx_mcts *mcts = self->mcts;
    const npy_intp n = mbx_mcts_waiting(mcts);
    const double *priors = mbx_array_data(priors_arg, NPY_DOUBLE, n * mcts->game->n_moves, "priors");
    const double *values = priors ? mbx_array_data(values_arg, NPY_DOUBLE, n, "values") : NULL;
    const mbx_error error = values ? mbx_mcts_apply(mcts, priors, values) : MBX_OK;
    PyThread_release_lock(self->lock);
    if (!values)
        return NULL;
    return PyBool_FromLong(error == MBX_OK);
}

static PyObject *mcts_abandon(mcts_object *self, PyObject *unused)
{
    (void)unused;
    if (!mbx_acquire(self->lock))
        return NULL;
    mbx_mcts_abandon(self->mcts);
    PyThread_release_lock(self->lock);
    Py_RETURN_NONE;
}

static PyObject *mcts_set_root_priors(mcts_object *self, PyObject *arg)
{
    mbx_mcts *mcts = self->mcts;
    const double *priors = mbx_array_data(arg, NPY_DOUBLE, mcts->game->n_moves, "priors");
    if (!priors || !mbx_acquire(self->lock))
        return NULL;
    if (mcts->n_units)
        mbx_mcts_set_root_priors(mcts, priors);
    PyThread_release_lock(self->lock);
    Py_RETURN_NONE;
}

/* --- the type ------------------------------------------------------------------------------- */

static PyObject *mcts_simulations(mcts_object *self, void *closure)
{
    (void)closure;
    return PyLong_FromLongLong(self->mcts->root_visits);
}

static PyObject *mcts_nodes(mcts_object *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLongLong(self->mcts->n_nodes);
}

static PyObject *mcts_depth(mcts_object *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(self->mcts->depth);
}

static PyObject *mcts_bounds(mcts_object *self, void *closure)
{
    (void)closure;
    const int bounds = self->mcts->root_bounds;
    return Py_BuildValue("ii", mbx_lower(bounds), mbx_upper(bounds));
}

static PyObject *mcts_n_moves(mcts_object *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(self->mcts->game->n_moves);
}

static PyObject *mcts_moves(mcts_object *self, void *closure)
{
    (void)closure;
    uint8_t moves[MBX_MAX_CELLS];
    int32_t *data;
    const int n = mbx_position_legal_moves(&self->mcts->root, moves);
    PyObject *array = mbx_new_array(n, NPY_INT32, &data);
    for (int i = 0; array && i < n; i++)
        data[i] = moves[i];
    return array;
}

static PyGetSetDef properties[] = {
    {"n_moves", (getter)mcts_n_moves, NULL, "Of the game.", NULL},
    {"moves", (getter)mcts_moves, NULL, "The legal moves of the root, int32, ascending.", NULL},
    {"visits", (getter)mcts_simulations, NULL, "Of the root.", NULL},
    {"nodes", (getter)mcts_nodes, NULL, "The root and the visited nodes.", NULL},
    {"depth", (getter)mcts_depth, NULL, "Of the deepest simulation.", NULL},
    {"bounds", (getter)mcts_bounds, NULL, "The root's (lower, upper), for the side to move.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

#define METHOD(name, flags, text) {#name, (PyCFunction)mcts_##name, flags, text}

static PyMethodDef methods[] = {
    METHOD(restart, METH_VARARGS, "restart($self, position, key, row, /)\n--\n\nAn empty tree."),
    METHOD(advance, METH_O, "advance($self, move, /)\n--\n\nGo on to the subtree of a move."),
    METHOD(visits_of, METH_O,
           "visits_of($self, visits, /)\n--\n\nThe visits of the exploration terms that are missing "
           "up to there."),
    METHOD(explore, METH_VARARGS,
           "explore($self, visits, c, /)\n--\n\nMake the exploration terms up to there; c is a "
           "number or has one for each of visits_of."),
    METHOD(search, METH_VARARGS,
           "search($self, simulations, recorded, cancel, /)\n--\n\nRun simulations; says how many."),
    METHOD(gather, METH_VARARGS,
           "gather($self, most, simulations, boards, /)\n--\n\nSelect leaves for an evaluator: "
           "(leaves, simulations begun, is the tree full)."),
    METHOD(apply, METH_VARARGS,
           "apply($self, priors, values, /)\n--\n\nTake the leaves' priors and values; False where "
           "memory is at an end."),
    METHOD(abandon, METH_NOARGS, "abandon($self, /)\n--\n\nForget the leaves that wait."),
    METHOD(set_root_priors, METH_O, "set_root_priors($self, priors, /)\n--\n\nOf the root's moves."),
    METHOD(look, METH_O,
           "look($self, moves, /)\n--\n\nThe edges of the node along the moves: (moves, visits, "
           "sums, lower, upper, priors), or None."),
    METHOD(samples, METH_NOARGS,
           "samples($self, /)\n--\n\nBy move of the root, since it is the root: numbers of "
           "simulations, sums of their mean rewards and of the squares of these."),
    METHOD(last, METH_NOARGS,
           "last($self, /)\n--\n\nThe last simulation: (path, moves of the playout, rewards)."),
    METHOD(columns, METH_NOARGS,
           "columns($self, /)\n--\n\nThe tree: (parent, first_child, n_children, move, depth, "
           "visits, sums, lower, upper, priors)."),
    METHOD(state, METH_NOARGS, "state($self, /)\n--\n\nThe generator and the depth."),
    METHOD(restore, METH_VARARGS,
           "restore($self, parent, visits, sums, lower, upper, priors, counted, totals, squares, "
           "state, /)\n--\n\nTake over a tree; self is new."),
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Mcts(position, playouts, expand_all, solver, draw_value, max_nodes, max_bytes, "
                "key, row)\n--\n\nA tree search in one thread; playouts 0: with an evaluator."},
    {Py_tp_new, mcts_new},
    {Py_tp_dealloc, mcts_dealloc},
    {Py_tp_getset, properties},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "mbx._core.Mcts",
    .basicsize = sizeof(mcts_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

int mbx_init_mcts(PyObject *module)
{
    PyTypeObject *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    int result = type ? PyModule_AddType(module, type) : -1;
    Py_XDECREF(type);
    if (result == 0)
        result = PyModule_AddIntConstant(module, "MAX_SIMULATIONS", MBX_MAX_SIMULATIONS);
    if (result == 0)
        result = PyModule_AddIntConstant(module, "MAX_LEAF_PLAYOUTS", MBX_MAX_PLAYOUTS);
    return result;
}
