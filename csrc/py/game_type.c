/* game_type.c - _core.Game: an immutable game; its tables are seen as read-only arrays. */
#include "module.h"

static int parse_shape(PyObject *object, int *n_axes, int shape[3])
{
    PyObject *sides = PySequence_Check(object) && !PyUnicode_Check(object)
                          ? PySequence_Tuple(object) : NULL;
    if (!sides && PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError))
        return -1;
    if (!sides) {
        PyErr_Format(PyExc_TypeError, "shape must be a sequence of 2 or 3 integers, not %R",
                     object);
        return -1;
    }
    Py_ssize_t n = PyTuple_GET_SIZE(sides);
    if (n < 2 || n > 3) {
        PyErr_Format(PyExc_ValueError, "shape must have 2 or 3 sides, not %R", object);
        Py_DECREF(sides);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        long long side;
        if (!mbx_parse_int(PyTuple_GET_ITEM(sides, i), "a side of shape", 1, MBX_MAX_CELLS,
                           &side)) {
            Py_DECREF(sides);
            return -1;
        }
        shape[i] = (int)side;
    }
    *n_axes = (int)n;
    Py_DECREF(sides);
    return 0;
}

static PyObject *game_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"shape", "k", "gravity", NULL};
    PyObject *shape_arg, *k_arg;
    int gravity = 0, n_axes, shape[3] = {1, 1, 1};
    long long k;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|p:Game", names, &shape_arg, &k_arg,
                                     &gravity)
        || parse_shape(shape_arg, &n_axes, shape) < 0
        || !mbx_parse_int(k_arg, "k", 1, INT32_MAX, &k))
        return NULL;
    game_object *self = (game_object *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    mbx_error error = mbx_game_init(&self->game, n_axes, shape, (int)k, gravity != 0);
    if (error == MBX_BAD_GAME)
        PyErr_Format(PyExc_ValueError, "shape %R has more than %d cells", shape_arg,
                     MBX_MAX_CELLS);
    else if (error != MBX_OK)
        PyErr_NoMemory();
    if (error != MBX_OK) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static void game_dealloc(game_object *self)
{
    PyTypeObject *type = Py_TYPE(self);
    mbx_game_free(&self->game);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

static PyObject *game_shape(game_object *self, void *closure)
{
    (void)closure;
    const int *shape = self->game.shape;
    return self->game.n_axes == 2 ? Py_BuildValue("ii", shape[0], shape[1])
                                  : Py_BuildValue("iii", shape[0], shape[1], shape[2]);
}

static PyObject *game_k(game_object *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(self->game.k);
}

static PyObject *game_gravity(game_object *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(self->game.gravity);
}

static PyObject *game_n_cells(game_object *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(self->game.n_cells);
}

static PyObject *game_n_moves(game_object *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(self->game.n_moves);
}

/* A read-only view of a table of bytes that keeps the game alive. */
static PyObject *table_view(game_object *self, npy_intp rows, npy_intp columns, uint8_t *table)
{
    npy_intp shape[2] = {rows, columns};
    PyObject *view = PyArray_SimpleNewFromData(2, shape, NPY_UINT8, table);
    if (!view)
        return NULL;
    PyArray_CLEARFLAGS((PyArrayObject *)view, NPY_ARRAY_WRITEABLE);
    Py_INCREF(self);
    if (PyArray_SetBaseObject((PyArrayObject *)view, (PyObject *)self) < 0) {
        Py_DECREF(view);
        return NULL;
    }
    return view;
}

static PyObject *game_lines(game_object *self, void *closure)
{
    (void)closure;
    return table_view(self, self->game.n_lines, self->game.k, self->game.lines);
}

static PyObject *game_symmetries(game_object *self, void *closure)
{
    (void)closure;
    return table_view(self, self->game.n_symmetries, self->game.n_cells, self->game.symmetries);
}

static PyObject *game_repr(game_object *self)
{
    PyObject *shape = game_shape(self, NULL);
    if (!shape)
        return NULL;
    PyObject *text = PyUnicode_FromFormat("Game(%R, %d%s)", shape, self->game.k,
                                          self->game.gravity ? ", gravity=True" : "");
    Py_DECREF(shape);
    return text;
}

static PyObject *game_reduce(game_object *self, PyObject *unused)
{
    (void)unused;
    PyObject *shape = game_shape(self, NULL);
    if (!shape)
        return NULL;
    return Py_BuildValue("O(NiO)", Py_TYPE(self), shape, self->game.k,
                         self->game.gravity ? Py_True : Py_False);
}

static Py_hash_t game_hash(game_object *self)
{
    const int *shape = self->game.shape;
    Py_uhash_t hash = (Py_uhash_t)(self->game.n_axes * 2 + self->game.gravity);
    for (int axis = 0; axis < 3; axis++)
        hash = hash * 256 + (Py_uhash_t)shape[axis];
    hash = hash * 1000003 + (Py_uhash_t)self->game.k;
    return hash == (Py_uhash_t)-1 ? -2 : (Py_hash_t)hash;
}

static PyObject *game_compare(PyObject *self, PyObject *other, int operation)
{
    module_state *state = PyModule_GetState(PyType_GetModuleByDef(Py_TYPE(self),
                                                                  &mbx_core_module));
    if ((operation != Py_EQ && operation != Py_NE) || !PyObject_TypeCheck(other, state->game_type))
        Py_RETURN_NOTIMPLEMENTED;
    bool equal = mbx_game_equal(&((game_object *)self)->game, &((game_object *)other)->game);
    return PyBool_FromLong(equal == (operation == Py_EQ));
}

static PyGetSetDef properties[] = {
    {"shape", (getter)game_shape, NULL, "Sides (X, Y) or (X, Y, Z).", NULL},
    {"k", (getter)game_k, NULL, "Stones in a row that win.", NULL},
    {"gravity", (getter)game_gravity, NULL, "Do stones fall along the last axis?", NULL},
    {"n_cells", (getter)game_n_cells, NULL, "Number of cells.", NULL},
    {"n_moves", (getter)game_n_moves, NULL,
     "Number of moves on the empty board: cells, or columns under gravity.", NULL},
    {"lines", (getter)game_lines, NULL,
     "The cells of every line: uint8 array (n_lines, k), read-only.", NULL},
    {"symmetries", (getter)game_symmetries, NULL,
     "The image of every cell under every symmetry, the identity first: uint8 array\n"
     "(n_symmetries, n_cells), read-only.  Gravity keeps its axis.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"__reduce__", (PyCFunction)game_reduce, METH_NOARGS, "Helper for pickle."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Game(shape, k, gravity=False)\n--\n\nThe rules of a k-in-a-row game."},
    {Py_tp_new, game_new},
    {Py_tp_dealloc, game_dealloc},
    {Py_tp_repr, game_repr},
    {Py_tp_hash, game_hash},
    {Py_tp_richcompare, game_compare},
    {Py_tp_getset, properties},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "mbx._core.Game",
    .basicsize = sizeof(game_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

int mbx_init_game(PyObject *module, module_state *state)
{
    state->game_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    return state->game_type ? PyModule_AddType(module, state->game_type) : -1;
}
