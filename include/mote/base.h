// SPDX-License-Identifier: MIT
/// mote/base.h: what every module of mote shares.
///
/// Results and errors; contexts (allocator, byte budget, log, tasks), which every object takes and which may always be
/// NULL; point sets and boxes; and field tables, which describe def structs for checks, scene files and printing.
///
/// The library never prints and never exits. Its only global state is the pool of threads for objects without a
/// context. Different objects are independent of each other; const queries on one object may run concurrently.
///
/// Every call that can fail returns a mote_result and takes a mote_error last, which it fills when it fails; NULL there
/// means that the caller does not want it. docs/api.md has the rules that all calls follow.
///
/// NULL, everywhere: a context, an error and what its comment calls optional may be NULL. Any other pointer that a call
/// needs may not, and calls that return a mote_result then return MOTE_ERROR_ARGUMENT. All others do nothing and return
/// zero: 0, false, NULL, a struct of zeros, "" for texts. To destroy or release NULL does nothing. Every call may be
/// made on an object in whatever state it is, also after one that failed: what cannot be answered then is
/// MOTE_ERROR_STATE. Enum values that have no name are refused.
///
/// The other headers have the searches (neighbors.h, broadphase.h), meshes (mesh.h, hits.h, proxy.h, raster.h) and
/// solvers (fluid.h, grains.h, simulation.h).
#ifndef MOTE_BASE_H
#define MOTE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mote/version.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && defined(MOTE_SHARED)
#define MOTE_API __declspec(dllexport)
#elif defined(__GNUC__) || defined(__clang__)
#define MOTE_API __attribute__((visibility("default")))
#else
#define MOTE_API
#endif

/// The version of the library that is linked, as text ("0.1.0").
MOTE_API const char *mote_version(void);

// ---------------------------------------------------------------------------------------------------- results

/// Every result: its name and what it means.
#define MOTE_RESULTS(X)                                                                        \
    X(MOTE_OK, "done")                                                                         \
    X(MOTE_ERROR_ARGUMENT, "an argument is out of its range, or a def was not made by its default function") \
    X(MOTE_ERROR_OUT_OF_MEMORY, "memory, or the context's byte budget, ran out")               \
    X(MOTE_ERROR_NOT_FINITE, "a coordinate is infinite or not a number")                       \
    X(MOTE_ERROR_UNSUPPORTED, "the method does not offer what was asked for")                  \
    X(MOTE_ERROR_STATE, "the object is not ready for this call")                               \
    X(MOTE_ERROR_FILE, "a file could not be opened, read or written")                          \
    X(MOTE_ERROR_FORMAT, "a file or text is not what its format demands")                      \
    X(MOTE_ERROR_UNSTABLE, "the simulation blew up")

typedef enum mote_result {
#define MOTE_RESULT_ID(id, text) id,
    MOTE_RESULTS(MOTE_RESULT_ID)
#undef MOTE_RESULT_ID
    MOTE_RESULT_COUNT
} mote_result;

/// The name of a result ("MOTE_ERROR_FORMAT"), and its meaning in a sentence. Never NULL.
MOTE_API const char *mote_result_name(mote_result result);
MOTE_API const char *mote_result_text(mote_result result);

/// What went wrong and where. Filled only when a call fails.
typedef struct mote_error {
    mote_result result;
    uint64_t index;   ///< the element that is wrong (a point, a triangle, …)
    uint32_t line;    ///< line of the file or text, from 1; 0 where there is none
    uint32_t column;  ///< column (byte) in that line, from 1; 0 where there is none
    char text[256];   ///< one line: what, where, what was expected
} mote_error;

/// Receives the next bytes of an object that is being written. Returns false to stop the writing.
typedef bool mote_sink(void *user_data, const void *bytes, size_t length);

// ---------------------------------------------------------------------------------------------------- context

/// Memory from the host. `allocate` returns memory aligned to `alignment` (a power of two, at least 64) or NULL;
/// `release` receives the size that was asked for. Both may be called from several threads at once.
typedef struct mote_allocator {
    void *(*allocate)(void *user_data, size_t bytes, size_t alignment);
    void (*release)(void *user_data, void *memory, size_t bytes);
    void *user_data;
} mote_allocator;

/// Warnings to the host: one line of text without a newline each, told once for each context or search: that nine
/// tenths of the byte budget are in use, that the system gave fewer threads than were asked for, that something has to
/// be done the slow way and why. May be called from several threads at once.
typedef struct mote_log {
    void (*message)(void *user_data, const char *text);
    void *user_data;
} mote_log;

/// One block of parallel work: `block` below the number of blocks, `worker` below `worker_count`.
typedef void mote_task(void *task_data, uint32_t block, uint32_t worker);

/// The host's scheduler. `run` calls `task` once for every block, from any threads, never twice at a time with the
/// same worker id, and returns when all are done. mote never calls it from inside a task.
typedef struct mote_tasks {
    void (*run)(void *user_data, uint32_t block_count, mote_task *task, void *task_data);
    uint32_t worker_count;
    void *user_data;
} mote_tasks;

/// The instruction sets that inner loops are compiled for. Results have the same bits with each of them.
typedef enum mote_simd {
    MOTE_SIMD_BEST,   ///< the fastest that the processor has
    MOTE_SIMD_PLAIN,  ///< what every processor has
    MOTE_SIMD_AVX2,    ///< x86-64
    MOTE_SIMD_AVX512,  ///< x86-64
    MOTE_SIMD_128      ///< NEON on arm64, SIMD128 in WebAssembly
} mote_simd;

/// "best", "plain", "avx2", "avx512", "simd128"; for other numbers "unknown simd".
MOTE_API const char *mote_simd_name(mote_simd simd);

typedef struct mote_context_def {
    mote_allocator allocator;  ///< both functions NULL: the C library's
    mote_log log;              ///< NULL: silence
    mote_tasks tasks;          ///< `run` NULL: a pool of threads, which the context starts when it first needs them
    uint32_t thread_count;     ///< of that pool, including the calling thread; 0: one for each processor that the
                               ///< process may run on when the context is made
    size_t max_bytes;          ///< memory that all objects of this context may use together; SIZE_MAX: no limit
    mote_simd simd;            ///< of the loops of its objects; for tests and comparisons
    uint32_t cookie;           ///< set by the default function; tells that it was called
} mote_context_def;

MOTE_API mote_context_def mote_context_default_def(void);

/// A context is shared by the objects that are created with it, and must outlive them. NULL instead of a context means
/// memory of the C library without a budget, no log, and built-in tasks on all processors of the process.
///
/// Built-in tasks use a small pool of threads. They start when there is work that can be shared, sleep when there is
/// none, and take no signals. The calling thread works too, and waits only for work that another thread has begun; so
/// on a busy machine it never waits for threads that do not get a processor. After a fork, the child starts its own
/// threads. The threads of a context end with mote_context_destroy. Those for NULL live as long as the process, so a
/// plugin that may be unloaded must use a context.
typedef struct mote_context mote_context;

/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, MOTE_ERROR_UNSUPPORTED (the processor or this build lacks the def's `simd`) or
/// MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_context_create(const mote_context_def *def, mote_context **context, mote_error *error);
/// Must not be called from inside a task of the context, or while one of its objects is in use.
MOTE_API void mote_context_destroy(mote_context *context);

/// The bytes that the objects of the context hold now, and how often they have allocated memory so far.
MOTE_API size_t mote_context_byte_count(const mote_context *context);
MOTE_API uint64_t mote_context_allocation_count(const mote_context *context);

/// The instruction set that the loops of the context's objects use; never MOTE_SIMD_BEST. For NULL: the best.
MOTE_API mote_simd mote_context_simd(const mote_context *context);

/// The number of workers of this context. Worker ids are 0 … count − 1.
MOTE_API uint32_t mote_context_worker_count(const mote_context *context);

/// Runs task(data, block, worker) for block = 0 … block_count − 1 in parallel, and returns when all are done. To have
/// the same results for any number of threads, what a block computes must not depend on the worker. With built-in tasks
/// it may be called from several threads at once and from inside a task. A block should take 10 us or more. A child
/// process that is forked inside a task must not return from it.
MOTE_API void mote_run_blocks(const mote_context *context, uint32_t block_count, mote_task *task, void *task_data);

// ---------------------------------------------------------------------------------------------------- geometry

typedef struct mote_vec3 {
    double x, y, z;
} mote_vec3;

/// Closed, axis-aligned.
typedef struct mote_box {
    mote_vec3 min, max;
} mote_box;

/// Type of the coordinates of points. A search compares distances in this type.
typedef enum mote_scalar { MOTE_F32, MOTE_F64 } mote_scalar;

/// A set of points that the caller owns, in any layout: interleaved or an array for each axis, float or double, in 1D,
/// 2D or 3D. Coordinate k of point i is at (const char *)axis[k] + i * stride, aligned or not. Read during a call only;
/// bytes between interleaved points may be read, too, and change nothing.
typedef struct mote_points {
    const void *axis[3];  ///< one for each dimension; those beyond `dimensions` are not read
    ptrdiff_t stride;     ///< bytes from a point to the next; any number, also below 0
    size_t count;         ///< at most 2^32 − 2
    mote_scalar scalar;
    int dimensions;  ///< 1, 2 or 3
} mote_points;

/// Points as x, y, z, x, y, z, … floats, or doubles; as x, y, x, y, …; as three arrays.
MOTE_API mote_points mote_points_xyz(const float *xyz, size_t count);
MOTE_API mote_points mote_points_xyz_f64(const double *xyz, size_t count);
MOTE_API mote_points mote_points_xy(const float *xy, size_t count);
MOTE_API mote_points mote_points_xy_f64(const double *xy, size_t count);
MOTE_API mote_points mote_points_axes(const float *x, const float *y, const float *z, size_t count);
MOTE_API mote_points mote_points_axes_f64(const double *x, const double *y, const double *z, size_t count);

/// Tells whether points have changed: their number, type, dimensions, coordinates or order; not where they lie.
/// Points in which the bits of one coordinate differ never have the same number; other changes are missed as rarely as
/// a good checksum of 64 bits misses them, unless somebody looks for such.
/// Cost: each coordinate is read once. 0 for points that no call would take (an axis that is NULL, ...).
MOTE_API uint64_t mote_points_checksum(mote_points points);

// ------------------------------------------------------------------------------------------------------ random

/// A small random number generator with the same results everywhere: splitmix64 (Steele, Lea & Flood 2014). Its state
/// is the seed.
typedef struct mote_random {
    uint64_t state;
} mote_random;

MOTE_API uint64_t mote_random_next(mote_random *random);
/// Uniform in [0, 1): the upper 53 bits.
MOTE_API double mote_random_unit(mote_random *random);
/// Uniform in 0 … n − 1, from the upper 32 bits.
MOTE_API uint32_t mote_random_below(mote_random *random, uint32_t n);
/// Roughly normal: the sum of twelve uniforms, less six.
MOTE_API double mote_random_gauss(mote_random *random);

// ------------------------------------------------------------------------------------------------------- texts

/// Writes a number with 15, 16 or 17 significant digits, as few as give the same double when they are read back, and
/// with a decimal point in every locale: "0.1", "1000", "1e-07", "nan", "inf", "-inf". Always terminated if size > 0.
/// @return the length of the whole text, as snprintf returns it; at most 31
MOTE_API size_t mote_number_text(double value, char *text, size_t size);

/// Guesses which word was meant: one that begins with `word`, or one that differs from it by few typing errors (letters
/// added, left out, replaced or swapped). Case does not matter.
/// @param words    ends with NULL
/// @return one of `words`, or NULL if none is similar
MOTE_API const char *mote_nearest_word(const char *word, const char *const *words);

// ------------------------------------------------------------------------------------------------ field tables

typedef enum mote_field_type {
    MOTE_FIELD_BOOL,    ///< bool
    MOTE_FIELD_INT,     ///< int32_t
    MOTE_FIELD_SEED,    ///< uint64_t, up to 2^53
    MOTE_FIELD_NUMBER,  ///< double
    MOTE_FIELD_VECTOR,  ///< mote_vec3
    MOTE_FIELD_CHOICE,  ///< int32_t (an enum), one of `choices`
    MOTE_FIELD_TEXT,    ///< const char *, owned by whoever filled the struct
    MOTE_FIELD_TOLERANCE,  ///< double, which scenes also switch off and on: NaN is false, 0 is true
    MOTE_FIELD_WORDS,      ///< const char *[MOTE_FIELD_WORDS_MOST], one of `choices` if there are; NULL behind the last
    MOTE_FIELD_CORNERS     ///< mote_corners, owned by whoever filled the struct
} mote_field_type;

enum { MOTE_FIELD_WORDS_MOST = 16 };  ///< in a field of words

/// The corners of a polygon in the plane y = 0.
typedef struct mote_corners {
    const double *xz;  ///< 2 · count: x and z of each
    size_t count;      ///< 0: there are none
} mote_corners;

enum {
    MOTE_FIELD_REQUIRED = 1,   ///< has no default
    MOTE_FIELD_ABOVE_MIN = 2,  ///< the minimum itself is out of range
    MOTE_FIELD_BELOW_MAX = 4,  ///< the maximum itself is out of range
    MOTE_FIELD_DERIVED = 8,    ///< a number or vector whose default (NaN) follows from others, as `meaning` says
    MOTE_FIELD_SHARED = 16,    ///< belongs to the whole run: in scenes it is at the top, not in this section
    MOTE_FIELD_PRESET = 32,    ///< a choice that gives other fields their defaults: it is read before them
    MOTE_FIELD_OPTIONAL = 64,  ///< a number or vector that need not be set (NaN), for it does not always apply
    MOTE_FIELD_FORMULA = 128   ///< may be an expression (expression.h) in the variables that `choices` names. Behind a
                               ///< number its struct has a `const char *`, behind a vector three: where they are not
                               ///< NULL, they count instead. A text is an expression as it is, or its default
};

/// A field of a struct: everything that scene files, checks, --help and bindings need to know about it.
typedef struct mote_field {
    const char *name;
    mote_field_type type;
    const char *unit;  ///< "m", "kg/m^3", …; "" or NULL for a pure number
    size_t offset;     ///< of the member in its struct
    int flags;
    double min, max;             ///< of a number, or of every component of a vector; HUGE_VAL is open, as is min == max
    double initial[3];           ///< default; a choice's index in [0]
    const char *initial_text;    ///< default of a text
    const char *const *choices;  ///< names in the enum's order, ended by NULL; or those of a formula's variables
    const char *meaning;
} mote_field;

/// A struct's fields.
typedef struct mote_field_table {
    const char *name;  ///< what the struct describes: "fluid", "tank", …
    const char *meaning;
    const mote_field *fields;
    size_t count;
} mote_field_table;

/// Writes the defaults of all fields into the struct at `object`. Required fields become NaN, 0 or NULL, derived and
/// optional ones NaN. Members that no field describes are not changed.
MOTE_API void mote_fields_set_defaults(const mote_field_table *table, void *object);

/// Checks every field of the struct against its range. Numbers must be finite, unless NaN and derived or optional.
/// Expressions are not looked at.
/// @param error    may be NULL; its index is the field's, its text names table, field and value and what was expected
/// @return MOTE_OK or MOTE_ERROR_ARGUMENT
MOTE_API mote_result mote_fields_check(const mote_field_table *table, const void *object, mote_error *error);

/// Whether one field is in its range.
MOTE_API bool mote_field_is_valid(const mote_field *field, const void *object);

/// Finds a field by name; NULL if there is none.
MOTE_API const mote_field *mote_fields_find(const mote_field_table *table, const char *name);

/// Guesses which field was meant by `name`; NULL if none is similar. See mote_nearest_word.
MOTE_API const char *mote_fields_nearest(const mote_field_table *table, const char *name);

/// Writes what a field accepts ("a number above 0 [m]"), or its value as JSON ("0.0125", "[0, 0, 1]", "true",
/// "\"tait\""; "null" for a text or number that is not set). Always terminated if size > 0.
/// @return the length of the whole text, as snprintf returns it
MOTE_API size_t mote_field_expected_text(const mote_field *field, char *text, size_t size);
MOTE_API size_t mote_field_value_text(const mote_field *field, const void *object, char *text, size_t size);

// ------------------------------------------------------------------------------------------------ named arrays

typedef enum mote_array_type {
    MOTE_ARRAY_F32,
    MOTE_ARRAY_F64,
    MOTE_ARRAY_I8,
    MOTE_ARRAY_U8,
    MOTE_ARRAY_I16,
    MOTE_ARRAY_U16,
    MOTE_ARRAY_I32,
    MOTE_ARRAY_U32,
    MOTE_ARRAY_I64,
    MOTE_ARRAY_U64
} mote_array_type;

enum { MOTE_ARRAY_COMPONENTS = 9 };

/// An array that the caller owns, with one tuple for each point, interleaved or with an array for each component, as in
/// mote_points. Component k of tuple i is at (const char *)component[k] + i * stride. Read during a call only.
typedef struct mote_array {
    const char *name;  ///< "velocity"
    const void *component[MOTE_ARRAY_COMPONENTS];
    ptrdiff_t stride;  ///< bytes from a tuple to the next
    mote_array_type type;
    int components;  ///< 1 … 9: scalar, vector, tensor
    const char *unit;  ///< "m/s"; NULL: unknown
} mote_array;

/// The bytes of one number; 0 for a type that does not exist.
MOTE_API size_t mote_array_type_bytes(mote_array_type type);

/// Packed arrays of one number or of several numbers for each point, and three arrays for three components.
MOTE_API mote_array mote_array_scalars(const char *name, mote_array_type type, const void *data);
MOTE_API mote_array mote_array_tuples(const char *name, mote_array_type type, const void *data, int components);
MOTE_API mote_array mote_array_axes(const char *name, mote_array_type type, const void *x, const void *y,
                                    const void *z);

#ifdef __cplusplus
}
#endif

#endif
