// SPDX-License-Identifier: MIT
// Expressions: a parser by recursive descent that writes a postfix program, and a machine with a stack that runs it.
//
//     sum     = product {("+" | "-") product}
//     product = sign {("*" | "/") sign}
//     sign    = ("+" | "-") sign | power
//     power   = atom ["^" sign]
//     atom    = number | name | name "(" sum {"," sum} ")" | "(" sum ")"
//
// A text is read twice: the first time instructions are only counted, so that the program has its exact size and a bad
// text needs no memory. The parser counts how deep it is nested and how many values the machine will hold, and refuses
// what exceeds the fixed limits: neither the parser's recursion nor the machine's stack can overflow.

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/number.h"
#include "simulation/internal.h"

enum { MOST_LEVELS = 64, MOST_VALUES = 64, EXCERPT = 40, LISTED = 120 };

typedef enum operation_kind {
    PUSH_NUMBER,
    PUSH_VARIABLE,
    NEGATE,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    POWER,
    SQRT,
    SIN,
    COS,
    TAN,
    EXP,
    LOG,
    COSH,
    SINH,
    TANH,
    ABS,
    MIN,
    MAX,
    OPERATION_COUNT
} operation_kind;

typedef struct instruction {
    int32_t operation;
    uint32_t variable;
    double number;
} instruction;

struct mote_expression {
    mote_context *context;
    size_t count, depth, variable_count;
    instruction program[];
};

typedef struct function {
    const char *name;
    operation_kind operation;
    bool is_of_many;  // takes two or more arguments instead of one
} function;

static const function functions[] = {
    {"sqrt", SQRT, false}, {"sin", SIN, false},   {"cos", COS, false},   {"tan", TAN, false},
    {"exp", EXP, false},   {"log", LOG, false},   {"cosh", COSH, false}, {"sinh", SINH, false},
    {"tanh", TANH, false}, {"abs", ABS, false},   {"min", MIN, true},    {"max", MAX, true},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const double pi = 0x1.921fb54442d18p+1;

// ------------------------------------------------------------------------------------------------------- the words

typedef enum token_kind { TOKEN_END, TOKEN_NUMBER, TOKEN_NAME, TOKEN_SIGN } token_kind;

// A piece of the text. Of signs, one byte; so an unknown character, too, which may be the first byte of several.
typedef struct token {
    token_kind kind;
    const char *at;
    size_t length;
} token;

typedef struct parser {
    const char *text, *next;
    token token;  // the one that is to be understood next
    const char *const *variables;
    mote_error *error;
    instruction *program;  // NULL: instructions are counted only
    size_t count, depth, most_depth;
    int level;
} parser;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static const char *skip_digits(const char *at)
{
    while (is_digit(*at)) ++at;
    return at;
}

// The end of a number: digits, a point, digits; then an exponent if it has digits.
static const char *skip_number(const char *at)
{
    at = skip_digits(at);
    if (*at == '.') at = skip_digits(at + 1);
    if (*at != 'e' && *at != 'E') return at;
    const char *exponent = at + 1;
    if (*exponent == '+' || *exponent == '-') ++exponent;
    return is_digit(*exponent) ? skip_digits(exponent) : at;
}

static void advance(parser *self)
{
    const char *at = self->next;
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') ++at;
    token found = {TOKEN_SIGN, at, 1};
    const char *end = at + 1;
    if (*at == '\0') {
        found.kind = TOKEN_END;
        end = at;
    } else if (is_digit(*at) || (*at == '.' && is_digit(at[1]))) {
        found.kind = TOKEN_NUMBER;
        end = skip_number(at);
    } else if (is_letter(*at)) {
        found.kind = TOKEN_NAME;
        while (is_letter(*end) || is_digit(*end)) ++end;
    } else {
        while (((unsigned char)*end & 0xC0) == 0x80) ++end;  // the rest of a character in UTF-8
    }
    found.length = (size_t)(end - at);
    self->token = found;
    self->next = end;
}

static bool is_sign(const parser *self, char sign)
{
    return self->token.kind == TOKEN_SIGN && *self->token.at == sign;
}

// ---------------------------------------------------------------------------------------------------------- errors

// Where a byte of the text is: " at column 7", or " at line 2, column 3" where there are several lines.
static void write_place(const parser *self, const char *at, uint32_t *line, uint32_t *column, char *place, size_t size)
{
    *line = *column = 1;
    for (const char *c = self->text; c < at; ++c) {
        ++*column;
        if (*c != '\n') continue;
        ++*line;
        *column = 1;
    }
    if (strchr(self->text, '\n')) mote_print(place, size, "at line %u, column %u", (unsigned)*line, (unsigned)*column);
    else mote_print(place, size, "at column %u", (unsigned)*column);
}

// "expression: <what is there> at column 7, expected <this>"
static mote_result refuse(const parser *self, const token *found, const char *expected)
{
    uint32_t line, column;
    char place[64], what[EXCERPT + 8];
    write_place(self, found->at, &line, &column, place, sizeof place);
    size_t length = MOTE_MIN(found->length, (size_t)EXCERPT);
    while (length > 0 && length < found->length && ((unsigned char)found->at[length] & 0xC0) == 0x80) --length;
    if (found->kind == TOKEN_END) mote_print(what, sizeof what, "the end");
    else mote_print(what, sizeof what, "\"%.*s%s\"", (int)length, found->at, length < found->length ? "…" : "");
    for (unsigned char *c = (unsigned char *)what; *c; ++c)
        if (*c < ' ' || *c == 0x7F) *c = '?';
    return mote_fail_at(self->error, MOTE_ERROR_FORMAT, line, column, "expression: %s %s, expected %s", what, place,
                        expected);
}

static mote_result refuse_token(const parser *self, const char *expected)
{
    return refuse(self, &self->token, expected);
}

// What an unknown name might have been: the nearest known one, or else all of them.
static mote_result refuse_name(const parser *self, const token *name)
{
    char word[EXCERPT + 1], expected[LISTED];
    const size_t length = MOTE_MIN(name->length, (size_t)EXCERPT);
    memcpy(word, name->at, length);
    word[length] = '\0';
    const char *known[FUNCTIONS + 2] = {"pi"}, *nearest = mote_nearest_word(word, self->variables);
    for (size_t k = 0; k < FUNCTIONS; ++k) known[k + 1] = functions[k].name;
    known[FUNCTIONS + 1] = NULL;
    if (!nearest) nearest = mote_nearest_word(word, known);
    if (nearest) {
        mote_print(expected, sizeof expected, "\"%s\"", nearest);
        return refuse(self, name, expected);
    }
    size_t used = mote_print(expected, sizeof expected, "one of ");
    for (size_t k = 0; self->variables[k] && used < sizeof expected; ++k)
        used += mote_print(expected + used, sizeof expected - used, "%s, ", self->variables[k]);
    for (size_t k = 0; known[k] && used < sizeof expected; ++k)
        used += mote_print(expected + used, sizeof expected - used, "%s%s", k ? ", " : "", known[k]);
    return refuse(self, name, expected);
}

// --------------------------------------------------------------------------------------------------------- parsing

// Adds an instruction that replaces `taken` values of the machine's stack by one.
static mote_result emit(parser *self, operation_kind operation, size_t taken, uint32_t variable, double number)
{
    MOTE_ASSERT(self->depth >= taken);
    self->depth = self->depth - taken + 1;
    self->most_depth = MOTE_MAX(self->most_depth, self->depth);
    if (self->depth > MOST_VALUES) return refuse_token(self, "an expression of at most 64 intermediate values");
    if (self->program) self->program[self->count] = (instruction){(int32_t)operation, variable, number};
    ++self->count;
    return MOTE_OK;
}

static mote_result parse_sum(parser *self);
static mote_result parse_sign(parser *self);

static mote_result expect_sign(parser *self, char sign, const char *expected)
{
    if (!is_sign(self, sign)) return refuse_token(self, expected);
    advance(self);
    return MOTE_OK;
}

static mote_result parse_number(parser *self)
{
    double number;
    if (!mote_number_parse(self->token.at, self->token.length, &number))
        return refuse_token(self, "a number below 1.8e308");
    advance(self);
    return emit(self, PUSH_NUMBER, 0, 0, number);
}

// The arguments of a function whose name was read.
static mote_result parse_call(parser *self, const function *called)
{
    char expected[48];
    mote_print(expected, sizeof expected, "\"(\" after %s", called->name);
    mote_result result = expect_sign(self, '(', expected);
    if (result == MOTE_OK) result = parse_sum(self);
    if (result != MOTE_OK) return result;
    if (!called->is_of_many) {
        result = expect_sign(self, ')', "an operator or \")\"");
        return result == MOTE_OK ? emit(self, called->operation, 1, 0, 0) : result;
    }
    mote_print(expected, sizeof expected, "\",\" and another argument of %s", called->name);
    if (!is_sign(self, ',')) return refuse_token(self, expected);
    while (result == MOTE_OK && is_sign(self, ',')) {
        advance(self);
        result = parse_sum(self);
        if (result == MOTE_OK) result = emit(self, called->operation, 2, 0, 0);
    }
    return result == MOTE_OK ? expect_sign(self, ')', "an operator, \",\" or \")\"") : result;
}

static bool is_named(const token *name, const char *word)
{
    return strlen(word) == name->length && memcmp(word, name->at, name->length) == 0;
}

static mote_result parse_name(parser *self)
{
    const token name = self->token;
    advance(self);
    for (uint32_t k = 0; self->variables[k]; ++k)
        if (is_named(&name, self->variables[k])) return emit(self, PUSH_VARIABLE, 0, k, 0);
    if (is_named(&name, "pi")) return emit(self, PUSH_NUMBER, 0, 0, pi);
    for (size_t k = 0; k < FUNCTIONS; ++k)
        if (is_named(&name, functions[k].name)) return parse_call(self, &functions[k]);
    return refuse_name(self, &name);
}

static mote_result parse_atom(parser *self)
{
    if (self->token.kind == TOKEN_NUMBER) return parse_number(self);
    if (self->token.kind == TOKEN_NAME) return parse_name(self);
    if (!is_sign(self, '(')) return refuse_token(self, "a number, a name or \"(\"");
    advance(self);
    const mote_result result = parse_sum(self);
    return result == MOTE_OK ? expect_sign(self, ')', "an operator or \")\"") : result;
}

static mote_result parse_power(parser *self)
{
    mote_result result = parse_atom(self);
    if (result != MOTE_OK || !is_sign(self, '^')) return result;
    advance(self);
    result = parse_sign(self);
    return result == MOTE_OK ? emit(self, POWER, 2, 0, 0) : result;
}

// Every level of nesting comes through here: of parentheses, calls, signs and powers.
static mote_result parse_sign(parser *self)
{
    if (self->level >= MOST_LEVELS) return refuse_token(self, "an expression of at most 64 levels");
    ++self->level;
    const bool minus = is_sign(self, '-'), plus = is_sign(self, '+');
    if (minus || plus) advance(self);
    mote_result result = minus || plus ? parse_sign(self) : parse_power(self);
    if (result == MOTE_OK && minus) result = emit(self, NEGATE, 1, 0, 0);
    --self->level;
    return result;
}

static mote_result parse_product(parser *self)
{
    mote_result result = parse_sign(self);
    while (result == MOTE_OK && (is_sign(self, '*') || is_sign(self, '/'))) {
        const operation_kind operation = is_sign(self, '*') ? MULTIPLY : DIVIDE;
        advance(self);
        result = parse_sign(self);
        if (result == MOTE_OK) result = emit(self, operation, 2, 0, 0);
    }
    return result;
}

static mote_result parse_sum(parser *self)
{
    mote_result result = parse_product(self);
    while (result == MOTE_OK && (is_sign(self, '+') || is_sign(self, '-'))) {
        const operation_kind operation = is_sign(self, '+') ? ADD : SUBTRACT;
        advance(self);
        result = parse_product(self);
        if (result == MOTE_OK) result = emit(self, operation, 2, 0, 0);
    }
    return result;
}

// Reads the whole text; instructions go to `program`, unless it is NULL.
static mote_result parse(parser *self, instruction *program)
{
    self->next = self->text;
    self->program = program;
    self->count = self->depth = self->most_depth = 0;
    self->level = 0;
    advance(self);
    mote_result result = parse_sum(self);
    if (result == MOTE_OK && self->token.kind != TOKEN_END) result = refuse_token(self, "an operator or the end");
    return result;
}

// --------------------------------------------------------------------------------------------------- the expression

static const char *const no_variables[] = {NULL};

mote_result mote_expression_check(const char *text, const char *const *variables, mote_error *error)
{
    if (!text) return mote_fail_null(error, "expression", "the text");
    parser self = {.text = text, .variables = variables ? variables : no_variables, .error = error};
    return parse(&self, NULL);
}

mote_result mote_expression_create(mote_context *context, const char *text, const char *const *variables,
                                   mote_expression **expression, mote_error *error)
{
    if (!text || !expression)
        return mote_fail_null(error, "expression", text ? "where to put the expression" : "the text");
    parser self = {.text = text, .variables = variables ? variables : no_variables, .error = error};
    mote_result result = parse(&self, NULL);
    if (result != MOTE_OK) return result;
    mote_expression *made = mote_allocate(context, sizeof *made + self.count * sizeof *made->program);
    if (!made) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "expression: no memory");
    *made = (mote_expression){.context = context, .count = self.count, .depth = self.most_depth};
    while (self.variables[made->variable_count]) ++made->variable_count;
    parse(&self, made->program);
    MOTE_VALIDATE(mote_expression_validate(made, NULL) == MOTE_OK);
    *expression = made;
    return MOTE_OK;
}

size_t mote_expression_byte_count(const mote_expression *expression)
{
    return expression ? sizeof *expression + expression->count * sizeof *expression->program : 0;
}

void mote_expression_destroy(mote_expression *expression)
{
    if (expression) mote_release(expression->context, expression, mote_expression_byte_count(expression));
}

mote_expression_stats mote_expression_get_stats(const mote_expression *expression)
{
    if (!expression) return (mote_expression_stats){0};
    return (mote_expression_stats){.instructions = expression->count, .depth = expression->depth};
}

bool mote_expression_uses(const mote_expression *expression, size_t variable)
{
    for (size_t k = 0; expression && k < expression->count; ++k)
        if (expression->program[k].operation == PUSH_VARIABLE && expression->program[k].variable == variable)
            return true;
    return false;
}

// -------------------------------------------------------------------------------------------------------- computing

// Values that an operation takes from the stack.
static size_t taken_by(operation_kind operation)
{
    switch (operation) {
    case PUSH_NUMBER:
    case PUSH_VARIABLE: return 0;
    case ADD:
    case SUBTRACT:
    case MULTIPLY:
    case DIVIDE:
    case POWER:
    case MIN:
    case MAX: return 2;
    default: return 1;
    }
}

static double apply_to_one(operation_kind operation, double a)
{
    switch (operation) {
    case NEGATE: return -a;
    case SQRT: return sqrt(a);
    case SIN: return mote_sin(a);
    case COS: return mote_cos(a);
    case TAN: return mote_tan(a);
    case EXP: return mote_exp(a);
    case LOG: return mote_ln(a);
    case COSH: return mote_cosh(a);
    case SINH: return mote_sinh(a);
    case TANH: return mote_tanh(a);
    default: return fabs(a);
    }
}

// Not-a-number compares as false, and is kept on either side.
static double apply_to_two(operation_kind operation, double a, double b)
{
    switch (operation) {
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MULTIPLY: return a * b;
    case DIVIDE: return a / b;
    case POWER: return mote_pow(a, b);
    case MIN: return a < b || a != a ? a : b;
    default: return a > b || a != a ? a : b;
    }
}

double mote_expression_evaluate(const mote_expression *expression, const double *values)
{
    if (!expression || (!values && expression->variable_count)) return 0;
    double stack[MOST_VALUES];
    size_t used = 0;
    for (size_t k = 0; k < expression->count; ++k) {
        const instruction *at = &expression->program[k];
        const operation_kind operation = (operation_kind)at->operation;
        switch (taken_by(operation)) {
        case 0: stack[used++] = operation == PUSH_NUMBER ? at->number : values[at->variable]; break;
        case 1: stack[used - 1] = apply_to_one(operation, stack[used - 1]); break;
        default:
            --used;
            stack[used - 1] = apply_to_two(operation, stack[used - 1], stack[used]);
        }
    }
    return stack[0];
}

// ------------------------------------------------------------------------------------------------------ derivatives

// A value with its first two derivatives.
typedef struct jet {
    double at, first, second;
} jet;

// The chain rule for f(a), where f has these derivatives at the value of a. A constant has none, whatever f has.
static jet chain(double value, double first, double second, jet a)
{
    if (a.first == 0 && a.second == 0) return (jet){value, 0, 0};
    return (jet){value, first * a.first, second * a.first * a.first + first * a.second};
}

static jet multiply(jet a, jet b)
{
    return (jet){a.at * b.at, a.first * b.at + a.at * b.first,
                 a.second * b.at + 2 * a.first * b.first + a.at * b.second};
}

static jet derive_one(operation_kind operation, jet a)
{
    const double value = apply_to_one(operation, a.at);
    switch (operation) {
    case NEGATE: return (jet){-a.at, -a.first, -a.second};
    case SQRT: return chain(value, 0.5 / value, -0.25 / (value * a.at), a);
    case SIN: return chain(value, mote_cos(a.at), -value, a);
    case COS: return chain(value, -mote_sin(a.at), -value, a);
    case TAN: return chain(value, 1 + value * value, 2 * value * (1 + value * value), a);
    case EXP: return chain(value, value, value, a);
    case LOG: return chain(value, 1 / a.at, -1 / (a.at * a.at), a);
    case COSH: return chain(value, mote_sinh(a.at), value, a);
    case SINH: return chain(value, mote_cosh(a.at), value, a);
    case TANH: return chain(value, 1 - value * value, -2 * value * (1 - value * value), a);
    default: return a.at < 0 ? (jet){value, -a.first, -a.second} : (jet){value, a.first, a.second};
    }
}

// a^b: by the rule of powers where b is constant, which also holds where a is not above 0; otherwise exp(b ln a).
static jet derive_power(jet a, jet b)
{
    const double value = mote_pow(a.at, b.at), n = b.at;
    if (b.first == 0 && b.second == 0) {
        const double first = n == 0 ? 0 : n * mote_pow(a.at, n - 1);
        const double second = n == 0 || n == 1 ? 0 : n * (n - 1) * mote_pow(a.at, n - 2);
        return chain(value, first, second, a);
    }
    const jet exponent = multiply(b, derive_one(LOG, a));
    return chain(value, value, value, exponent);
}

static jet derive_two(operation_kind operation, jet a, jet b)
{
    switch (operation) {
    case ADD: return (jet){a.at + b.at, a.first + b.first, a.second + b.second};
    case SUBTRACT: return (jet){a.at - b.at, a.first - b.first, a.second - b.second};
    case MULTIPLY: return multiply(a, b);
    case DIVIDE: {
        jet quotient = multiply(a, chain(1 / b.at, -1 / (b.at * b.at), 2 / (b.at * b.at * b.at), b));
        quotient.at = a.at / b.at;
        return quotient;
    }
    case POWER: return derive_power(a, b);
    case MIN: return a.at < b.at || a.at != a.at ? a : b;
    default: return a.at > b.at || a.at != a.at ? a : b;
    }
}

void mote_expression_derive(const mote_expression *expression, const double *values, size_t variable,
                            double results[3])
{
    if (!results) return;
    results[0] = results[1] = results[2] = 0;
    if (!expression || (!values && expression->variable_count)) return;
    jet stack[MOST_VALUES];
    size_t used = 0;
    for (size_t k = 0; k < expression->count; ++k) {
        const instruction *at = &expression->program[k];
        const operation_kind operation = (operation_kind)at->operation;
        switch (taken_by(operation)) {
        case 0:
            stack[used++] = operation == PUSH_NUMBER ? (jet){at->number, 0, 0}
                                                     : (jet){values[at->variable], at->variable == variable, 0};
            break;
        case 1: stack[used - 1] = derive_one(operation, stack[used - 1]); break;
        default:
            --used;
            stack[used - 1] = derive_two(operation, stack[used - 1], stack[used]);
        }
    }
    results[0] = stack[0].at, results[1] = stack[0].first, results[2] = stack[0].second;
}

mote_result mote_expression_validate(const mote_expression *expression, mote_error *error)
{
    if (!expression) return mote_fail_null(error, "expression", "the object");
    size_t depth = 0, most = 0;
    for (size_t k = 0; k < expression->count; ++k) {
        const instruction *at = &expression->program[k];
        if (at->operation < 0 || at->operation >= OPERATION_COUNT)
            return mote_fail(error, MOTE_ERROR_STATE, k, "expression: instruction %zu is unknown", k);
        const size_t taken = taken_by((operation_kind)at->operation);
        if (taken > depth || (at->operation == PUSH_VARIABLE && at->variable >= expression->variable_count))
            return mote_fail(error, MOTE_ERROR_STATE, k, "expression: instruction %zu takes what is not there", k);
        depth = depth - taken + 1;
        most = MOTE_MAX(most, depth);
    }
    if (depth == 1 && most == expression->depth && most <= MOST_VALUES) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_STATE, 0, "expression: %zu values are left of %zu", depth, most);
}

mote_result mote_expression_refuse(const char *field, const mote_error *found, mote_error *error)
{
    static const char module[] = "expression: ";
    const char *text = found->text;
    if (strncmp(text, module, sizeof module - 1) == 0) text += sizeof module - 1;
    return mote_fail_at(error, MOTE_ERROR_ARGUMENT, found->line, found->column, "%s is no expression: %s", field, text);
}
