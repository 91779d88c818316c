// SPDX-License-Identifier: MIT
/// mote/expression.h: numbers that texts compute from named variables, as "-cos(2*pi*x)*sin(2*pi*z)" does from x and z.
///
/// An expression consists of
/// - numbers ("2", "0.5", "1e-3"), with a decimal point in every locale, and pi;
/// - the variables that the caller names;
/// - + - * / and ^ (power). ^ binds strongest and from the right: 2^3^2 is 2^9. A sign binds weaker than ^ and stronger
///   than * and /: -2^2 is -4, 2^-1 is 0.5;
/// - parentheses, and the functions sqrt, sin, cos, tan, exp, log (the natural one), cosh, sinh, tanh, abs, and min and
///   max of two or more arguments, which are not-a-number if an argument is. Angles are in radians.
/// Blanks and line breaks may stand between all of these. Upper and lower case differ.
///
/// Values have the same bits on every machine: the functions are mote's own (base/elementary.h), and nothing is
/// simplified or reordered. Nothing is an error when a value is computed: 1/0 is infinite, sqrt(-1) no number.
#ifndef MOTE_EXPRESSION_H
#define MOTE_EXPRESSION_H

#include "mote/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An expression that was compiled. It never changes, so that threads may share it.
typedef struct mote_expression mote_expression;

/// Compiles a text. Cost O(length); one allocation of 16 bytes for each number, variable, operator and call.
/// @param text       ended by '\0'; not kept
/// @param variables  names of letters, digits and _, ended by NULL; not kept
/// @param error      may be NULL. Its line and column are the place in the text that is wrong, which its own text names
///                   as well: "expression: ")" at column 7, expected a number, a name or "(""
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, MOTE_ERROR_FORMAT (it cannot be read, or is nested too deeply: more than 64
///         levels, or more than 64 intermediate values) or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_expression_create(mote_context *context, const char *text, const char *const *variables,
                                            mote_expression **expression, mote_error *error);
MOTE_API void mote_expression_destroy(mote_expression *expression);

/// Checks a text without compiling it: returns what mote_expression_create would, but for the lack of memory.
MOTE_API mote_result mote_expression_check(const char *text, const char *const *variables, mote_error *error);

/// The value. Allocates nothing.
/// @param values   one for each variable, in the order of their names; may be NULL if there are none
MOTE_API double mote_expression_evaluate(const mote_expression *expression, const double *values);

/// The value and its first two derivatives with respect to a variable, by the rules of differentiation: exact but for
/// rounding. At a corner, as of abs at 0, those of one side. Allocates nothing.
/// @param variable  its number
/// @param results   receives value, first and second derivative; one that does not exist is not finite
MOTE_API void mote_expression_derive(const mote_expression *expression, const double *values, size_t variable,
                                     double results[3]);

/// Whether the value depends on the variable of this number.
MOTE_API bool mote_expression_uses(const mote_expression *expression, size_t variable);

typedef struct mote_expression_stats {
    size_t instructions;  ///< numbers, variables, operators and calls
    size_t depth;         ///< most intermediate values at a time
} mote_expression_stats;
MOTE_API mote_expression_stats mote_expression_get_stats(const mote_expression *expression);
MOTE_API size_t mote_expression_byte_count(const mote_expression *expression);
/// Checks every invariant. MOTE_OK, or MOTE_ERROR_STATE with the broken one in the error.
MOTE_API mote_result mote_expression_validate(const mote_expression *expression, mote_error *error);

#ifdef __cplusplus
}
#endif

#endif
