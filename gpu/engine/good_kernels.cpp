#include "gpu/engine/good_kernels.h"

namespace ws {
namespace {

bool is_text_of(const std::optional<KernelSource>& one, const KernelSource& other) {
    return one && ws::same_text(*one, other);
}

}  // namespace

const KernelSource& GoodKernels::standing_for(const KernelSource& now) const {
    const auto found = known_.find(now.name);
    if (found == known_.end() || !found->second.good || !is_text_of(found->second.refused, now)) return now;
    return *found->second.good;
}

bool GoodKernels::passed(const KernelSource& source) {
    Known& known = known_[source.name];
    const bool was_refused = is_text_of(known.refused, source);  // with another block or knob
    const bool stood = was_refused && known.good && !is_text_of(known.good, source);
    if (was_refused) known.refused.reset();
    if (!is_text_of(known.good, source) || known.good->saved_at != source.saved_at) known.good = source;
    return stood;
}

bool GoodKernels::refused(const KernelSource& source) {
    Known& known = known_[source.name];
    if (is_text_of(known.refused, source)) return false;
    known.refused = source;
    return known.good && !is_text_of(known.good, source);
}

}  // namespace ws
