/* position_type.c - _core.Position: a mutable position. */
#include "module.h"

static module_state *state_of(PyObject *self)
{
    return PyModule_GetState(PyType_GetModuleByDef(Py_TYPE(self), &mbx_core_module));
}

/* Sets the board from an int8 array of n_cells values. */
static int set_cells(position_object *self, PyObject *cells)
{
    const mbx_game *game = &self->game->game;
    PyArrayObject *array = (PyArrayObject *)cells;
    if (!PyArray_Check(cells) || PyArray_TYPE(array) != NPY_INT8 || !PyArray_IS_C_CONTIGUOUS(array)
        || PyArray_SIZE(array) != game->n_cells) {
        PyErr_Format(PyExc_TypeError, "cells must be a contiguous int8 array of %d values",
                     game->n_cells);
        return -1;
    }
    mbx_error error = mbx_position_set(&self->position, game, PyArray_DATA(array));
    if (error != MBX_OK) {
        mbx_raise(state_of((PyObject *)self), error);
        return -1;
    }
    return 0;
}

static PyObject *position_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"game", "cells", NULL};
    PyObject *game, *cells = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:Position", names, &game, &cells))
        return NULL;
    module_state *state = PyModule_GetState(PyType_GetModuleByDef(type, &mbx_core_module));
    if (!PyObject_TypeCheck(game, state->game_type)) {
        PyErr_Format(PyExc_TypeError, "game must be a Game, not %R", game);
        return NULL;
    }
    position_object *self = (position_object *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->game = (game_object *)Py_NewRef(game);
    mbx_position_start(&self->position, &self->game->game);
    if (cells != Py_None && set_cells(self, cells) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static void position_dealloc(position_object *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(self->game);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

static PyObject *position_copy(position_object *self, PyObject *unused)
{
    (void)unused;
    PyTypeObject *type = Py_TYPE(self);
    position_object *copy = (position_object *)type->tp_alloc(type, 0);
    if (!copy)
        return NULL;
    copy->game = (game_object *)Py_NewRef((PyObject *)self->game);
    copy->position = self->position;
    return (PyObject *)copy;
}

static PyObject *position_push(position_object *self, PyObject *move_arg)
{
    module_state *state = state_of((PyObject *)self);
    PyObject *index = PyNumber_Index(move_arg);
    if (!index) {
        if (PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Format(PyExc_TypeError, "move must be an integer, not %R", move_arg);
        return NULL;
    }
    int overflow;
    long long move = PyLong_AsLongLongAndOverflow(index, &overflow);
    Py_DECREF(index);
    if (move == -1 && PyErr_Occurred())
        return NULL;
    mbx_error error = mbx_position_push(&self->position, overflow ? -1 : move);
    if (error == MBX_OK)
        Py_RETURN_NONE;
    const char *reason = error == MBX_GAME_OVER ? "the game is over"
                         : overflow || move < 0 || move >= self->game->game.n_moves
                             ? "there is no such move"
                         : self->game->game.gravity ? "the column is full"
                                                    : "the cell is not empty";
    PyObject *text = mbx_describe(move_arg);
    if (text)
        PyErr_Format(state->illegal_move_error, "move %U is not legal: %s", text, reason);
    Py_XDECREF(text);
    return NULL;
}

static PyObject *position_pop(position_object *self, PyObject *unused)
{
    (void)unused;
    const mbx_position *position = &self->position;
    int cell = position->ply > 0 ? position->history[position->ply - 1] : 0;
    if (!mbx_position_pop(&self->position)) {
        PyErr_SetString(PyExc_IndexError, "no move was played since the position was set up");
        return NULL;
    }
    return PyLong_FromLong(mbx_move_of_cell(position->game, cell));
}

static PyObject *position_to_array(position_object *self, PyObject *unused)
{
    (void)unused;
    const mbx_game *game = self->position.game;
    npy_intp shape[3];
    for (int axis = 0; axis < game->n_axes; axis++)
        shape[axis] = game->shape[game->n_axes - 1 - axis];
    PyObject *array = PyArray_SimpleNew(game->n_axes, shape, NPY_INT8);
    if (array)
        memcpy(PyArray_DATA((PyArrayObject *)array), self->position.cells,
               (size_t)game->n_cells);
    return array;
}

static PyObject *position_game(position_object *self, void *closure)
{
    (void)closure;
    return Py_NewRef((PyObject *)self->game);
}

static PyObject *position_turn(position_object *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(mbx_position_turn(&self->position));
}

static PyObject *position_ply(position_object *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(self->position.ply);
}

static PyObject *position_status(position_object *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(self->position.status);
}

static PyObject *position_legal_moves(position_object *self, void *closure)
{
    (void)closure;
    uint8_t moves[MBX_MAX_CELLS];
    npy_intp n = mbx_position_legal_moves(&self->position, moves);
    PyObject *array = PyArray_SimpleNew(1, &n, NPY_INT32);
    if (array) {
        npy_int32 *data = PyArray_DATA((PyArrayObject *)array);
        for (npy_intp i = 0; i < n; i++)
            data[i] = moves[i];
    }
    return array;
}

static PyObject *position_moves(position_object *self, void *closure)
{
    (void)closure;
    /* A copy: allocating may collect garbage, and so run code that plays on this position. */
    const mbx_position position = self->position;
    PyObject *moves = PyList_New(position.ply - position.first_ply);
    for (int ply = position.first_ply; moves && ply < position.ply; ply++) {
        int move = mbx_move_of_cell(position.game, position.history[ply]);
        PyList_SET_ITEM(moves, ply - position.first_ply, PyLong_FromLong(move));
    }
    return moves;
}

static PyObject *position_last_cell(position_object *self, void *closure)
{
    (void)closure;
    const mbx_position *position = &self->position;
    if (position->ply == position->first_ply)
        Py_RETURN_NONE;
    return PyLong_FromLong(position->history[position->ply - 1]);
}

static PyObject *position_key(position_object *self, void *closure)
{
    (void)closure;
    const mbx_position *position = &self->position;
    const int n_cells = position->game->n_cells;
    unsigned char bits[2 * MBX_MAX_CELLS / 8 + 1] = {0};
    for (int cell = 0; cell < n_cells; cell++) {
        if (position->cells[cell] == MBX_EMPTY)
            continue;
        int bit = position->cells[cell] == MBX_FIRST ? cell : n_cells + cell;
        bits[bit / 8] |= (unsigned char)(1u << bit % 8);
    }
    return PyObject_CallMethod((PyObject *)&PyLong_Type, "from_bytes", "y#s", bits,
                               (Py_ssize_t)sizeof bits, "little");
}

static PyObject *position_compare(PyObject *self, PyObject *other, int operation)
{
    module_state *state = state_of(self);
    if ((operation != Py_EQ && operation != Py_NE)
        || !PyObject_TypeCheck(other, state->position_type))
        Py_RETURN_NOTIMPLEMENTED;
    const mbx_position *a = &((position_object *)self)->position;
    const mbx_position *b = &((position_object *)other)->position;
    bool equal = mbx_game_equal(a->game, b->game) && a->ply == b->ply
                 && memcmp(a->cells, b->cells, sizeof a->cells) == 0;
    return PyBool_FromLong(equal == (operation == Py_EQ));
}

static PyGetSetDef properties[] = {
    {"game", (getter)position_game, NULL, "The game that is played.", NULL},
    {"turn", (getter)position_turn, NULL, "The side to move: 0 first, 1 second.", NULL},
    {"ply", (getter)position_ply, NULL, "Number of stones on the board.", NULL},
    {"status", (getter)position_status, NULL,
     "-1 while playing, else the outcome: 0 first wins, 1 second wins, 2 draw.", NULL},
    {"legal_moves", (getter)position_legal_moves, NULL,
     "The legal moves, ascending: int32 array (n_legal,), empty after the end.", NULL},
    {"moves", (getter)position_moves, NULL,
     "The moves played since the position was set up: list of int.", NULL},
    {"last_cell", (getter)position_last_cell, NULL,
     "The cell filled last, or None if no move was played since set-up.", NULL},
    {"key", (getter)position_key, NULL,
     "The board as an int: bit c for a stone of the first side on cell c, bit n_cells + c for\n"
     "one of the second side.  Positions of one game are equal just when their keys are.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"push", (PyCFunction)position_push, METH_O,
     "push($self, move, /)\n--\n\n"
     "Play a move: a cell, or a column under gravity.\n\n"
     "Raises IllegalMoveError for a move that is not legal here, TypeError for one that is no\n"
     "integer; the position is then as it was."},
    {"pop", (PyCFunction)position_pop, METH_NOARGS,
     "pop($self, /)\n--\n\n"
     "Take the last move back and return it.\n\n"
     "Raises IndexError if no move was played since the position was set up."},
    {"copy", (PyCFunction)position_copy, METH_NOARGS,
     "copy($self, /)\n--\n\nAn independent copy, its moves included."},
    {"to_array", (PyCFunction)position_to_array, METH_NOARGS,
     "to_array($self, /)\n--\n\n"
     "The board as a new int8 array [y, x] or [z, y, x]: -1 empty, 0 first, 1 second."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Position(game, cells=None)\n--\n\nA position of a game."},
    {Py_tp_new, position_new},
    {Py_tp_dealloc, position_dealloc},
    {Py_tp_hash, PyObject_HashNotImplemented},
    {Py_tp_richcompare, position_compare},
    {Py_tp_getset, properties},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "mbx._core.Position",
    .basicsize = sizeof(position_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

int mbx_init_position(PyObject *module, module_state *state)
{
    state->position_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    return state->position_type ? PyModule_AddType(module, state->position_type) : -1;
}
