/* layers_type.c - _core.Layers: the layers of positions below a root, and the passes over them.
 *
 * Arrays are the caller's: one-dimensional views of what sweep.h describes, None for NULL.  Numbers of
 * ways are uint64 arrays (NARROW), uint64 arrays with two items a number, the low half first (WIDE), or
 * float64 arrays (DOUBLE).
 */
#include "module.h"

typedef struct {
    PyObject_HEAD
    game_object *game;
    mbx_layers layers;
} layers_object;

static module_state *state_of(layers_object *self)
{
    return PyModule_GetState(PyType_GetModuleByDef(Py_TYPE(self), &mbx_core_module));
}

static PyObject *layers_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"root", "symmetry", "max_depth", NULL};
    module_state *state = PyModule_GetState(PyType_GetModuleByDef(type, &mbx_core_module));
    position_object *root;
    int symmetry, max_depth;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!pi:Layers", names, state->position_type,
                                     &root, &symmetry, &max_depth))
        return NULL;
    layers_object *self = (layers_object *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->game = (game_object *)Py_NewRef(root->game);
    mbx_error error = mbx_layers_init(&self->layers, &root->position, symmetry != 0,
                                      max_depth < 0 ? 0 : max_depth);
    if (error != MBX_OK) {
        Py_DECREF(self);
        return mbx_raise(state, error);
    }
    return (PyObject *)self;
}

static void layers_dealloc(layers_object *self)
{
    PyTypeObject *type = Py_TYPE(self);
    mbx_layers_free(&self->layers);
    Py_XDECREF(self->game);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

/* ---- what they are --------------------------------------------------------------------------- */

static PyObject *layers_open(layers_object *self, PyObject *cancel_arg)
{
    Py_buffer view;
    mbx_cancel cancel;
    if (!mbx_parse_cancel(cancel_arg, &view, &cancel))
        return NULL;
    mbx_error error;
    Py_BEGIN_ALLOW_THREADS
    error = mbx_layers_open(&self->layers, cancel);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&view);
    if (error != MBX_OK)
        return mbx_raise(state_of(self), error);
    Py_RETURN_NONE;
}

static bool parse_depth(PyObject *object, int last, int *depth)
{
    long long number;
    if (!mbx_parse_int(object, "depth", 0, last, &number))
        return false;
    *depth = (int)number;
    return true;
}

static PyObject *layers_size(layers_object *self, PyObject *argument)
{
    int depth;
    uint64_t n_profiles, n_patterns;
    if (!parse_depth(argument, self->layers.n_cells, &depth))
        return NULL;
    mbx_layers_size(&self->layers, depth, &n_profiles, &n_patterns);
    return Py_BuildValue("KK", (unsigned long long)n_profiles, (unsigned long long)n_patterns);
}

static PyObject *layers_shape(layers_object *self, PyObject *argument)
{
    int depth;
    if (!parse_depth(argument, self->layers.n_open - 1, &depth))
        return NULL;
    const mbx_layer *layer = &self->layers.layers[depth];
    return Py_BuildValue("LL", (long long)layer->n_blocks, (long long)layer->patterns.size);
}

/* A new int32 array of a number for each column. */
static PyObject *column_array(layers_object *self, const uint8_t *values)
{
    npy_intp n = self->layers.n_columns;
    PyObject *array = PyArray_SimpleNew(1, &n, NPY_INT32);
    for (npy_intp i = 0; array && i < n; i++)
        ((int32_t *)PyArray_DATA((PyArrayObject *)array))[i] = values[i];
    return array;
}

static PyObject *layers_moves(layers_object *self, void *closure)
{
    (void)closure;
    return column_array(self, self->layers.moves);
}

static PyObject *layers_capacities(layers_object *self, void *closure)
{
    (void)closure;
    return column_array(self, self->layers.capacity);
}

static PyObject *layers_n_cells(layers_object *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(self->layers.n_cells);
}

static PyObject *layers_max_depth(layers_object *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(self->layers.max_depth);
}

static PyObject *layers_n_open(layers_object *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(self->layers.n_open);
}

static PyObject *layers_n_symmetries(layers_object *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(self->layers.n_symmetries);
}

static PyObject *layers_open_columns(layers_object *self, PyObject *argument)
{
    const mbx_layers *layers = &self->layers;
    int depth;
    if (!parse_depth(argument, layers->n_open - 1, &depth))
        return NULL;
    npy_intp n = layers->layers[depth].n_blocks;
    PyObject *array = PyArray_SimpleNew(1, &n, NPY_INT64);
    for (npy_intp i = 0; array && i < n; i++) {
        mbx_block block;
        mbx_block_at(layers, depth, i, &block);
        ((int64_t *)PyArray_DATA((PyArrayObject *)array))[i] = mbx_block_open(layers, &block);
    }
    return array;
}

/* ---- positions ------------------------------------------------------------------------------- */

static PyObject *layers_find(layers_object *self, PyObject *argument)
{
    module_state *state = state_of(self);
    if (!PyObject_TypeCheck(argument, state->position_type)) {
        PyErr_Format(PyExc_TypeError, "find takes a Position, not %R", argument);
        return NULL;
    }
    const position_object *position = (position_object *)argument;
    int depth;
    int64_t index;
    if (!mbx_game_equal(position->position.game, self->layers.game)
        || !mbx_layers_find(&self->layers, &position->position, &depth, &index))
        Py_RETURN_NONE;
    return Py_BuildValue("iL", depth, (long long)index);
}

static const void *read_items(PyObject *object, const char *name, int type, int64_t least,
                              bool writable, bool *ok)
{
    if (object == Py_None || !*ok)
        return NULL;
    PyArrayObject *array = (PyArrayObject *)object;
    if (PyArray_Check(object) && PyArray_TYPE(array) == type && PyArray_SIZE(array) >= least
        && (writable ? PyArray_ISCARRAY(array) : PyArray_ISCARRAY_RO(array)))
        return PyArray_DATA(array);
    PyErr_Format(PyExc_TypeError, "%s must be a contiguous array of at least %lld items of its type",
                 name, (long long)least);
    *ok = false;
    return NULL;
}

static PyObject *layers_boards(layers_object *self, PyObject *args)
{
    const mbx_layers *layers = &self->layers;
    PyObject *depth_arg, *indices_arg;
    int depth;
    bool ok = true;
    if (!PyArg_ParseTuple(args, "OO:boards", &depth_arg, &indices_arg)
        || !parse_depth(depth_arg, layers->n_open - 1, &depth))
        return NULL;
    const int64_t *indices = read_items(indices_arg, "indices", NPY_INT64, 0, false, &ok);
    if (!indices)
        return NULL;
    npy_intp n = PyArray_SIZE((PyArrayObject *)indices_arg);
    const mbx_layer *layer = &layers->layers[depth];
    for (npy_intp i = 0; i < n; i++)
        if (indices[i] < 0 || indices[i] >= layer->n_blocks * (int64_t)layer->patterns.size) {
            PyErr_Format(PyExc_IndexError, "the layer has no entry %lld", (long long)indices[i]);
            return NULL;
        }
    npy_intp shape[2] = {n, layers->game->n_cells};
    PyObject *boards = PyArray_SimpleNew(2, shape, NPY_INT8);
    if (!boards)
        return NULL;
    int8_t *cells = PyArray_DATA((PyArrayObject *)boards);
    Py_BEGIN_ALLOW_THREADS
    for (npy_intp i = 0; i < n; i++)
        mbx_layers_board(layers, depth, indices[i], cells + i * shape[1]);
    Py_END_ALLOW_THREADS
    return boards;
}

/* ---- passes ---------------------------------------------------------------------------------- */

static int number_type(mbx_number number)
{
    return number == MBX_DOUBLE ? NPY_FLOAT64 : NPY_UINT64;
}

static int64_t items_of(mbx_number number)
{
    return number == MBX_WIDE ? 2 : 1;
}

static bool parse_wide(PyObject *object, mbx_wide *result)
{
    unsigned char bytes[16];
    PyObject *data = PyObject_CallMethod(object, "to_bytes", "is", 16, "little");
    if (!data)
        return false;
    memcpy(bytes, PyBytes_AS_STRING(data), sizeof bytes);
    Py_DECREF(data);
    *result = (mbx_wide){0, 0};
    for (int i = 7; i >= 0; i--) {
        result->low = result->low << 8 | bytes[i];
        result->high = result->high << 8 | bytes[i + 8];
    }
    return true;
}

static bool parse_range(long long first, long long n_blocks, const mbx_layer *layer)
{
    if (first >= 0 && n_blocks >= 0 && first <= layer->n_blocks
        && n_blocks <= layer->n_blocks - first)
        return true;
    PyErr_Format(PyExc_IndexError, "the layer has no blocks %lld to %lld", first,
                 first + n_blocks - 1);
    return false;
}

static int64_t entries_of(const mbx_layers *layers, int depth)
{
    const mbx_layer *layer = &layers->layers[depth];
    return layer->n_blocks * (int64_t)layer->patterns.size;
}

static PyObject *finish(layers_object *self, mbx_error error)
{
    if (error != MBX_OK)
        return mbx_raise(state_of(self), error);
    Py_RETURN_NONE;
}

static PyObject *layers_forward(layers_object *self, PyObject *args)
{
    const mbx_layers *layers = &self->layers;
    PyObject *depth_arg, *states, *above, *is_node, *n_nodes, *n_in_play, *copies, *sums,
        *sums_above, *ended, *cancel_arg;
    int number;
    unsigned int multiple;
    long long first, n_blocks;
    mbx_forward pass = {.layers = layers};
    if (!PyArg_ParseTuple(args, "O(OOOOOO)(iIOOO)LLO:forward", &depth_arg, &states, &above,
                          &is_node, &n_nodes, &n_in_play, &copies, &number, &multiple, &sums,
                          &sums_above, &ended, &first, &n_blocks, &cancel_arg)
        || !parse_depth(depth_arg, layers->n_open - 1, &pass.depth)
        || !parse_range(first, n_blocks, &layers->layers[pass.depth]))
        return NULL;
    const int64_t n = entries_of(layers, pass.depth);
    const int64_t n_above = pass.depth ? entries_of(layers, pass.depth - 1) : 0;
    const int64_t blocks = layers->layers[pass.depth].n_blocks;
    pass.number = (mbx_number)number;
    pass.multiple = multiple;
    const int type = number_type(pass.number);
    const int64_t items = items_of(pass.number);
    bool ok = true;
    pass.states = (uint8_t *)read_items(states, "states", NPY_UINT8, n, true, &ok);
    pass.states_above = read_items(above, "states_above", NPY_UINT8, n_above, false, &ok);
    pass.is_node = (uint8_t *)read_items(is_node, "is_node", NPY_UINT8, n, true, &ok);
    pass.n_nodes = (int64_t *)read_items(n_nodes, "n_nodes", NPY_INT64, blocks, true, &ok);
    pass.n_in_play = (int64_t *)read_items(n_in_play, "n_in_play", NPY_INT64, blocks, true, &ok);
    pass.copies = (uint8_t *)read_items(copies, "copies", NPY_UINT8, n, true, &ok);
    pass.sums = (void *)read_items(sums, "sums", type, n * items, true, &ok);
    pass.sums_above = read_items(sums_above, "sums_above", type, n_above * items, false, &ok);
    pass.ended = (void *)read_items(ended, "ended", type, blocks * items * MBX_OUTCOMES, true,
                                    &ok);
    Py_buffer view;
    mbx_cancel cancel;
    if (!ok || !mbx_parse_cancel(cancel_arg, &view, &cancel))
        return NULL;
    mbx_sweep_forward *sweep = state_of(self)->kernel->sweep_forward;
    mbx_error error;
    Py_BEGIN_ALLOW_THREADS
    error = sweep(&pass, first, n_blocks, cancel);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&view);
    return finish(self, error);
}

/* (scores, first ways, second ways, draw ways, three times chances) of a layer of n entries */
static bool parse_values(PyObject *tuple, const char *name, int64_t n, mbx_number number,
                         bool writable, mbx_values *values)
{
    PyObject *scores, *ways[3], *chances[3];
    bool ok = true;
    if (!PyArg_ParseTuple(tuple, "OOOOOOO", &scores, &ways[0], &ways[1], &ways[2], &chances[0],
                          &chances[1], &chances[2]))
        return false;
    values->scores = (int8_t *)read_items(scores, name, NPY_INT8, n, writable, &ok);
    for (int i = 0; i < MBX_OUTCOMES; i++) {
        values->ways[i] = (void *)read_items(ways[i], name, number_type(number),
                                             n * items_of(number), writable, &ok);
        values->chances[i] = (double *)read_items(chances[i], name, NPY_FLOAT64, n, writable, &ok);
    }
    return ok;
}

/* (node bits, first nodes, first edges, statuses) */
static bool parse_nodes(PyObject *nodes, int64_t n, int64_t blocks, mbx_backward *pass)
{
    PyObject *bits, *first_node, *first_edge, *statuses;
    bool ok = true;
    if (nodes == Py_None)
        return true;
    if (!PyArg_ParseTuple(nodes, "OOOO", &bits, &first_node, &first_edge, &statuses))
        return false;
    pass->node_bits = read_items(bits, "bits", NPY_UINT8, (n + 7) / 8, false, &ok);
    pass->first_node = read_items(first_node, "first_node", NPY_INT64, blocks, false, &ok);
    pass->first_edge = read_items(first_edge, "first_edge", NPY_INT64, blocks, false, &ok);
    pass->statuses = read_items(statuses, "statuses", NPY_INT8, 0, false, &ok);
    return ok;
}

/* (edge weights, scores, quotients, ways, chances, best, fastest, moves, edge policy, ids below, edge
 * children, edge moves) */
static bool parse_results(PyObject *results, int64_t n_nodes, mbx_backward *pass)
{
    PyObject *weights, *scores, *quotients, *ways, *chances, *best, *fastest, *moves, *policy,
        *ids, *edge_children, *edge_moves;
    bool ok = true;
    if (!PyArg_ParseTuple(results, "OOOOOOOOOOOO", &weights, &scores, &quotients, &ways,
                          &chances, &best, &fastest, &moves, &policy, &ids, &edge_children,
                          &edge_moves))
        return false;
    const int64_t triples = MBX_OUTCOMES * n_nodes;
    pass->edge_weights = read_items(weights, "weights", NPY_FLOAT64, 0, false, &ok);
    pass->node_scores = (int8_t *)read_items(scores, "scores", NPY_INT8, n_nodes, true, &ok);
    pass->node_quotients =
        (double *)read_items(quotients, "quotients", NPY_FLOAT64, triples, true, &ok);
    pass->node_ways = (void *)read_items(ways, "ways", number_type(pass->number),
                                         triples * items_of(pass->number), true, &ok);
    pass->node_chances = (double *)read_items(chances, "chances", NPY_FLOAT64, triples, true, &ok);
    pass->node_best = (uint64_t *)read_items(best, "best", NPY_UINT64, n_nodes, true, &ok);
    pass->node_fastest = (uint64_t *)read_items(fastest, "fastest", NPY_UINT64, n_nodes, true,
                                                &ok);
    pass->node_moves = (uint8_t *)read_items(moves, "moves", NPY_UINT8, triples, true, &ok);
    pass->edge_policy = (double *)read_items(policy, "policy", NPY_FLOAT64, 0, true, &ok);
    pass->ids_below = read_items(ids, "ids", NPY_INT32, 0, false, &ok);
    pass->edge_children =
        (int32_t *)read_items(edge_children, "edge_children", NPY_INT32, 0, true, &ok);
    pass->edge_moves = (uint8_t *)read_items(edge_moves, "edge_moves", NPY_UINT8, 0, true, &ok);
    return ok;
}

static PyObject *layers_number_nodes(layers_object *self, PyObject *args)
{
    const mbx_layers *layers = &self->layers;
    PyObject *depth_arg, *bits_arg, *ids_arg;
    int depth, first_id;
    bool ok = true;
    if (!PyArg_ParseTuple(args, "OOiO:number_nodes", &depth_arg, &bits_arg, &first_id, &ids_arg)
        || !parse_depth(depth_arg, layers->n_open - 1, &depth))
        return NULL;
    const int64_t n = entries_of(layers, depth);
    const uint8_t *bits = read_items(bits_arg, "bits", NPY_UINT8, (n + 7) / 8, false, &ok);
    int32_t *ids = (int32_t *)read_items(ids_arg, "ids", NPY_INT32, n, true, &ok);
    if (!ok)
        return NULL;
    mbx_error error;
    Py_BEGIN_ALLOW_THREADS
    error = mbx_number_nodes(layers, depth, bits, first_id, ids);
    Py_END_ALLOW_THREADS
    return finish(self, error);
}

static PyObject *layers_backward(layers_object *self, PyObject *args)
{
    const mbx_layers *layers = &self->layers;
    PyObject *depth_arg, *here, *below, *weight, *weight_below, *nodes, *results, *cancel_arg;
    int number, policy;
    unsigned int multiple;
    long long first, n_blocks;
    mbx_backward pass = {.layers = layers};
    if (!PyArg_ParseTuple(args, "OO!O!(iOOIi)OO!LLO:backward", &depth_arg, &PyTuple_Type, &here,
                          &PyTuple_Type, &below, &number, &weight, &weight_below, &multiple,
                          &policy, &nodes, &PyTuple_Type, &results, &first, &n_blocks,
                          &cancel_arg)
        || !parse_depth(depth_arg, layers->n_open - 1, &pass.depth)
        || !parse_range(first, n_blocks, &layers->layers[pass.depth]))
        return NULL;
    const int64_t n = entries_of(layers, pass.depth);
    const int64_t n_below = pass.depth + 1 < layers->n_open ? entries_of(layers, pass.depth + 1) : 0;
    pass.number = (mbx_number)number;
    pass.multiple = multiple;
    pass.policy = (mbx_policy)policy;
    if (!parse_values(here, "here", n, pass.number, true, &pass.here)
        || !parse_values(below, "below", n_below, pass.number, false, &pass.below)
        || !parse_wide(weight, &pass.weight) || !parse_wide(weight_below, &pass.weight_below)
        || !parse_nodes(nodes, n, layers->layers[pass.depth].n_blocks, &pass))
        return NULL;
    const int64_t n_nodes =
        pass.statuses ? PyArray_SIZE((PyArrayObject *)PyTuple_GET_ITEM(nodes, 3)) : 0;
    Py_buffer view;
    mbx_cancel cancel;
    if (!parse_results(results, n_nodes, &pass) || !mbx_parse_cancel(cancel_arg, &view, &cancel))
        return NULL;
    mbx_sweep_backward *sweep = state_of(self)->kernel->sweep_backward;
    mbx_error error;
    Py_BEGIN_ALLOW_THREADS
    error = sweep(&pass, first, n_blocks, cancel);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&view);
    return finish(self, error);
}

/* ---- the type -------------------------------------------------------------------------------- */

static PyGetSetDef properties[] = {
    {"moves", (getter)layers_moves, NULL,
     "The moves that are open at the root, ascending: int32.  Bit i of a mask is moves[i].", NULL},
    {"capacities", (getter)layers_capacities, NULL,
     "The open cells in the column of each move: int32.", NULL},
    {"n_cells", (getter)layers_n_cells, NULL, "Open cells of the root; 0 after the end.", NULL},
    {"max_depth", (getter)layers_max_depth, NULL, "The deepest layer that may be opened.", NULL},
    {"n_open", (getter)layers_n_open, NULL, "Number of open layers.", NULL},
    {"n_symmetries", (getter)layers_n_symmetries, NULL, "Number of symmetries in use.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"open", (PyCFunction)layers_open, METH_O,
     "open($self, cancel, /)\n--\n\n"
     "Open the next layer; TooLargeError beyond max_depth.  Nothing else may use the layers meanwhile."},
    {"size", (PyCFunction)layers_size, METH_O,
     "size($self, depth, /)\n--\n\n"
     "(profiles, patterns) of any layer, without symmetry; 2**64 - 1 for more."},
    {"shape", (PyCFunction)layers_shape, METH_O,
     "shape($self, depth, /)\n--\n\n(blocks, entries a block) of an open layer."},
    {"open_columns", (PyCFunction)layers_open_columns, METH_O,
     "open_columns($self, depth, /)\n--\n\nBy block: the number of columns that are not full."},
    {"find", (PyCFunction)layers_find, METH_O,
     "find($self, position, /)\n--\n\n(depth, index in the layer) of a position, or None."},
    {"boards", (PyCFunction)layers_boards, METH_VARARGS,
     "boards($self, depth, indices, /)\n--\n\nThe boards of entries: int8 (n, n_cells)."},
    {"forward", (PyCFunction)layers_forward, METH_VARARGS,
     "forward($self, depth, nodes, numbers, first, n_blocks, cancel, /)\n--\n\n"
     "Fill blocks of a layer from the one above: nodes is (states, states_above, is_node, n_nodes,\n"
     "n_in_play, copies), numbers (number, multiple, sums, sums_above, ended)."},
    {"number_nodes", (PyCFunction)layers_number_nodes, METH_VARARGS,
     "number_nodes($self, depth, bits, first_id, ids, /)\n--\n\n"
     "Fill ids (int32) with the node of every entry of a layer."},
    {"backward", (PyCFunction)layers_backward, METH_VARARGS,
     "backward($self, depth, here, below, rule, nodes, results, first, n_blocks, cancel, /)\n--\n\n"
     "Fill blocks of a layer from the one below: rule is (number, weight, weight_below, multiple,\n"
     "policy)."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Layers(root, symmetry, max_depth)\n--\n\nThe layers of positions below a root."},
    {Py_tp_new, layers_new},
    {Py_tp_dealloc, layers_dealloc},
    {Py_tp_getset, properties},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "mbx._core.Layers",
    .basicsize = sizeof(layers_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

int mbx_init_layers(PyObject *module)
{
    static const struct {
        const char *name;
        int value;
    } constants[] = {
        {"NARROW", MBX_NARROW},       {"WIDE", MBX_WIDE},
        {"DOUBLE", MBX_DOUBLE},       {"UNIFORM", MBX_UNIFORM},
        {"OPTIMAL", MBX_OPTIMAL},     {"FASTEST", MBX_FASTEST},
        {"PMC_WIN", MBX_PMC_WIN},     {"PMC_SCORE", MBX_PMC_SCORE},
        {"WEIGHTS", MBX_WEIGHTS},     {"MAX_DEPTH", MBX_MAX_BITS},
        {"WON", MBX_WON},
    };
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!type)
        return -1;
    int result = PyModule_AddType(module, (PyTypeObject *)type);
    Py_DECREF(type);
    for (size_t i = 0; result == 0 && i < sizeof constants / sizeof *constants; i++)
        result = PyModule_AddIntConstant(module, constants[i].name, constants[i].value);
    return result;
}
