// SPDX-License-Identifier: MIT
// Writes and reads proxies as bytes, and computes the key of a file.
//
// The file consists of words of 64 bits, lowest byte first, so that files are the same on every machine: a head (its
// words are named below; the key is one of them, so that a file stored under a wrong name is detected), nodes, lists
// of triangles, and a hash of all words before it as checksum. Numbers of 32 bits are stored two in a word, the
// first in the lower half. Values that follow from the nodes (counts, look-up table) are not stored.

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

enum { CHECKSUM = 2, WORDS_AT_ONCE = 512, NUMBERS = 9, LARGEST_NODE = UINT32_MAX >> 3 };

// The most entries of the look-up table that a file may ask for, per node; fewer than FEW_NODES count as FEW_NODES.
enum { ENTRIES_A_NODE = 256, FEW_NODES = 1 << 13 };

#define MAGIC_WORD UINT64_C(0x79786F725065746F)  // "oteProxy", the lowest byte first

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double number_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// --------------------------------------------------------------------------------------------------------- hashing

// Two hashes of 64 bits, side by side. A word enters by exclusive or, and all following operations are invertible:
// two sequences that differ in one word never have the same hash.
typedef struct hash {
    uint64_t a, b;
} hash;

static const hash hash_start = {UINT64_C(0x243F6A8885A308D3), UINT64_C(0x13198A2E03707344)};  // pi

MOTE_INLINE void hash_add(hash *h, uint64_t word)
{
    h->a = (h->a ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    h->a ^= h->a >> 32;
    h->b = (h->b ^ word) * UINT64_C(0xD1B54A32D192ED03);
    h->b ^= h->b >> 29;
}

static void hash_end(const hash *h, uint64_t words[CHECKSUM])
{
    mote_random a = {h->a}, b = {h->b};
    words[0] = mote_random_next(&a);
    words[1] = mote_random_next(&b);
}

static void hash_text(hash *h, const char *text)
{
    do hash_add(h, (unsigned char)*text);
    while (*text++);
}

static uint64_t version_word(void)
{
    hash h = hash_start;
    uint64_t words[CHECKSUM];
    hash_text(&h, mote_version());
    hash_add(&h, FORMAT);
    hash_end(&h, words);
    return words[0];
}

static uint64_t depths_word(const mote_proxy_def *def)
{
    return (uint64_t)def->min_depth | (uint64_t)def->max_depth << 8 | (uint64_t)def->table_depth << 16 |
           (uint64_t)def->variation << 24 | (uint64_t)def->keep_triangles << 32;
}

void mote_proxy_make_key(const mote_mesh *const *meshes, size_t mesh_count, const mote_proxy_def *def, uint64_t key[2])
{
    hash h = hash_start;
    hash_add(&h, version_word());
    hash_add(&h, depths_word(def));
    hash_add(&h, bits_of(def->tolerance));
    hash_add(&h, mesh_count);
    for (size_t m = 0; m < mesh_count; ++m) {
        const mote_mesh *mesh = meshes[m];
        hash_add(&h, mesh->vertex_count);
        hash_add(&h, mesh->triangle_count);
        for (size_t v = 0; v < mesh->vertex_count; ++v) {
            hash_add(&h, bits_of(mesh->vertices[v].x));
            hash_add(&h, bits_of(mesh->vertices[v].y));
            hash_add(&h, bits_of(mesh->vertices[v].z));
        }
        for (size_t t = 0; t < mesh->triangle_count; ++t) {
            const uint32_t *corner = mesh->triangles + 3 * t;
            hash_add(&h, corner[0] | (uint64_t)corner[1] << 32);
            hash_add(&h, corner[2]);
        }
    }
    hash_end(&h, key);
}

void mote_proxy_key(const mote_mesh *const *meshes, size_t mesh_count, const mote_proxy_def *wish, char text[33])
{
    if (!text) return;
    const mote_proxy_def def = mote_proxy_resolve(wish);
    uint64_t key[2];
    mote_proxy_make_key(meshes, mesh_count, &def, key);
    for (int k = 0; k < 32; ++k) text[k] = "0123456789abcdef"[key[k / 16] >> (60 - 4 * (k % 16)) & 15];
    text[32] = '\0';
}

// --------------------------------------------------------------------------------------------------------- writing

typedef struct writer {
    mote_sink *sink;
    void *user_data;
    hash hash;
    size_t used;
    bool failed;
    unsigned char bytes[8 * WORDS_AT_ONCE];
} writer;

static void flush(writer *to)
{
    if (to->used && !to->failed) to->failed = !to->sink(to->user_data, to->bytes, to->used);
    to->used = 0;
}

static void put(writer *to, uint64_t word)
{
    hash_add(&to->hash, word);
    for (int k = 0; k < 8; ++k) to->bytes[to->used++] = (unsigned char)(word >> 8 * k);
    if (to->used == sizeof to->bytes) flush(to);
}

static void put_u32(writer *to, const uint32_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i += 2) put(to, numbers[i] | (i + 1 < count ? (uint64_t)numbers[i + 1] << 32 : 0));
}

static void put_counts(writer *to, const mote_leaf_lists *lists)
{
    put(to, lists->count);
    put(to, lists->count ? lists->first[lists->count] : 0);
    put(to, lists->triangle_count);
}

static void put_lists(writer *to, const mote_leaf_lists *lists)
{
    if (lists->count == 0) return;
    put_u32(to, lists->list_of, lists->node_count);
    for (size_t i = 0; i < lists->count; ++i) put(to, lists->first[i]);
    put_u32(to, lists->references, (size_t)lists->first[lists->count]);
    for (size_t t = 0; t < lists->triangle_count; ++t) {
        const mote_vec3 corner[3] = {lists->triangles[t].a, lists->triangles[t].b, lists->triangles[t].c};
        for (int k = 0; k < 3; ++k) {
            put(to, bits_of(corner[k].x));
            put(to, bits_of(corner[k].y));
            put(to, bits_of(corner[k].z));
        }
    }
}

mote_result mote_proxy_write(const mote_proxy *proxy, mote_sink *sink, void *user_data, mote_error *error)
{
    if (!proxy || !sink) return mote_fail_null(error, "proxy", sink ? "the proxy" : "the sink");
    writer to = {.sink = sink, .user_data = user_data, .hash = hash_start};
    put(&to, MAGIC_WORD);
    put(&to, version_word());
    put(&to, depths_word(&proxy->def));
    put(&to, bits_of(proxy->def.tolerance));
    put(&to, proxy->key[0]);
    put(&to, proxy->key[1]);
    put(&to, bits_of(proxy->origin.x));
    put(&to, bits_of(proxy->origin.y));
    put(&to, bits_of(proxy->origin.z));
    put(&to, bits_of(proxy->leaf));
    put(&to, proxy->node_count);
    put(&to, proxy->stats.references);
    put_counts(&to, &proxy->all);
    put_counts(&to, &proxy->rims);
    for (size_t i = 0; i < proxy->node_count; ++i)
        put(&to, proxy->nodes[i].first | (uint64_t)proxy->nodes[i].bits << 32);
    put_lists(&to, &proxy->all);
    put_lists(&to, &proxy->rims);
    uint64_t checksum[CHECKSUM];
    hash_end(&to.hash, checksum);
    for (int k = 0; k < CHECKSUM; ++k) put(&to, checksum[k]);
    flush(&to);
    return to.failed ? mote_fail(error, MOTE_ERROR_FILE, 0, "proxy: the sink did not take its bytes") : MOTE_OK;
}

// --------------------------------------------------------------------------------------------------------- reading

typedef struct reader {
    const unsigned char *bytes;
    size_t at, count;  // words
} reader;

MOTE_INLINE uint64_t word_at(const reader *from, size_t i)
{
    const unsigned char *b = from->bytes + 8 * i;
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 |
           (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

MOTE_INLINE uint64_t take(reader *from)
{
    return word_at(from, from->at++);
}

static void take_u32(reader *from, uint32_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i += 2) {
        const uint64_t word = take(from);
        numbers[i] = (uint32_t)word;
        if (i + 1 < count) numbers[i + 1] = (uint32_t)(word >> 32);
    }
}

void mote_proxy_checksum(const void *bytes, size_t words, uint64_t checksum[2])
{
    const reader from = {bytes, 0, words};
    hash h = hash_start;
    for (size_t i = 0; i < words; ++i) hash_add(&h, word_at(&from, i));
    hash_end(&h, checksum);
}

static mote_result refuse(mote_error *error, const char *what)
{
    return mote_fail(error, MOTE_ERROR_FORMAT, 0, "proxy file: %s", what);
}

static mote_result check_whole(const reader *from, size_t length, mote_error *error)
{
    if (length % 8 != 0 || from->count < HEAD + CHECKSUM || word_at(from, MAGIC) != MAGIC_WORD)
        return refuse(error, "it is none, or cut short");
    if (word_at(from, VERSION) != version_word()) return refuse(error, "it was made by another version of mote");
    uint64_t checksum[CHECKSUM];
    mote_proxy_checksum(from->bytes, from->count - CHECKSUM, checksum);
    for (size_t k = 0; k < CHECKSUM; ++k)
        if (word_at(from, from->count - CHECKSUM + k) != checksum[k])
            return refuse(error, "it is damaged: the checksum does not hold");
    return MOTE_OK;
}

// Subtracts `count` items of `each` words from the words left; false if there are not enough.
static bool spend(uint64_t *left, uint64_t count, uint64_t each)
{
    if (count > *left / each) return false;
    *left -= count * each;
    return true;
}

// Subtracts the lists of `nodes` nodes, whose three counts are in the head.
static bool spend_lists(uint64_t *left, const reader *from, size_t head, uint64_t nodes)
{
    const uint64_t count = word_at(from, head), references = word_at(from, head + 1),
                   triangles = word_at(from, head + 2);
    if (count == 0) return references == 0 && triangles == 0;
    return references < UINT64_MAX && count <= nodes && spend(left, nodes / 2 + nodes % 2, 1) &&
           spend(left, count, 1) && spend(left, references / 2 + references % 2, 1) && triangles <= UINT32_MAX &&
           spend(left, triangles, NUMBERS);
}

// Checks that the head's counts add up to the file's number of words: afterwards nothing beyond it is read or
// allocated.
static bool are_counts_right(const reader *from, uint64_t words)
{
    const uint64_t nodes = word_at(from, NODES);
    uint64_t left = words - HEAD - CHECKSUM;
    return nodes >= 1 && nodes <= LARGEST_NODE && spend(&left, nodes, 1) && spend_lists(&left, from, LISTS, nodes) &&
           spend_lists(&left, from, RIMS, nodes) && left == 0;
}

static bool is_number(double value)
{
    return value - value == 0;
}

static mote_result read_head(mote_proxy *proxy, const reader *from, mote_error *error)
{
    const uint64_t depths = word_at(from, DEPTHS);
    proxy->def = mote_proxy_default_def();
    proxy->def.min_depth = (int)(depths & 0xFF);
    proxy->def.max_depth = (int)(depths >> 8 & 0xFF);
    proxy->def.table_depth = (int)(depths >> 16 & 0xFF);
    proxy->def.variation = (depths >> 24 & 0xFF) == MOTE_PROXY_MEAN ? MOTE_PROXY_MEAN : MOTE_PROXY_SUM;
    proxy->def.keep_triangles = (depths >> 32) != 0;
    proxy->def.tolerance = number_of(word_at(from, TOLERANCE));
    proxy->key[0] = word_at(from, KEY);
    proxy->key[1] = word_at(from, KEY + 1);
    if (depths_word(&proxy->def) != depths || mote_proxy_check_def(&proxy->def, NULL) != MOTE_OK)
        return refuse(error, "its parameters are none that a proxy can have");
    const size_t o = ORIGIN;
    proxy->origin = (mote_vec3){number_of(word_at(from, o)), number_of(word_at(from, o + 1)),
                                number_of(word_at(from, o + 2))};
    proxy->leaf = number_of(word_at(from, LEAF));
    proxy->scale = 1 / proxy->leaf;
    if (!is_number(proxy->origin.x + proxy->origin.y + proxy->origin.z) || !(proxy->leaf > 0) ||
        !is_number(proxy->leaf * (double)(1u << proxy->def.max_depth)) || !is_number(proxy->scale))
        return refuse(error, "its place is none that a proxy can have");
    return MOTE_OK;
}

static mote_result read_nodes(mote_proxy *proxy, reader *from)
{
    const size_t count = (size_t)word_at(from, NODES);
    mote_result result = mote_buffer_reserve(proxy->context, &proxy->node_memory, count * sizeof *proxy->nodes, 0);
    if (result != MOTE_OK) return result;
    proxy->nodes = proxy->node_memory.data;
    proxy->node_count = count;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t word = take(from);
        proxy->nodes[i] = (mote_proxy_node){(uint32_t)word, (uint32_t)(word >> 32)};
    }
    return MOTE_OK;
}

static mote_result allocate_lists(const mote_proxy *proxy, const reader *from, size_t head, mote_leaf_lists *lists)
{
    mote_context *context = proxy->context;
    const size_t count = (size_t)word_at(from, head), references = (size_t)word_at(from, head + 1);
    lists->first = mote_allocate(context, (count + 1) * sizeof *lists->first);
    if (!lists->first) return MOTE_ERROR_OUT_OF_MEMORY;
    lists->count = count;
    lists->first[count] = references;
    lists->node_count = proxy->node_count;
    lists->triangle_count = (size_t)word_at(from, head + 2);
    lists->list_of = mote_allocate(context, lists->node_count * sizeof *lists->list_of);
    lists->references = mote_allocate(context, references * sizeof *lists->references);
    lists->triangles = mote_allocate(context, lists->triangle_count * sizeof *lists->triangles);
    if (!lists->list_of || (!lists->references && references) || (!lists->triangles && lists->triangle_count))
        return MOTE_ERROR_OUT_OF_MEMORY;
    return MOTE_OK;
}

// A corner in finest leaves; sets *inside to false unless it lies in the root.
static mote_vec3 take_corner(reader *from, double across, bool *inside)
{
    double p[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = number_of(take(from));
        *inside &= p[k] >= 0 && p[k] <= across;
    }
    return mote_vec3_make(p[0], p[1], p[2]);
}

static mote_result read_lists(mote_proxy *proxy, reader *from, size_t head, mote_leaf_lists *lists, mote_error *error)
{
    if (word_at(from, head) == 0) return MOTE_OK;
    mote_result result = allocate_lists(proxy, from, head, lists);
    if (result != MOTE_OK) return result;
    take_u32(from, lists->list_of, lists->node_count);
    for (size_t i = 0; i < lists->count; ++i) lists->first[i] = take(from);
    take_u32(from, lists->references, (size_t)lists->first[lists->count]);
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

static mote_result read_all(mote_proxy *proxy, reader *from, mote_error *error)
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
    proxy->stats = mote_proxy_count(proxy, word_at(from, REFERENCES));
    proxy->def.table_depth = table_depth_for(proxy);
    return mote_proxy_build_table(proxy);
}

bool mote_proxy_is_of(const void *bytes, uint64_t length, const mote_mesh *const *meshes, size_t mesh_count,
                      const mote_proxy_def *wish)
{
    const reader from = {bytes, 0, HEAD};
    if (!bytes || length % 8 != 0 || length / 8 < HEAD + CHECKSUM || (!meshes && mesh_count)) return false;
    if (word_at(&from, MAGIC) != MAGIC_WORD || word_at(&from, VERSION) != version_word()) return false;
    mote_proxy is = {0}, wanted = {.def = mote_proxy_resolve(wish)};
    if (!are_counts_right(&from, length / 8) || read_head(&is, &from, NULL) != MOTE_OK) return false;
    if (mote_proxy_check_def(&wanted.def, NULL) != MOTE_OK) return false;
    if (mote_proxy_place_root(&wanted, meshes, mesh_count, NULL) != MOTE_OK) return false;
    mote_proxy_make_key(meshes, mesh_count, &wanted.def, wanted.key);
    return word_at(&from, DEPTHS) == depths_word(&wanted.def) && is.def.tolerance == wanted.def.tolerance &&
           is.key[0] == wanted.key[0] && is.key[1] == wanted.key[1] && is.leaf == wanted.leaf &&
           is.origin.x == wanted.origin.x && is.origin.y == wanted.origin.y && is.origin.z == wanted.origin.z;
}

mote_result mote_proxy_read(mote_context *context, const void *bytes, size_t length, mote_proxy **proxy,
                            mote_error *error)
{
    if (!bytes || !proxy)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "proxy file: no bytes, or nowhere to put the proxy");
    reader from = {bytes, 0, length / 8};
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
