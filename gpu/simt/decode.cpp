// Decodes a kernel and the device functions that it calls: variables get addresses, instructions become
// blocks.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "gpu/simt/built_in_calls.h"
#include "gpu/simt/calls.h"
#include "gpu/simt/chain.h"
#include "gpu/simt/decode.h"
#include "gpu/simt/flow.h"
#include "gpu/simt/joined_loads.h"
#include "gpu/simt/lower.h"
#include "gpu/simt/module_variables.h"
#include "gpu/simt/program.h"
#include "gpu/simt/special_operations.h"
#include "gpu/simt/warp.h"

namespace ws::simt {
namespace {

std::uint64_t aligned(std::uint64_t at, std::uint64_t align) {
    return (at + align - 1) / align * align;
}

// No GPU has more memory of its kind for one thread or one block.
constexpr std::uint64_t kMostLocalBytes = 512 << 10;
constexpr std::uint64_t kMostSharedBytes = 1 << 20;

class Decoder {
  public:
    Decoder(std::shared_ptr<const PtxModule> module, std::shared_ptr<const ModuleVariables> variables,
            const std::string& kernel)
        : text_(std::move(module)), module_(*text_), variables_(std::move(variables)), kernel_(kernel) {}

    std::shared_ptr<const Program> decode() {
        const PtxFunction* entry = find_function(kernel_);
        if (!entry || !entry->is_entry) throw DecodeError(fmt::format("there is no kernel '{}'", kernel_));
        program_ = std::make_shared<Program>();
        program_->kernel = kernel_;
        program_->variables = variables_;
        reach(*entry);
        reach_pointed_to();
        name_variables();
        place_parameters(*entry);
        program_->block.required = entry->required_threads;
        program_->block.threads_at_most = 1;
        for (const int side : entry->most_threads) program_->block.threads_at_most *= std::uint64_t(side);
        function_index(kernel_);
        for (std::size_t i = 0; i < waiting_.size(); ++i) function(*waiting_[i], int(i));
        link_calls();
        refuse_recursion(*program_, has_local_);
        for (std::size_t i = 0; i < program_->code.size(); ++i) {
            Instruction& instruction = program_->code[i];
            instruction.site = std::int32_t(i);
        }
        number_accesses();
        return program_;
    }

  private:
    // Of those that go to memory plainly, a pattern each.
    void number_accesses() {
        DetailPools& details = program_->details;
        program_->has_fences = !details.all<FenceScope>().empty();
        const auto look = [&](MemoryAccess& access) {
            access.pattern = std::int32_t(program_->memory_instructions++);
            program_->has_fences |= access.releases;
        };
        for (MemoryAccess& access : details.all<MemoryAccess>()) look(access);
        for (AsyncCopy& access : details.all<AsyncCopy>()) look(access);
        for (const AtomicAccess& access : details.all<AtomicAccess>())
            program_->has_fences |= access.releases;
    }

    const PtxFunction* find_function(const std::string& name) const {
        for (const PtxFunction& function : module_.functions) {
            if (function.name == name) return &function;
        }
        return nullptr;
    }

    // The functions that the kernel may call and the names in their code: shared memory of other kernels in
    // the file is not the kernel's.
    void reach(const PtxFunction& function) {
        if (!reached_.insert(&function).second) return;
        for (const PtxInstruction& instruction : function.body) {
            for (const PtxOperand& operand : instruction.operands) names(operand);
            const PtxFunction* callee = find_function(instruction.callee);
            if (callee) reach(*callee);
        }
    }

    // Functions that a call through a pointer may mean: those whose address is in code that is reached, or in
    // a variable.
    void reach_pointed_to() {
        const auto calls = [](const PtxFunction* function) {
            return std::any_of(function->body.begin(), function->body.end(), is_indirect);
        };
        if (std::none_of(reached_.begin(), reached_.end(), calls)) return;
        for (const PtxVariable& variable : module_.variables) {
            for (const auto& [offset, name] : variable.pointers) named_.insert(name);
        }
        const auto is_new = [&](const PtxFunction& function) {
            return !function.is_entry && function.has_body && named_.count(function.name) > 0 &&
                   std::find(pointed_to_.begin(), pointed_to_.end(), &function) == pointed_to_.end();
        };
        const auto& all = module_.functions;
        for (auto next = all.begin(); (next = std::find_if(all.begin(), all.end(), is_new)) != all.end();) {
            pointed_to_.push_back(&*next);
            reach(*next);  // its code may name others
        }
    }

    void names(const PtxOperand& operand) {
        named_.insert(operand.name);
        for (const PtxOperand& part : operand.parts) names(part);
    }

    // ---- variables

    void name_variables() {
        for (const auto& [name, variable] : variables_->names)
            symbols_[name] = {variable.address(), variable.space};
        for (const PtxFunction* function : pointed_to_)
            symbols_[function->name] = {address_of(module_, function->name), Space::global};
        for (const PtxFunction& function : module_.functions) {  // that a kernel may launch
            if (function.is_entry && named_.count(function.name) > 0)
                symbols_[function.name] = {address_of(module_, function.name), Space::global};
        }
        for (const PtxVariable& variable : module_.variables) {
            if (variable.space != Space::shared) continue;
            check_size(variable.bytes, kMostSharedBytes, variable);  // also of what another kernel uses
            if (named_.count(variable.name)) place_shared(variable, symbols_);
        }
    }

    // Arrays whose size the launch gives all begin behind the others.
    void place_shared(const PtxVariable& variable, Symbols& symbols) {
        program_->shared_align = std::max(program_->shared_align, variable.align);
        if (variable.bytes == 0) {
            dynamic_.push_back(variable.name);
            return;
        }
        program_->static_shared_bytes = aligned(program_->static_shared_bytes, variable.align);
        symbols[variable.name] = {program_->static_shared_bytes, Space::shared};
        program_->static_shared_bytes += variable.bytes;
        check_size(program_->static_shared_bytes, kMostSharedBytes, variable);
    }

    void place_parameters(const PtxFunction& entry) {
        constexpr std::uint64_t kMostParameterBytes = 32764;
        std::uint32_t end = 0;
        for (const PtxVariable& variable : entry.params) {
            if (variable.bytes == 0) throw DecodeError(fmt::format("'{}' has no size", variable.name));
            check_size(end + variable.bytes, kMostParameterBytes, variable);
            end = std::uint32_t(aligned(end, variable.align));
            const KernelParameter made{variable.name, end, std::uint32_t(variable.bytes),
                                       std::uint32_t(variable.align)};
            program_->parameters.push_back(made);
            parameters_[variable.name] = made;
            end += made.bytes;
        }
        program_->parameter_bytes = end;
    }

    // ---- functions

    int function_index(const std::string& name) {
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            if (waiting_[i]->name == name) return int(i);
        }
        const PtxFunction* found = find_function(name);
        if (!found || !found->has_body)
            throw DecodeError(fmt::format("the called function '{}' has no code here", name));
        waiting_.push_back(found);
        return int(waiting_.size()) - 1;
    }

    void function(const PtxFunction& from, int index) {
        program_->functions.emplace_back();
        lane_params_.emplace_back();
        Symbols symbols = symbols_;
        for (const PtxVariable& variable : from.variables) {
            if (variable.space == Space::shared) place_shared(variable, symbols);
        }
        for (const std::string& name : dynamic_)
            symbols[name] = {aligned(static_shared_of_all(), program_->shared_align), Space::shared};
        for (const PtxVariable& variable : from.variables) {
            if (variable.space != Space::local) continue;
            program_->local_bytes =
                aligned(program_->local_bytes, std::max<std::uint64_t>(variable.align, 4));
            symbols[variable.name] = {program_->local_bytes, Space::local};
            check_size(program_->local_bytes + variable.bytes, kMostLocalBytes, variable);
            program_->local_bytes += variable.bytes;
            has_local_.insert(index);
        }
        FrameLayout frame(from);
        auto& lanes = lane_params_.back();
        const auto place = [&](const PtxVariable& variable) {
            lanes[variable.name] = {frame.lane_bytes(variable.name, variable.bytes, variable.align),
                                    variable.bytes};
        };
        for (const PtxVariable& variable : from.variables) {
            if (variable.space == Space::param) place(variable);
        }
        if (!from.is_entry) {
            for (const PtxVariable& variable : from.params) place(variable);
            for (const PtxVariable& variable : from.results) place(variable);
        }
        static const std::map<std::string, KernelParameter> kNone;
        Lowering lowering(from, symbols, frame, from.is_entry ? parameters_ : kNone, lanes,
                          program_->details);
        const std::size_t accesses = program_->details.all<LaneParameterAccess>().size();
        const std::size_t calls = program_->details.all<SystemCall>().size();
        Function made;
        made.name = from.name;
        name_for_people(from, symbols, made);
        blocks(from, lowering, joined_in(from, symbols), made);
        frame.finish(made);
        place_lane_bytes(program_->details.all<LaneParameterAccess>(), accesses, made);
        place_lane_bytes(program_->details.all<SystemCall>(), calls, made);
        program_->functions[std::size_t(index)] = std::move(made);
    }

    void name_for_people(const PtxFunction& from, const Symbols& symbols, Function& made) const {
        for (const auto* variables : {&module_.variables, &from.variables}) {
            for (const PtxVariable& variable : *variables) {
                const auto symbol = symbols.find(variable.name);
                if (symbol == symbols.end()) continue;
                made.names.variables[variable.name] = {symbol->second.space, symbol->second.address,
                                                       variable.bytes};
            }
        }
    }

    // Of a function's details, those from `first` on.
    template <class T>
    static void place_lane_bytes(std::deque<T>& details, std::size_t first, const Function& made) {
        for (std::size_t i = first; i < details.size(); ++i) {
            details[i].area = made.lane_area;
            details[i].stride = made.lane_stride;
        }
    }

    // Counts the shared arrays of functions that are still to be decoded, so that dynamic ones lie behind all
    // of them.
    std::uint64_t static_shared_of_all() {
        if (!dynamic_base_) {
            std::uint64_t end = program_->static_shared_bytes;
            for (const PtxFunction& other : module_.functions) {
                if (!reached_.count(&other)) continue;
                const bool decoded = std::find(waiting_.begin(), waiting_.end(), &other) != waiting_.end();
                for (const PtxVariable& variable : other.variables) {
                    if (!decoded && variable.space == Space::shared)
                        end = aligned(end, variable.align) + variable.bytes;
                }
            }
            dynamic_base_ = end;
        }
        return *dynamic_base_;
    }

    using Joined = std::map<int, JoinedLoad>;
    static Joined joined_in(const PtxFunction& from, const Symbols& symbols) {
        std::map<std::string, std::uint64_t> shared;
        for (const auto& [name, symbol] : symbols) {
            if (symbol.space == Space::shared) shared[name] = symbol.address;
        }
        return joined_loads(from, shared);
    }

    void blocks(const PtxFunction& from, Lowering& lowering, const Joined& joined, Function& made) {
        std::vector<bool> starts(from.body.size() + 1, false);
        starts[0] = true;
        for (const auto& [label, at] : from.labels) starts[std::size_t(at)] = true;
        for (std::size_t i = 0; i < from.body.size(); ++i) {
            if (flow_of(from.body[i])) starts[i + 1] = true;
            if (is_indirect(from.body[i])) starts[i] = true;  // it is repeated for lanes that call others
        }
        std::vector<int> block_of(from.body.size() + 1, -1);
        int count = 0;
        for (std::size_t i = 0; i <= from.body.size(); ++i) {
            if (starts[i] && i < from.body.size()) ++count;
            block_of[i] = i < from.body.size() ? count - 1 : count;
        }
        made.exit_block = count;
        for (std::size_t i = 0; i < from.body.size();) {
            BasicBlock block;
            block.first = int(program_->code.size());
            std::size_t end = i;
            while (end < from.body.size() && (end == i || !starts[end])) ++end;
            const std::optional<Flow> flow = flow_of(from.body[end - 1]);
            std::vector<Instruction> code;
            ChainFinder chain;
            for (std::size_t k = i; k < end - (flow ? 1 : 0); ++k) {
                const std::size_t before = code.size();
                lower(lowering, from.body[k], code);
                program_->ptx_lines.insert(program_->ptx_lines.end(), code.size() - before,
                                           from.body[k].ptx_line);
                chain.add(std::span(code).subspan(before), from.body[k].opcode);
                if (const auto load = joined.find(int(k)); load != joined.end())
                    join(code.back(), load->second);
            }
            for (const Instruction& instruction : code) block.weight += instruction.weight;
            program_->code.insert(program_->code.end(), code.begin(), code.end());
            block.last = int(program_->code.size());
            block.chain = chain.longest();
            block.next = block_of[end];
            if (flow) {
                const PtxInstruction& last = from.body[end - 1];
                at(last, [&] { end_block(from, last, *flow, lowering, block_of, made, block); });
            }
            made.blocks.push_back(std::move(block));
            i = end;
        }
        made.blocks.emplace_back();  // the exit
        made.blocks.back().first = made.blocks.back().last = int(program_->code.size());
        made.blocks.back().flow = Flow::leave;
        find_reconvergence_points(program_->code, made);
    }

    // The load that was lowered last.
    void join(Instruction& load, const JoinedLoad& joined) {
        program_->details.all<MemoryAccess>().back().joined = joined;
        if (joined.bytes == 0) load.weight = 0;
    }

    // Adds to what `work` throws where that is.
    template <typename Work>
    void at(const PtxInstruction& from, const Work& work) const {
        try {
            work();
        } catch (const DecodeError& error) {
            const std::string line = from.line > 0 ? fmt::format("line {}", from.line)
                                                   : fmt::format("line {} of the PTX", from.ptx_line);
            throw DecodeError(fmt::format("{} (kernel {}, {})", error.what(), kernel_, line));
        }
    }

    void note(const PtxInstruction& from) {
        const auto [known, is_new] = program_->opcodes.try_emplace(from.opcode, from.line);
        if (!is_new && from.line > 0 && from.line < known->second) known->second = from.line;
        const BuiltInCall* call = from.callee.empty() ? nullptr : built_in_named(from.callee);
        if (!call) return;
        program_->uses_heap |= call->uses_heap;
        if (!call->launches) return;
        program_->launches_from = text_;
        program_->opcodes.try_emplace("launch", from.line);
    }

    void lower(Lowering& lowering, const PtxInstruction& from, std::vector<Instruction>& code) {
        note(from);
        at(from, [&] { lowering.lower(from, code); });
    }

    void end_block(const PtxFunction& from, const PtxInstruction& last, Flow flow, Lowering& lowering,
                   const std::vector<int>& block_of, Function& made, BasicBlock& block) {
        if (flow != Flow::barrier) lowering.check_control(last, flow);
        note(last);
        Instruction control;
        control.pipe = Pipe::control;
        control.line = last.line;
        lowering.guard(last, control);
        block.flow = flow;
        const auto block_at = [&](const std::string& label) {
            const auto found = from.labels.find(label);
            if (found == from.labels.end()) throw DecodeError(fmt::format("there is no label '{}'", label));
            return block_of[std::size_t(found->second)];
        };
        if (flow == Flow::branch) {
            block.target = block_at(last.operands.at(0).name);
        } else if (flow == Flow::list) {
            const auto list = from.branch_lists.find(last.operands.at(1).name);
            if (list == from.branch_lists.end()) throw DecodeError("a list of branch targets is missing");
            for (const std::string& label : list->second) block.targets.push_back(block_at(label));
            control.a = lowering.source(last.operands.at(0), '4', 'u');
        } else if (flow == Flow::call) {
            block.call = int(made.calls.size());
            if (is_indirect(last)) {
                PtxOperand pointer;
                pointer.name = last.callee;
                control.a = lowering.source(pointer, '8');
                block.calls = int(pointed_to_.size());
                for (const PtxFunction* function : pointed_to_)
                    add_call(last, function->name, address_of(module_, function->name), made);
            } else {
                add_call(last, last.callee, 0, made);
            }
        } else if (flow == Flow::leave) {
            block.target = made.exit_block;
        } else if (flow == Flow::barrier) {
            lowering.barrier(last, control);
        }
        block.control = int(program_->code.size());
        program_->code.push_back(control);
        program_->ptx_lines.push_back(last.ptx_line);
        block.weight += 1;
    }

    void link_calls() {
        for (const PendingCall& pending : pending_calls_) {
            Call& call = program_->functions[std::size_t(pending.caller)].calls[pending.index];
            const PtxFunction& callee = *waiting_[std::size_t(call.function)];
            const LaneParameters& caller = lane_params_[std::size_t(pending.caller)];
            if (call.address != 0 && !takes(callee, *pending.from, caller)) {
                call.address = 0;  // a pointer to it is none that this call can have
                continue;
            }
            at(*pending.from,
               [&] { link(call, *pending.from, caller, callee, lane_params_[std::size_t(call.function)]); });
        }
    }

    void add_call(const PtxInstruction& from, const std::string& callee, std::uint64_t address,
                  Function& made) {
        made.calls.push_back({function_index(callee), {}, {}, address});
        pending_calls_.push_back({int(program_->functions.size()) - 1, made.calls.size() - 1, &from});
    }

    struct PendingCall {
        int caller;
        std::size_t index;
        const PtxInstruction* from;
    };
    std::shared_ptr<const PtxModule> text_;
    const PtxModule& module_;
    std::shared_ptr<const ModuleVariables> variables_;
    std::string kernel_;
    std::shared_ptr<Program> program_;
    Symbols symbols_;
    std::vector<std::string> dynamic_;
    std::optional<std::uint64_t> dynamic_base_;
    std::map<std::string, KernelParameter> parameters_;
    std::vector<const PtxFunction*> waiting_;
    std::vector<LaneParameters> lane_params_;
    std::set<const PtxFunction*> reached_;
    std::set<std::string> named_;
    std::vector<const PtxFunction*> pointed_to_;
    std::vector<PendingCall> pending_calls_;
    std::set<int> has_local_;
};

}  // namespace

std::shared_ptr<const Program> decode(const std::shared_ptr<const PtxModule>& module,
                                      std::shared_ptr<const ModuleVariables> variables,
                                      const std::string& kernel) {
    return Decoder(module, std::move(variables), kernel).decode();
}

}  // namespace ws::simt
