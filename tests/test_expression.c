// SPDX-License-Identifier: MIT
// Expressions: what binds how, every function against the library's own, what is refused and where, random texts, and
// random trees against a recursive evaluator.
#include "base/tested.h"
#include "mote/expression.h"
#include "support/test.h"

static const char *const xyzt[] = {"x", "y", "z", "t", NULL};
static const double at[] = {0.75, -1.5, 2.25, 10};

static double value_of(const char *text)
{
    mote_expression *made;
    mote_error error = {0};
    CHECK(mote_expression_create(NULL, text, xyzt, &made, &error) == MOTE_OK, "\"%s\": %s", text, error.text);
    CHECK_OK(mote_expression_validate(made, NULL));
    const double value = mote_expression_evaluate(made, at);
    mote_expression_destroy(made);
    return value;
}

static void expect(const char *text, double expected)
{
    const double value = value_of(text);
    const bool same = value == expected && !signbit(value) == !signbit(expected);
    CHECK(same || (isnan(value) && isnan(expected)), "\"%s\" is %.17g, expected %.17g", text, value, expected);
}

// ---------------------------------------------------------------------------------------------------- good ones

static void operators_bind_as_in_mathematics(void **state)
{
    (void)state;
    expect("1 + 2*3", 7);
    expect("(1 + 2)*3", 9);
    expect("10 - 4 - 3", 3);
    expect("100/10/2", 5);
    expect("100/10*2", 20);
    expect("2^3^2", 512);
    expect("(2^3)^2", 64);
    expect("-2^2", -4);
    expect("(-2)^2", 4);
    expect("2^-1", 0.5);
    expect("2^-2^2", 0.0625);
    expect("-2^-2", -0.25);
    expect("2*-3", -6);
    expect("2 - -3", 5);
    expect("--3", 3);
    expect("-+-3", 3);
    expect("+x", 0.75);
    expect("-x*4", -3);
    expect("3*2^2", 12);
    expect("2^2*3", 12);
    expect("8/2^2", 2);
    expect("1 + 2 - 3*4/6^1", 1);
    expect("min(3, 2 - 4, 5)", -2);
    expect("max(3, 2*4, 5)", 8);
    expect("abs(-3)^2", 9);
}

static void numbers_and_names_are_read(void **state)
{
    (void)state;
    expect("0", 0);
    expect("-0", -0.0);
    expect("1.5e3", 1500);
    expect(".5", 0.5);
    expect("5.", 5);
    expect("1E-2", 0.01);
    expect("4.9e-324", 0x1p-1074);
    expect("0.1", 0.1);
    expect("x", 0.75);
    expect(" \t\n\r ( t ) ", 10);
    expect("pi", 0x1.921fb54442d18p+1);
    expect("x + y + z + t", 11.5);
    mote_expression *made;
    static const char *const names[] = {"speed_2", "_", NULL};
    static const double values[] = {3, 5};
    CHECK_OK(mote_expression_create(NULL, "speed_2^2 - _", names, &made, NULL));
    assert_true(mote_expression_evaluate(made, values) == 4);
    assert_true(mote_expression_uses(made, 1) && !mote_expression_uses(made, 2));
    const mote_expression_stats stats = mote_expression_get_stats(made);
    CHECK(stats.instructions == 5 && stats.depth == 2, "%zu, %zu", stats.instructions, stats.depth);
    mote_expression_destroy(made);
    CHECK_OK(mote_expression_create(NULL, "1/0", NULL, &made, NULL));
    assert_true(mote_expression_evaluate(made, NULL) == (double)INFINITY);
    mote_expression_destroy(made);
}

static double min_of(double a, double b)
{
    return a < b || isnan(a) ? a : b;
}

// On many arguments, every function has the bits of base/elementary.h, which test_elementary compares with the C
// library; and is near the C library's own.
static void functions_are_those_of_the_library(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double (*ours)(double), (*theirs)(double);
    } cases[] = {{"sqrt(x)", sqrt, sqrt},      {"sin(x)", mote_sin, sin},    {"cos(x)", mote_cos, cos},
                 {"tan(x)", mote_tan, tan},    {"exp(x)", mote_exp, exp},    {"log(x)", mote_ln, log},
                 {"cosh(x)", mote_cosh, cosh}, {"sinh(x)", mote_sinh, sinh}, {"tanh(x)", mote_tanh, tanh},
                 {"abs(x)", fabs, fabs}};
    mote_random random = {3};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        mote_expression *made;
        CHECK_OK(mote_expression_create(NULL, cases[k].text, xyzt, &made, NULL));
        for (int i = 0; i < 2000; ++i) {
            const double x[4] = {20 * mote_random_unit(&random) - (i % 2 ? 10 : 0)};
            const double value = mote_expression_evaluate(made, x), ours = cases[k].ours(x[0]);
            const double theirs = cases[k].theirs(x[0]);
            if (isnan(ours) && isnan(value) && isnan(theirs)) continue;
            CHECK(value == ours, "%s at %.17g: %.17g, expected %.17g", cases[k].text, x[0], value, ours);
            CHECK(fabs(value - theirs) <= 1e-15 * fabs(theirs), "%s at %.17g", cases[k].text, x[0]);
        }
        mote_expression_destroy(made);
    }
    expect("y^3", mote_pow(-1.5, 3));
    expect("min(y, sqrt(-1))", (double)NAN);
    expect("max(0/0, y)", value_of("0/0"));
    expect("log(0)", -(double)INFINITY);
    expect("sqrt(-1)", value_of("0/0"));
}

// ----------------------------------------------------------------------------------------------------- bad ones

static void faults_have_places(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *message;
    } cases[] = {
        {"", 1, 1, "expression: the end at column 1, expected a number, a name or \"(\""},
        {"  ", 1, 3, "expression: the end at column 3, expected a number, a name or \"(\""},
        {"1 +", 1, 4, "expression: the end at column 4, expected a number, a name or \"(\""},
        {"(1 + 2", 1, 7, "expression: the end at column 7, expected an operator or \")\""},
        {"1 + )", 1, 5, "expression: \")\" at column 5, expected a number, a name or \"(\""},
        {"1 2", 1, 3, "expression: \"2\" at column 3, expected an operator or the end"},
        {"2x", 1, 2, "expression: \"x\" at column 2, expected an operator or the end"},
        {"1 ** 2", 1, 4, "expression: \"*\" at column 4, expected a number, a name or \"(\""},
        {"sin x", 1, 5, "expression: \"x\" at column 5, expected \"(\" after sin"},
        {"sin(x, y)", 1, 6, "expression: \",\" at column 6, expected an operator or \")\""},
        {"min(x)", 1, 6, "expression: \")\" at column 6, expected \",\" and another argument of min"},
        {"max(x, y; z)", 1, 9, "expression: \";\" at column 9, expected an operator, \",\" or \")\""},
        {"x + sine(y)", 1, 5, "expression: \"sine\" at column 5, expected \"sin\""},
        {"x + Pi", 1, 5, "expression: \"Pi\" at column 5, expected \"pi\""},
        {"speed", 1, 1,
         "expression: \"speed\" at column 1, expected one of x, y, z, t, pi, sqrt, sin, cos, tan, exp, log, cosh, "
         "sinh, tanh, abs, min, max"},
        {"1 +\n  2 *\n  / 3", 3, 3,
         "expression: \"/\" at line 3, column 3, expected a number, a name or \"(\""},
        {"1e999", 1, 1, "expression: \"1e999\" at column 1, expected a number below 1.8e308"},
        {"1e", 1, 2, "expression: \"e\" at column 2, expected an operator or the end"},
        {"1.2.3", 1, 4, "expression: \".3\" at column 4, expected an operator or the end"},
        {"2 × 3", 1, 3, "expression: \"×\" at column 3, expected an operator or the end"},
        {"x\001", 1, 2, "expression: \"?\" at column 2, expected an operator or the end"},
        {"1,5", 1, 2, "expression: \",\" at column 2, expected an operator or the end"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        mote_error error = {0}, again = {0};
        mote_expression *made = NULL;
        CHECK(mote_expression_create(NULL, cases[k].text, xyzt, &made, &error) == MOTE_ERROR_FORMAT && !made,
              "\"%s\" was taken", cases[k].text);
        CHECK(strcmp(error.text, cases[k].message) == 0, "\"%s\": %s", cases[k].text, error.text);
        CHECK(error.line == cases[k].line && error.column == cases[k].column, "\"%s\" at %u:%u", cases[k].text,
              error.line, error.column);
        CHECK(mote_expression_check(cases[k].text, xyzt, &again) == MOTE_ERROR_FORMAT, "\"%s\"", cases[k].text);
        CHECK(memcmp(&again, &error, sizeof error) == 0, "\"%s\": %s", cases[k].text, again.text);
    }
    CHECK(mote_expression_check("x", NULL, NULL) == MOTE_ERROR_FORMAT, "no variables");
}

// A text of `count` times `part`, then `middle`, then `count` times `end`.
static char *repeat(const char *part, size_t count, const char *middle, const char *end)
{
    char *text = calloc(1, count * (strlen(part) + strlen(end)) + strlen(middle) + 1);
    assert_non_null(text);
    char *to = text;
    for (size_t k = 0; k < count; ++k) to += sprintf(to, "%s", part);
    to += sprintf(to, "%s", middle);
    for (size_t k = 0; k < count; ++k) to += sprintf(to, "%s", end);
    return text;
}

// Deep nesting is refused, at whatever depth; long texts without it are not.
static void depth_is_bounded(void **state)
{
    (void)state;
    static const struct {
        const char *part, *middle, *end;
        size_t good;  // so many are accepted, one more is not
    } cases[] = {{"(", "1", ")", 63}, {"-", "1", "", 63}, {"2^", "1", "", 63}, {"sin(", "1", ")", 63},
                 {"min(1,", "1", ")", 63}, {"1+(", "1", ")", 63}, {"1+2*3^(", "1", ")", 21}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
        for (size_t count = 1; count < 300000; count = count < 70 ? count + 1 : 40 * count) {
            char *text = repeat(cases[k].part, count, cases[k].middle, cases[k].end);
            mote_error error = {0};
            const mote_result result = mote_expression_check(text, NULL, &error);
            CHECK((result == MOTE_OK) == (count <= cases[k].good), "%zu times \"%s\": %s", count, cases[k].part,
                  error.text);
            free(text);
        }
    char *text = repeat("1 + ", 100000, "1", "");
    CHECK(value_of(text) == 100001, "a long sum");
    free(text);
}

// -------------------------------------------------------------------------------------------------------- fuzz

// Random bytes and random words are accepted or refused with one line of text, and do no harm.
static void random_texts_do_no_harm(void **state)
{
    (void)state;
    static const char *const words[] = {"x", "y", "1", "2.5e-3", "+", "-", "*", "/", "^", "(", ")", ",", "sin", "min",
                                        "pi", " ", "\n", "1e", ".", "sinn", "(x)", "max(1,2)"};
    mote_random random = {5};
    size_t good = 0;
    for (int round = 0; round < (SLOW_BUILD ? 20000 : 200000); ++round) {
        char text[128] = "";
        const uint32_t count = mote_random_below(&random, 12);
        for (uint32_t k = 0; k < count; ++k)
            if (round % 2) strcat(text, words[mote_random_below(&random, sizeof words / sizeof *words)]);
            else text[k] = (char)mote_random_below(&random, 256);
        mote_error error = {0};
        mote_expression *made;
        const mote_result result = mote_expression_create(NULL, text, xyzt, &made, &error);
        if (result == MOTE_OK) {
            CHECK_OK(mote_expression_validate(made, NULL));
            (void)mote_expression_evaluate(made, at);
            mote_expression_destroy(made);
            ++good;
            continue;
        }
        CHECK(result == MOTE_ERROR_FORMAT && error.text[0] && !strpbrk(error.text, "\n\r\033"), "\"%s\"", text);
        CHECK(error.line >= 1 && error.column >= 1 && error.column <= strlen(text) + 1, "\"%s\"", text);
    }
    CHECK(good > (SLOW_BUILD ? 100 : 1000), "only %zu were good", good);
}

// A tree that is written as a text and computed as it is.
typedef struct maker {
    mote_random random;
    char text[4096];
    size_t used;
} maker;

static void put(maker *to, const char *text)
{
    to->used += (size_t)snprintf(to->text + to->used, sizeof to->text - to->used, "%s", text);
}

static void put_blank(maker *to)
{
    if (mote_random_below(&to->random, 4) == 0) put(to, " ");
}

enum { SUM, PRODUCT, SIGN, ATOM };  // what may stand in a place: a sum, …, an atom alone

static double make_leaf(maker *to)
{
    char digits[32];
    if (mote_random_below(&to->random, 2)) {
        const uint32_t k = mote_random_below(&to->random, 4);
        put(to, xyzt[k]);
        return at[k];
    }
    const double number = mote_random_below(&to->random, 3) ? mote_random_unit(&to->random)
                                                            : (double)mote_random_below(&to->random, 100);
    mote_number_text(number, digits, sizeof digits);
    put(to, digits);
    return number;
}

static double make_tree(maker *to, int depth, int place);

static double make_call(maker *to, int depth)
{
    static double (*const one[])(double) = {sqrt, mote_sin, mote_cos, mote_tan, mote_exp, mote_ln, mote_cosh,
                                            mote_sinh, mote_tanh, fabs};
    static const char *const names[] = {"sqrt(", "sin(", "cos(", "tan(", "exp(", "log(", "cosh(", "sinh(", "tanh(",
                                        "abs("};
    const uint32_t k = mote_random_below(&to->random, 12);
    if (k < 10) {
        put(to, names[k]);
        const double a = make_tree(to, depth - 1, SUM);
        put(to, ")");
        return one[k](a);
    }
    put(to, k == 10 ? "min(" : "max(");
    double all = make_tree(to, depth - 1, SUM);
    for (uint32_t more = 1 + mote_random_below(&to->random, 3); more > 0; --more) {
        put(to, ",");
        const double b = make_tree(to, depth - 1, SUM);
        all = k == 10 ? min_of(all, b) : -min_of(-all, -b);
    }
    put(to, ")");
    return all;
}

static double make_binary(maker *to, int depth, int place, const char *signs, int left, int right)
{
    if (place > left) put(to, "(");
    const double a = make_tree(to, depth - 1, left);
    put_blank(to);
    const char sign[2] = {signs[mote_random_below(&to->random, 2)]};
    put(to, sign);
    put_blank(to);
    const double b = make_tree(to, depth - 1, right);
    if (place > left) put(to, ")");
    return *sign == '+' ? a + b : *sign == '-' ? a - b : *sign == '*' ? a * b : a / b;
}

static double make_tree(maker *to, int depth, int place)
{
    if (depth == 0 || to->used > sizeof to->text / 2) return make_leaf(to);
    switch (mote_random_below(&to->random, 7)) {
    case 0: return make_leaf(to);
    case 1:
    case 2: return make_binary(to, depth, place, "+-", SUM, PRODUCT);
    case 3: return make_binary(to, depth, place, "*/", PRODUCT, SIGN);
    case 4: {
        if (place > SIGN) put(to, "(");
        const bool minus = mote_random_below(&to->random, 2);
        put(to, minus ? "-" : "+");
        const double a = make_tree(to, depth - 1, SIGN);
        if (place > SIGN) put(to, ")");
        return minus ? -a : a;
    }
    case 5: {
        if (place > SIGN) put(to, "(");
        const double a = make_tree(to, depth - 1, ATOM);
        put(to, "^");
        const double b = make_tree(to, depth - 1, SIGN);
        if (place > SIGN) put(to, ")");
        return mote_pow(a, b);
    }
    default: return make_call(to, depth);
    }
}

static void random_trees_have_their_values(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < (SLOW_BUILD ? 3000 : 30000); ++seed) {
        maker to = {.random = {seed}};
        const double expected = make_tree(&to, 1 + (int)(seed % 7), SUM), value = value_of(to.text);
        CHECK(value == expected || (isnan(value) && isnan(expected)), "seed %llu: %s is %.17g, expected %.17g",
              (unsigned long long)seed, to.text, value, expected);
    }
}

// ------------------------------------------------------------------------------------------------------- memory

static mote_result create_one(mote_context *context, void *data)
{
    mote_expression *made;
    const size_t before = mote_context_byte_count(context);
    const mote_result result = mote_expression_create(context, data, xyzt, &made, NULL);
    if (result != MOTE_OK) return result;
    CHECK(mote_context_byte_count(context) == before + mote_expression_byte_count(made), "bytes");
    const uint64_t allocations = mote_context_allocation_count(context);
    for (int k = 0; k < 10; ++k) (void)mote_expression_evaluate(made, at);
    CHECK(mote_context_allocation_count(context) == allocations, "a value needs no memory");
    mote_expression_destroy(made);
    return MOTE_OK;
}

// Value and derivatives with respect to t at t = 10, against what mathematics says; and twice against differences.
static void derivatives_are_those_of_mathematics(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value, first, second;
    } cases[] = {
        {"3", 3, 0, 0},
        {"x*t", 7.5, 0.75, 0},
        {"t^3/100", 10, 3, 0.6},
        {"1/t", 0.1, -0.01, 0.002},
        {"sqrt(t*10)", 10, 0.5, -0.025},
        {"-(t - 10)^2", 0, 0, -2},
        {"(t - 10)^1", 0, 1, 0},
        {"abs(5 - t)", 5, 1, 0},
        {"min(t, 3) + max(t, 3)", 13, 1, 0},
        {"log(t/10)", 0, 0.1, -0.01},
        {"exp(t - 10)", 1, 1, 1},
        {"2^(t - 10)", 1, 0.69314718055994531, 0.48045301391820142},
        {"sin(2*(t - 10))", 0, 2, 0},
        {"cos(2*(t - 10))", 1, 0, -4},
        {"tan(t - 10)", 0, 1, 0},
        {"sinh(t - 10) + cosh(t - 10)", 1, 1, 1},
        {"tanh(t - 10)", 0, 1, 0},
        {"sqrt(x - 0.75)", 0, 0, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        mote_expression *made;
        CHECK_OK(mote_expression_create(NULL, cases[k].text, xyzt, &made, NULL));
        double found[3];
        mote_expression_derive(made, at, 3, found);
        CHECK(fabs(found[0] - cases[k].value) < 1e-14 && fabs(found[1] - cases[k].first) < 1e-14 &&
                  fabs(found[2] - cases[k].second) < 1e-14,
              "\"%s\": %.17g, %.17g, %.17g", cases[k].text, found[0], found[1], found[2]);
        CHECK(found[0] == mote_expression_evaluate(made, at), "\"%s\" has another value", cases[k].text);
        mote_expression_destroy(made);
    }
    mote_expression *made;
    CHECK_OK(mote_expression_create(NULL, "tanh(sin(t)*t^0.3)/cosh(cos(t/3))^t", xyzt, &made, NULL));
    double found[3], below[3], above[3], values[4] = {0, 0, 0, 1};
    const double step = 1e-5;
    mote_expression_derive(made, values, 3, found);
    values[3] = 1 - step;
    mote_expression_derive(made, values, 3, below);
    values[3] = 1 + step;
    mote_expression_derive(made, values, 3, above);
    for (int k = 0; k < 2; ++k) {
        const double difference = (above[k] - below[k]) / (2 * step);
        CHECK(fabs(difference - found[k + 1]) < 1e-8, "derivative %d: %.10g, by differences %.10g", k + 1,
              found[k + 1], difference);
    }
    mote_expression_destroy(made);
}

static void failing_allocations_do_no_harm(void **state)
{
    (void)state;
    char text[] = "-cos(2*pi*x)*sin(2*pi*z) + max(t, 1)";
    test_failing_allocations(create_one, text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind_as_in_mathematics),
        cmocka_unit_test(numbers_and_names_are_read),
        cmocka_unit_test(functions_are_those_of_the_library),
        cmocka_unit_test(faults_have_places),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(random_texts_do_no_harm),
        cmocka_unit_test(random_trees_have_their_values),
        cmocka_unit_test(derivatives_are_those_of_mathematics),
        cmocka_unit_test(failing_allocations_do_no_harm),
    };
    RUN_TESTS(tests, argc, argv);
}
