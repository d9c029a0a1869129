/* module.c - the module mbx._core: its state, its exceptions, its parts. */
#define MBX_IMPORTS_NUMPY
#include "module.h"

static PyObject *exception(module_state *state, mbx_error error, const char **text)
{
    switch (error) {
    case MBX_NO_MEMORY:
        *text = "not enough memory";
        return PyExc_MemoryError;
    case MBX_CANCELLED:
        *text = "the call was cancelled";
        return PyExc_InterruptedError;
    case MBX_TOO_LARGE:
        *text = "the tree has more nodes than there is room for";
        return state->too_large_error;
    case MBX_ILLEGAL_MOVE:
        *text = "the move is not legal";
        return state->illegal_move_error;
    case MBX_GAME_OVER:
        *text = "no move is legal: the game is over";
        return state->illegal_move_error;
    case MBX_BAD_GAME:
        *text = "every side must be at least 1 and the board have at most 255 cells";
        return PyExc_ValueError;
    case MBX_BAD_MARK:
        *text = "a cell must hold -1 (empty), 0 (first side) or 1 (second side)";
        return PyExc_ValueError;
    case MBX_BAD_COUNTS:
        *text = "the first side must have as many stones as the second, or one more";
        return PyExc_ValueError;
    case MBX_FLOATING:
        *text = "under gravity no stone may lie above an empty cell";
        return PyExc_ValueError;
    case MBX_TWO_WINNERS:
        *text = "both sides have a complete line: no play leads there";
        return PyExc_ValueError;
    case MBX_AFTER_WIN:
        *text = "stones were placed after a complete line: no play leads there";
        return PyExc_ValueError;
    case MBX_BAD_GRAPH:
        *text = "the columns are not those of a game tree";
        return PyExc_ValueError;
    case MBX_OK:
        break;
    }
    *text = "unexpected result of the core";
    return PyExc_SystemError;
}

PyObject *mbx_raise(module_state *state, mbx_error error)
{
    const char *text;
    PyObject *type = exception(state, error, &text);
    PyErr_SetString(type, text);
    return NULL;
}

PyObject *mbx_describe(PyObject *object)
{
    PyObject *text = PyObject_Repr(object);
    if (!text && PyErr_ExceptionMatches(PyExc_ValueError)) {
        PyErr_Clear();
        text = PyUnicode_FromString("a number of very many digits");
    }
    return text;
}

bool mbx_parse_int(PyObject *object, const char *name, long long least, long long most,
                   long long *result)
{
    PyObject *index = PyNumber_Index(object);
    if (!index) {
        if (PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Format(PyExc_TypeError, "%s must be an integer, not %R", name, object);
        return false;
    }
    int overflow;
    *result = PyLong_AsLongLongAndOverflow(index, &overflow);
    Py_DECREF(index);
    if (*result == -1 && PyErr_Occurred())
        return false;
    if (!overflow && *result >= least && *result <= most)
        return true;
    PyObject *text = mbx_describe(object);
    if (text)
        PyErr_Format(PyExc_ValueError, "%s must be from %lld to %lld, not %U", name, least, most,
                     text);
    Py_XDECREF(text);
    return false;
}

bool mbx_parse_cancel(PyObject *object, Py_buffer *view, mbx_cancel *cancel)
{
    memset(view, 0, sizeof *view);
    *cancel = NULL;
    if (object == Py_None)
        return true;
    if (PyObject_GetBuffer(object, view, PyBUF_WRITABLE) < 0)
        return false;
    if (view->len < 1) {
        PyBuffer_Release(view);
        PyErr_SetString(PyExc_ValueError, "cancel must hold at least one byte");
        return false;
    }
    *cancel = view->buf;
    return true;
}

bool mbx_acquire(PyThread_type_lock lock)
{
    enum { WAIT_MICROSECONDS = 50000 };
    if (PyThread_acquire_lock(lock, NOWAIT_LOCK))
        return true;
    for (;;) {
        PyLockStatus status;
        Py_BEGIN_ALLOW_THREADS
        status = PyThread_acquire_lock_timed(lock, WAIT_MICROSECONDS, 0);
        Py_END_ALLOW_THREADS
        if (status == PY_LOCK_ACQUIRED)
            return true;
        if (PyErr_CheckSignals() < 0)
            return false;
    }
}

static int add_errors(module_state *state)
{
    PyObject *errors = PyImport_ImportModule("mbx.errors");
    if (!errors)
        return -1;
    state->illegal_move_error = PyObject_GetAttrString(errors, "IllegalMoveError");
    state->too_large_error = PyObject_GetAttrString(errors, "TooLargeError");
    state->game_over_error = PyObject_GetAttrString(errors, "GameOverError");
    Py_DECREF(errors);
    return state->illegal_move_error && state->too_large_error && state->game_over_error ? 0 : -1;
}

static int execute(PyObject *module)
{
    module_state *state = PyModule_GetState(module);
    import_array1(-1);
    if (add_errors(state) < 0 || mbx_init_game(module, state) < 0
        || mbx_init_position(module, state) < 0 || mbx_init_playout(module, state) < 0
        || mbx_init_tree(module) < 0 || mbx_init_layers(module) < 0
        || mbx_init_solver(module) < 0 || mbx_init_mcts(module) < 0
        || mbx_init_alphabeta(module) < 0)
        return -1;
    return PyModule_AddStringConstant(module, "__version__", MBX_VERSION);
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    module_state *state = PyModule_GetState(module);
    Py_VISIT(state->game_type);
    Py_VISIT(state->position_type);
    Py_VISIT(state->illegal_move_error);
    Py_VISIT(state->too_large_error);
    Py_VISIT(state->game_over_error);
    return 0;
}

static int clear(PyObject *module)
{
    module_state *state = PyModule_GetState(module);
    Py_CLEAR(state->game_type);
    Py_CLEAR(state->position_type);
    Py_CLEAR(state->illegal_move_error);
    Py_CLEAR(state->too_large_error);
    Py_CLEAR(state->game_over_error);
    return 0;
}

static void release(void *module)
{
    clear(module);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute}, {0, NULL}};

struct PyModuleDef mbx_core_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "mbx._core",
    .m_doc = "The C core of mbx: games, positions, playouts and trees.",
    .m_size = sizeof(module_state),
    .m_slots = slots,
    .m_traverse = traverse,
    .m_clear = clear,
    .m_free = release,
};

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&mbx_core_module);
}
