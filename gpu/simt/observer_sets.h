#pragma once
// The observers that the executor is compiled for, and the handlers of operations that call them.

#include <array>
#include <cstddef>
#include <type_traits>

#include "gpu/core/error.h"
#include "gpu/simt/cache_probe.h"
#include "gpu/simt/checker.h"
#include "gpu/simt/counter.h"
#include "gpu/simt/debug_watch.h"
#include "gpu/simt/examples.h"
#include "gpu/simt/observer.h"
#include "gpu/simt/partition_probe.h"
#include "gpu/simt/touched_sectors.h"
#include "gpu/simt/trace.h"

namespace ws::simt {

using Unwatched = Observers<>;
using Counting = Observers<Counter, PartitionProbe>;
using Profiling = Observers<Counter, PartitionProbe, CacheProbe, TouchedSectors, Examples>;
using Showing = Observers<Examples>;
using Checking = Observers<Checker>;
using Everything = Observers<Counter, PartitionProbe, CacheProbe, TouchedSectors, Examples, Checker>;
using Tracing = Observers<Trace>;
using Debugging = Observers<DebugWatch>;  // of a block that is stepped through, never of a launch

#define WS_FOR_OBSERVERS(DO) \
    DO(Unwatched) DO(Counting) DO(Profiling) DO(Showing) DO(Checking) DO(Everything) DO(Tracing) DO(Debugging)

// Calls run.operator()<Observer>() with the one that the options ask for.
template <typename Run>
auto with_observer(const LaunchOptions& options, const Run& run) {
    const bool profiles =
        options.model_caches || options.track_touched || (options.count && options.example_block != ~0ull);
    if (options.trace.trace) {
        if (options.check || profiles) throw Error("a launch that is traced takes no checks and no caches");
        return run.template operator()<Tracing>();
    }
    if (options.check) {
        return options.count || profiles ? run.template operator()<Everything>()
                                         : run.template operator()<Checking>();
    }
    if (!options.count && options.example_block != ~0ull && !profiles)
        return run.template operator()<Showing>();
    if (profiles) return run.template operator()<Profiling>();
    return options.count ? run.template operator()<Counting>() : run.template operator()<Unwatched>();
}

// The handlers of an operation that tells observers what it does, in the order of the list.
#define WS_ONE(Observer) 1,
inline constexpr std::size_t kObserverSets = std::array{WS_FOR_OBSERVERS(WS_ONE)}.size();
#undef WS_ONE
struct Observed {
    std::array<Handlers, kObserverSets> of;
};

// Of make.operator()<Observer>() for each.
template <typename Make>
[[nodiscard]] constexpr Observed observed(const Make& make) {
#define WS_MAKE(Observer) make.template operator()<Observer>(),
    return {{{WS_FOR_OBSERVERS(WS_MAKE)}}};
#undef WS_MAKE
}

template <class Observer>
[[nodiscard]] constexpr std::size_t index_of_observer() {
    std::size_t index = 0;
    std::size_t found = 0;
#define WS_COMPARE(Other)                                         \
    if constexpr (std::is_same_v<Observer, Other>) found = index; \
    ++index;
    WS_FOR_OBSERVERS(WS_COMPARE)
#undef WS_COMPARE
    return found;
}

}  // namespace ws::simt
