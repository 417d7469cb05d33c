#include "gpu/simt/built_in_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "gpu/core/error.h"
#include "gpu/simt/details.h"
#include "gpu/simt/device_heap.h"
#include "gpu/simt/device_launches.h"
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

// ---- launches of kernels

int thread_of(const Warp& warp, int lane) {
    return warp.index * kLanes + lane;
}

void give(const Warp& warp, const Instruction& i, int lane, u64 value, std::size_t bytes) {
    const auto& call = detail_of<SystemCall>(i);
    std::memcpy(place_in(warp, call, lane, call.result), &value, bytes);
}

// What the kernel then reads from cudaGetLastError, and a finding.
void tell_refused(const Warp& warp, const Instruction& i, int lane, LaunchError error,
                  const std::string& why) {
    Worker& worker = *warp.worker;
    if (worker.heap.launches)
        worker.heap.launches->set_error(worker.place.linear_block, thread_of(warp, lane), error);
    report(warp, i, lane, Finding::Kind::refused_launch, [&] { return why; });
}

LaunchError error_of(const RefusedLaunch& refused) {
    const auto is = [&](std::string_view name) { return refused.code().starts_with(name); };
    if (is("cudaErrorInvalidValue")) return LaunchError::invalid_value;
    if (is("cudaErrorLaunchOutOfResources")) return LaunchError::out_of_resources;
    if (is("cudaErrorNoKernelImageForDevice")) return LaunchError::no_kernel_image;
    return LaunchError::invalid_configuration;
}

Shape shape_argument(const Warp& warp, const Instruction& i, int lane, std::size_t index) {
    const auto& call = detail_of<SystemCall>(i);
    std::array<std::uint32_t, 3> sides{};
    std::memcpy(sides.data(), place_in(warp, call, lane, call.arguments[index]), sizeof sides);
    Shape shape{};
    for (std::size_t k = 0; k < sides.size(); ++k)
        shape[k] = int(std::min<std::uint32_t>(sides[k], std::numeric_limits<int>::max()));
    return shape;
}

// The address where a launch's parameters are to be written; 0 where it is refused. Of kernel, grid, block
// and dynamic shared memory.
template <class Observer>
u64 parameter_buffer(Warp& warp, const Instruction& i, int lane) {
    Worker& worker = *warp.worker;
    if (!worker.heap.launches) {
        tell_refused(warp, i, lane, LaunchError::not_supported,
                     "one block runs alone here, without the grids that it launches");
        return 0;
    }
    KernelLaunch launch;
    launch.grid = shape_argument(warp, i, lane, 1);
    launch.block = shape_argument(warp, i, lane, 2);
    launch.dynamic_shared_bytes = argument(warp, i, lane, 3, 4);
    try {
        worker.heap.launches->set_kernel(argument(warp, i, lane, 0, 8), launch);
    } catch (const RefusedLaunch& refused) {
        tell_refused(
            warp, i, lane, error_of(refused),
            fmt::format("{} ({})", refused.code().substr(0, refused.code().find(' ')), refused.reason()));
        return 0;
    } catch (const Error& error) {
        end_launch(worker, i.line, thread_of(warp, lane), error.what());
        return 0;
    }
    const u64 bytes = std::max<u64>(1, launch.parameters.size());
    const u64 address = worker.heap.memory->allocate(bytes, i.line);
    if (address == 0) {
        tell_refused(warp, i, lane, LaunchError::out_of_resources,
                     "cudaErrorLaunchOutOfResources (no memory is left for the parameters)");
        return 0;
    }
    observer_of<Observer>(warp).allocate(*worker.heap.region, address, bytes);
    worker.heap.launches->prepare(address, std::move(launch));
    return address;
}

template <class Observer>
void give_parameter_buffer(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask,
              [&](int lane) { give(warp, i, lane, parameter_buffer<Observer>(warp, i, lane), 8); });
}

LaunchError launch_one(Warp& warp, const Instruction& i, int lane) {
    Worker& worker = *warp.worker;
    const u64 buffer = argument(warp, i, lane, 0, 8);
    KernelLaunch launch = worker.heap.launches ? worker.heap.launches->take(buffer) : KernelLaunch{};
    if (!launch.program) {
        tell_refused(warp, i, lane, LaunchError::invalid_value,
                     "cudaErrorInvalidValue (no parameters lie at the address of the launch)");
        return LaunchError::invalid_value;
    }
    if (!launch.parameters.empty())
        std::memcpy(launch.parameters.data(), worker.heap.memory->at(buffer, launch.parameters.size()),
                    launch.parameters.size());
    (void)worker.heap.memory->release(buffer, i.line);
    const std::string kernel = launch.program->kernel;
    const LaunchError error =
        worker.heap.launches->add(std::move(launch), argument(warp, i, lane, 1, 8), i.line);
    if (error == LaunchError::too_many_pending)
        tell_refused(
            warp, i, lane, error,
            fmt::format("cudaErrorLaunchPendingCountExceeded ('{}' finds {} grids waiting, as many as "
                        "cudaLimitDevRuntimePendingLaunchCount allows)",
                        kernel, DeviceLaunches::kMostPending));
    if (error == LaunchError::too_deep)
        tell_refused(
            warp, i, lane, error,
            fmt::format("cudaErrorLaunchMaxDepthExceeded ('{}' would be {} grids below the host's, {} at "
                        "most)",
                        kernel, DeviceLaunches::kMostDepth + 1, DeviceLaunches::kMostDepth));
    return error;
}

void launch_device(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) { give(warp, i, lane, u64(launch_one(warp, i, lane)), 4); });
}

template <bool kClears>
void give_last_error(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) {
        const Worker& worker = *warp.worker;
        const LaunchError error =
            worker.heap.launches
                ? worker.heap.launches->error_of(worker.place.linear_block, thread_of(warp, lane), kClears)
                : LaunchError::not_supported;
        give(warp, i, lane, u64(error), 4);
    });
}

// All but the tail stream are alike here: what runs at the same time there, runs one after the other.
template <class Observer>
void create_stream(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) {
        const u64 stream = warp.worker->heap.launches ? warp.worker->heap.launches->new_stream() : 1;
        const auto* value = reinterpret_cast<const std::byte*>(&stream);
        std::byte* to = place_of<Observer>(warp, i, lane, argument(warp, i, lane, 0, 8), sizeof stream,
                                           Access::write, value);
        if (to) std::memcpy(to, &stream, sizeof stream);
        give(warp, i, lane, u64(to ? LaunchError::none : LaunchError::invalid_value), 4);
    });
}

void destroy_stream(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) { give(warp, i, lane, u64(LaunchError::none), 4); });
}

constinit const Observed kGiveParameterBuffer = observed([]<class Observer> {
    return Handlers{&give_parameter_buffer<Observer>, &give_parameter_buffer<Observer>};
});
constinit const Observed kLaunchDevice = observed([]<class Observer> {
    return Handlers{&launch_device, &launch_device};
});
constinit const Observed kGetLastError = observed([]<class Observer> {
    return Handlers{&give_last_error<true>, &give_last_error<true>};
});
constinit const Observed kPeekAtLastError = observed([]<class Observer> {
    return Handlers{&give_last_error<false>, &give_last_error<false>};
});
constinit const Observed kCreateStream = observed([]<class Observer> {
    return Handlers{&create_stream<Observer>, &create_stream<Observer>};
});
constinit const Observed kDestroyStream = observed([]<class Observer> {
    return Handlers{&destroy_stream, &destroy_stream};
});

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
    // The device runtime, as compilers from 12.0 on call it, and as those before do.
    {"__cudaCDP2GetParameterBufferV2", {8, 12, 12, 4}, 8, &kGiveParameterBuffer, true, true},
    {"__cudaCDP2LaunchDeviceV2", {8, 8}, 4, &kLaunchDevice, true, true},
    {"__cudaCDP2GetLastError", {}, 4, &kGetLastError},
    {"__cudaCDP2PeekAtLastError", {}, 4, &kPeekAtLastError},
    {"__cudaCDP2StreamCreateWithFlags", {8, 4}, 4, &kCreateStream},
    {"__cudaCDP2StreamDestroy", {8}, 4, &kDestroyStream},
    {"cudaGetParameterBufferV2", {8, 12, 12, 4}, 8, &kGiveParameterBuffer, true, true},
    {"cudaLaunchDeviceV2", {8, 8}, 4, &kLaunchDevice, true, true},
    {"cudaGetLastError", {}, 4, &kGetLastError},
    {"cudaPeekAtLastError", {}, 4, &kPeekAtLastError},
    {"cudaStreamCreateWithFlags", {8, 4}, 4, &kCreateStream},
    {"cudaStreamDestroy", {8}, 4, &kDestroyStream},
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
