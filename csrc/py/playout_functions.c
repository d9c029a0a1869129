/* playout_functions.c - _core.playout_counts, playout_games, scalar_counts and the choice of kernel. */
#include "module.h"

#include "../core/playout.h"
#include "../kernel/dispatch.h"
#include "../kernel/games.h"
#include "../kernel/playouts.h"

#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#define COMPILER "Clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "GCC " __VERSION__
#else
#define COMPILER "another compiler"
#endif

bool mbx_parse_seed(PyObject *key, mbx_seed *seed)
{
    PyObject *shift = PyLong_FromLong(64);
    PyObject *high = shift ? PyNumber_Rshift(key, shift) : NULL;
    Py_XDECREF(shift);
    if (!high)
        return false;
    seed->low = PyLong_AsUnsignedLongLongMask(key);
    seed->high = PyLong_AsUnsignedLongLong(high);
    Py_DECREF(high);
    return !PyErr_Occurred();
}

/* The kernel of that name, if this machine runs it; a ValueError names those that it does. */
static const mbx_kernel *find_kernel(const char *name, const char *what)
{
    const mbx_kernel *kernels[MBX_MAX_KERNELS];
    const int n = mbx_list_kernels(kernels);
    char allowed[100] = "";
    for (int i = 0; i < n; i++) {
        if (strcmp(kernels[i]->name, name) == 0)
            return kernels[i];
        strcat(strcat(allowed, i ? ", " : ""), kernels[i]->name);
    }
    PyErr_Format(PyExc_ValueError, "%s must be one of %s on this machine, not '%s'", what, allowed,
                 name);
    return NULL;
}

/* Copies of the positions of a list or tuple, all of one game, and a reference to that game: both
 * outlive what other threads do to the list.  False with an error set, and nothing to free. */
static bool parse_positions(module_state *state, PyObject *sequence, mbx_position **positions,
                            Py_ssize_t *n_rows, game_object **game)
{
    PyObject *items = PySequence_Fast(sequence, "positions must be a list or tuple");
    if (!items)
        return false;
    *n_rows = PySequence_Fast_GET_SIZE(items);
    *positions = PyMem_Calloc((size_t)*n_rows + 1, sizeof **positions);
    if (!*positions)
        PyErr_NoMemory();
    *game = NULL;
    for (Py_ssize_t i = 0; *positions && i < *n_rows && !PyErr_Occurred(); i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(items, i);
        if (!PyObject_TypeCheck(item, state->position_type)) {
            PyErr_Format(PyExc_TypeError, "positions must hold Positions, not %R", item);
            break;
        }
        position_object *position = (position_object *)item;
        if (i == 0)
            *game = (game_object *)Py_NewRef((PyObject *)position->game);
        else if (position->game != *game && !mbx_game_equal(&position->game->game, &(*game)->game))
            PyErr_SetString(PyExc_ValueError, "the positions must all be of one game");
        (*positions)[i] = position->position;
        (*positions)[i].game = &(*game)->game;
    }
    Py_DECREF(items);
    if (!PyErr_Occurred())
        return true;
    PyMem_Free(*positions);
    Py_CLEAR(*game);
    return false;
}

static PyObject *playout_counts(PyObject *module, PyObject *args)
{
    module_state *state = PyModule_GetState(module);
    PyObject *sequence, *key, *cancel_arg;
    unsigned long long first_row, first, number;
    const char *name = NULL;
    mbx_seed seed;
    Py_buffer view;
    mbx_cancel cancel;
    if (!PyArg_ParseTuple(args, "OOKKKO|z:playout_counts", &sequence, &key, &first_row, &first,
                          &number, &cancel_arg, &name)
        || !mbx_parse_seed(key, &seed))
        return NULL;
    const mbx_kernel *kernel = name ? find_kernel(name, "kernel") : state->kernel;
    if (!kernel || !mbx_parse_cancel(cancel_arg, &view, &cancel))
        return NULL;
    Py_ssize_t n_rows;
    mbx_position *positions;
    game_object *game;
    if (!parse_positions(state, sequence, &positions, &n_rows, &game)) {
        PyBuffer_Release(&view);
        return NULL;
    }
    npy_intp shape[3] = {n_rows, game ? game->game.n_moves : 0, MBX_OUTCOMES};
    PyObject *counts = PyArray_ZEROS(3, shape, NPY_INT64, 0);
    mbx_error error = MBX_OK;
    if (counts) {
        void *data = PyArray_DATA((PyArrayObject *)counts);
        Py_BEGIN_ALLOW_THREADS
        error = mbx_playout_counts(kernel, positions, (size_t)n_rows, seed, first_row, first,
                                   number, cancel, data);
        Py_END_ALLOW_THREADS
    }
    PyMem_Free(positions);
    Py_XDECREF(game);
    PyBuffer_Release(&view);
    if (error != MBX_OK) {
        Py_DECREF(counts);
        return mbx_raise(state, error);
    }
    return counts;
}

static PyObject *playout_games(PyObject *module, PyObject *args)
{
    module_state *state = PyModule_GetState(module);
    position_object *object;
    PyObject *key, *cancel_arg;
    unsigned long long row, first, number;
    mbx_seed seed;
    Py_buffer view;
    mbx_cancel cancel;
    if (!PyArg_ParseTuple(args, "O!OKKKO:playout_games", state->position_type, &object, &key, &row,
                          &first, &number, &cancel_arg)
        || !mbx_parse_seed(key, &seed) || !mbx_parse_cancel(cancel_arg, &view, &cancel))
        return NULL;
    const mbx_position position = object->position;
    const bool is_finished = position.status != MBX_PLAYING;
    const int n_empty = is_finished ? 0 : position.game->n_cells - position.ply;
    npy_intp shape[2] = {(npy_intp)number, n_empty};
    PyObject *moves = PyArray_SimpleNew(2, shape, NPY_UINT8);
    PyObject *lengths = moves ? PyArray_ZEROS(1, shape, NPY_INT64, 0) : NULL;
    PyObject *outcomes = lengths ? PyArray_ZEROS(1, shape, NPY_INT8, 0) : NULL;
    mbx_error error = moves && lengths && outcomes ? MBX_OK : MBX_NO_MEMORY;
    if (error == MBX_OK) {
        mbx_games games = {n_empty, PyArray_DATA((PyArrayObject *)moves),
                           PyArray_DATA((PyArrayObject *)lengths),
                           PyArray_DATA((PyArrayObject *)outcomes)};
        if (is_finished)
            memset(games.outcomes, position.status, (size_t)number);
        Py_BEGIN_ALLOW_THREADS
        if (!is_finished)
            error = mbx_playout_games(&position, seed, row, first, number, cancel, &games);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&view);
    PyObject *result = error == MBX_OK ? PyTuple_Pack(3, moves, lengths, outcomes) : NULL;
    Py_XDECREF(moves);
    Py_XDECREF(lengths);
    Py_XDECREF(outcomes);
    if (error == MBX_NO_MEMORY && PyErr_Occurred())
        return NULL;
    return error == MBX_OK ? result : mbx_raise(state, error);
}

static PyObject *scalar_counts(PyObject *module, PyObject *args)
{
    module_state *state = PyModule_GetState(module);
    position_object *position;
    PyObject *key, *cancel_arg;
    unsigned long long row, first, number;
    mbx_seed seed;
    Py_buffer view;
    mbx_cancel cancel;
    if (!PyArg_ParseTuple(args, "O!OKKKO:scalar_counts", state->position_type, &position, &key,
                          &row, &first, &number, &cancel_arg)
        || !mbx_parse_seed(key, &seed) || !mbx_parse_cancel(cancel_arg, &view, &cancel))
        return NULL;
    npy_intp shape[2] = {position->game->game.n_moves, MBX_OUTCOMES};
    PyObject *counts = PyArray_ZEROS(2, shape, NPY_INT64, 0);
    mbx_plan *plan = NULL;
    mbx_error error = counts ? mbx_plan_create(&plan, &position->position) : MBX_NO_MEMORY;
    if (error == MBX_OK) {
        void *data = PyArray_DATA((PyArrayObject *)counts);
        Py_BEGIN_ALLOW_THREADS
        error = mbx_scalar_counts(plan, seed, row, first, number, cancel, data);
        Py_END_ALLOW_THREADS
    }
    mbx_plan_free(plan);
    PyBuffer_Release(&view);
    if (error != MBX_OK) {
        Py_XDECREF(counts);
        return mbx_raise(state, error);
    }
    return counts;
}

static PyObject *playout_block(PyObject *module, PyObject *game)
{
    module_state *state = PyModule_GetState(module);
    if (!PyObject_TypeCheck(game, state->game_type))
        return PyErr_Format(PyExc_TypeError, "game must be a Game, not %R", game);
    return PyLong_FromUnsignedLongLong(mbx_playout_block(&((game_object *)game)->game));
}

static PyMethodDef functions[] = {
    {"playout_counts", playout_counts, METH_VARARGS,
     "playout_counts($module, positions, key, first_row, first, number, cancel, kernel=None, /)\n"
     "--\n\n"
     "Play the playouts [first, first + number) of stream (key, first_row + i) from each position "
     "i: int64 array (B, n_moves, 3)."},
    {"playout_games", playout_games, METH_VARARGS,
     "playout_games($module, position, key, row, first, number, cancel, /)\n--\n\n"
     "The same playouts of one position as games: moves, uint8 (number, empty cells), 255 after the "
     "end; lengths, int64; outcomes, int8."},
    {"scalar_counts", scalar_counts, METH_VARARGS,
     "scalar_counts($module, position, key, row, first, number, cancel, /)\n--\n\n"
     "Playouts by the scalar loop, which has a stream of its own: int64 array (n_moves, 3)."},
    {"playout_block", playout_block, METH_O,
     "playout_block($module, game, /)\n--\n\nThe number of playouts in a block of a game's stream."},
    {NULL, NULL, 0, NULL},
};

static PyObject *tuple_of_names(const char *const *names, int n)
{
    PyObject *tuple = PyTuple_New(n);
    for (int i = 0; tuple && i < n; i++) {
        PyObject *name = PyUnicode_FromString(names[i]);
        if (!name)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, i, name);
    }
    return tuple;
}

static bool add_names(PyObject *module, const char *attribute, const char *const *names, int n)
{
    PyObject *tuple = tuple_of_names(names, n);
    const bool ok = tuple && PyModule_AddObjectRef(module, attribute, tuple) == 0;
    Py_XDECREF(tuple);
    return ok;
}

int mbx_init_playout(PyObject *module, module_state *state)
{
    const mbx_kernel *kernels[MBX_MAX_KERNELS];
    const char *names[MBX_MAX_INSTRUCTION_SETS];
    const char *forced = getenv("MBX_KERNEL");
    const int n = mbx_list_kernels(kernels);
    state->kernel = forced && *forced ? find_kernel(forced, "MBX_KERNEL") : kernels[n - 1];
    for (int i = 0; i < n; i++)
        names[i] = kernels[i]->name;
    if (!state->kernel || !add_names(module, "KERNELS", names, n)
        || PyModule_AddStringConstant(module, "KERNEL", state->kernel->name) < 0)
        return -1;
    if (!add_names(module, "INSTRUCTION_SETS", names, mbx_list_instruction_sets(names))
        || PyModule_AddStringConstant(module, "COMPILER", COMPILER) < 0
        || PyModule_AddIntConstant(module, "STREAM", MBX_STREAM) < 0)
        return -1;
    return PyModule_AddFunctions(module, functions);
}
