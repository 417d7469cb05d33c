#pragma once
// What a test compares of two traces: everything.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "gpu/core/warp_trace.h"

namespace ws::testing {

inline auto fields_of(const TracedAccess& a) {
    return std::make_tuple(
        std::tuple(a.ptx_line, a.kind, a.space, a.lanes, a.ways, a.wavefronts, a.lookups, a.sectors, a.lines),
        std::tuple(a.past_l1, a.parts, a.lines_of_parts, a.by_l1, a.asked_lines, a.first_asked,
                   a.first_stored, a.walks));
}
inline auto fields_of(const TracedBlock& b) {
    return std::tuple(b.block, b.mask, b.first_access, b.first_rare);
}
inline auto fields_of(const TracedRare& r) {
    return std::tuple(r.ptx_line, r.mask, r.way);
}
inline auto fields_of(const AtomicSlice& s) {
    return std::tuple(s.slice, s.lanes, s.float_lanes, s.blocks, s.last_block);
}

template <typename T>
bool are_equal(const std::vector<T>& a, const std::vector<T>& b) {
    return std::ranges::equal(
        a, b, [](const T& one, const T& other) { return fields_of(one) == fields_of(other); });
}

inline void expect_equal(const WarpTrace& a, const WarpTrace& b, const std::string& name) {
    const std::string where =
        name + ", block " + std::to_string(a.thread_block) + ", warp " + std::to_string(a.warp);
    EXPECT_EQ(a.thread_block, b.thread_block) << where;
    EXPECT_EQ(a.warp, b.warp) << where;
    EXPECT_TRUE(are_equal(a.path, b.path)) << where;
    EXPECT_TRUE(are_equal(a.accesses, b.accesses)) << where;
    EXPECT_TRUE(are_equal(a.rare, b.rare)) << where;
    EXPECT_TRUE(a.asked == b.asked) << where;
    EXPECT_TRUE(a.stored == b.stored) << where;
}

inline void expect_equal(const KernelTrace& a, const KernelTrace& b, const std::string& name) {
    EXPECT_TRUE(a.ptx_lines == b.ptx_lines && a.ptx_next == b.ptx_next && a.counted == b.counted) << name;
    EXPECT_TRUE(are_equal(a.atomics, b.atomics)) << name;
    EXPECT_TRUE(a.before == b.before) << name;
    EXPECT_EQ(a.local_words, b.local_words) << name;
    ASSERT_EQ(a.warps.size(), b.warps.size()) << name;
    for (std::size_t i = 0; i < a.warps.size(); ++i) expect_equal(a.warps[i], b.warps[i], name);
}

}  // namespace ws::testing
