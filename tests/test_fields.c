// SPDX-License-Identifier: MIT
// Field tables and the texts around them: defaults, ranges, descriptions, exact short numbers, mistyped words.

#include <locale.h>

#include "support/test.h"

typedef enum shade { SHADE_LIGHT, SHADE_DARK, SHADE_COUNT } shade;

typedef struct lamp {
    bool lit;
    int32_t bulbs;
    uint64_t seed;
    double power;
    double height;
    double share;
    mote_vec3 place;
    int32_t shade;
    const char *name;
    const char *maker;
} lamp;

static const char *const shades[] = {"light", "dark", NULL};

static const mote_field lamp_fields[] = {
    {"lit", MOTE_FIELD_BOOL, "", offsetof(lamp, lit), 0, 0, 0, {1}, NULL, NULL, "whether it burns"},
    {"bulbs", MOTE_FIELD_INT, "", offsetof(lamp, bulbs), 0, 1, 6, {2}, NULL, NULL, "how many"},
    {"seed", MOTE_FIELD_SEED, "", offsetof(lamp, seed), 0, 0, 0, {7}, NULL, NULL, "of its flicker"},
    {"power", MOTE_FIELD_NUMBER, "W", offsetof(lamp, power), MOTE_FIELD_REQUIRED | MOTE_FIELD_ABOVE_MIN, 0, HUGE_VAL,
     {0}, NULL, NULL, "what it draws"},
    {"height", MOTE_FIELD_NUMBER, "m", offsetof(lamp, height), MOTE_FIELD_DERIVED, -HUGE_VAL, 3, {0}, NULL, NULL,
     "from the room's"},
    {"share", MOTE_FIELD_NUMBER, NULL, offsetof(lamp, share), MOTE_FIELD_BELOW_MAX, 0, 1, {0.5}, NULL, NULL,
     "of light"},
    {"place", MOTE_FIELD_VECTOR, "m", offsetof(lamp, place), 0, 0, 0, {1, 2, -9.81}, NULL, NULL, "where it stands"},
    {"shade", MOTE_FIELD_CHOICE, "", offsetof(lamp, shade), 0, 0, 0, {SHADE_DARK}, NULL, shades, "its shade"},
    {"name", MOTE_FIELD_TEXT, "", offsetof(lamp, name), MOTE_FIELD_REQUIRED, 0, 0, {0}, NULL, NULL, "its name"},
    {"maker", MOTE_FIELD_TEXT, "", offsetof(lamp, maker), 0, 0, 0, {0}, "A \"B\"", NULL, "who made it"},
};
static const mote_field_table lamp_table = {"lamp", "a lamp", lamp_fields, sizeof lamp_fields / sizeof lamp_fields[0]};

static lamp good_lamp(void)
{
    lamp made;
    memset(&made, 0, sizeof made);
    mote_fields_set_defaults(&lamp_table, &made);
    made.power = 40;
    made.name = "desk";
    return made;
}

static void defaults_are_those_of_the_table(void **state)
{
    (void)state;
    lamp made;
    memset(&made, 0xA5, sizeof made);
    mote_fields_set_defaults(&lamp_table, &made);
    CHECK(made.lit && made.bulbs == 2 && made.seed == 7 && made.share == 0.5 && made.shade == SHADE_DARK, "a default");
    CHECK(isnan(made.power) && isnan(made.height) && made.name == NULL, "what has none is unset");
    CHECK(made.place.x == 1 && made.place.y == 2 && made.place.z == -9.81, "a vector");
    CHECK(strcmp(made.maker, "A \"B\"") == 0, "a text");
}

static void good_structs_pass(void **state)
{
    (void)state;
    lamp made = good_lamp();
    mote_error error = {0};
    CHECK(mote_fields_check(&lamp_table, &made, &error) == MOTE_OK, "%s", error.text);
    made.height = -1e300;
    made.share = 0;
    made.bulbs = 6;
    made.seed = UINT64_C(1) << 53;
    CHECK(mote_fields_check(&lamp_table, &made, &error) == MOTE_OK, "%s", error.text);
    CHECK_OK(mote_fields_check(&lamp_table, &made, NULL));
}

static void expect_fault(const lamp *made, const char *text)
{
    mote_error error = {0};
    CHECK(mote_fields_check(&lamp_table, made, &error) == MOTE_ERROR_ARGUMENT, "accepted, expected '%s'", text);
    CHECK(strcmp(error.text, text) == 0, "'%s', expected '%s'", error.text, text);
    CHECK(mote_fields_check(&lamp_table, made, NULL) == MOTE_ERROR_ARGUMENT, "without an error");
}

static void every_fault_is_named(void **state)
{
    (void)state;
    lamp made = good_lamp();
    made.power = 0;
    expect_fault(&made, "lamp.power is 0, expected a number above 0 [W]");
    made.power = NAN;
    expect_fault(&made, "lamp.power is not set, expected a number above 0 [W]");
    made.power = INFINITY;
    expect_fault(&made, "lamp.power is inf, expected a number above 0 [W]");
    made = good_lamp();
    made.bulbs = 7;
    expect_fault(&made, "lamp.bulbs is 7, expected a whole number from 1 to 6");
    made = good_lamp();
    made.seed = (UINT64_C(1) << 53) + 1;
    expect_fault(&made, "lamp.seed is 9007199254740993, expected a whole number from 0 to 9007199254740992");
    made = good_lamp();
    made.height = 3.5;
    expect_fault(&made, "lamp.height is 3.5, expected a number of at most 3 [m]");
    made = good_lamp();
    made.share = 1;
    expect_fault(&made, "lamp.share is 1, expected a number of at least 0 and below 1");
    made = good_lamp();
    made.place.y = NAN;
    expect_fault(&made, "lamp.place is [1, null, -9.81], expected three numbers [m]");
    made = good_lamp();
    made.shade = SHADE_COUNT;
    expect_fault(&made, "lamp.shade is 2, expected \"light\" or \"dark\"");
    made = good_lamp();
    made.name = "";
    expect_fault(&made, "lamp.name is \"\", expected a text that is not empty");
    made.name = NULL;
    expect_fault(&made, "lamp.name is null, expected a text that is not empty");
    made = good_lamp();
    memset(&made.lit, 0xA5, sizeof made.lit);
    expect_fault(&made, "lamp.lit is true, expected true or false");
}

static void values_are_json(void **state)
{
    (void)state;
    static const char *const expected[] = {"true", "2", "7", "40", "null", "0.5", "[1, 2, -9.81]", "\"dark\"",
                                           "\"desk\"", "\"A \\\"B\\\"\""};
    lamp made = good_lamp();
    for (size_t i = 0; i < lamp_table.count; ++i) {
        char text[64];
        size_t length = mote_field_value_text(&lamp_fields[i], &made, text, sizeof text);
        CHECK(strcmp(text, expected[i]) == 0, "%s: '%s', expected '%s'", lamp_fields[i].name, text, expected[i]);
        CHECK(length == strlen(text), "%s: length %zu", lamp_fields[i].name, length);
        char cut[4];
        CHECK(mote_field_value_text(&lamp_fields[i], &made, cut, sizeof cut) == length, "cut short");
        CHECK(strncmp(cut, expected[i], 3) == 0 && strlen(cut) < 4, "cut to '%s'", cut);
        CHECK(mote_field_value_text(&lamp_fields[i], &made, NULL, 0) == length, "no room at all");
    }
}

// NaN, 0 and numbers, as scenes have them: false, true and numbers.
static void tolerances_are_off_on_or_numbers(void **state)
{
    (void)state;
    static const mote_field field = {"gap", MOTE_FIELD_TOLERANCE, "m", 0, 0, 0, 5, {NAN}, NULL, NULL, "a gap"};
    static const mote_field_table table = {"gate", "a gate", &field, 1};
    static const struct {
        double value;
        const char *text;
        bool is_good;
    } cases[] = {{0, "true", true}, {0.25, "0.25", true}, {5, "5", true}, {-1, "-1", false}, {6, "6", false},
                 {(double)INFINITY, "inf", false}};
    double gap = 1;
    char text[64];
    mote_fields_set_defaults(&table, &gap);
    assert_true(isnan(gap) && mote_field_is_valid(&field, &gap));
    mote_field_value_text(&field, &gap, text, sizeof text);
    assert_string_equal(text, "false");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        mote_field_value_text(&field, &cases[k].value, text, sizeof text);
        assert_string_equal(text, cases[k].text);
        assert_int_equal(mote_field_is_valid(&field, &cases[k].value), cases[k].is_good);
    }
    mote_field_expected_text(&field, text, sizeof text);
    assert_string_equal(text, "true, false or a number from 0 to 5 [m]");
}

// Words are those of the choices, in any order; there are none at first.
static void words_are_choices(void **state)
{
    (void)state;
    static const char *const colours[] = {"red", "green", "blue", NULL};
    static const mote_field field = {"colours", MOTE_FIELD_WORDS, "", 0, 0, 0, 0, {0}, NULL, colours, "some colours"};
    static const mote_field_table table = {"lamp", "a lamp", &field, 1};
    const char *words[MOTE_FIELD_WORDS_MOST] = {"?"};
    char text[96];
    mote_fields_set_defaults(&table, words);
    mote_field_value_text(&field, words, text, sizeof text);
    assert_string_equal(text, "[]");
    assert_true(mote_field_is_valid(&field, words));
    words[0] = "blue", words[1] = "red";
    mote_field_value_text(&field, words, text, sizeof text);
    assert_string_equal(text, "[\"blue\", \"red\"]");
    assert_true(mote_field_is_valid(&field, words));
    words[1] = "rad";
    assert_false(mote_field_is_valid(&field, words));
    mote_field_expected_text(&field, text, sizeof text);
    assert_string_equal(text, "a list of at most 16 of \"red\", \"green\" or \"blue\"");
}

// Numbers, vectors and texts that may be expressions, which stand behind the numbers and count instead of them.
static void formulas_stand_behind_numbers(void **state)
{
    (void)state;
    typedef struct pump {
        double rate;
        const char *rate_text;
        mote_vec3 wind;
        const char *wind_text[3];
        const char *load;
    } pump;
    static const char *const names[] = {"x", "t", NULL};
    static const mote_field fields[] = {
        {"rate", MOTE_FIELD_NUMBER, "1/s", offsetof(pump, rate), MOTE_FIELD_FORMULA | MOTE_FIELD_OPTIONAL, 0, 5, {0},
         NULL, names, "its rate"},
        {"wind", MOTE_FIELD_VECTOR, "m/s", offsetof(pump, wind), MOTE_FIELD_FORMULA, -9, 9, {1, 2, 3}, NULL, names,
         "the wind"},
        {"load", MOTE_FIELD_TEXT, "Pa", offsetof(pump, load), MOTE_FIELD_FORMULA, 0, 0, {0}, "full", names, "a load"},
    };
    static const char *const expected[] = {"a number from 0 to 5 or an expression in x, t [1/s]",
                                           "three numbers, each from -9 to 9, or expressions in x, t [m/s]",
                                           "a number, \"full\" or an expression in x, t [Pa]"};
    static const char *const values[] = {"null", "[1, 2, 3]", "\"full\""};
    static const char *const others[] = {"\"2*t\"", "[1, \"x\", 3]", "\"t\""};
    static const mote_field_table table = {"pump", "a pump", fields, 3};
    pump made;
    memset(&made, 0xA5, sizeof made);
    mote_fields_set_defaults(&table, &made);
    char text[128];
    for (size_t k = 0; k < 6; ++k) {
        if (k == 3) made.rate_text = "2*t", made.wind_text[1] = "x", made.wind.y = 1e9, made.load = "t";
        mote_field_value_text(&fields[k % 3], &made, text, sizeof text);
        assert_string_equal(text, k < 3 ? values[k] : others[k - 3]);
        mote_field_expected_text(&fields[k % 3], text, sizeof text);
        assert_string_equal(text, expected[k % 3]);
        CHECK_OK(mote_fields_check(&table, &made, NULL));
    }
    made.load = NULL;
    mote_field_value_text(&fields[2], &made, text, sizeof text);
    assert_string_equal(text, values[2]);
    made.wind_text[1] = NULL;
    mote_error error = {0};
    CHECK(mote_fields_check(&table, &made, &error) == MOTE_ERROR_ARGUMENT, "taken");
    assert_string_equal(error.text, "pump.wind is [1, 1000000000, 3], expected three numbers, each from -9 to 9, or "
                                    "expressions in x, t [m/s]");
}

static void fields_are_found_by_name(void **state)
{
    (void)state;
    CHECK(mote_fields_find(&lamp_table, "place") == &lamp_fields[6], "place");
    CHECK(mote_fields_find(&lamp_table, "plac") == NULL, "a part of a name");
    assert_string_equal(mote_fields_nearest(&lamp_table, "plac"), "place");
    assert_string_equal(mote_fields_nearest(&lamp_table, "hieght"), "height");
    CHECK(mote_fields_nearest(&lamp_table, "temperature") == NULL, "nothing is near");
}

static void near_words_are_suggested(void **state)
{
    (void)state;
    static const char *const words[] = {"run", "scene", "bench", "rest_density", "viscosity", "viscosity_alpha", NULL};
    static const struct {
        const char *word, *nearest;
    } cases[] = {
        {"rnu", "run"}, {"Scene", "scene"}, {"secne", "scene"}, {"benhc", "bench"}, {"rest_densty", "rest_density"},
        {"restdensity", "rest_density"}, {"visc", "viscosity"}, {"viscosityalpha", "viscosity_alpha"},
        {"", NULL}, {"x", NULL}, {"xyz", NULL}, {"colour", NULL},
        {"a word that is longer than any word that anybody has ever typed by mistake", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char *nearest = mote_nearest_word(cases[i].word, words);
        bool same = nearest && cases[i].nearest ? strcmp(nearest, cases[i].nearest) == 0 : nearest == cases[i].nearest;
        CHECK(same, "'%s' gave '%s'", cases[i].word, nearest ? nearest : "nothing");
    }
}

static void numbers_are_short(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"}, {-0.0, "-0"}, {0.1, "0.1"}, {1000, "1000"}, {-9.81, "-9.81"}, {1e-7, "1e-07"}, {1e300, "1e+300"},
        {1.0 / 3, "0.3333333333333333"}, {0.1 + 0.2, "0.30000000000000004"}, {NAN, "nan"}, {-INFINITY, "-inf"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[32];
        size_t length = mote_number_text(cases[i].value, text, sizeof text);
        CHECK(strcmp(text, cases[i].text) == 0, "'%s', expected '%s'", text, cases[i].text);
        CHECK(length == strlen(text), "length %zu of '%s'", length, text);
    }
}

static void check_round_trip(uint64_t seed)
{
    mote_random random = {seed};
    for (int i = 0; i < 20000; ++i) {
        uint64_t bits = mote_random_next(&random);
        double value, back;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        char text[32];
        size_t length = mote_number_text(value, text, sizeof text);
        CHECK(length < sizeof text, "%a has %zu characters", value, length);
        CHECK(strspn(text, "0123456789.e+-") == length, "'%s' has other characters", text);
        back = strtod(text, NULL);
        CHECK(memcmp(&back, &value, sizeof back) == 0, "'%s' is not %a (seed %llu)", text, value,
              (unsigned long long)seed);
    }
}

static void numbers_read_back_exactly(void **state)
{
    (void)state;
    check_round_trip(1);
}

// Where the machine has no locale with a comma, the test of it is left out.
static void numbers_do_not_know_the_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; ++i) found = setlocale(LC_ALL, names[i]) != NULL;
    char text[32];
    mote_number_text(-1.5e-9, text, sizeof text);
    setlocale(LC_ALL, "C");
    CHECK(strcmp(text, "-1.5e-09") == 0, "'%s'", text);
    if (!found) skip();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_table),
        cmocka_unit_test(good_structs_pass),
        cmocka_unit_test(every_fault_is_named),
        cmocka_unit_test(values_are_json),
        cmocka_unit_test(tolerances_are_off_on_or_numbers),
        cmocka_unit_test(words_are_choices),
        cmocka_unit_test(formulas_stand_behind_numbers),
        cmocka_unit_test(fields_are_found_by_name),
        cmocka_unit_test(near_words_are_suggested),
        cmocka_unit_test(numbers_are_short),
        cmocka_unit_test(numbers_read_back_exactly),
        cmocka_unit_test(numbers_do_not_know_the_locale),
    };
    RUN_TESTS(tests, argc, argv);
}
