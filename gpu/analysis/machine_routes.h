#pragma once
// Ways of one thread from a place in machine code to another, the cheapest: what is executed on them though
// nothing explains it.
//
// A home stands for an execution of a PTX block. Instructions on the way that belong to the executions at
// both ends cost nothing.

#include <cstddef>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpu/analysis/machine_flow.h"
#include "gpu/analysis/machine_shares.h"
#include "gpu/analysis/machine_unrolled.h"

namespace ws {

// Machine blocks between two homes, with what the first of these calls, and they.
struct MachineRoute {
    int cost = 0;
    std::vector<int> blocks;
};

class MachineRoutes {
  public:
    // They live as long as this.
    MachineRoutes(const MachineCode& code, const KernelTrace& trace, const MachineFlow& flow,
                  const MachineShares& shares, MachineUnrolled& unrolled);

    // From one home (null: the begin) to another (null: the end): its number.
    [[nodiscard]] int number(const MachineShare* from, const MachineShare* to);
    [[nodiscard]] const MachineRoute& operator[](int number) const { return routes_[std::size_t(number)]; }
    [[nodiscard]] int cost(const MachineShare* from, const MachineShare* to) {
        return (*this)[number(from, to)].cost;
    }
    // The number of one that costs no more than `most`; none: it costs more. That is told sooner.
    [[nodiscard]] std::optional<int> number_within(const MachineShare* from, const MachineShare* to,
                                                   int most);

  private:
    using Ends = std::pair<const MachineShare*, const MachineShare*>;
    struct HashOfEnds {
        std::size_t operator()(const Ends& ends) const {
            return std::hash<const void*>()(ends.first) * 31 + std::hash<const void*>()(ends.second);
        }
    };
    static constexpr int kAnyCost = 1 << 28;

    // Of machine blocks: what of them belongs to an execution that another one stands for.
    using Explained = std::vector<std::pair<int, int>>;

    // None if it may cost more.
    [[nodiscard]] std::optional<MachineRoute> find(const MachineShare* from, const MachineShare* to,
                                                   int most);
    [[nodiscard]] MachineRoute with_calls(const MachineShare* from, const MachineRoute& route) const;
    [[nodiscard]] bool ends(int block) const;
    [[nodiscard]] int cost_of(int block) const;
    [[nodiscard]] int arrival(const MachineShare* from, const MachineShare& to) const;
    [[nodiscard]] int explained(int block, const MachineShare& home) const;
    [[nodiscard]] const Explained& explained_by(const MachineShare& home);

    const MachineCode& code_;
    const MachineFlow& flow_;
    const MachineShares& shares_;
    MachineUnrolled& unrolled_;
    std::vector<int> costs_;                // by machine block
    std::vector<std::vector<int>> shared_;  // by PTX block: machine blocks with some of it
    std::unordered_map<const MachineShare*, Explained> explained_;
    std::unordered_map<Ends, int, HashOfEnds> numbers_;
    std::unordered_map<Ends, int, HashOfEnds> beyond_;  // those that cost more than this
    std::vector<MachineRoute> routes_;
    // Of a search: for each block the least cost of having passed it, which is none but while it goes on, and
    // the one before it.
    std::vector<int> passed_, previous_;
};

}  // namespace ws
