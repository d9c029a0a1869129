/* solver_type.c - _core.Solver: a game's solver with a table that is kept from call to call.
 *
 *     solver = Solver(game, table_bytes, method=None)
 *     solver.search(position, nodes, cancel, known=None)   -> (solved, lower, upper, move, nodes)
 *     solver.search_moves(position, lower, upper, nodes, cancel)                -> (solved, nodes)
 *
 * A search of a few positions is over before another thread could have done anything: the GIL is
 * released only for what is left after HELD nodes.  A lock lets one thread at a time search.
 */
#include "module.h"

#include "../core/solve.h"

#include <string.h>

enum { HELD = 1000 };

typedef struct {
    PyObject_HEAD
    game_object *game;
    mbx_solver solver;
    PyThread_type_lock lock;
} solver_object;

static module_state *state_of(PyTypeObject *type)
{
    return PyModule_GetState(PyType_GetModuleByDef(type, &mbx_core_module));
}

/* The method of that name, or the fastest one, that solves the game with such a table. */
static const mbx_method *choose_method(const mbx_kernel *kernel, const mbx_game *game,
                                       size_t table_bytes, const char *name)
{
    for (const mbx_method *const *m = kernel->column_methods; *m; m++)
        if ((*m)->fits(game, table_bytes) && (!name || strcmp(name, (*m)->name) == 0))
            return *m;
    return !name || strcmp(name, mbx_lines_method.name) == 0 ? &mbx_lines_method : NULL;
}

static PyObject *solver_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"game", "table_bytes", "method", NULL};
    module_state *state = state_of(type);
    PyObject *game, *bytes_arg;
    const char *name = NULL;
    long long bytes;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|z:Solver", names, &game, &bytes_arg, &name)
        || !mbx_parse_int(bytes_arg, "table_bytes", 1, (long long)(PY_SSIZE_T_MAX / 4), &bytes))
        return NULL;
    if (!PyObject_TypeCheck(game, state->game_type))
        return PyErr_Format(PyExc_TypeError, "game must be a Game, not %R", game);
    const mbx_game *rules = &((game_object *)game)->game;
    const mbx_method *method = choose_method(state->kernel, rules, (size_t)bytes, name);
    if (!method)
        return PyErr_Format(PyExc_ValueError,
                            "method '%s' does not solve this game with a table of %lld bytes",
                            name, bytes);
    solver_object *self = (solver_object *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->game = (game_object *)Py_NewRef(game);
    self->lock = PyThread_allocate_lock();
    if (!self->lock || mbx_solver_create(&self->solver, rules, method, (size_t)bytes) != MBX_OK) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void solver_dealloc(solver_object *self)
{
    PyTypeObject *type = Py_TYPE(self);
    if (self->lock)
        PyThread_free_lock(self->lock);
    mbx_solver_free(&self->solver);
    Py_XDECREF(self->game);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

/* A position of the solver's game that is not finished. */
static bool parse_position(solver_object *self, PyObject *object, mbx_position *position)
{
    module_state *state = state_of(Py_TYPE(self));
    if (!PyObject_TypeCheck(object, state->position_type)) {
        PyErr_Format(PyExc_TypeError, "position must be a Position, not %R", object);
        return false;
    }
    *position = ((position_object *)object)->position;
    if (!mbx_game_equal(position->game, &self->game->game)) {
        PyErr_SetString(PyExc_ValueError, "the position must be of the solver's game");
        return false;
    }
    position->game = &self->game->game;
    if (position->status == MBX_PLAYING)
        return true;
    PyErr_SetString(state->game_over_error, "the game is over: status says how it ended");
    return false;
}

static bool parse_nodes(PyObject *object, uint64_t *nodes)
{
    long long number = 0;
    if (!mbx_parse_int(object, "nodes", 1, INT64_MAX, &number))
        return false;
    *nodes = (uint64_t)number;
    return true;
}

/* (lower, upper, move) of an earlier search, or None. */
static bool parse_known(PyObject *object, mbx_solution *solution)
{
    if (object == Py_None)
        return true;
    mbx_solution known;
    if (!PyTuple_Check(object)
        || !PyArg_ParseTuple(object, "iii", &known.lower, &known.upper, &known.move)) {
        PyErr_SetString(PyExc_TypeError, "known must be a tuple of three ints");
        return false;
    }
    if (known.lower > known.upper || known.lower < solution->lower
        || known.upper > solution->upper) {
        PyErr_SetString(PyExc_ValueError, "known holds no bounds of this position");
        return false;
    }
    *solution = known;
    return true;
}

static PyObject *solver_search(solver_object *self, PyObject *const *args, Py_ssize_t n)
{
    if (n != 3 && n != 4)
        return PyErr_Format(PyExc_TypeError, "search takes 3 or 4 arguments, not %zd", n);
    mbx_position position;
    uint64_t nodes;
    Py_buffer view;
    mbx_cancel cancel;
    if (!parse_position(self, args[0], &position) || !parse_nodes(args[1], &nodes))
        return NULL;
    mbx_solution solution = mbx_solution_start(&position);
    if ((n == 4 && !parse_known(args[3], &solution)) || !mbx_parse_cancel(args[2], &view, &cancel))
        return NULL;
    if (!mbx_acquire(self->lock)) {
        PyBuffer_Release(&view);
        return NULL;
    }
    mbx_solver *solver = &self->solver;
    const uint64_t before = solver->search.nodes;
    mbx_solver_allow(solver, nodes < HELD ? nodes : HELD, cancel);
    bool is_solved = mbx_solve(solver, &position, &solution);
    if (!is_solved && nodes > HELD) {
        Py_BEGIN_ALLOW_THREADS
        mbx_solver_allow(solver, nodes - HELD, cancel);
        is_solved = mbx_solve(solver, &position, &solution);
        Py_END_ALLOW_THREADS
    }
    const uint64_t done = solver->search.nodes - before;
    PyThread_release_lock(self->lock);
    PyBuffer_Release(&view);
    return Py_BuildValue("NiiiK", PyBool_FromLong(is_solved), solution.lower, solution.upper,
                         solution.move, (unsigned long long)done);
}

/* The int32 data of an array with an element for each of n moves. */
static int32_t *parse_scores(PyObject *object, int n)
{
    PyArrayObject *array = (PyArrayObject *)object;
    if (PyArray_Check(object) && PyArray_TYPE(array) == NPY_INT32 && PyArray_SIZE(array) == n
        && PyArray_ISCARRAY(array))
        return PyArray_DATA(array);
    PyErr_Format(PyExc_TypeError, "bounds must be writable int32 arrays of %d values", n);
    return NULL;
}

static PyObject *solver_search_moves(solver_object *self, PyObject *args)
{
    PyObject *position_arg, *lower_arg, *upper_arg, *nodes_arg, *cancel_arg;
    mbx_position position;
    uint64_t nodes;
    Py_buffer view;
    mbx_cancel cancel;
    if (!PyArg_ParseTuple(args, "OOOOO:search_moves", &position_arg, &lower_arg, &upper_arg,
                          &nodes_arg, &cancel_arg)
        || !parse_position(self, position_arg, &position) || !parse_nodes(nodes_arg, &nodes))
        return NULL;
    uint8_t moves[MBX_MAX_CELLS];
    int32_t first_lower[MBX_MAX_CELLS], first_upper[MBX_MAX_CELLS];
    const int n = mbx_position_legal_moves(&position, moves);
    int32_t *lower = parse_scores(lower_arg, n);
    int32_t *upper = lower ? parse_scores(upper_arg, n) : NULL;
    if (!upper)
        return NULL;
    mbx_moves_start(&position, first_lower, first_upper);
    for (int i = 0; i < n; i++)
        if (lower[i] > upper[i] || lower[i] < first_lower[i] || upper[i] > first_upper[i]) {
            lower[i] = first_lower[i];
            upper[i] = first_upper[i];
        }
    if (!mbx_parse_cancel(cancel_arg, &view, &cancel))
        return NULL;
    if (!mbx_acquire(self->lock)) {
        PyBuffer_Release(&view);
        return NULL;
    }
    mbx_solver *solver = &self->solver;
    const uint64_t before = solver->search.nodes;
    bool is_solved;
    Py_BEGIN_ALLOW_THREADS
    mbx_solver_allow(solver, nodes, cancel);
    is_solved = mbx_solve_moves(solver, &position, lower, upper);
    Py_END_ALLOW_THREADS
    const uint64_t done = solver->search.nodes - before;
    PyThread_release_lock(self->lock);
    PyBuffer_Release(&view);
    return Py_BuildValue("NK", PyBool_FromLong(is_solved), (unsigned long long)done);
}

static PyObject *solver_clear(solver_object *self, PyObject *unused)
{
    (void)unused;
    if (!mbx_acquire(self->lock))
        return NULL;
    mbx_solver_forget(&self->solver);
    PyThread_release_lock(self->lock);
    Py_RETURN_NONE;
}

static PyObject *solver_game(solver_object *self, void *closure)
{
    (void)closure;
    return Py_NewRef((PyObject *)self->game);
}

static PyObject *solver_table_bytes(solver_object *self, void *closure)
{
    (void)closure;
    return PyLong_FromSize_t(mbx_table_bytes(&self->solver.search.table));
}

static PyObject *solver_method(solver_object *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(self->solver.method->name);
}

static PyGetSetDef properties[] = {
    {"game", (getter)solver_game, NULL, "The game that is solved.", NULL},
    {"table_bytes", (getter)solver_table_bytes, NULL, "The memory that the table may take.", NULL},
    {"method", (getter)solver_method, NULL,
     "How it searches: 'columns64' or 'columns128', by the bits of a board, or 'lines'.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"search", (PyCFunction)(void (*)(void))solver_search, METH_FASTCALL,
     "search($self, position, nodes, cancel, known=None, /)\n--\n\n"
     "Close in on the score with so many nodes, from (lower, upper, move) if that is known: "
     "(solved, lower, upper, move, nodes); move is -1 as long as none is known to reach the "
     "score."},
    {"search_moves", (PyCFunction)solver_search_moves, METH_VARARGS,
     "search_moves($self, position, lower, upper, nodes, cancel, /)\n--\n\n"
     "The same for every legal move: narrows the bounds in two int32 arrays; (solved, nodes)."},
    {"clear", (PyCFunction)solver_clear, METH_NOARGS,
     "clear($self, /)\n--\n\nForget what earlier searches found."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Solver(game, table_bytes, method=None)\n--\n\nSolves positions of a game."},
    {Py_tp_new, solver_new},
    {Py_tp_dealloc, solver_dealloc},
    {Py_tp_getset, properties},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "mbx._core.Solver",
    .basicsize = sizeof(solver_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

int mbx_init_solver(PyObject *module)
{
    PyTypeObject *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    const int result = type ? PyModule_AddType(module, type) : -1;
    Py_XDECREF(type);
    return result;
}
