// SPDX-License-Identifier: MIT
// A program as it is written for CompactNSearch, on the drop-in: everything that it finds is compared with what a loop
// over all points finds. C++11, float, or double with USE_DOUBLE. Exit status 1 and a line if anything is wrong.

#include <CompactNSearch.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <thread>

using namespace CompactNSearch;

typedef std::array<Real, 3> Point;
typedef std::vector<Point> Points;
typedef std::vector<unsigned int> Row;

std::size_t count_pairs(NeighborhoodSearch const &search, unsigned int i, unsigned int j);

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                      \
        }                                                                      \
    } while (0)

// ------------------------------------------------------------------------------------------------ brute force

static bool are_near(Point const &a, Point const &b, Real radius)
{
    const Real x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
    const Real squared = (x * x + y * y) + z * z;
    return squared < radius * radius;
}

// `self`: the point's index in the set, or one that no point has.
static Row brute_row(Points const &set, Point const &at, std::size_t self, Real radius)
{
    Row row;
    for (std::size_t k = 0; k < set.size(); ++k)
        if (k != self && are_near(at, set[k], radius)) row.push_back(static_cast<unsigned int>(k));
    return row;
}

static Row sorted(Row row)
{
    std::sort(row.begin(), row.end());
    return row;
}

static Real const *first_of(Points const &set)
{
    return set.empty() ? nullptr : set.front().data();
}

static const std::size_t nobody = static_cast<std::size_t>(-1);

// Compares all rows of all pairs; those that are not active are empty.
static std::size_t check_all(NeighborhoodSearch const &search, std::vector<Points> const &sets)
{
    std::size_t total = 0;
    for (unsigned int i = 0; i < sets.size(); ++i) {
        PointSet const &set = search.point_set(i);
        CHECK(set.n_points() == sets[i].size());
        for (unsigned int j = 0; j < sets.size(); ++j)
            for (unsigned int k = 0; k < sets[i].size(); ++k) {
                Row expected;
                if (search.is_active(i, j))
                    expected = brute_row(sets[j], sets[i][k], i == j ? k : nobody, search.radius());
                CHECK(set.n_neighbors(j, k) == expected.size());
                Row found;
                for (unsigned int n = 0; n < set.n_neighbors(j, k); ++n) found.push_back(set.neighbor(j, k, n));
                CHECK(sorted(found) == expected);
                CHECK(sorted(set.neighbor_list(j, k)) == expected);
                total += expected.size();
            }
    }
    return total;
}

static void check_single(NeighborhoodSearch &search, std::vector<Points> const &sets, unsigned int i, unsigned int k)
{
    std::vector<Row> found;
    search.find_neighbors(i, k, found);
    CHECK(found.size() == sets.size());
    for (unsigned int j = 0; j < sets.size(); ++j) {
        Row expected;
        if (search.is_active(i, j))
            expected = brute_row(sets[j], sets[i][k], i == j ? k : nobody, search.radius());
        CHECK(sorted(found[j]) == expected);
    }
    search.find_neighbors(sets[i][k].data(), found);  // whatever the table says, and with the point itself
    for (unsigned int j = 0; j < sets.size(); ++j)
        CHECK(sorted(found[j]) == brute_row(sets[j], sets[i][k], nobody, search.radius()));
}

// ------------------------------------------------------------------------------------------------------ scenes

static std::mt19937 generator(7);

static Real draw(Real low, Real high)
{
    return low + (high - low) * static_cast<Real>(generator() % 100000) / 100000;
}

static bool toss()
{
    return generator() % 2 == 0;
}

// Points anywhere, or on a lattice, where many are at exactly the radius.
static Points draw_points(std::size_t count, bool on_lattice)
{
    Points points(count);
    for (Point &point : points)
        for (Real &x : point) x = on_lattice ? static_cast<Real>(generator() % 9) / 8 : draw(-1, 1);
    return points;
}

// The first example of CompactNSearch's page: one set, its neighbours in itself.
static void one_set()
{
    Points positions = draw_points(500, false);
    NeighborhoodSearch search(static_cast<Real>(0.3));
    const unsigned int id = search.add_point_set(positions.front().data(), positions.size());
    CHECK(id == 0 && search.n_point_sets() == 1);
    search.find_neighbors();
    PointSet const &set = search.point_set(id);
    std::size_t pairs = 0;
    for (unsigned int i = 0; i < set.n_points(); ++i)
        for (unsigned int k = 0; k < set.n_neighbors(id, i); ++k) {
            CHECK(are_near(positions[i], positions[set.neighbor(id, i, k)], search.radius()));
            ++pairs;
        }
    CHECK(pairs > 0 && pairs == check_all(search, {positions}) && pairs == count_pairs(search, 0, 0));
}

// Three sets with a table that is set in every way there is, moved and searched several times.
static std::size_t random_scene()
{
    const bool on_lattice = toss();
    const Real radius = on_lattice ? static_cast<Real>(0.25) : draw(static_cast<Real>(0.1), static_cast<Real>(0.5));
    NeighborhoodSearch search(radius, toss());
    std::vector<Points> sets;
    for (unsigned int s = 0; s < 3; ++s) {
        sets.push_back(draw_points(generator() % 8 == 0 ? 0 : generator() % 200, on_lattice));
        search.add_point_set(first_of(sets[s]), sets[s].size(), s != 1, toss(), toss());
    }
    std::size_t pairs = 0;
    for (int step = 0; step < 4; ++step) {
        if (step == 1)
            for (unsigned int i = 0; i < 3; ++i)
                for (unsigned int j = 0; j < 3; ++j) search.set_active(i, j, toss());
        if (step == 2) search.set_active(static_cast<unsigned int>(generator() % 3), toss(), toss());
        if (step == 3) search.set_active(true);
        for (unsigned int s = 0; s < 3; s += 2)  // the second set does not move
            for (Point &point : sets[s])
                for (Real &x : point) x += on_lattice ? static_cast<Real>(generator() % 3) / 8 : draw(-0.1f, 0.1f);
        search.find_neighbors();
        pairs += check_all(search, sets);
        for (unsigned int s = 0; s < 3; ++s)
            for (unsigned int n = 0; n < 5 && !sets[s].empty(); ++n)
                check_single(search, sets, s, static_cast<unsigned int>(generator() % sets[s].size()));
    }
    search.find_neighbors(false);
    check_all(search, sets);
    return pairs;
}

static void tables()
{
    NeighborhoodSearch search(1);
    for (unsigned int s = 0; s < 3; ++s) search.add_point_set(nullptr, 0, true, s != 1, s != 2);
    const bool added[3][3] = {{true, true, false}, {false, false, false}, {true, true, true}};
    for (unsigned int i = 0; i < 3; ++i)
        for (unsigned int j = 0; j < 3; ++j) CHECK(search.is_active(i, j) == added[i][j]);
    search.set_active(false);
    search.set_active(1u, true, false);
    const bool searching[3][3] = {{false, false, false}, {true, false, true}, {false, false, false}};
    for (unsigned int i = 0; i < 3; ++i)
        for (unsigned int j = 0; j < 3; ++j) CHECK(search.is_active(i, j) == searching[i][j]);
    search.set_active(0u);
    CHECK(search.is_active(0, 0) && search.is_active(0, 2) && search.is_active(2, 0) && !search.is_active(2, 2));
    ActivationTable a, b;
    a.add_point_set();
    b.add_point_set();
    CHECK(a == b && a.is_searching_neighbors(0));
    a.set_active(false);
    CHECK(a != b && !a.is_searching_neighbors(0));
    search.update_activation_table();
    search.find_neighbors();  // of three empty sets
}

// Sets that grow and shrink, whose arrays move in memory meanwhile; single queries see them at once.
static void resized_sets()
{
    std::vector<Points> sets = {draw_points(100, false), draw_points(50, false)};
    NeighborhoodSearch search(static_cast<Real>(0.4));
    for (Points const &set : sets) search.add_point_set(first_of(set), set.size());
    search.find_neighbors();
    for (std::size_t size : {150u, 400u, 20u, 0u, 60u}) {
        Points const more = draw_points(size, false);
        sets[0].assign(more.begin(), more.end());
        sets[0].shrink_to_fit();
        search.resize_point_set(0, first_of(sets[0]), sets[0].size());
        check_single(search, sets, 1, 7);
        if (size) check_single(search, sets, 0, static_cast<unsigned int>(size - 1));
        CHECK(size < 400 || search.point_set(0).n_neighbors(0, 399) == 0);  // not searched for yet
        search.find_neighbors(size % 50 == 0);
        check_all(search, sets);
    }
    sets.push_back(draw_points(80, false));
    CHECK(search.add_point_set(first_of(sets[2]), sets[2].size(), false) == 2);
    check_single(search, sets, 2, 3);
    search.find_neighbors();
    check_all(search, sets);
}

static void shift_points(Points &points)
{
    for (Point &point : points)
        for (Real &x : point) x += static_cast<Real>(0.05);
}

// A set without is_dynamic is read when it says so.
static void sets_that_do_not_move()
{
    std::vector<Points> sets = {draw_points(100, false), draw_points(50, false)};
    NeighborhoodSearch search(static_cast<Real>(0.4));
    search.add_point_set(first_of(sets[0]), sets[0].size());
    search.add_point_set(first_of(sets[1]), sets[1].size(), false);
    CHECK(search.point_set(0).is_dynamic() && !search.point_set(1).is_dynamic());
    search.find_neighbors();
    check_all(search, sets);
    sets[1] = draw_points(50, false);
    search.resize_point_set(1, first_of(sets[1]), sets[1].size());
    search.find_neighbors();
    check_all(search, sets);
    shift_points(sets[1]);
    search.update_point_set(1);
    search.find_neighbors(false);
    check_all(search, sets);
    search.point_set(1).set_dynamic(true);
    shift_points(sets[1]);
    search.find_neighbors();
    check_all(search, sets);
    search.point_set(1).set_dynamic(false);
    shift_points(sets[1]);
    search.reset();
    search.find_neighbors();
    check_all(search, sets);
    // A set that comes to rest is read once more.
    search.point_set(0).set_dynamic(false);
    search.point_set(1).set_dynamic(true);
    search.find_neighbors();
    shift_points(sets[1]);
    search.point_set(1).set_dynamic(false);
    search.find_neighbors();
    check_all(search, sets);
}

// Whatever reads a set that was added, resized or named reads those that have moved, too.
static void sets_that_moved_meanwhile()
{
    std::vector<Points> sets = {draw_points(100, false), draw_points(50, false)};
    NeighborhoodSearch search(static_cast<Real>(0.4));
    for (Points const &set : sets) search.add_point_set(first_of(set), set.size());
    search.find_neighbors();
    shift_points(sets[0]);
    sets[1].resize(40);
    search.resize_point_set(1, first_of(sets[1]), sets[1].size());
    check_single(search, sets, 1, 7);
    shift_points(sets[0]);
    search.resize_point_set(1, first_of(sets[1]), sets[1].size());
    search.find_neighbors(false);
    check_all(search, sets);
    shift_points(sets[0]);
    search.update_point_set(1);
    check_single(search, sets, 1, 7);
    shift_points(sets[0]);
    sets.push_back(draw_points(30, false));
    search.add_point_set(first_of(sets[2]), sets[2].size());
    check_single(search, sets, 2, 7);
}

struct Particle {
    std::string name;
    double mass;
};

static void sorted_fields()
{
    Points const before = draw_points(2000, false);
    std::vector<Points> sets = {before};
    NeighborhoodSearch search(static_cast<Real>(0.15));
    std::vector<Particle> particles;
    for (std::size_t i = 0; i < before.size(); ++i)
        particles.push_back(Particle{std::to_string(i), static_cast<double>(i)});
    search.add_point_set(first_of(sets[0]), sets[0].size());
    bool is_refused = false;
    try {
        search.point_set(0).sort_field(particles.data());
    } catch (std::runtime_error const &) {
        is_refused = true;
    }
    CHECK(is_refused);
    search.find_neighbors();
    const std::size_t pairs = check_all(search, sets);
    search.z_sort();
    CHECK(count_pairs(search, 0, 0) == pairs);  // still those of before
    PointSet const &set = search.point_set(0);
    set.sort_field(sets[0].data());
    set.sort_field(particles.data());
    for (std::size_t i = 0; i < before.size(); ++i) {
        const std::size_t former = static_cast<std::size_t>(particles[i].mass);
        CHECK(sets[0][i] == before[former] && particles[i].name == std::to_string(former));
    }
    search.find_neighbors();
    CHECK(check_all(search, sets) == pairs);
    // Neighbours in the array are near in space.
    double near_before = 0, near_after = 0;
    for (std::size_t i = 1; i < before.size(); ++i)
        for (std::size_t a = 0; a < 3; ++a) {
            near_before += std::abs(static_cast<double>(before[i][a] - before[i - 1][a]));
            near_after += std::abs(static_cast<double>(sets[0][i][a] - sets[0][i - 1][a]));
        }
    CHECK(near_after < near_before / 3);
}

static void rows_look_like_vectors()
{
    Points positions = draw_points(300, false);
    NeighborhoodSearch search(static_cast<Real>(0.4));
    int mine = 0;
    search.add_point_set(first_of(positions), positions.size(), true, true, true, &mine);
    CHECK(search.point_set(0).get_user_data() == &mine && search.point_sets().size() == 1);
    search.find_neighbors();
    PointSet const &set = search.point_sets()[0];
    for (unsigned int i = 0; i < set.n_points(); ++i) {
        std::vector<unsigned int> const &row = set.neighbor_list(0, i);
        std::vector<unsigned int> const copy(set.neighbor_list(0, i));
        std::vector<unsigned int> assigned;
        assigned = set.neighbor_list(0, i);
        auto const &list = set.neighbor_list(0, i);
        unsigned int const *data = set.neighbor_list(0, i).data();
        CHECK(row == copy && row == assigned && list.size() == row.size() && list.empty() == row.empty());
        std::size_t k = 0;
        for (unsigned int j : list) {
            CHECK(j == row[k] && j == list[k] && j == data[k] && j == list.at(k));
            ++k;
        }
        CHECK(list == row && row == list && list == set.neighbor_list(0, i) && !(list != row) && !(row != list));
        CHECK(Row(list.rbegin(), list.rend()) == Row(row.rbegin(), row.rend()));
        assigned.push_back(0);
        CHECK(list != assigned && assigned != list);
        CHECK(k == row.size() && (row.empty() || (list.front() == row.front() && list.back() == row.back())));
    }
    bool is_refused = false;
    try {
        set.neighbor_list(0, 0).at(set.n_neighbors(0, 0));
    } catch (std::out_of_range const &) {
        is_refused = true;
    }
    CHECK(is_refused);
}

// The text of what a call throws.
template <typename Exception> static std::string thrown(std::function<void()> const &call)
{
    try {
        call();
    } catch (Exception const &exception) {
        return exception.what();
    }
    return "";
}

static void what_cannot_be_searched()
{
    std::vector<Points> sets = {draw_points(100, false), draw_points(50, false)};
    std::vector<Row> rows;
    NeighborhoodSearch search(0);  // as good as none, until it is given a radius
    for (Points const &set : sets) search.add_point_set(first_of(set), set.size());
    CHECK(!thrown<NeighborhoodSearchNotInitialized>([&] { search.find_neighbors(0, 1, rows); }).empty());
    CHECK(thrown<std::runtime_error>([&] { search.find_neighbors(); }).find("radius is 0") != std::string::npos);
    search.set_radius(static_cast<Real>(0.4));
    CHECK(search.radius() == static_cast<Real>(0.4));
    search.find_neighbors();
    const std::size_t pairs = check_all(search, sets);
    const Real kept = sets[1][3][2];
    sets[1][3][2] = std::numeric_limits<Real>::quiet_NaN();
    const std::string text = thrown<std::runtime_error>([&] { search.find_neighbors(); });
    CHECK(text.find("set 1: ") == 0);
    sets[1][3][2] = kept;
    search.find_neighbors();
    CHECK(check_all(search, sets) == pairs);
    search.set_radius(static_cast<Real>(0.2));
    search.find_neighbors();
    CHECK(check_all(search, sets) < pairs);
    CHECK(std::string(OutOfMemory("no memory").what()) == "no memory");
}

static void copies()
{
    std::vector<Points> sets = {draw_points(100, false), draw_points(50, false)};
    NeighborhoodSearch search(static_cast<Real>(0.4));
    for (Points const &set : sets) search.add_point_set(first_of(set), set.size());
    search.set_active(0u, 1u, false);
    search.find_neighbors();
    const std::size_t pairs = check_all(search, sets);
    NeighborhoodSearch copy(search);
    CHECK(copy.point_set(0).n_neighbors(0, 0) == 0);
    copy.find_neighbors();
    CHECK(check_all(copy, sets) == pairs && check_all(search, sets) == pairs);
    NeighborhoodSearch moved(std::move(copy));
    CHECK(check_all(moved, sets) == pairs);
    std::vector<NeighborhoodSearch> several;
    several.push_back(std::move(moved));
    several.emplace_back(static_cast<Real>(1));
    several[1] = several[0];
    several[1].find_neighbors();
    CHECK(check_all(several[0], sets) == pairs && check_all(several[1], sets) == pairs);
    // A search that took the place of another has its own radius, and is given that of the other.
    NeighborhoodSearch narrow(static_cast<Real>(0.2));
    narrow.add_point_set(first_of(sets[0]), sets[0].size());
    narrow.find_neighbors();
    narrow = std::move(several[0]);
    CHECK(check_all(narrow, sets) == pairs);
    narrow.set_radius(static_cast<Real>(0.2));
    narrow.find_neighbors();
    CHECK(check_all(narrow, sets) < pairs);
}

static void queries_from_several_threads()
{
    std::vector<Points> sets = {draw_points(800, false), draw_points(300, false)};
    NeighborhoodSearch search(static_cast<Real>(0.3));
    for (Points const &set : sets) search.add_point_set(first_of(set), set.size());
    search.update_point_sets();
    search.resize_point_set(1, first_of(sets[1]), 200);  // read by the first that asks
    sets[1].resize(200);
    std::vector<std::thread> threads;
    for (unsigned int t = 0; t < 4; ++t)
        threads.emplace_back([&search, &sets, t] {
            for (unsigned int k = t; k < 200; k += 4) check_single(search, sets, k % 2, k);
        });
    for (std::thread &thread : threads) thread.join();
}

int main()
{
    one_set();
    std::size_t pairs = 0;
    for (int scene = 0; scene < 20; ++scene) pairs += random_scene();
    CHECK(pairs > 10000);
    tables();
    resized_sets();
    sets_that_do_not_move();
    sets_that_moved_meanwhile();
    sorted_fields();
    rows_look_like_vectors();
    what_cannot_be_searched();
    copies();
    queries_from_several_threads();
    std::printf("20 scenes with %zu pairs of neighbours\n", pairs);
    return 0;
}
