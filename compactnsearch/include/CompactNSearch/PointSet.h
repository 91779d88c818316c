// SPDX-License-Identifier: MIT
/// PointSet.h: a set of points, and the neighbours of its points.
#ifndef MOTE_COMPACTNSEARCH_POINT_SET_H
#define MOTE_COMPACTNSEARCH_POINT_SET_H

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <type_traits>

#include "Config.h"
#include "DataStructures.h"
#include "mote/neighbors.h"

namespace CompactNSearch
{

static_assert(std::is_same<std::uint32_t, unsigned int>::value, "rows are arrays of unsigned int");

/// The neighbours of a point in one set: looks like a const std::vector<unsigned int>, and becomes one where a program
/// wants one (by copying). Its memory belongs to the search: valid until the next find_neighbors of all points.
class NeighborList
{
public:
    using value_type = unsigned int;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = unsigned int const &;
    using const_reference = unsigned int const &;
    using iterator = unsigned int const *;
    using const_iterator = unsigned int const *;
    using reverse_iterator = std::reverse_iterator<iterator>;
    using const_reverse_iterator = std::reverse_iterator<const_iterator>;

    NeighborList() : m_first(nullptr), m_size(0) {}
    NeighborList(unsigned int const *first, std::size_t size) : m_first(first), m_size(size) {}

    const_iterator begin() const { return m_first; }
    const_iterator end() const { return m_first + m_size; }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }
    const_reverse_iterator rbegin() const { return const_reverse_iterator(end()); }
    const_reverse_iterator rend() const { return const_reverse_iterator(begin()); }
    const_reverse_iterator crbegin() const { return rbegin(); }
    const_reverse_iterator crend() const { return rend(); }
    unsigned int const *data() const { return m_first; }
    std::size_t size() const { return m_size; }
    bool empty() const { return m_size == 0; }
    const_reference operator[](std::size_t k) const { return m_first[k]; }
    const_reference front() const { return m_first[0]; }
    const_reference back() const { return m_first[m_size - 1]; }
    const_reference at(std::size_t k) const
    {
        if (k >= m_size) throw std::out_of_range("CompactNSearch: a row has no such neighbor");
        return m_first[k];
    }

    operator std::vector<unsigned int>() const { return std::vector<unsigned int>(begin(), end()); }

    friend bool operator==(NeighborList const &a, NeighborList const &b)
    {
        return a.m_size == b.m_size && std::equal(a.begin(), a.end(), b.begin());
    }
    friend bool operator!=(NeighborList const &a, NeighborList const &b) { return !(a == b); }
    friend bool operator==(NeighborList const &a, std::vector<unsigned int> const &b) { return a == of(b); }
    friend bool operator!=(NeighborList const &a, std::vector<unsigned int> const &b) { return !(a == of(b)); }
    friend bool operator==(std::vector<unsigned int> const &a, NeighborList const &b) { return of(a) == b; }
    friend bool operator!=(std::vector<unsigned int> const &a, NeighborList const &b) { return !(of(a) == b); }

private:
    static NeighborList of(std::vector<unsigned int> const &row) { return NeighborList(row.data(), row.size()); }

    unsigned int const *m_first;
    std::size_t m_size;
};

class NeighborhoodSearch;

/// Points at x, y, z, x, y, z, …, which belong to the program.
class PointSet
{
public:
    /// How many points of set `point_set` are neighbours of point i; 0 where nothing has been searched for.
    std::size_t n_neighbors(unsigned int point_set, unsigned int i) const { return neighbor_list(point_set, i).size(); }

    /// The k-th of them.
    unsigned int neighbor(unsigned int point_set, unsigned int i, unsigned int k) const
    {
        mote_lists const &lists = m_lists[point_set];
        return lists.indices[lists.first[i] + k];
    }

    /// All of them.
    NeighborList neighbor_list(unsigned int point_set, unsigned int i) const
    {
        if (point_set >= m_lists.size() || i >= m_lists[point_set].count) return NeighborList();
        mote_lists const &lists = m_lists[point_set];
        return NeighborList(lists.indices + lists.first[i], lists.counts[i]);
    }

    std::size_t n_points() const { return m_n; }

    /// Whether find_neighbors reads the points again at every call. Those of other sets are read when the set was added
    /// or resized, and after set_dynamic, set_active, set_radius, z_sort and reset.
    bool is_dynamic() const { return m_dynamic; }
    void set_dynamic(bool dynamic)
    {
        m_is_stale = m_is_stale || m_dynamic != dynamic;  // where it came to rest
        m_dynamic = dynamic;
    }

    void *get_user_data() const { return m_user_data; }

    /// Brings an array with an element for each point into the order that NeighborhoodSearch::z_sort has found.
    template <typename T> void sort_field(T *field) const
    {
        if (!m_is_sorted) throw std::runtime_error("CompactNSearch: sort_field, expected z_sort before");
        if (m_order.size() != m_n)
            throw std::runtime_error("CompactNSearch: sort_field of a set that was resized after z_sort");
        std::vector<T> sorted;
        sorted.reserve(m_order.size());
        for (unsigned int i : m_order) sorted.push_back(field[i]);
        std::copy(sorted.begin(), sorted.end(), field);
    }

private:
    friend class NeighborhoodSearch;

    PointSet(Real const *x, std::size_t n, bool dynamic, void *user_data)
        : m_x(x), m_n(n), m_dynamic(dynamic), m_is_stale(true), m_is_sorted(false), m_user_data(user_data)
    {
    }

    static mote_points points_at(float const *x, std::size_t n) { return mote_points_xyz(x, n); }
    static mote_points points_at(double const *x, std::size_t n) { return mote_points_xyz_f64(x, n); }
    mote_points points() const { return points_at(m_x, m_n); }

    Real const *m_x;
    std::size_t m_n;
    bool m_dynamic, m_is_stale, m_is_sorted;  // stale: to be read again, whether dynamic or not
    void *m_user_data;
    std::vector<unsigned int> m_order;
    std::vector<mote_lists> m_lists;  // by the other set
};

}  // namespace CompactNSearch

#endif
