// SPDX-License-Identifier: MIT
/// DataStructures.h: which point set looks into which.
#ifndef MOTE_COMPACTNSEARCH_DATA_STRUCTURES_H
#define MOTE_COMPACTNSEARCH_DATA_STRUCTURES_H

#include <cstddef>
#include <vector>

#include "Config.h"

namespace CompactNSearch
{

/// A point of a point set.
struct PointID {
    unsigned int point_set_id;
    unsigned int point_id;

    bool operator==(PointID const &other) const
    {
        return point_set_id == other.point_set_id && point_id == other.point_id;
    }
};

/// A flag for each pair of point sets: whether the points of the first find those of the second.
class ActivationTable
{
public:
    /// @param search_neighbors  whether the new set looks into all sets, itself included
    /// @param find_neighbors    whether all former sets look into the new one
    void add_point_set(bool search_neighbors = true, bool find_neighbors = true)
    {
        for (std::vector<unsigned char> &row : m_rows) row.push_back(find_neighbors);
        m_rows.push_back(std::vector<unsigned char>(m_rows.size() + 1, search_neighbors));
    }

    /// Whether set i looks into set j.
    void set_active(unsigned int i, unsigned int j, bool active) { m_rows[i][j] = active; }

    /// Whether set i looks into all others, and all others into it; it looks into itself if both hold.
    void set_active(unsigned int i, bool search_neighbors = true, bool find_neighbors = true)
    {
        for (std::size_t k = 0; k < m_rows.size(); ++k) {
            m_rows[i][k] = search_neighbors;
            m_rows[k][i] = find_neighbors;
        }
        m_rows[i][i] = search_neighbors && find_neighbors;
    }

    /// All pairs at once.
    void set_active(bool active)
    {
        for (std::vector<unsigned char> &row : m_rows) row.assign(row.size(), active);
    }

    bool is_active(unsigned int i, unsigned int j) const { return m_rows[i][j] != 0; }

    /// Whether set i looks into any set.
    bool is_searching_neighbors(unsigned int i) const
    {
        for (unsigned char active : m_rows[i])
            if (active) return true;
        return false;
    }

    bool operator==(ActivationTable const &other) const { return m_rows == other.m_rows; }
    bool operator!=(ActivationTable const &other) const { return m_rows != other.m_rows; }

private:
    std::vector<std::vector<unsigned char>> m_rows;
};

}  // namespace CompactNSearch

#endif
