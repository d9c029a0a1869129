/* alphabeta_type.c - _core.AlphaBeta: a search with a table that is kept from position to position.
 *
 *     search = AlphaBeta(game, algorithm, evaluation, weights, threats, entries, options)
 *     search.set(position)
 *     search.search(depth, alpha, beta, every, cancel, evaluate)      -> done?, depth after depth
 *     search.moves() -> (moves, lower, upper)   search.variation() -> moves
 *     search.value, search.move, search.nodes
 *
 * The GIL is released, unless a function of the caller evaluates.  A lock that is tried, not waited
 * for, keeps everybody else off meanwhile.
 */
#include "module.h"

#include "../core/alphabeta.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    PyObject_HEAD
    game_object *game;
    mbx_alphabeta *search;
    bool is_set;                    /* there is a position */
    PyThread_type_lock lock;
} alphabeta_object;

static module_state *state_of(PyTypeObject *type)
{
    return PyModule_GetState(PyType_GetModuleByDef(type, &mbx_core_module));
}

/* --- making one ----------------------------------------------------------------------------- */

/* Copies the n numbers of an int32 array, each from -most to most. */
static bool parse_numbers(PyObject *object, const char *name, int n, int32_t most, int32_t *numbers)
{
    PyArrayObject *array = (PyArrayObject *)object;
    if (!PyArray_Check(object) || PyArray_TYPE(array) != NPY_INT32 || PyArray_SIZE(array) != n
        || !PyArray_ISCARRAY_RO(array)) {
        PyErr_Format(PyExc_TypeError, "%s must be an int32 array of %d values", name, n);
        return false;
    }
    if (n > 0)
        memcpy(numbers, PyArray_DATA(array), (size_t)n * sizeof *numbers);
    for (int i = 0; i < n; i++)
        if (numbers[i] < -most || numbers[i] > most) {
            PyErr_Format(PyExc_ValueError, "%s must be from %d to %d, not %d", name, -most, most,
                         numbers[i]);
            return false;
        }
    return true;
}

/* The kinds of ordering and the other options that are on or off, as bits. */
enum {
    FORCED = 1, TABLE_MOVE = 2, KILLERS = 4, HISTORY = 8, GAIN = 16, SYMMETRY = 32, EXTEND = 64,
    MOST_THREAT = 100000
};

static bool parse_options(PyObject *args, PyObject *kwargs, module_state *state, PyObject **game,
                          mbx_alphabeta_options *options)
{
    static char *names[] = {"game", "algorithm", "evaluation", "weights", "threats", "entries",
                            "options", NULL};
    PyObject *weights, *threats, *entries_arg;
    int algorithm, evaluation, bits;
    long long entries;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OiiOOOi:AlphaBeta", names, game, &algorithm,
                                     &evaluation, &weights, &threats, &entries_arg, &bits)
        || !mbx_parse_int(entries_arg, "entries", 0,
                          PY_SSIZE_T_MAX / (long long)sizeof(mbx_transposition), &entries))
        return false;
    if (!PyObject_TypeCheck(*game, state->game_type)) {
        PyErr_Format(PyExc_TypeError, "game must be a Game, not %R", *game);
        return false;
    }
    if (algorithm < MBX_MINIMAX || algorithm > MBX_MTDF || evaluation < MBX_BY_LINES
        || evaluation > MBX_BY_CALL) {
        PyErr_SetString(PyExc_ValueError, "there is no such algorithm or evaluation");
        return false;
    }
    const mbx_game *rules = &((game_object *)*game)->game;
    *options = (mbx_alphabeta_options){
        .algorithm = (mbx_algorithm)algorithm,
        .evaluation = (mbx_evaluation)evaluation,
        .table_entries = (uint64_t)entries,
        .forced = bits & FORCED, .table_move = bits & TABLE_MOVE, .killers = bits & KILLERS,
        .history = bits & HISTORY, .gain = bits & GAIN, .symmetry = bits & SYMMETRY,
        .extend = bits & EXTEND};
    return parse_numbers(weights, "weights", rules->k - 1, mbx_most_weight(rules), options->weights)
           && parse_numbers(threats, "threats", MBX_THREAT_WEIGHTS, MOST_THREAT, options->threats);
}

static PyObject *alphabeta_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *game;
    mbx_alphabeta_options options;
    if (!parse_options(args, kwargs, state_of(type), &game, &options))
        return NULL;
    alphabeta_object *self = (alphabeta_object *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->game = (game_object *)Py_NewRef(game);
    self->lock = PyThread_allocate_lock();
    if (!self->lock
        || mbx_alphabeta_create(&self->search, &self->game->game, &options) != MBX_OK) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void alphabeta_dealloc(alphabeta_object *self)
{
    PyTypeObject *type = Py_TYPE(self);
    if (self->lock)
        PyThread_free_lock(self->lock);
    mbx_alphabeta_free(self->search);
    Py_XDECREF(self->game);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

/* --- searching ------------------------------------------------------------------------------ */

/* Takes the search for this thread: RuntimeError where it is in use. */
static bool take(alphabeta_object *self)
{
    if (PyThread_acquire_lock(self->lock, NOWAIT_LOCK))
        return true;
    PyErr_SetString(PyExc_RuntimeError, "this AlphaBeta is searching: use another one meanwhile");
    return false;
}

/* The same; RuntimeError also where there is no position. */
static bool take_set(alphabeta_object *self)
{
    if (!take(self))
        return false;
    if (self->is_set)
        return true;
    PyThread_release_lock(self->lock);
    PyErr_SetString(PyExc_RuntimeError, "set a position first");
    return false;
}

static PyObject *alphabeta_set(alphabeta_object *self, PyObject *object)
{
    module_state *state = state_of(Py_TYPE(self));
    if (!PyObject_TypeCheck(object, state->position_type))
        return PyErr_Format(PyExc_TypeError, "position must be a Position, not %R", object);
    const mbx_position *position = &((position_object *)object)->position;
    if (!mbx_game_equal(position->game, &self->game->game))
        return PyErr_Format(PyExc_ValueError, "the position must be of the search's game");
    if (position->status != MBX_PLAYING)
        return mbx_raise(state, MBX_GAME_OVER);
    if (!take(self))
        return NULL;
    mbx_alphabeta_set(self->search, position);
    self->is_set = true;
    PyThread_release_lock(self->lock);
    Py_RETURN_NONE;
}

/* The function of the caller, for boards of a game. */
typedef struct {
    PyObject *function;
    const mbx_game *game;
} called;

static bool copy_scores(PyObject *answer, int n, int32_t *scores)
{
    const int32_t most = MBX_SURE - 1;
    return parse_numbers(answer, "evaluation", n, most, scores);
}

static bool call_evaluation(void *context, const int8_t *boards, int n, int32_t *scores)
{
    const called *callee = context;
    const mbx_game *game = callee->game;
    if (n == 0) { /* Python looks after signals and the time */
        PyObject *nothing = PyObject_CallOneArg(callee->function, Py_None);
        Py_XDECREF(nothing);
        return nothing != NULL;
    }
    npy_intp shape[4] = {n};
    for (int axis = 0; axis < game->n_axes; axis++)
        shape[1 + axis] = game->shape[game->n_axes - 1 - axis];
    PyObject *array = PyArray_SimpleNew(1 + game->n_axes, shape, NPY_INT8);
    if (!array)
        return false;
    memcpy(PyArray_DATA((PyArrayObject *)array), boards, (size_t)n * (size_t)game->n_cells);
    PyObject *answer = PyObject_CallOneArg(callee->function, array);
    Py_DECREF(array);
    const bool is_ok = answer && copy_scores(answer, n, scores);
    Py_XDECREF(answer);
    return is_ok;
}

static bool run(alphabeta_object *self, int depth, mbx_window window, bool every,
                PyObject *evaluate, mbx_cancel cancel)
{
    mbx_search_alphabeta *search = state_of(Py_TYPE(self))->kernel->search_alphabeta;
    bool is_done;
    if (self->search->options.evaluation == MBX_BY_CALL) {
        called context = {evaluate, &self->game->game};
        self->search->evaluate = call_evaluation;
        self->search->context = &context;
        return search(self->search, depth, window, every, cancel);
    }
    Py_BEGIN_ALLOW_THREADS
    is_done = search(self->search, depth, window, every, cancel);
    Py_END_ALLOW_THREADS
    return is_done;
}

static PyObject *alphabeta_search(alphabeta_object *self, PyObject *const *args, Py_ssize_t n)
{
    if (n != 6)
        return PyErr_Format(PyExc_TypeError, "search takes 6 arguments, not %zd", n);
    long long depth, alpha, beta;
    Py_buffer view;
    mbx_cancel cancel;
    const int every = PyObject_IsTrue(args[3]);
    if (every < 0 || !mbx_parse_int(args[0], "depth", 1, MBX_MAX_CELLS, &depth)
        || !mbx_parse_int(args[1], "alpha", -MBX_INFINITE, MBX_WIN, &alpha)
        || !mbx_parse_int(args[2], "beta", alpha + 1, MBX_INFINITE, &beta)
        || !mbx_parse_cancel(args[4], &view, &cancel))
        return NULL;
    if (!take_set(self)) {
        PyBuffer_Release(&view);
        return NULL;
    }
    const mbx_window window = {(int32_t)alpha, (int32_t)beta};
    const bool is_done = run(self, (int)depth, window, every, args[5], cancel);
    PyThread_release_lock(self->lock);
    PyBuffer_Release(&view);
    return PyErr_Occurred() ? NULL : PyBool_FromLong(is_done);
}

/* --- what was found ------------------------------------------------------------------------- */

static int compare_moves(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

static int original_move(const mbx_alphabeta *search, int cell)
{
    return mbx_move_of_cell(search->game, search->original[cell]);
}

/* Fills rows (move, lower, upper) with the position's own moves, ascending. */
static void list_rows(const mbx_alphabeta *search, int32_t (*rows)[3])
{
    for (int i = 0; i < search->n_moves; i++) {
        const mbx_root_move *move = &search->moves[i];
        rows[i][0] = original_move(search, move->cell);
        rows[i][1] = move->lower;
        rows[i][2] = move->upper;
    }
    qsort(rows, (size_t)search->n_moves, sizeof *rows, compare_moves);
}

static PyObject *alphabeta_moves(alphabeta_object *self, PyObject *unused)
{
    (void)unused;
    int32_t rows[MBX_MAX_CELLS][3];
    if (!take_set(self))
        return NULL;
    const npy_intp n = self->search->n_moves;
    list_rows(self->search, rows);
    PyThread_release_lock(self->lock);
    PyObject *columns[3] = {PyArray_SimpleNew(1, &n, NPY_INT32), PyArray_SimpleNew(1, &n, NPY_INT32),
                            PyArray_SimpleNew(1, &n, NPY_INT32)};
    PyObject *result = NULL;
    if (columns[0] && columns[1] && columns[2]) {
        for (int column = 0; column < 3; column++)
            for (npy_intp i = 0; i < n; i++)
                ((int32_t *)PyArray_DATA((PyArrayObject *)columns[column]))[i] = rows[i][column];
        result = PyTuple_Pack(3, columns[0], columns[1], columns[2]);
    }
    for (int column = 0; column < 3; column++)
        Py_XDECREF(columns[column]);
    return result;
}

static PyObject *alphabeta_variation(alphabeta_object *self, PyObject *unused)
{
    (void)unused;
    uint8_t cells[MBX_MAX_CELLS + 1];
    if (!take_set(self))
        return NULL;
    const int n = mbx_alphabeta_variation(self->search, cells);
    for (int i = 0; i < n; i++)
        cells[i] = (uint8_t)original_move(self->search, cells[i]);
    PyThread_release_lock(self->lock);
    PyObject *moves = PyList_New(n);
    for (int i = 0; moves && i < n; i++) {
        PyObject *move = PyLong_FromLong(cells[i]);
        if (!move)
            Py_CLEAR(moves);
        else
            PyList_SET_ITEM(moves, i, move);
    }
    return moves;
}

static PyObject *alphabeta_clear(alphabeta_object *self, PyObject *unused)
{
    (void)unused;
    if (!take(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    mbx_transpositions_clear(&self->search->table);
    Py_END_ALLOW_THREADS
    PyThread_release_lock(self->lock);
    Py_RETURN_NONE;
}

static PyObject *alphabeta_game(alphabeta_object *self, void *closure)
{
    (void)closure;
    return Py_NewRef((PyObject *)self->game);
}

static PyObject *alphabeta_nodes(alphabeta_object *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLongLong(self->search->nodes);
}

static PyObject *alphabeta_value(alphabeta_object *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(self->search->value);
}

static PyObject *alphabeta_move(alphabeta_object *self, void *closure)
{
    (void)closure;
    if (!take_set(self))
        return NULL;
    const int move = original_move(self->search, self->search->moves[0].cell);
    PyThread_release_lock(self->lock);
    return PyLong_FromLong(move);
}

static PyGetSetDef properties[] = {
    {"game", (getter)alphabeta_game, NULL, "The game that is searched.", NULL},
    {"value", (getter)alphabeta_value, NULL, "The value that the last search found.", NULL},
    {"move", (getter)alphabeta_move, NULL, "The move that it chose.", NULL},
    {"nodes", (getter)alphabeta_nodes, NULL, "Positions visited since `set`.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"set", (PyCFunction)alphabeta_set, METH_O,
     "set($self, position, /)\n--\n\nBegin a search of a position; the table stays."},
    {"search", (PyCFunction)(void (*)(void))alphabeta_search, METH_FASTCALL,
     "search($self, depth, alpha, beta, every, cancel, evaluate, /)\n--\n\n"
     "Search to a depth; every: all moves exactly.  False where it was cancelled."},
    {"moves", (PyCFunction)alphabeta_moves, METH_NOARGS,
     "moves($self, /)\n--\n\nThe moves, ascending, and the bounds of their scores: int32 arrays."},
    {"variation", (PyCFunction)alphabeta_variation, METH_NOARGS,
     "variation($self, /)\n--\n\nThe chosen move and what is expected after it."},
    {"clear", (PyCFunction)alphabeta_clear, METH_NOARGS,
     "clear($self, /)\n--\n\nForget what earlier searches found."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "AlphaBeta(game, algorithm, evaluation, weights, threats, entries, options)\n--\n\n"
                "A search to a depth.  weights, threats: int32 arrays; entries: of the table; "
                "options: bits."},
    {Py_tp_new, alphabeta_new},
    {Py_tp_dealloc, alphabeta_dealloc},
    {Py_tp_getset, properties},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "mbx._core.AlphaBeta",
    .basicsize = sizeof(alphabeta_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

int mbx_init_alphabeta(PyObject *module)
{
    PyTypeObject *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    int result = type ? PyModule_AddType(module, type) : -1;
    Py_XDECREF(type);
    if (result == 0)
        result = PyModule_AddIntConstant(module, "WIN", MBX_WIN);
    if (result == 0)
        result = PyModule_AddIntConstant(module, "SURE", MBX_SURE);
    if (result == 0)
        result = PyModule_AddIntConstant(module, "MOST_THREAT", MOST_THREAT);
    if (result == 0)
        result = PyModule_AddIntConstant(module, "ENTRY_BYTES", sizeof(mbx_transposition));
    return result;
}
