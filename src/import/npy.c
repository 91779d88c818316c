// SPDX-License-Identifier: MIT
// NPY: an array in NumPy's file format, versions 1.0, 2.0 and 3.0 (NumPy Enhancement Proposal 1).
//
// The file begins with a magic word, the version and the header's length. The header is a Python dictionary of three
// entries. Nothing in it is evaluated: only a type's name, True or False, and a tuple of whole numbers are read. The
// data after it must have exactly the size that these give.

#include <math.h>
#include <string.h>

#include "import/points.h"

static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6, MOST_DIMENSIONS = 32 };

typedef struct npy_array {
    const char *data;
    mote_token type;   // "<f8"
    mote_token shape;  // "(100, 3)"
    char kind;         // 'f', 'i' or 'u'
    size_t size;       // of a number
    bool is_big, is_fortran;
    bool has_type, has_order, has_shape;
    uint64_t rows, columns;
} npy_array;

typedef struct npy_text {
    const mote_source *source;
    const char *at, *end;
} npy_text;

bool mote_npy_is(const mote_source *source)
{
    return source->size >= MAGIC && memcmp(source->data, magic, MAGIC) == 0;
}

// ------------------------------------------------------------------------------------------------------ header

static mote_token token_of(const char *begin, const char *end)
{
    return (mote_token){MOTE_TOKEN_WORD, begin, (size_t)(end - begin), 0, 0};
}

static void pass_blanks(npy_text *text)
{
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\n' || *text->at == '\t')) ++text->at;
}

static bool pass_mark(npy_text *text, char mark)
{
    pass_blanks(text);
    if (text->at == text->end || *text->at != mark) return false;
    ++text->at;
    return true;
}

static mote_result fail_header(const npy_text *text, const char *expected)
{
    const mote_token rest = token_of(text->at, text->end);
    return mote_source_fail(text->source, 0, 0, "header: there is %s, expected %s", mote_token_quote(&rest).text,
                            expected);
}

// A text in single or double quotes.
static bool read_text(npy_text *text, mote_token *token)
{
    pass_blanks(text);
    if (text->at == text->end || (*text->at != '\'' && *text->at != '"')) return false;
    const char *begin = text->at + 1;
    const char *close = memchr(begin, *text->at, (size_t)(text->end - begin));
    if (!close) return false;
    *token = token_of(begin, close);
    text->at = close + 1;
    return true;
}

static bool read_word(npy_text *text, mote_token *token)
{
    pass_blanks(text);
    const char *begin = text->at;
    while (text->at < text->end && ((*text->at | 0x20) >= 'a' && (*text->at | 0x20) <= 'z')) ++text->at;
    *token = token_of(begin, text->at);
    return token->length > 0;
}

// A tuple of whole numbers, of which the first two are kept.
static mote_result read_shape(npy_text *text, npy_array *array)
{
    static const char expected[] = "the shape: a tuple as (100, 3)";
    int64_t sides[2] = {0, 0};
    size_t count = 0;
    pass_blanks(text);
    const char *begin = text->at;
    if (!pass_mark(text, '(')) return fail_header(text, expected);
    while (!pass_mark(text, ')')) {
        const char *digits = text->at;
        while (text->at < text->end && *text->at >= '0' && *text->at <= '9') ++text->at;
        int64_t side;
        if (!mote_integer_parse(digits, (size_t)(text->at - digits), 0, INT64_MAX, &side) || count == MOST_DIMENSIONS)
            return fail_header(text, expected);
        if (count < 2) sides[count] = side;
        ++count;
        if (text->at < text->end && *text->at == 'L') ++text->at;  // as Python 2 wrote large numbers
        pass_blanks(text);
        if (!pass_mark(text, ',') && (text->at == text->end || *text->at != ')')) return fail_header(text, expected);
    }
    array->shape = token_of(begin, text->at);
    array->has_shape = true;
    array->rows = (uint64_t)sides[0];
    array->columns = count == 2 ? (uint64_t)sides[1] : 0;
    return MOTE_OK;
}

static mote_result read_order(npy_text *text, npy_array *array)
{
    mote_token word;
    const char *before = text->at;
    array->has_order = read_word(text, &word) && (mote_token_is(&word, "True") || mote_token_is(&word, "False"));
    array->is_fortran = array->has_order && mote_token_is(&word, "True");
    if (array->has_order) return MOTE_OK;
    text->at = before;
    return fail_header(text, "fortran_order: True or False");
}

static mote_result read_entry(npy_text *text, npy_array *array)
{
    mote_token key;
    if (!read_text(text, &key) || !pass_mark(text, ':')) return fail_header(text, "an entry as 'shape': (100, 3)");
    if (mote_token_is(&key, "shape")) return read_shape(text, array);
    if (mote_token_is(&key, "fortran_order")) return read_order(text, array);
    if (!mote_token_is(&key, "descr"))
        return mote_token_fail(text->source, &key, "header: the key", "descr, fortran_order or shape");
    pass_blanks(text);
    if (text->at < text->end && *text->at == '[')
        return mote_source_fail(text->source, 0, 0, "descr is a list, as structured arrays have it, expected plain "
                                                    "numbers: <f4, <f8 or integers");
    array->has_type = read_text(text, &array->type);
    return array->has_type ? MOTE_OK : fail_header(text, "descr: a type as '<f8'");
}

static mote_result read_entries(npy_text *text, npy_array *array)
{
    if (!pass_mark(text, '{')) return fail_header(text, "{");
    while (!pass_mark(text, '}')) {
        mote_result result = read_entry(text, array);
        if (result != MOTE_OK) return result;
        pass_blanks(text);
        if (!pass_mark(text, ',') && (text->at == text->end || *text->at != '}')) return fail_header(text, ", or }");
    }
    pass_blanks(text);
    if (text->at < text->end) return fail_header(text, "nothing behind }");
    const char *lacks = !array->has_type ? "descr" : !array->has_order ? "fortran_order" : "shape";
    if (array->has_type && array->has_order && array->has_shape) return MOTE_OK;
    return mote_source_fail(text->source, 0, 0, "header: there is no %s, expected one", lacks);
}

// "<f8": byte order, kind and bytes. Numbers of one byte have no order, for which NumPy writes '|'.
static mote_result read_type(const mote_source *source, npy_array *array)
{
    const mote_token *type = &array->type;
    const char order = type->length == 3 ? type->text[0] : '\0', kind = order ? type->text[1] : '\0';
    const int size = order ? type->text[2] - '0' : 0;
    const bool is_integer = (kind == 'i' || kind == 'u') && (size == 1 || size == 2 || size == 4 || size == 8);
    const bool is_known = is_integer || (kind == 'f' && (size == 4 || size == 8));
    if (!is_known || !strchr(size == 1 ? "|<>" : "<>", order))
        return mote_token_fail(source, type, "descr", "<f4, <f8, >f4, >f8 or integers (i, u) of 1 to 8 bytes");
    array->kind = kind;
    array->size = (size_t)size;
    array->is_big = order == '>';
    return MOTE_OK;
}

static mote_result check_shape(const mote_source *source, const npy_array *array)
{
    const size_t left = source->size - (size_t)(array->data - source->data);
    const uint64_t row = array->columns * array->size;
    if (array->columns != 2 && array->columns != 3)
        return mote_token_fail(source, &array->shape, "shape", "(N, 2) or (N, 3): a row a point");
    if (array->rows >= UINT32_MAX)
        return mote_token_fail(source, &array->shape, "shape", "at most 2^32 - 2 points");
    if (array->rows * row == left) return MOTE_OK;  // below 2^37
    return mote_source_fail(source, 0, 0, "%zu bytes of data, expected %llu for shape %s of %s", left,
                            (unsigned long long)(array->rows * row), mote_token_quote(&array->shape).text,
                            mote_token_quote(&array->type).text);
}

static mote_result read_header(const mote_source *source, npy_array *array)
{
    const unsigned char *bytes = (const unsigned char *)source->data;
    if (!mote_npy_is(source))
        return mote_source_fail(source, 0, 0, "it does not begin as NPY files do, expected \\x93NUMPY");
    const unsigned version = source->size > MAGIC ? bytes[MAGIC] : 0;
    if (version < 1 || version > 3)
        return mote_source_fail(source, 0, 0, "version is %u, expected 1, 2 or 3", version);
    const size_t begin = version == 1 ? 10 : 12;
    uint64_t length = 0;
    for (size_t k = begin; k > 8 && source->size >= begin; --k) length = length << 8 | bytes[k - 1];
    if (source->size < begin || length > source->size - begin)
        return mote_source_fail(source, 0, 0, "%zu bytes, expected %llu of the header alone", source->size,
                                (unsigned long long)(begin + length));
    npy_text text = {source, source->data + begin, source->data + begin + length};
    array->data = text.end;
    mote_result result = read_entries(&text, array);
    if (result == MOTE_OK) result = read_type(source, array);
    return result == MOTE_OK ? check_shape(source, array) : result;
}

// -------------------------------------------------------------------------------------------------------- data

static double decode(const npy_array *array, const char *at)
{
    uint64_t bits = 0;
    for (size_t k = 0; k < array->size; ++k)
        bits = bits << 8 | (unsigned char)at[array->is_big ? k : array->size - 1 - k];
    if (array->kind == 'u') return (double)bits;
    if (array->kind == 'i') {
        const uint64_t sign = UINT64_C(1) << (8 * array->size - 1);
        return (bits & sign) ? -(double)(sign - (bits & (sign - 1))) : (double)bits;
    }
    if (array->size == 4) {
        const uint32_t low = (uint32_t)bits;
        float single;
        memcpy(&single, &low, sizeof single);
        return (double)single;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static mote_result read_point(const npy_array *array, uint64_t i, mote_mesh_builder *builder)
{
    double at[3] = {0, 0, 0};
    for (uint64_t k = 0; k < array->columns; ++k) {
        const uint64_t place = array->is_fortran ? k * array->rows + i : i * array->columns + k;
        const char *from = array->data + (size_t)place * array->size;
        at[k] = decode(array, from);
        if (!isfinite(at[k]))
            return mote_source_fail(builder->source, 0, 0, "point %llu (byte %zu): %c is infinite or not a number, "
                                    "expected a finite number", (unsigned long long)i,
                                    (size_t)(from - builder->source->data), "xyz"[k]);
    }
    return mote_builder_vertex(builder, (mote_vec3){at[0], at[1], at[2]});
}

mote_result mote_npy_read(const mote_source *source, mote_mesh_builder *builder, int *dimensions)
{
    npy_array array = {.kind = '\0'};
    mote_result result = read_header(source, &array);
    if (result == MOTE_OK) result = mote_builder_expect(builder, array.rows);
    for (uint64_t i = 0; i < array.rows && result == MOTE_OK; ++i) result = read_point(&array, i, builder);
    *dimensions = (int)array.columns;
    return result;
}
