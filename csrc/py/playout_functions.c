/* playout_functions.c - _core.playout_counts. */
#include "module.h"

#include "../core/playout.h"

/* A seed from an int of 128 bits. */
static bool parse_seed(PyObject *key, mbx_seed *seed)
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

static PyObject *playout_counts(PyObject *module, PyObject *args)
{
    module_state *state = PyModule_GetState(module);
    position_object *position;
    PyObject *key, *cancel_arg;
    unsigned long long row, first, number;
    mbx_seed seed;
    Py_buffer view;
    mbx_cancel cancel;
    if (!PyArg_ParseTuple(args, "O!OKKKO:playout_counts", state->position_type, &position, &key,
                          &row, &first, &number, &cancel_arg)
        || !parse_seed(key, &seed) || !mbx_parse_cancel(cancel_arg, &view, &cancel))
        return NULL;
    npy_intp shape[2] = {position->game->game.n_moves, MBX_OUTCOMES};
    PyObject *counts = PyArray_ZEROS(2, shape, NPY_INT64, 0);
    mbx_plan *plan = NULL;
    mbx_error error = counts ? mbx_plan_create(&plan, &position->position) : MBX_NO_MEMORY;
    if (error == MBX_OK) {
        void *data = PyArray_DATA((PyArrayObject *)counts);
        Py_BEGIN_ALLOW_THREADS
        error = mbx_playout_counts(plan, seed, row, first, number, cancel, data);
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

static PyMethodDef functions[] = {
    {"playout_counts", playout_counts, METH_VARARGS,
     "playout_counts($module, position, key, row, first, number, cancel, /)\n--\n\n"
     "Play the playouts [first, first + number) of stream (key, row): int64 array (n_moves, 3)."},
    {NULL, NULL, 0, NULL},
};

int mbx_init_playout(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
