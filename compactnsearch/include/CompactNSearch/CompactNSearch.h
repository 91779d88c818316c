// SPDX-License-Identifier: MIT
/// CompactNSearch.h: mote's neighbour search under the names of CompactNSearch (Koschier & Bender), for programs that
/// are written for it. C++11; libCompactNSearch holds all of libmote.
///
/// As there: several sets of points in one search, a table that says which set looks into which, sets that never move,
/// queries for single points, a spatial order for arrays. A neighbour is nearer than the radius: one at exactly the
/// radius is none. A point is not its own neighbour.
///
/// Other than there:
///
/// - The order of the neighbours in a row is mote's (by cell, see mote/neighbors.h), the same in every run and for any
///   number of threads.
/// - Rows are no vectors, but look like them and become them (NeighborList); they stay valid until the next
///   find_neighbors() of all points.
/// - find_neighbors of single points may be called from several threads at once, as long as no other thread calls
///   anything else.
/// - What cannot be searched is an exception: std::runtime_error with a sentence that names the set and the value (a
///   coordinate that is not finite, a radius out of range), std::bad_alloc where memory runs out. The next call reads
///   all sets again.
/// - z_sort orders by mote's cells; the order is not that of a Z curve, but as good for the cache.
/// - A search that is copied has the same sets, but has found nothing yet.
/// - HashKey, HashEntry, SpatialHasher and Spinlock, which the search itself used, are not there.
#ifndef MOTE_COMPACTNSEARCH_H
#define MOTE_COMPACTNSEARCH_H

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>

#include "Config.h"
#include "DataStructures.h"
#include "PointSet.h"

namespace CompactNSearch
{

/// Thrown by queries for single points before the points were read.
struct NeighborhoodSearchNotInitialized : public std::exception {
    char const *what() const noexcept override
    {
        return "CompactNSearch: no points yet, expected find_neighbors or update_point_sets before";
    }
};

/// A std::bad_alloc that says what there was no memory for.
class OutOfMemory : public std::bad_alloc
{
public:
    explicit OutOfMemory(char const *text)
    {
        const std::size_t length = std::min(std::strlen(text), sizeof m_text - 1);
        std::memcpy(m_text, text, length);
        m_text[length] = 0;
    }
    char const *what() const noexcept override { return m_text; }

private:
    char m_text[256];
};

class NeighborhoodSearch
{
public:
    /// @param r  the radius; any number: what cannot be searched with is refused when it is used
    /// The second parameter of CompactNSearch, erase_empty_cells, has no meaning here: structures are built anew.
    NeighborhoodSearch(Real r, bool = false) : m_search(nullptr), m_radius(r), m_is_read(false) {}

    virtual ~NeighborhoodSearch() { mote_neighbors_destroy(m_search); }

    NeighborhoodSearch(NeighborhoodSearch const &other)
        : m_search(nullptr), m_radius(other.m_radius), m_is_read(false), m_point_sets(other.m_point_sets),
          m_table(other.m_table)
    {
        for (PointSet &set : m_point_sets) set.m_lists.clear();
        reset();
    }

    NeighborhoodSearch(NeighborhoodSearch &&other) noexcept
        : m_search(nullptr), m_radius(other.m_radius), m_is_read(false)
    {
        swap(other);
    }

    NeighborhoodSearch &operator=(NeighborhoodSearch other)
    {
        swap(other);
        return *this;
    }

    // ------------------------------------------------------------------------------------------------ point sets

    PointSet const &point_set(unsigned int i) const { return m_point_sets[i]; }
    PointSet &point_set(unsigned int i) { return m_point_sets[i]; }
    std::vector<PointSet> const &point_sets() const { return m_point_sets; }
    std::vector<PointSet> &point_sets() { return m_point_sets; }
    std::size_t n_point_sets() const { return m_point_sets.size(); }

    /// @param x  x, y, z of n points; read by find_neighbors, update_point_sets and z_sort, and by queries for single
    ///           points after a set was added or resized. It must be there then
    /// @param is_dynamic        whether the points move (PointSet::is_dynamic)
    /// @param search_neighbors  whether the set looks into all sets
    /// @param find_neighbors    whether all former sets look into it
    /// @return the set's number
    unsigned int add_point_set(Real const *x, std::size_t n, bool is_dynamic = true, bool search_neighbors = true,
                               bool find_neighbors = true, void *user_data = nullptr)
    {
        m_point_sets.push_back(PointSet(x, n, is_dynamic, user_data));
        m_table.add_point_set(search_neighbors, find_neighbors);
        m_is_read = false;
        return static_cast<unsigned int>(m_point_sets.size() - 1);
    }

    /// Another array, or another number of points, of a set.
    void resize_point_set(unsigned int i, Real const *x, std::size_t n)
    {
        m_point_sets[i].m_x = x;
        m_point_sets[i].m_n = n;
        mark_stale(i);
    }

    /// Reads the points of all sets that move, and of those that were added or resized.
    void update_point_sets() { read_points(); }

    /// The same, and reads the points of one set, whether it moves or not.
    void update_point_set(unsigned int i)
    {
        mark_stale(i);
        read_points();
    }

    /// All points are read again by the next call that needs them.
    void reset()
    {
        for (PointSet &set : m_point_sets) set.m_is_stale = true;
        m_is_read = false;
    }

    Real radius() const { return m_radius; }
    void set_radius(Real r)
    {
        m_radius = r;
        reset();
    }

    // ------------------------------------------------------------------------------------------- who looks into whom

    void set_active(unsigned int i, unsigned int j, bool active)
    {
        m_table.set_active(i, j, active);
        reset();
    }

    void set_active(unsigned int i, bool search_neighbors = true, bool find_neighbors = true)
    {
        m_table.set_active(i, search_neighbors, find_neighbors);
        reset();
    }

    void set_active(bool active)
    {
        m_table.set_active(active);
        reset();
    }

    bool is_active(unsigned int i, unsigned int j) const { return m_table.is_active(i, j); }

    /// Nothing to do: the table counts from when it is changed.
    void update_activation_table() {}

    // -------------------------------------------------------------------------------------------------- neighbours

    /// Finds the neighbours of all points, for point_set(i).neighbor_list(j, k).
    /// @param points_changed  false: the points are those of the last call, and are only read if a set was added or
    ///                        resized meanwhile
    void find_neighbors(bool points_changed = true)
    {
        if (points_changed || !m_is_read) read_points();
        const std::size_t count = m_point_sets.size();
        std::unique_ptr<bool[]> active(new bool[count * count + 1]);
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = 0; j < count; ++j)
                active[i * count + j] = is_active(static_cast<unsigned int>(i), static_cast<unsigned int>(j));
        m_lists.resize(count * count + 1);
        for (PointSet &set : m_point_sets) set.m_lists.clear();
        mote_error error;
        check(mote_neighbors_lists_of_sets(m_search, active.get(), count * count, m_lists.data(), &error), error);
        for (std::size_t i = 0; i < count; ++i) {
            mote_lists const *of_set = m_lists.data() + i * count;
            m_point_sets[i].m_lists.assign(of_set, of_set + count);
        }
    }

    /// The neighbours of one point of a set: neighbors[j] are those in set j. The point's own position is read now,
    /// those of its neighbours are as they were when the sets were last read.
    void find_neighbors(unsigned int point_set_id, unsigned int point_index,
                        std::vector<std::vector<unsigned int>> &neighbors)
    {
        read_for_query();
        neighbors.resize(m_point_sets.size());
        Real const *x = m_point_sets[point_set_id].m_x + 3 * static_cast<std::size_t>(point_index);
        for (unsigned int j = 0; j < m_point_sets.size(); ++j) {
            std::vector<unsigned int> &row = neighbors[j];
            row.clear();
            if (!is_active(point_set_id, j)) continue;
            find_row(j, x, row);
            if (j == point_set_id) row.erase(std::remove(row.begin(), row.end(), point_index), row.end());
        }
    }

    /// All points near x, whatever the table says: neighbors[j] are those in set j.
    void find_neighbors(Real const *x, std::vector<std::vector<unsigned int>> &neighbors)
    {
        read_for_query();
        neighbors.resize(m_point_sets.size());
        for (unsigned int j = 0; j < m_point_sets.size(); ++j) find_row(j, x, neighbors[j]);
    }

    /// Finds an order in which points that are near each other are close together in memory, for all sets, from where
    /// their points are now. PointSet::sort_field brings arrays into it, also that of the positions.
    void z_sort()
    {
        reset();
        read_points();
        for (unsigned int i = 0; i < m_point_sets.size(); ++i) {
            PointSet &set = m_point_sets[i];
            std::uint32_t const *order;
            mote_error error;
            check(mote_neighbors_permutation_of_set(m_search, i, &order, &error), error);
            set.m_order.assign(order, order + set.m_n);
            set.m_is_sorted = true;
        }
        reset();
    }

private:
    static void check(mote_result result, mote_error const &error)
    {
        if (result == MOTE_OK) return;
        if (result == MOTE_ERROR_OUT_OF_MEMORY) throw OutOfMemory(error.text);
        throw std::runtime_error(error.text);
    }

    void swap(NeighborhoodSearch &other) noexcept
    {
        std::swap(m_search, other.m_search);
        std::swap(m_radius, other.m_radius);
        std::swap(m_search_radius, other.m_search_radius);
        std::swap(m_point_sets, other.m_point_sets);
        std::swap(m_table, other.m_table);
        std::swap(m_lists, other.m_lists);
        const bool is_read = m_is_read;
        m_is_read = other.m_is_read.load();
        other.m_is_read = is_read;
    }

    void mark_stale(unsigned int i)
    {
        m_point_sets[i].m_is_stale = true;
        m_is_read = false;
    }

    static mote_neighbors_def make_def(Real radius)
    {
        mote_neighbors_def def = mote_neighbors_default_def();
        def.radius = static_cast<double>(radius);
        def.features = MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_PERMUTATION;
        if (std::is_same<Real, double>::value) def.features |= MOTE_NEIGHBORS_F64;
        def.open_ball = true;
        return def;
    }

    // Makes the search, or gives it the present radius.
    void prepare_search()
    {
        mote_error error;
        if (m_search && m_search_radius == m_radius) return;
        if (m_search) {
            check(mote_neighbors_set_radius(m_search, static_cast<double>(m_radius), &error), error);
            m_search_radius = m_radius;
            return;
        }
        const mote_neighbors_def def = make_def(m_radius);
        mote_neighbors *made = nullptr;
        check(mote_neighbors_create(nullptr, &def, &made, &error), error);
        m_search = made;
        m_search_radius = m_radius;
    }

    // Reads all sets that move, and those that are stale.
    void read_points()
    {
        prepare_search();
        const std::size_t count = m_point_sets.size();
        std::vector<mote_points> sets;
        std::unique_ptr<bool[]> changed(new bool[count + 1]);
        sets.reserve(count + 1);
        for (PointSet const &set : m_point_sets) {
            changed[sets.size()] = set.m_is_stale || set.m_dynamic;
            sets.push_back(set.points());
        }
        mote_error error;
        m_is_read = false;
        const mote_result result = mote_neighbors_update_sets(m_search, sets.data(), static_cast<std::uint32_t>(count),
                                                              changed.get(), &error);
        if (result != MOTE_OK) reset();
        check(result, error);
        for (PointSet &set : m_point_sets) set.m_is_stale = false;
        m_is_read = true;
    }

    // Queries may come from several threads: the first reads what was added or resized.
    void read_for_query()
    {
        if (m_is_read) return;
        std::lock_guard<std::mutex> lock(m_mutex);
        if (m_is_read) return;
        if (!m_search) throw NeighborhoodSearchNotInitialized{};
        read_points();
    }

    // The memory of a thread for single rows.
    struct Scratch {
        mote_row_scratch *memory;
        Scratch() : memory(nullptr) {}
        ~Scratch() { mote_row_scratch_destroy(memory); }
        Scratch(Scratch const &) = delete;
        Scratch &operator=(Scratch const &) = delete;
    };

    void find_row(unsigned int set, Real const *x, std::vector<unsigned int> &row) const
    {
        static thread_local Scratch scratch;
        const double at[3] = {static_cast<double>(x[0]), static_cast<double>(x[1]), static_cast<double>(x[2])};
        mote_error error;
        mote_row found;
        if (!scratch.memory) check(mote_row_scratch_create(nullptr, &scratch.memory, &error), error);
        mote_neighbors const *search = mote_neighbors_search_of_set(m_search, set);
        check(mote_neighbors_row_at(search, at, 0, scratch.memory, &found, &error), error);
        row.assign(found.indices, found.indices + found.count);
    }

    mote_neighbors *m_search;  // made when it is first needed
    Real m_radius;
    Real m_search_radius = 0;     // of m_search
    std::atomic<bool> m_is_read;  // all sets, as they are now
    std::vector<PointSet> m_point_sets;
    ActivationTable m_table;
    std::vector<mote_lists> m_lists;
    std::mutex m_mutex;
};

}  // namespace CompactNSearch

#endif
