/* mcts_object.h - what the files of _core.Mcts share. */
#ifndef MBX_MCTS_OBJECT_H
#define MBX_MCTS_OBJECT_H

#include "module.h"

#include "../core/mcts_columns.h"

typedef struct {
    PyObject_HEAD
    game_object *game;
    mbx_mcts *mcts;
    PyThread_type_lock lock;
} mcts_object;

/* Raises what an error of a search means and returns NULL. */
PyObject *mbx_mcts_raise(mcts_object *self, mbx_error error);

/* The data of a C-contiguous array of that type and at least so many values, which may be read-only;
 * NULL with an error set. */
void *mbx_array_data(PyObject *object, int type, npy_intp least, const char *name);

/* A new array of n values, its data in *data; NULL with an error set. */
PyObject *mbx_new_array(npy_intp n, int type, void *data);

/* The methods that look at a tree (mcts_views.c): see the table in mcts_type.c. */
PyObject *mcts_look(mcts_object *self, PyObject *moves);
PyObject *mcts_samples(mcts_object *self, PyObject *unused);
PyObject *mcts_last(mcts_object *self, PyObject *unused);
PyObject *mcts_columns(mcts_object *self, PyObject *unused);
PyObject *mcts_state(mcts_object *self, PyObject *unused);
PyObject *mcts_restore(mcts_object *self, PyObject *args);

#endif
