#include "app/cli/sass_command.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/json_report.h"
#include "app/cli/kernel_file.h"
#include "app/cli/simt_run.h"
#include "app/cli/version_step.h"
#include "gpu/analysis/profiles.h"
#include "gpu/compile/device_code.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/compile/kernel_source.h"
#include "gpu/engine/planner.h"
#include "gpu/engine/targets.h"
#include "gpu/sass/accesses.h"
#include "gpu/sass/in_flight.h"
#include "gpu/sass/machine_code_reader.h"

namespace ws {
namespace {

using Json = nlohmann::ordered_json;

// What is read, and what it is shown beside.
struct Listing {
    std::string file, gpu;
    std::vector<std::string> source;  // lines
    MachineCode code;
    InFlight flight;
    AccessTable machine, ptx;
    std::vector<int> changed;                // lines whose accesses differ
    std::map<int, int> unnamed;              // opcodes without a name, and how often
    std::array<int, kMachinePipes> pipes{};  // instructions of each
};

CompileRequest request_of_file(const Options& options, const Nvrtc& nvrtc, int architecture) {
    CompileRequest file =
        kernel_file_request(options.simt.what, options.simt.kernel, options.include_folders);
    const Result<KernelSource> source = parse_kernel(file.name, file.text);
    if (!source.ok()) throw Error(source.message());
    for (const Knob& knob : source.value().knobs) {
        if (file.text.find("knob: " + knob.name) != std::string::npos) file.knobs[knob.name] = knob.value;
    }
    for (const auto& [name, value] : options.knobs) {
        if (!file.knobs.contains(name))
            throw UsageError(fmt::format("{}.cu has no knob '{}'", file.name, name), "",
                             "a line '// knob: NAME = 10 in 0..32  meaning' makes one");
        file.knobs[name] = value;
    }
    file.register_limit = register_limit(source.value(), file.knobs);
    file.architecture = architecture;
    const Result<DeviceCode> code = device_code(nvrtc, file);
    if (!code.ok()) throw Error(file.name + " does not compile", "", "\n" + code.message());
    if (file.entry.empty())
        throw UsageError("--kernel is missing", "", kernels_text(code.value().kernels, file.text));
    CompileRequest request = code.value().request;
    request.architecture = architecture;
    request.to_ptx = true;
    if (!nvrtc.compile(request).ok()) request.entry = full_name(request, code.value().kernels);
    return request;
}

CompileRequest request_of_version(const Options& options, const GpuProfile& gpu, int architecture) {
    CompileRequest request = version_step(options, gpu).compile;
    request.architecture = architecture;
    return request;
}

CompiledKernel compile(const Nvrtc& nvrtc, CompileRequest request, bool to_ptx) {
    request.to_ptx = to_ptx;
    Result<CompiledKernel> made = nvrtc.compile(request);
    if (!made.ok()) throw Error(request.name + " does not compile", "", "\n" + made.message());
    return std::move(made.value());
}

Listing listing_of(const Nvrtc& nvrtc, const CompileRequest& request, const GpuProfile& gpu) {
    const CompiledKernel kernel = compile(nvrtc, request, false);
    const CompiledKernel ptx = compile(nvrtc, request, true);
    Result<MachineCode> code = read_machine_code(kernel.binary, kernel.entry);
    if (!code.ok()) throw Error(code.message(), request.name + ".cu");
    Listing made;
    made.file = request.name + ".cu";
    made.gpu = gpu.name;
    made.source = lines_of(request.text);
    made.code = std::move(code.value());
    made.flight = loads_in_flight(made.code);
    made.machine = machine_accesses(made.code);
    made.ptx = ptx_accesses({ptx.binary.data(), ptx.binary.size()}, ptx.entry);
    made.changed = changed_lines(made.ptx, made.machine);
    for (const MachineInstruction& one : made.code.instructions) {
        ++made.pipes[std::size_t(one.pipe)];
        if (one.name.empty()) ++made.unnamed[one.opcode];
    }
    return made;
}

// ---- as text

std::string shown_name(const MachineInstruction& one) {
    const std::string name = one.name.empty() ? fmt::format("0x{:03x}", one.opcode) : std::string(one.name);
    return one.guarded ? "@" + name : name;
}

std::string boards_text(unsigned waits) {
    std::string text;
    for (int board = 0; board < 6; ++board) text += waits >> board & 1 ? char('0' + board) : '-';
    return text;
}

std::string board_text(int board) {
    return board < 0 ? "-" : std::to_string(board);
}

std::string accesses_text(const AccessTable& table, int line) {
    std::string text;
    for (const auto& [kind, count] : table) {
        if (kind.line != line) continue;
        text += fmt::format("{}{} {} {} of {} bytes", text.empty() ? "" : ", ", count, name_of(kind.space),
                            kind.store ? "stores" : "loads", kind.bytes);
    }
    return text.empty() ? "none" : text;
}

void print_instructions(const Listing& listing) {
    std::map<int, int> wait_of;
    for (const LoadWait& pair : listing.flight.waits) wait_of[pair.load] = pair.wait;
    std::map<int, std::vector<int>> by_line;
    for (std::size_t i = 0; i < listing.code.instructions.size(); ++i)
        by_line[listing.code.instructions[i].line].push_back(int(i));
    for (const auto& [line, indices] : by_line) {
        const bool known = line > 0 && line <= int(listing.source.size());
        fmt::print("\nline {}: {}\n", line, known ? listing.source[std::size_t(line - 1)] : "");
        for (const int index : indices) {
            const MachineInstruction& one = listing.code.instructions[std::size_t(index)];
            const MachineControl& control = one.control;
            fmt::print("  {:05x}  {:<14} {:<9} {:>5} {:<8} {:>5}  {}  {}  {}", one.address, shown_name(one),
                       name_of(one.pipe), one.bytes ? std::to_string(one.bytes) : "", name_of(one.space),
                       control.stall, board_text(control.write_barrier), board_text(control.read_barrier),
                       boards_text(control.waits));
            if (one.target >= 0) fmt::print("  to {:05x}", one.target);
            if (const auto wait = wait_of.find(index); wait != wait_of.end() && wait->second >= 0)
                fmt::print("  waited for at {:05x}",
                           listing.code.instructions[std::size_t(wait->second)].address);
            fmt::print("\n");
        }
    }
}

void print_listing(const Listing& listing) {
    fmt::print("{} of {} for {} (sm_{}): {} instructions, {} blocks\n", listing.code.kernel, listing.file,
               listing.gpu, listing.code.architecture, listing.code.instructions.size(),
               listing.code.blocks.size());
    fmt::print("  addr   instruction    pipe      bytes space    stall  W  R  waits for scoreboards\n");
    print_instructions(listing);
    fmt::print("\ninstructions by pipe:");
    for (int pipe = 0; pipe < kMachinePipes; ++pipe) {
        if (listing.pipes[std::size_t(pipe)] > 0)
            fmt::print(" {} {}", name_of(MachinePipe(pipe)), listing.pipes[std::size_t(pipe)]);
    }
    fmt::print("\n");
    for (const auto& [opcode, count] : listing.unnamed)
        fmt::print("opcode 0x{:03x} is not known: {} times\n", opcode, count);
    if (listing.flight.at >= 0)
        fmt::print("loads in flight: at most {}, at {:05x}\n", listing.flight.most,
                   listing.code.instructions[std::size_t(listing.flight.at)].address);
    for (const int line : listing.changed)
        fmt::print("line {}: PTX has {}; the machine {}\n", line, accesses_text(listing.ptx, line),
                   accesses_text(listing.machine, line));
}

// ---- as JSON

Json accesses_json(const AccessTable& table, int line) {
    Json list = Json::array();
    for (const auto& [kind, count] : table) {
        if (kind.line != line) continue;
        list.push_back({{"space", name_of(kind.space)},
                        {"store", kind.store},
                        {"bytes", kind.bytes},
                        {"instructions", count}});
    }
    return list;
}

Json instruction_json(const MachineInstruction& one) {
    const auto board = [](int number) { return number < 0 ? Json(nullptr) : Json(number); };
    Json waits = Json::array();
    for (int number = 0; number < 6; ++number) {
        if (one.control.waits >> number & 1) waits.push_back(number);
    }
    return {{"address", one.address},
            {"opcode", one.opcode},
            {"name", one.name.empty() ? Json(nullptr) : Json(one.name)},
            {"pipe", name_of(one.pipe)},
            {"space", name_of(one.space)},
            {"bytes", one.bytes},
            {"guarded", one.guarded},
            {"target", board(one.target)},
            {"line", one.line},
            {"block", one.block},
            {"stall", one.control.stall},
            {"yield", one.control.yield},
            {"write_barrier", board(one.control.write_barrier)},
            {"read_barrier", board(one.control.read_barrier)},
            {"waits", waits},
            {"reuse", one.control.reuse}};
}

Json listing_json(const Listing& listing) {
    Json json{{"kernel", listing.code.kernel},
              {"file", listing.file},
              {"gpu", listing.gpu},
              {"architecture", listing.code.architecture},
              {"loads_in_flight", listing.flight.most}};
    for (const char* list : {"instructions", "blocks", "loads", "changed"}) json[list] = Json::array();
    json["pipes"] = json["unknown"] = Json::object();
    for (const MachineInstruction& one : listing.code.instructions)
        json["instructions"].push_back(instruction_json(one));
    const auto address = [&](int index) {
        return index < 0 ? Json(nullptr) : Json(listing.code.instructions[std::size_t(index)].address);
    };
    for (const MachineBlock& block : listing.code.blocks)
        json["blocks"].push_back({{"first", address(block.first)},
                                  {"instructions", block.end - block.first},
                                  {"next", block.next}});
    for (const LoadWait& pair : listing.flight.waits)
        json["loads"].push_back({{"load", address(pair.load)}, {"wait", address(pair.wait)}});
    for (const int line : listing.changed)
        json["changed"].push_back({{"line", line},
                                   {"ptx", accesses_json(listing.ptx, line)},
                                   {"machine", accesses_json(listing.machine, line)}});
    for (int pipe = 0; pipe < kMachinePipes; ++pipe) {
        if (listing.pipes[std::size_t(pipe)] > 0)
            json["pipes"][std::string(name_of(MachinePipe(pipe)))] = listing.pipes[std::size_t(pipe)];
    }
    for (const auto& [opcode, count] : listing.unnamed)
        json["unknown"][fmt::format("0x{:03x}", opcode)] = count;
    return json;
}

}  // namespace

void sass_command(const Options& options) {
    const Result<std::shared_ptr<Nvrtc>> opened = Nvrtc::open();
    if (!opened.ok()) throw Error("machine code needs the kernel compiler", "", opened.message());
    const Nvrtc& nvrtc = *opened.value();
    const GpuTable gpus;
    const GpuProfile& gpu = gpus.named(options.gpu.value_or(kDefaultTarget));
    constexpr int kFirst = 75;
    const int architecture = nearest_target(nvrtc.architectures(), gpu.limits.capability).architecture;
    if (architecture < kFirst || gpu.limits.capability.number() < kFirst)
        throw Error("machine code is read from compute capability 7.5 on", gpu.name, "choose a newer GPU");
    const CompileRequest request = options.version ? request_of_version(options, gpu, architecture)
                                                   : request_of_file(options, nvrtc, architecture);
    const Listing listing = listing_of(nvrtc, request, gpu);
    if (options.json)
        print_json(listing_json(listing));
    else
        print_listing(listing);
}

}  // namespace ws
