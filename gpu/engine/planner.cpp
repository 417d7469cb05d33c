#include "gpu/engine/planner.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/compile/kernel_source.h"

namespace ws {
namespace {

KnobValues knob_values(const KernelSource& source, const Work& work, const Version& version, Block block) {
    KnobValues values;
    for (const Knob& knob : source.knobs) {
        int value = knob.value;
        if (const auto own = version.knobs.find(knob.name); own != version.knobs.end()) value = own->second;
        if (const auto chosen = work.knobs.find(knob.name);
            chosen != work.knobs.end() && chosen->second >= knob.low && chosen->second <= knob.high) {
            value = chosen->second;
        }
        values[knob.name] = value;
    }
    values["BLOCK_X"] = block.x;
    values["BLOCK_Y"] = block.y;
    return values;
}

const Pass* pass_of(const std::vector<Pass>& way, int step) {
    const auto found =
        std::find_if(way.begin(), way.end(), [&](const Pass& pass) { return pass.step == step; });
    return found == way.end() ? nullptr : &*found;
}

// That of the version's way, else what another way of the view, then any view, passes.
const Pass* pass_for(const Work& work, int step) {
    const View& shown = work.lab->views[std::size_t(work.view)];
    if (const std::vector<Pass>* way = way_of(shown, version_of(*work.lab, work.version))) {
        if (const Pass* pass = pass_of(*way, step)) return pass;
    }
    const auto in_any_way = [step](const View& view) -> const Pass* {
        for (const std::vector<Pass>& way : view.ways) {
            if (const Pass* pass = pass_of(way, step)) return pass;
        }
        return nullptr;
    };
    if (const Pass* pass = in_any_way(shown)) return pass;
    for (const View& view : work.lab->views) {
        if (const Pass* pass = in_any_way(view)) return pass;
    }
    return nullptr;
}

// With the address modes that knobs choose.
std::vector<Argument> with_sampling(std::vector<Argument> arguments, const Work& work) {
    for (Argument& argument : arguments) {
        if (argument.sampling.address_knob.empty()) continue;
        const KnobValues knobs = input_knobs(*work.lab, work.knobs);
        const int mode = knobs.at(std::string(argument.sampling.address_knob));
        argument.sampling.address = Sampling::Address(std::clamp(mode, 0, int(Sampling::Address::mirror)));
    }
    return arguments;
}

// So many stops of a slider further (negative: back) than the side, or than the stop before it; 0 beyond its
// ends.
int side_after(int side, int stops) {
    const int above = int(std::ranges::upper_bound(kBlockSides, side) - std::begin(kBlockSides));
    const bool between = above == 0 || kBlockSides[std::size_t(above - 1)] != side;
    const int at = above - 1 + stops + (between && stops < 0 ? 1 : 0);
    return at >= 0 && at < int(std::size(kBlockSides)) ? kBlockSides[std::size_t(at)] : 0;
}

// What runs, or is simulated, on this device.
CodeTarget run_target_of(const Surroundings& around, CodeTarget near) {
    if (around.device.can.runs_ptx) return {near.architecture, true};
    if (!around.device.can.measures_time) return near;
    return runnable_target(around.compiler->architectures(), around.device.profile.limits.capability);
}

PlannedKernel plan_kernel(const Work& work, const StepRequest& request, const Surroundings& around,
                          const PlannedWork& planned) {
    const Lab& lab = *work.lab;
    PlannedKernel made;
    made.request = request;
    made.runs = runs_step(work, request.step);
    made.bytes_between = bytes_between(work, request.step, around.input.size);
    const std::vector<Argument> arguments = arguments_of(work, request.step);
    if (around.input.size.pixels() > 0) {
        made.launch =
            launch_of(request, arguments, nullptr, around.input.size, around.runs_on().multiprocessors);
        made.counted =
            launch_of(request, arguments, nullptr, around.input.size, around.target.multiprocessors);
    }
    const ComputeCapability capability = around.target.limits.capability;
    if (!can_run(*request.source, capability)) made.problem = why_not(*request.source, capability);
    const ComputeCapability here = around.runs_on().limits.capability;
    if (around.device.can.needs_kernels && !can_run(*request.source, here))
        made.run_problem = why_not(*request.source, here);
    if (!around.compiler) return made;
    // Machine code that stands for the target's fits the target's register file; what runs here stays as it
    // is.
    const auto for_target = [&](CodeTarget target) {
        CompileRequest code = compile_request(lab, request, target);
        const bool runs_here = around.device.can.measures_time &&
                               target.architecture == planned.run_target.architecture &&
                               !planned.run_target.to_ptx;
        if (!runs_here && !target.to_ptx)
            code.register_cap = register_cap(request.block.threads(), around.target.limits);
        return code;
    };
    made.code = for_target(planned.near_target);
    const auto beside_code = [&code = made.code](CompileRequest asked) {
        asked.with_code = asked.to_ptx && asked.architecture == code.architecture &&
                          asked.register_cap == code.register_cap;
        return asked;
    };
    made.ptx = beside_code(compile_request(lab, request, {planned.near_target.architecture, true}));
    if (can_run(*request.source, here))
        made.run = around.device.can.measures_time ? compile_request(lab, request, planned.run_target)
                                                   : beside_code(for_target(planned.run_target));
    made.key = {std::string(lab.id), launch_key(made.counted, kernel_key(made.ptx, *around.compiler)),
                around.input, around.target};
    if (made.runs && request.source->edited && around.device.can.needs_kernels && made.run_problem.empty() &&
        around.input.size.pixels() > 0) {
        const CodeTarget near = nearest_target(around.compiler->architectures(), here);
        CompileRequest ptx = beside_code(compile_request(lab, request, {near.architecture, true}));
        CountKey key{std::string(lab.id), launch_key(made.launch, kernel_key(ptx, *around.compiler)),
                     around.input, around.runs_on()};
        made.trial = Trial{std::move(ptx), std::move(key)};
    }
    return made;
}

}  // namespace

std::vector<StepRequest> step_requests(const Work& work, const KernelLookup& find) {
    const Version& version = version_of(*work.lab, work.version);
    std::vector<StepRequest> requests;
    for (std::size_t i = 0; i < version.steps.size(); ++i) {
        const StepKernel& step = version.steps[i];
        if (step.kernel.empty()) continue;
        const KernelSource& source = find(step.kernel);
        const Block block = fitted(source, work.blocks[i]);
        const KnobValues knobs = knob_values(source, work, version, block);
        requests.push_back({int(i), &source, knobs, block, tiling_of(source, knobs, block), step.cache,
                            step.banks, step.shape, work.lab->steps[i].uneven});
    }
    return requests;
}

const StepRequest* request_of(const std::vector<StepRequest>& requests, int step) {
    const auto found = std::find_if(requests.begin(), requests.end(),
                                    [&](const StepRequest& request) { return request.step == step; });
    return found == requests.end() ? nullptr : &*found;
}

std::vector<Argument> arguments_of(const Work& work, int step) {
    const Pass* pass = pass_for(work, step);
    return pass ? with_sampling(pass->arguments, work) : std::vector<Argument>{};
}

bool runs_step(const Work& work, int step) {
    const std::vector<Pass>* way =
        way_of(work.lab->views[std::size_t(work.view)], version_of(*work.lab, work.version));
    return way && pass_of(*way, step);
}

double bytes_between(const Work& work, int step, Extent size) {
    const Lab& lab = *work.lab;
    // What the view does not run is as where the first one runs it, whose figures are told meanwhile.
    const int view = runs_step(work, step) ? work.view : first_view(lab);
    const std::vector<Pass>* way = way_of(lab.views[std::size_t(view)], version_of(lab, work.version));
    const Pass* own = way ? pass_of(*way, step) : nullptr;
    if (!own) return 0;
    const auto touches = [](const Pass& pass, int buffer) {
        return std::any_of(pass.arguments.begin(), pass.arguments.end(),
                           [&](const Argument& argument) { return argument.buffer == buffer; });
    };
    const auto others_touch = [&](int buffer) {
        return std::any_of(way->begin(), way->end(),
                           [&](const Pass& pass) { return pass.step != step && touches(pass, buffer); });
    };
    std::vector<Argument> read;
    std::vector<Argument> alone;  // what nobody else touches
    for (const Argument& argument : own->arguments) {
        if (!argument.only_reads()) continue;
        read.push_back(argument);
        if (!others_touch(argument.buffer)) alone.push_back(argument);
    }
    if (2 * least_bytes(lab, alone, size) <= least_bytes(lab, read, size)) return 0;
    double between = 0;
    for (int buffer = 0; buffer < int(lab.buffers.size()); ++buffer) {
        if (others_touch(buffer) && !touches(*own, buffer))
            between += double(bytes_of(lab.buffers[std::size_t(buffer)], size));
    }
    return between;
}

bool can_run(const KernelSource& source, ComputeCapability capability) {
    return source.needs <= capability;
}

Message why_not(const KernelSource& source, ComputeCapability capability) {
    return message("{}.cu needs compute capability {} ({}); this GPU has {}", source.name,
                   source.needs.text(), source.needs_why, capability.text());
}

Launch launch_of(const StepRequest& request, std::vector<Argument> arguments,
                 std::shared_ptr<const CompiledKernel> kernel, Extent size, int multiprocessors) {
    Launch launch{.step = request.step,
                  .kernel = std::move(kernel),
                  .block = request.block,
                  .tiling = request.tiling,
                  .multiprocessors = multiprocessors,
                  .cache = request.cache,
                  .banks = request.banks,
                  .arguments = std::move(arguments),
                  .shape = request.shape};
    cover(launch, size);
    return launch;
}

CompileRequest compile_request(const Lab& lab, const StepRequest& step, CodeTarget target) {
    CompileRequest request;
    request.name = step.source->name;
    request.text = step.source->text;
    request.headers = step.source->headers;
    request.entry = lab.steps[std::size_t(step.step)].entry;
    request.knobs = step.knobs;
    request.architecture = target.architecture;
    request.to_ptx = target.to_ptx;
    request.register_cap = register_cap(step.block.threads());
    request.register_limit = register_limit(*step.source, step.knobs);
    return request;
}

PlannedWork plan_work(const Work& work, const Surroundings& around) {
    PlannedWork planned;
    planned.work = work;
    planned.gpu = around.target.name;
    if (around.compiler) {
        planned.near_target =
            nearest_target(around.compiler->architectures(), around.target.limits.capability);
        planned.run_target = run_target_of(around, planned.near_target);
    }
    for (const StepRequest& request : step_requests(work, around.find))
        planned.kernels.push_back(plan_kernel(work, request, around, planned));

    const Lab& lab = *work.lab;
    WorkKey& key = planned.key;
    key.device = around.device.kind;
    if (around.device.can.needs_kernels) key.gpu = around.device.profile;
    if (around.device.can.measures_time) key.gpu_uuid = around.device.place.uuid;
    key.lab = lab.id;
    key.input = around.input;
    key.shows = shown_buffer(lab.views[std::size_t(work.view)], version_of(lab, work.version));
    for (const PlannedKernel& kernel : planned.kernels) {
        if (!kernel.runs) continue;
        LaunchKey launch;
        launch.step = kernel.request.step;
        // Without kernels blocks do not change the work.
        if (around.device.can.needs_kernels && around.compiler && around.input.size.pixels() > 0)
            launch = launch_key(
                kernel.launch,
                kernel_key(compile_request(lab, kernel.request, planned.run_target), *around.compiler));
        key.launches.push_back(std::move(launch));
    }
    return planned;
}

std::vector<Work> likely_next(const Work& work, const KernelLookup& find) {
    const Lab& lab = *work.lab;
    std::vector<Work> list;
    const auto add_block = [&](int step, Block next) {
        if (!next.valid()) return;
        list.push_back(work);
        list.back().block(step) = next;
    };
    // Of either slider the stops so far away.
    const auto add_blocks = [&](int stops) {
        for (const int step : lab.by_weight) {
            if (version_of(lab, work.version).steps[std::size_t(step)].kernel.empty()) continue;
            const Block now = work.block(step);
            for (const int by : {stops, -stops}) {
                add_block(step, {side_after(now.x, by), now.y});
                add_block(step, {now.x, side_after(now.y, by)});
            }
        }
    };
    const auto add_knobs = [&](const StepRequest& request) {
        for (const Knob& knob : request.source->knobs) {
            const auto now = request.knobs.find(knob.name);
            if (is_block_side(knob) || now == request.knobs.end()) continue;
            for (const int value : {now->second + 1, now->second - 1}) {
                if (value < knob.low || value > knob.high) continue;
                list.push_back(work);
                list.back().knobs[knob.name] = value;
            }
        }
    };
    add_blocks(1);
    for (const int by : {1, -1}) {
        for (const Version& version : lab.versions) {
            if (version.number == work.version + by) list.push_back(with_version(work, version));
        }
    }
    for (const StepRequest& request : step_requests(work, find)) add_knobs(request);
    add_blocks(2);
    return list;
}

int register_cap(int threads, const GpuLimits& limits) {
    constexpr int kMostInAnyCode = 255;
    // A GPU counts whole warps, from 3.0 on for each of four schedulers.
    const int lot = limits.capability.major >= 3 ? 128 : 32 * std::max(1, limits.warp_granularity);
    const int rounded = (threads + lot - 1) / lot * lot;
    const int cap = limits.registers_per_block / rounded / 8 * 8;
    return cap >= std::min(kMostInAnyCode, limits.registers_per_thread) ? 0 : cap;
}

int register_cap(int threads) {
    GpuLimits limits;
    limits.capability = {5, 0};
    limits.registers_per_block = 65536;
    limits.registers_per_thread = 255;
    return register_cap(threads, limits);
}

}  // namespace ws
