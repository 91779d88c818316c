// SPDX-License-Identifier: MIT
// base/sorts.inl: heaps, and sorting in place, as functions for one type of element.
//
// The including file defines the element type and which of two elements comes first, and gets the functions under
// its own names. `data` is passed on to the comparison.
//
//     #define SORT_TYPE row_hit
//     #define SORT_BEFORE(data, a, b) mote_hit_is_nearer(&(a), &(b))
//     #define SORT_NAME(verb) hits_##verb
//     #include "base/sorts.inl"
//
//     hits_sort(NULL, hits, count);
//
// A heap has the element that comes last at its root (Williams 1964). Few elements are sorted by insertion, more by
// such a heap (Floyd 1964): in place, without recursion, O(n log n) for any input.

#ifndef MOTE_BASE_SORTS_INL
#define MOTE_BASE_SORTS_INL
enum { MOTE_SORT_FEW = 24 };  // so few elements are sorted faster by insertion than by a heap
#endif

// Inserts an element into a sorted row of `count`, after equal elements.
static inline void SORT_NAME(insert)(const void *data, SORT_TYPE *row, size_t count, SORT_TYPE element)
{
    (void)data;
    for (; count > 0 && SORT_BEFORE(data, element, row[count - 1]); --count) row[count] = row[count - 1];
    row[count] = element;
}

// Puts an element into the hole at `hole` of the heap or below it.
static inline void SORT_NAME(sift_down)(const void *data, SORT_TYPE *heap, size_t count, size_t hole, SORT_TYPE element)
{
    (void)data;
    for (size_t child; (child = 2 * hole + 1) < count; hole = child) {
        child += child + 1 < count && SORT_BEFORE(data, heap[child], heap[child + 1]);
        if (!(SORT_BEFORE(data, element, heap[child]))) break;
        heap[hole] = heap[child];
    }
    heap[hole] = element;
}

// Puts an element into the hole at `hole` of the heap or above it.
static inline void SORT_NAME(sift_up)(const void *data, SORT_TYPE *heap, size_t hole, SORT_TYPE element)
{
    (void)data;
    for (size_t parent; hole > 0; hole = parent) {
        parent = (hole - 1) / 2;
        if (!(SORT_BEFORE(data, heap[parent], element))) break;
        heap[hole] = heap[parent];
    }
    heap[hole] = element;
}

// Turns a heap into a sorted row.
static inline void SORT_NAME(unheap)(const void *data, SORT_TYPE *heap, size_t count)
{
    for (size_t end = count; end > 1;) {
        const SORT_TYPE element = heap[--end];
        heap[end] = heap[0];
        SORT_NAME(sift_down)(data, heap, end, 0, element);
    }
}

static inline void SORT_NAME(sort)(const void *data, SORT_TYPE *row, size_t count)
{
    if (count <= MOTE_SORT_FEW) {
        for (size_t i = 1; i < count; ++i) SORT_NAME(insert)(data, row, i, row[i]);
        return;
    }
    for (size_t hole = count / 2; hole-- > 0;) SORT_NAME(sift_down)(data, row, count, hole, row[hole]);
    SORT_NAME(unheap)(data, row, count);
}

#undef SORT_TYPE
#undef SORT_BEFORE
#undef SORT_NAME
