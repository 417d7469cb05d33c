#include "gpu/simt/joined_loads.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "gpu/simt/alignment.h"
#include "gpu/simt/flow.h"

namespace ws::simt {
namespace {

constexpr std::int64_t kUnit = 16;
constexpr int kWord = 4;

std::string_view name_of(std::string_view opcode) {
    return opcode.substr(0, opcode.find('.'));
}

bool has(std::string_view opcode, std::string_view suffix) {
    for (std::size_t dot = opcode.find('.'); dot != std::string_view::npos;) {
        const std::size_t next = opcode.find('.', dot + 1);
        if (opcode.substr(dot + 1, next - dot - 1) == suffix) return true;
        dot = next;
    }
    return false;
}

// Of a plain load from shared memory, 4 or 8; 0 for anything else.
int bytes_of_load(const PtxInstruction& instruction) {
    const std::string_view opcode = instruction.opcode;
    if (!instruction.guard.empty() || instruction.operands.size() != 2) return 0;
    for (const std::string_view space : {"ld.shared.", "ld.shared::cta."}) {
        if (!opcode.starts_with(space)) continue;
        std::string_view rest = opcode.substr(space.size());
        const bool pair = rest.starts_with("v2.");
        if (pair) rest.remove_prefix(3);
        for (const std::string_view type : {"b32", "u32", "s32", "f32"}) {
            if (rest == type) return pair ? 8 : 4;
        }
        for (const std::string_view type : {"b64", "u64", "s64", "f64"}) {
            if (rest == type && !pair) return 8;
        }
    }
    return 0;
}

// Whether loads may not be moved over it: it may write shared memory, or orders what does.
bool separates(const PtxInstruction& instruction) {
    const std::string_view opcode = instruction.opcode;
    const std::string_view name = name_of(opcode);
    if (name == "st" || name == "atom" || name == "red")
        return !has(opcode, "global") && !has(opcode, "local") && !has(opcode, "param");
    if (name == "ld") return has(opcode, "volatile") || has(opcode, "acquire");
    return name == "cp" || name == "membar" || name == "fence" || name == "bar" || name == "barrier" ||
           flow_of(instruction).has_value();
}

// Loads of one unit by one base, as yet to be joined.
struct Unit {
    std::string base;
    std::int64_t at = 0;        // offset of its first byte from the base
    std::array<int, 4> load{};  // that brings each word: 1 + its index into the body; 0: none

    [[nodiscard]] bool loads(std::size_t word) const { return load[word] != 0; }
};

class Joining {
  public:
    Joining(const PtxFunction& function, const std::map<std::string, std::uint64_t>& shared)
        : function_(function), alignment_(function, shared) {}

    std::map<int, JoinedLoad> run() {
        std::vector<bool> labelled(function_.body.size() + 1, false);
        for (const auto& [label, at] : function_.labels) labelled[std::size_t(at)] = true;
        for (std::size_t i = 0; i < function_.body.size(); ++i) {
            const PtxInstruction& instruction = function_.body[i];
            if (labelled[i] || separates(instruction)) join_all();
            const int bytes = bytes_of_load(instruction);
            if (bytes > 0) take(int(i), instruction.operands[1], bytes);
            overwrite(instruction);
        }
        join_all();
        return std::move(joined_);
    }

  private:
    // Into its unit, if it is known where that begins.
    void take(int index, const PtxOperand& address, int bytes) {
        if (address.kind != PtxOperand::Kind::address || address.name.empty()) return;
        const int zeros = alignment_.zero_bits(address.name);
        // A base aligned to 8 bytes alone has units that are halves.
        if (zeros < 3 || address.offset % bytes != 0) return;
        const std::int64_t size = zeros >= 4 ? kUnit : kUnit / 2;
        const std::int64_t within = (address.offset % size + size) % size;
        Unit& unit = unit_of(address.name, address.offset - within);
        const auto first = std::size_t(within / kWord);
        const auto end = first + std::size_t(bytes / kWord);
        for (std::size_t word = first; word < end; ++word) {
            if (unit.loads(word)) return;  // once more: it stands alone
        }
        std::fill(unit.load.begin() + std::ptrdiff_t(first), unit.load.begin() + std::ptrdiff_t(end),
                  index + 1);
    }

    Unit& unit_of(const std::string& base, std::int64_t at) {
        const auto known = std::find_if(units_.begin(), units_.end(),
                                        [&](const Unit& unit) { return unit.base == base && unit.at == at; });
        return known != units_.end() ? *known : units_.emplace_back(Unit{base, at, {}});
    }

    // A base that gets another value is another one from now on.
    void overwrite(const PtxInstruction& instruction) {
        if (instruction.operands.empty() || instruction.operands.front().kind == PtxOperand::Kind::address)
            return;
        const PtxOperand& to = instruction.operands.front();
        const auto written = [&](const Unit& unit) {
            return unit.base == to.name ||
                   std::any_of(to.parts.begin(), to.parts.end(),
                               [&](const PtxOperand& part) { return part.name == unit.base; });
        };
        for (const Unit& unit : units_) {
            if (written(unit)) join(unit);
        }
        std::erase_if(units_, written);
    }

    void join_all() {
        for (const Unit& unit : units_) join(unit);
        units_.clear();
    }

    void join(const Unit& unit) {
        const auto words =
            std::count_if(unit.load.begin(), unit.load.end(), [](int load) { return load > 0; });
        if (words >= 3) return join(unit, 0, 4);
        for (const std::size_t half : {0, 2}) {
            if (unit.loads(half) && unit.loads(half + 1)) join(unit, half, half + 2);
        }
    }

    // The words [first, end): the earliest of their loads stands for all.
    void join(const Unit& unit, std::size_t first, std::size_t end) {
        std::vector<int> loads;
        for (std::size_t word = first; word < end; ++word) {
            if (unit.loads(word)) loads.push_back(unit.load[word] - 1);
        }
        std::sort(loads.begin(), loads.end());
        loads.erase(std::unique(loads.begin(), loads.end()), loads.end());
        if (loads.size() < 2) return;  // one that is as wide already
        for (const int load : loads) joined_[load] = {};
        const std::int64_t offset = function_.body[std::size_t(loads.front())].operands[1].offset;
        joined_[loads.front()] = {std::uint8_t((end - first) * kWord),
                                  std::uint8_t(offset - unit.at - std::int64_t(first) * kWord)};
    }

    const PtxFunction& function_;
    Alignment alignment_;
    std::vector<Unit> units_;
    std::map<int, JoinedLoad> joined_;
};

}  // namespace

std::map<int, JoinedLoad> joined_loads(const PtxFunction& function,
                                       const std::map<std::string, std::uint64_t>& shared) {
    return Joining(function, shared).run();
}

}  // namespace ws::simt
