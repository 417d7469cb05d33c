#include "gpu/simt/built_in_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include "gpu/simt/details.h"
#include "gpu/simt/device_heap.h"
#include "gpu/simt/formatted_text.h"
#include "gpu/simt/lane_access.h"
#include "gpu/simt/observer_sets.h"
#include "gpu/simt/places.h"
#include "gpu/simt/print_sink.h"
#include "gpu/simt/report.h"

namespace ws::simt {
namespace {

std::byte* place_in(const Warp& warp, const SystemCall& call, int lane, s32 offset) {
    return warp.frame + call.area + s64(lane) * call.stride + offset;
}

u64 argument(const Warp& warp, const Instruction& i, int lane, std::size_t index, std::size_t bytes) {
    const auto& call = detail_of<SystemCall>(i);
    u64 value = 0;
    std::memcpy(&value, place_in(warp, call, lane, call.arguments[index]), bytes);
    return value;
}

// A lane's generic memory; what may not be read is reported.
template <class Observer>
ReadMemory memory_of_lane(Warp& warp, const Instruction& i, int lane) {
    return [&warp, &i, lane](u64 address, int bytes) -> std::optional<u64> {
        const std::byte* from = place_of<Observer>(warp, i, lane, address, bytes, Access::read);
        if (!from) return std::nullopt;
        u64 value = 0;
        std::memcpy(&value, from, std::size_t(bytes));
        return value;
    };
}

template <class Observer>
void print_formatted(Warp& warp, const Instruction& i) {
    const auto& call = detail_of<SystemCall>(i);
    for_lanes(warp.mask, [&](int lane) {
        const ReadMemory memory = memory_of_lane<Observer>(warp, i, lane);
        const std::string format = text_at(memory, argument(warp, i, lane, 0, 8));
        const FormattedText made = formatted_text(memory, format, argument(warp, i, lane, 1, 8));
        warp.worker->prints->add(warp.worker->place.linear_block, made.text);
        std::memcpy(place_in(warp, call, lane, call.result), &made.conversions, sizeof made.conversions);
    });
}

// "[1,0,0]"
std::string triple(int x, int y, int z) {
    return fmt::format("[{},{},{}]", x, y, z);
}

// Of message, file, line, function and size of a character; the first lane's ends the launch.
template <class Observer>
void fail_assertion(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) {
        const ReadMemory memory = memory_of_lane<Observer>(warp, i, lane);
        const auto text = [&](std::size_t index) {
            return text_at(memory, argument(warp, i, lane, index, 8));
        };
        Worker& worker = *warp.worker;
        const int thread = warp.index * kLanes + lane;
        const auto& shape = worker.place.shape;
        const std::string assertion = text(0);
        worker.prints->add(
            worker.place.linear_block,
            fmt::format("{}:{}: {}: block: {}, thread: {} Assertion `{}` failed.\n", text(1),
                        argument(warp, i, lane, 2, 4), text(3),
                        triple(worker.place.block[0], worker.place.block[1], worker.place.block[2]),
                        triple(thread % shape[0], thread / shape[0] % shape[1], thread / shape[0] / shape[1]),
                        assertion));
        end_launch(worker, i.line, thread, fmt::format("the assertion '{}' failed", assertion));
    });
}

// A pointer, null where the heap has no room.
template <class Observer>
void allocate(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) {
        const u64 bytes = argument(warp, i, lane, 0, 8);
        const u64 address = warp.worker->heap.memory->allocate(bytes, i.line);
        if (address != 0) observer_of<Observer>(warp).allocate(*warp.worker->heap.region, address, bytes);
        std::memcpy(place_in(warp, detail_of<SystemCall>(i), lane, detail_of<SystemCall>(i).result), &address,
                    sizeof address);
    });
}

void release(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) {
        const u64 address = argument(warp, i, lane, 0, 8);
        std::string wrong = address == 0 ? "" : warp.worker->heap.memory->release(address, i.line);
        if (!wrong.empty()) report(warp, i, lane, Finding::Kind::wrong_free, [&] { return wrong; });
    });
}

constinit const Observed kAllocate = observed([]<class Observer> {
    return Handlers{&allocate<Observer>, &allocate<Observer>};
});
constinit const Observed kRelease = observed([]<class Observer> { return Handlers{&release, &release}; });
constinit const Observed kPrintFormatted = observed([]<class Observer> {
    return Handlers{&print_formatted<Observer>, &print_formatted<Observer>};
});
constinit const Observed kFailAssertion = observed([]<class Observer> {
    return Handlers{&fail_assertion<Observer>, &fail_assertion<Observer>};
});

constexpr BuiltInCall kTable[] = {
    {"vprintf", {8, 8}, 4, &kPrintFormatted},
    {"__assertfail", {8, 8, 4, 8, 8}, 0, &kFailAssertion},
    {"malloc", {8}, 8, &kAllocate, true},
    {"free", {8}, 0, &kRelease, true},
};

}  // namespace

std::span<const BuiltInCall> built_in_calls() {
    return kTable;
}

const BuiltInCall* built_in_named(std::string_view name) {
    const auto found = std::find_if(std::begin(kTable), std::end(kTable),
                                    [&](const BuiltInCall& call) { return call.name == name; });
    return found == std::end(kTable) ? nullptr : found;
}

}  // namespace ws::simt
