// SPDX-License-Identifier: MIT
// Writes and reads proxies as bytes, and computes the key of a file.
//
// The file consists of words of 64 bits, lowest byte first, so that files are the same on every machine: a head (its
// words are named below; the key is one of them, so that a file stored under a wrong name is detected), nodes, lists
// of triangles, and a hash of all words before it as checksum. Numbers of 32 bits are stored two in a word, the
// first in the lower half. Values that follow from the nodes (counts, look-up table) are not stored.

#include "base/words.h"
#include "mesh/hash.h"
#include "proxy/internal.h"

// To be increased when, within a version of mote, the same meshes give another proxy or the layout of the file
// changes.
enum { FORMAT = 2 };

enum {
    MAGIC,
    VERSION,  // of mote and of the format: a hash
    DEPTHS,   // a byte each: min_depth, max_depth, table_depth, variation, keep_triangles
    TOLERANCE,
    KEY,
    ORIGIN = KEY + 2,
    LEAF = ORIGIN + 3,
    NODES,
    REFERENCES,        // when it was built
    LISTS,             // of all leaves: how many, their references, their triangles
    RIMS = LISTS + 3,  // the same of the rims
    HEAD = RIMS + 3
};
_Static_assert(8 * HEAD == MOTE_PROXY_HEAD_BYTES, "the public header tells how long the head is");

enum { CHECKSUM = MOTE_HASH_WORDS, NUMBERS = 9, LARGEST_NODE = UINT32_MAX >> 3 };

// The most entries of the look-up table that a file may ask for, per node; fewer than FEW_NODES count as FEW_NODES.
enum { ENTRIES_A_NODE = 256, FEW_NODES = 1 << 13 };

#define MAGIC_WORD UINT64_C(0x79786F725065746F)  // "oteProxy", the lowest byte first

static uint64_t version_word(void)
{
    return mote_word_version(FORMAT);
}

static uint64_t depths_word(const mote_proxy_def *def)
{
    return (uint64_t)def->min_depth | (uint64_t)def->max_depth << 8 | (uint64_t)def->table_depth << 16 |
           (uint64_t)def->variation << 24 | (uint64_t)def->keep_triangles << 32;
}

void mote_proxy_make_key(const mote_mesh *const *meshes, size_t mesh_count, const mote_proxy_def *def, uint64_t key[2])
{
    mote_word_hash h = MOTE_WORD_HASH_START;
    mote_word_hash_add(&h, version_word());
    mote_word_hash_add(&h, depths_word(def));
    mote_word_hash_add(&h, mote_word_of(def->tolerance));
    mote_word_hash_add(&h, mesh_count);
    for (size_t m = 0; m < mesh_count; ++m) mote_mesh_add_to_hash(&h, meshes[m]);
    mote_word_hash_end(&h, key);
}

void mote_proxy_key(const mote_mesh *const *meshes, size_t mesh_count, const mote_proxy_def *wish, char text[33])
{
    if (!text) return;
    const mote_proxy_def def = mote_proxy_resolve(wish);
    uint64_t key[2];
    mote_proxy_make_key(meshes, mesh_count, &def, key);
    mote_word_hash_text(key, text);
}

// --------------------------------------------------------------------------------------------------------- writing

static void put_counts(mote_word_writer *to, const mote_leaf_lists *lists)
{
    mote_word_put(to, lists->count);
    mote_word_put(to, lists->count ? lists->first[lists->count] : 0);
    mote_word_put(to, lists->triangle_count);
}

static void put_lists(mote_word_writer *to, const mote_leaf_lists *lists)
{
    if (lists->count == 0) return;
    mote_word_put_u32(to, lists->list_of, lists->node_count);
    for (size_t i = 0; i < lists->count; ++i) mote_word_put(to, lists->first[i]);
    mote_word_put_u32(to, lists->references, (size_t)lists->first[lists->count]);
    for (size_t t = 0; t < lists->triangle_count; ++t) {
        const mote_vec3 corner[3] = {lists->triangles[t].a, lists->triangles[t].b, lists->triangles[t].c};
        for (int k = 0; k < 3; ++k) {
            mote_word_put(to, mote_word_of(corner[k].x));
            mote_word_put(to, mote_word_of(corner[k].y));
            mote_word_put(to, mote_word_of(corner[k].z));
        }
    }
}

mote_result mote_proxy_write(const mote_proxy *proxy, mote_sink *sink, void *user_data, mote_error *error)
{
    if (!proxy || !sink) return mote_fail_null(error, "proxy", sink ? "the proxy" : "the sink");
    mote_word_writer to = mote_word_writer_open(sink, user_data);
    mote_word_put(&to, MAGIC_WORD);
    mote_word_put(&to, version_word());
    mote_word_put(&to, depths_word(&proxy->def));
    mote_word_put(&to, mote_word_of(proxy->def.tolerance));
    mote_word_put(&to, proxy->key[0]);
    mote_word_put(&to, proxy->key[1]);
    mote_word_put(&to, mote_word_of(proxy->origin.x));
    mote_word_put(&to, mote_word_of(proxy->origin.y));
    mote_word_put(&to, mote_word_of(proxy->origin.z));
    mote_word_put(&to, mote_word_of(proxy->leaf));
    mote_word_put(&to, proxy->node_count);
    mote_word_put(&to, proxy->stats.references);
    put_counts(&to, &proxy->all);
    put_counts(&to, &proxy->rims);
    for (size_t i = 0; i < proxy->node_count; ++i)
        mote_word_put(&to, proxy->nodes[i].first | (uint64_t)proxy->nodes[i].bits << 32);
    put_lists(&to, &proxy->all);
    put_lists(&to, &proxy->rims);
    if (mote_word_writer_close(&to)) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_FILE, 0, "proxy: the sink did not take its bytes");
}

// --------------------------------------------------------------------------------------------------------- reading

void mote_proxy_checksum(const void *bytes, size_t words, uint64_t checksum[2])
{
    mote_word_checksum(bytes, words, checksum);
}

static mote_result refuse(mote_error *error, const char *what)
{
    return mote_fail(error, MOTE_ERROR_FORMAT, 0, "proxy file: %s", what);
}

static mote_result check_whole(const mote_word_reader *from, size_t length, mote_error *error)
{
    if (length % 8 != 0 || from->count < HEAD + CHECKSUM || mote_word_at(from, MAGIC) != MAGIC_WORD)
        return refuse(error, "it is none, or cut short");
    if (mote_word_at(from, VERSION) != version_word()) return refuse(error, "it was made by another version of mote");
    if (!mote_word_is_intact(from)) return refuse(error, "it is damaged: the checksum does not hold");
    return MOTE_OK;
}

// Subtracts the lists of `nodes` nodes, whose three counts are in the head.
static bool spend_lists(uint64_t *left, const mote_word_reader *from, size_t head, uint64_t nodes)
{
    const uint64_t count = mote_word_at(from, head), references = mote_word_at(from, head + 1),
                   triangles = mote_word_at(from, head + 2);
    if (count == 0) return references == 0 && triangles == 0;
    return references < UINT64_MAX && count <= nodes && mote_word_spend(left, nodes / 2 + nodes % 2, 1) &&
           mote_word_spend(left, count, 1) && mote_word_spend(left, references / 2 + references % 2, 1) &&
           triangles <= UINT32_MAX && mote_word_spend(left, triangles, NUMBERS);
}

// Checks that the head's counts add up to the file's number of words: afterwards nothing beyond it is read or
// allocated.
static bool are_counts_right(const mote_word_reader *from, uint64_t words)
{
    const uint64_t nodes = mote_word_at(from, NODES);
    uint64_t left = words - HEAD - CHECKSUM;
    return nodes >= 1 && nodes <= LARGEST_NODE && mote_word_spend(&left, nodes, 1) &&
           spend_lists(&left, from, LISTS, nodes) && spend_lists(&left, from, RIMS, nodes) && left == 0;
}

static mote_result read_head(mote_proxy *proxy, const mote_word_reader *from, mote_error *error)
{
    const uint64_t depths = mote_word_at(from, DEPTHS);
    proxy->def = mote_proxy_default_def();
    proxy->def.min_depth = (int)(depths & 0xFF);
    proxy->def.max_depth = (int)(depths >> 8 & 0xFF);
    proxy->def.table_depth = (int)(depths >> 16 & 0xFF);
    proxy->def.variation = (depths >> 24 & 0xFF) == MOTE_PROXY_MEAN ? MOTE_PROXY_MEAN : MOTE_PROXY_SUM;
    proxy->def.keep_triangles = (depths >> 32) != 0;
    proxy->def.tolerance = mote_word_number(mote_word_at(from, TOLERANCE));
    proxy->key[0] = mote_word_at(from, KEY);
    proxy->key[1] = mote_word_at(from, KEY + 1);
    if (depths_word(&proxy->def) != depths || mote_proxy_check_def(&proxy->def, NULL) != MOTE_OK)
        return refuse(error, "its parameters are none that a proxy can have");
    const size_t o = ORIGIN;
    proxy->origin = (mote_vec3){mote_word_number(mote_word_at(from, o)), mote_word_number(mote_word_at(from, o + 1)),
                                mote_word_number(mote_word_at(from, o + 2))};
    proxy->leaf = mote_word_number(mote_word_at(from, LEAF));
    proxy->scale = 1 / proxy->leaf;
    if (!mote_word_is_number(proxy->origin.x + proxy->origin.y + proxy->origin.z) || !(proxy->leaf > 0) ||
        !mote_word_is_number(proxy->leaf * (double)(1u << proxy->def.max_depth)) || !mote_word_is_number(proxy->scale))
        return refuse(error, "its place is none that a proxy can have");
    return MOTE_OK;
}

static mote_result read_nodes(mote_proxy *proxy, mote_word_reader *from)
{
    const size_t count = (size_t)mote_word_at(from, NODES);
    mote_result result = mote_buffer_reserve(proxy->context, &proxy->node_memory, count * sizeof *proxy->nodes, 0);
    if (result != MOTE_OK) return result;
    proxy->nodes = proxy->node_memory.data;
    proxy->node_count = count;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t word = mote_word_take(from);
        proxy->nodes[i] = (mote_proxy_node){(uint32_t)word, (uint32_t)(word >> 32)};
    }
    return MOTE_OK;
}

static mote_result allocate_lists(const mote_proxy *proxy, const mote_word_reader *from, size_t head,
                                  mote_leaf_lists *lists)
{
    mote_context *context = proxy->context;
    const size_t count = (size_t)mote_word_at(from, head), references = (size_t)mote_word_at(from, head + 1);
    lists->first = mote_allocate(context, (count + 1) * sizeof *lists->first);
    if (!lists->first) return MOTE_ERROR_OUT_OF_MEMORY;
    lists->count = count;
    lists->first[count] = references;
    lists->node_count = proxy->node_count;
    lists->triangle_count = (size_t)mote_word_at(from, head + 2);
    lists->list_of = mote_allocate(context, lists->node_count * sizeof *lists->list_of);
    lists->references = mote_allocate(context, references * sizeof *lists->references);
    lists->triangles = mote_allocate(context, lists->triangle_count * sizeof *lists->triangles);
    if (!lists->list_of || (!lists->references && references) || (!lists->triangles && lists->triangle_count))
        return MOTE_ERROR_OUT_OF_MEMORY;
    return MOTE_OK;
}

// A corner in finest leaves; sets *inside to false unless it lies in the root.
static mote_vec3 take_corner(mote_word_reader *from, double across, bool *inside)
{
    double p[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = mote_word_number(mote_word_take(from));
        *inside &= p[k] >= 0 && p[k] <= across;
    }
    return mote_vec3_make(p[0], p[1], p[2]);
}

static mote_result read_lists(mote_proxy *proxy, mote_word_reader *from, size_t head, mote_leaf_lists *lists,
                              mote_error *error)
{
    if (mote_word_at(from, head) == 0) return MOTE_OK;
    mote_result result = allocate_lists(proxy, from, head, lists);
    if (result != MOTE_OK) return result;
    mote_word_take_u32(from, lists->list_of, lists->node_count);
    for (size_t i = 0; i < lists->count; ++i) lists->first[i] = mote_word_take(from);
    mote_word_take_u32(from, lists->references, (size_t)lists->first[lists->count]);
    const double across = (double)(1u << proxy->def.max_depth);
    bool is_right = true;
    for (size_t t = 0; t < lists->triangle_count; ++t) {
        mote_triangle *triangle = lists->triangles + t;
        triangle->a = take_corner(from, across, &is_right);
        triangle->b = take_corner(from, across, &is_right);
        triangle->c = take_corner(from, across, &is_right);
    }
    for (size_t i = 0; i < lists->node_count; ++i)
        is_right &= lists->list_of[i] < lists->count || lists->list_of[i] == MOTE_NO_LIST;
    if (!is_right || mote_proxy_validate_lists(lists, NULL) != MOTE_OK)
        return refuse(error, "its lists of triangles are none that a proxy can have");
    return MOTE_OK;
}

// A file of a few bytes could ask for a table of half a gigabyte: a table deeper than the nodes justify is made
// shallower, which changes no result.
static int table_depth_for(const mote_proxy *proxy)
{
    const size_t most = ENTRIES_A_NODE * MOTE_MAX(proxy->node_count, (size_t)FEW_NODES);
    int depth = proxy->def.table_depth;
    while ((size_t)1 << 3 * depth > most) --depth;
    return depth;
}

static mote_result read_all(mote_proxy *proxy, mote_word_reader *from, mote_error *error)
{
    mote_result result = read_head(proxy, from, error);
    if (result != MOTE_OK) return result;
    from->at = HEAD;
    result = read_nodes(proxy, from);
    if (result == MOTE_OK) result = read_lists(proxy, from, LISTS, &proxy->all, error);
    if (result == MOTE_OK) result = read_lists(proxy, from, RIMS, &proxy->rims, error);
    if (result != MOTE_OK) return result;
    if (mote_proxy_validate_nodes(proxy, NULL) != MOTE_OK)
        return refuse(error, "its nodes are none that a proxy can have");
    proxy->stats = mote_proxy_count(proxy, mote_word_at(from, REFERENCES));
    proxy->def.table_depth = table_depth_for(proxy);
    return mote_proxy_build_table(proxy);
}

bool mote_proxy_is_of(const void *bytes, uint64_t length, const mote_mesh *const *meshes, size_t mesh_count,
                      const mote_proxy_def *wish)
{
    const mote_word_reader from = {bytes, 0, HEAD};
    if (!bytes || length % 8 != 0 || length / 8 < HEAD + CHECKSUM || (!meshes && mesh_count)) return false;
    if (mote_word_at(&from, MAGIC) != MAGIC_WORD || mote_word_at(&from, VERSION) != version_word()) return false;
    mote_proxy is = {0}, wanted = {.def = mote_proxy_resolve(wish)};
    if (!are_counts_right(&from, length / 8) || read_head(&is, &from, NULL) != MOTE_OK) return false;
    if (mote_proxy_check_def(&wanted.def, NULL) != MOTE_OK) return false;
    if (mote_proxy_place_root(&wanted, meshes, mesh_count, NULL) != MOTE_OK) return false;
    mote_proxy_make_key(meshes, mesh_count, &wanted.def, wanted.key);
    return mote_word_at(&from, DEPTHS) == depths_word(&wanted.def) && is.def.tolerance == wanted.def.tolerance &&
           is.key[0] == wanted.key[0] && is.key[1] == wanted.key[1] && is.leaf == wanted.leaf &&
           is.origin.x == wanted.origin.x && is.origin.y == wanted.origin.y && is.origin.z == wanted.origin.z;
}

mote_result mote_proxy_read(mote_context *context, const void *bytes, size_t length, mote_proxy **proxy,
                            mote_error *error)
{
    if (!bytes || !proxy)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "proxy file: no bytes, or nowhere to put the proxy");
    mote_word_reader from = {bytes, 0, length / 8};
    mote_result result = check_whole(&from, length, error);
    if (result != MOTE_OK) return result;
    if (!are_counts_right(&from, from.count)) return refuse(error, "its counts do not make up its length");
    mote_proxy *made = mote_allocate(context, sizeof *made);
    if (!made) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "proxy file: no memory");
    *made = (mote_proxy){.context = context};
    result = read_all(made, &from, error);
    if (result == MOTE_ERROR_OUT_OF_MEMORY)
        mote_fail(error, result, 0, "proxy file: no memory for a proxy of %zu bytes", length);
    if (result != MOTE_OK) {
        mote_proxy_destroy(made);
        return result;
    }
    MOTE_VALIDATE(mote_proxy_validate(made, NULL) == MOTE_OK);
    *proxy = made;
    return MOTE_OK;
}
