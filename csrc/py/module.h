/* module.h - what the files of the extension module share.
 *
 * mbx._core is a thin skin over csrc/core and csrc/kernel: every function parses and checks its arguments, takes
 * the arrays, releases the GIL, calls the core, takes the GIL and raises or builds the result.
 * Its Python face (defaults, conversions, threads) is the package mbx; its types are in _core.pyi.
 */
#ifndef MBX_MODULE_H
#define MBX_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL mbx_ARRAY_API
#ifndef MBX_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include "../kernel/kernel.h"

typedef struct {
    PyTypeObject *game_type;
    PyTypeObject *position_type;
    PyObject *illegal_move_error;
    PyObject *too_large_error;
    PyObject *game_over_error;
    const mbx_kernel *kernel;       /* the one that plays */
} module_state;

extern struct PyModuleDef mbx_core_module;

typedef struct {
    PyObject_HEAD
    mbx_game game;
} game_object;

typedef struct {
    PyObject_HEAD
    game_object *game;
    mbx_position position;
} position_object;

/* Each area adds its types and functions to the module: 0, or -1 with an exception. */
int mbx_init_game(PyObject *module, module_state *state);
int mbx_init_position(PyObject *module, module_state *state);
int mbx_init_playout(PyObject *module, module_state *state);
int mbx_init_tree(PyObject *module);
int mbx_init_layers(PyObject *module);
int mbx_init_solver(PyObject *module);
int mbx_init_mcts(PyObject *module);
int mbx_init_alphabeta(PyObject *module);

/* Raises what an error of the core means and returns NULL: the one table of exceptions.  A caller
 * that knows the argument at fault says more itself. */
PyObject *mbx_raise(module_state *state, mbx_error error);

/* The repr of what a caller passed, for a message; also of an int too long to be printed. */
PyObject *mbx_describe(PyObject *object);

/* An integer from an int-like object: TypeError for other types, ValueError outside of
 * [least, most]; both name the argument.  Returns false with the exception set. */
bool mbx_parse_int(PyObject *object, const char *name, long long least, long long most,
                   long long *result);

/* A seed from an int of 128 bits. */
bool mbx_parse_seed(PyObject *key, mbx_seed *seed);

/* Waits until no other thread holds the lock; false with an error set where a signal raises one. */
bool mbx_acquire(PyThread_type_lock lock);

/* The flag that stops a long call: the first byte of a writable buffer, or none for None.  The
 * view is to be released with PyBuffer_Release. */
bool mbx_parse_cancel(PyObject *object, Py_buffer *view, mbx_cancel *cancel);

#endif
