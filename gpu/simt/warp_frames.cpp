#include "gpu/simt/warp_state.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ws::simt {
namespace {

constexpr std::size_t kFrameAlign = 64;
constexpr int kDeepestCall = 64;
constexpr std::size_t kMostFrameBytes = 256 << 20;  // of a warp

std::byte* aligned_start(std::vector<std::byte>& bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    return bytes.data() + ((address + kFrameAlign - 1) / kFrameAlign * kFrameAlign - address);
}

void fill_specials(const LaunchContext& context, std::uint64_t shared_bytes, std::byte* frame, int index) {
    const KernelLaunch& launch = context.launch;
    const auto set = [&](Special special, std::uint64_t value) {
        fill_slot(frame, offset_of(special), value, false);
    };
    for (int lane = 0; lane < kLanes; ++lane) {
        const int thread = index * kLanes + lane;
        const auto put = [&](Special special, std::uint32_t value) {
            reinterpret_cast<std::uint32_t*>(frame + offset_of(special))[lane] = value;
        };
        put(Special::tid_x, std::uint32_t(thread % launch.block[0]));
        put(Special::tid_y, std::uint32_t(thread / launch.block[0] % launch.block[1]));
        put(Special::tid_z, std::uint32_t(thread / launch.block[0] / launch.block[1]));
        put(Special::laneid, std::uint32_t(lane));
        put(Special::lanemask_eq, 1u << lane);
        put(Special::lanemask_lt, (1u << lane) - 1);
        put(Special::lanemask_le, (2u << lane) - 1);
        put(Special::lanemask_ge, ~((1u << lane) - 1));
        put(Special::lanemask_gt, ~((2u << lane) - 1));
    }
    set(Special::ntid_x, std::uint64_t(launch.block[0]));
    set(Special::ntid_y, std::uint64_t(launch.block[1]));
    set(Special::ntid_z, std::uint64_t(launch.block[2]));
    set(Special::nctaid_x, std::uint64_t(launch.grid[0]));
    set(Special::nctaid_y, std::uint64_t(launch.grid[1]));
    set(Special::nctaid_z, std::uint64_t(launch.grid[2]));
    set(Special::warpid, std::uint64_t(index));
    set(Special::nwarpid, std::uint64_t(context.gpu.limits.warps_per_multiprocessor));
    set(Special::nsmid, std::uint64_t(std::max(1, context.gpu.multiprocessors)));
    set(Special::dynamic_smem, launch.dynamic_shared_bytes);
    set(Special::total_smem, shared_bytes);
    set(Special::zero, 0);
}

// Makes the frame stack larger: what lies in the old one moves along, wherever the new one's alignment
// begins.
void grow_frames(WarpState& warp, std::size_t used, std::size_t needed) {
    if (warp.frames.size() >= needed) return;
    std::vector<std::byte> larger(needed * 2);
    std::memcpy(aligned_start(larger), aligned_start(warp.frames), used);
    warp.frames = std::move(larger);
}

// The call that the lanes make: of those that a pointer may mean, the one to where it points; -1 for none.
int chosen_call(const Warp& warp, std::int32_t pointers, const Function& caller, const BasicBlock& block,
                std::uint32_t mask) {
    if (pointers < 0) return block.call;
    const std::uint64_t pointer = slot<std::uint64_t>(warp, pointers)[std::countr_zero(mask)];
    for (int i = block.call; pointer != 0 && i < block.call + block.calls; ++i) {
        if (caller.calls[std::size_t(i)].address == pointer) return i;
    }
    return -1;
}

}  // namespace

void fill_slot(std::byte* frame, std::int32_t offset, std::uint64_t bits, bool wide) {
    if (wide) {
        std::fill_n(reinterpret_cast<std::uint64_t*>(frame + offset), kLanes, bits);
    } else {
        std::fill_n(reinterpret_cast<std::uint32_t*>(frame + offset), kLanes, std::uint32_t(bits));
    }
}

void set_frame(WarpState& warp, std::int64_t offset) {
    warp.frame = offset;
    warp.warp.frame = aligned_start(warp.frames) + offset;
}

void prepare_frames(const LaunchContext& context, std::uint64_t shared_bytes, WarpState& warp, int index) {
    const Function& kernel = context.launch.program->functions.front();
    warp.frames.resize(std::size_t(kernel.frame_bytes) + kFrameAlign);
    set_frame(warp, 0);
    fill_specials(context, shared_bytes, warp.warp.frame, index);
    fill_constants(context.launch, kernel, warp.warp.frame);
}

void fill_constants(const KernelLaunch& launch, const Function& function, std::byte* frame) {
    for (const SlotConstant& constant : function.constants)
        fill_slot(frame, constant.offset, constant.bits, constant.wide);
    for (const SlotParameter& parameter : function.parameters) {
        std::uint64_t bits = 0;
        if (parameter.at + parameter.bytes <= launch.parameters.size())
            std::memcpy(&bits, launch.parameters.data() + parameter.at, parameter.bytes);
        const int unused = 64 - 8 * parameter.bytes;
        if (parameter.is_signed) bits = std::uint64_t(std::int64_t(bits << unused) >> unused);
        fill_slot(frame, parameter.offset, bits, parameter.wide);
    }
}

std::string enter_call(const KernelLaunch& launch, const BoundProgram& bound, WarpState& warp,
                       const BasicBlock& block, std::uint32_t mask) {
    Path& path = warp.paths.back();
    path.block = block.next;
    if (mask == 0) return {};
    const std::vector<Function>& functions = bound.program.functions;
    const Function& caller = functions[std::size_t(path.function)];
    const int index = chosen_call(warp.warp, bound.control_of(block).a, caller, block, mask);
    if (index < 0) return "a call through a pointer that is none to a function with these parameters";
    const Call& call = caller.calls[std::size_t(index)];
    const Function& callee = functions[std::size_t(call.function)];
    const std::int64_t here = warp.frame;
    const std::int64_t there = here + caller.frame_bytes;
    const auto needed = std::size_t(there) + std::size_t(callee.frame_bytes) + kFrameAlign;
    if (warp.paths.size() > kDeepestCall * 4 || needed > kMostFrameBytes)
        return "calls are nested too deeply";
    grow_frames(warp, std::size_t(there), needed);
    set_frame(warp, here);
    std::byte* from = warp.warp.frame;
    std::byte* to = from + caller.frame_bytes;
    std::memcpy(to, from, kSpecials * kSlot);
    fill_constants(launch, callee, to);
    for (const ParameterCopy& copy : call.arguments) {
        for (int lane = 0; lane < kLanes; ++lane)
            std::memcpy(to + callee.lane_area + lane * callee.lane_stride + copy.callee,
                        from + caller.lane_area + lane * caller.lane_stride + copy.caller, copy.bytes);
    }
    warp.paths.push_back({call.function, 0, -1, mask, index, here});
    set_frame(warp, there);
    return {};
}

void leave_function(const Program& program, WarpState& warp, std::uint32_t mask) {
    if (warp.paths.back().function == 0) {
        warp.warp.live &= ~mask;
        return;
    }
    const Path path = warp.paths.back();
    warp.paths.pop_back();
    if (path.call < 0) return;  // a part of the function's lanes: the others are still on their way
    const Function& callee = program.functions[std::size_t(path.function)];
    const Function& caller = program.functions[std::size_t(warp.paths.back().function)];
    const std::byte* from = warp.warp.frame;
    set_frame(warp, path.caller_frame);
    std::byte* to = warp.warp.frame;
    for (const ParameterCopy& copy : caller.calls[std::size_t(path.call)].results) {
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            std::memcpy(to + caller.lane_area + lane * caller.lane_stride + copy.caller,
                        from + callee.lane_area + lane * callee.lane_stride + copy.callee, copy.bytes);
        }
    }
}

}  // namespace ws::simt
