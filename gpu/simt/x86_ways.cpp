#include "gpu/simt/x86_ways.h"

#include <string_view>

#include "gpu/simt/special_operations.h"

namespace ws::simt {
namespace {

bool can_access(const Instruction& i, const TranslatedWay& way) {
    const MemoryAccess& m = memory_of(i);
    if (m.space != Space::global && m.space != Space::shared && m.space != Space::constant) return false;
    for (std::size_t e = 0; e < m.count; ++e) {
        if (m.elements[e] < 0) return false;
    }
    if (way.wide) return m.bytes == 8;
    return m.bytes == 4 || (m.bytes < 4 && (m.count == 1 || m.whole_bytes() == 4));
}

}  // namespace

TranslatedWay TranslatedWays::of(const Instruction& i) {
    if (i.observed == &kShuffle) return {.shuffles = true};
    if (i.full == &commit_copies) return {.commits = true};
    if (!i.operation) return {};
    const auto [known, is_new] = known_.try_emplace(i.operation);
    TranslatedWay& way = known->second;
    if (!is_new) return way;
    const std::string_view key = i.operation->key;
    way.lanes = find_lane_code(*i.operation);
    way.floats = find_float_code(*i.operation);
    way.predicate = find_predicate_code(*i.operation);
    way.halves = key == "cvt.u32.u64" && find_vector_operation(key) == i.operation;
    if (find_memory_operation(key) == i.operation) {
        way.loads = key.starts_with("load");
        way.stores = key.starts_with("store");
        way.copies = key == "copy";
        way.is_signed = key.ends_with(".signed");
        way.wide = key.find(".wide") != std::string_view::npos;
    }
    return way;
}

bool TranslatedWays::has(const Instruction& i) {
    if (i.guard >= 0) return false;
    const TranslatedWay way = of(i);
    if (way.loads || way.stores) return can_access(i, way);
    return way.lanes || way.floats || way.predicate || way.halves || way.shuffles || way.copies ||
           way.commits;
}

}  // namespace ws::simt
