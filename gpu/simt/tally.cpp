#include "gpu/simt/tally.h"

#include <algorithm>
#include <map>

#include "gpu/simt/details.h"

namespace ws::simt {
namespace {

TrafficCounts traffic_of(const SiteCounts& site) {
    return {site.requests, site.sectors, site.bytes_requested, site.bytes_transferred, site.replays};
}

SharedCounts shared_of(const SiteCounts& site) {
    return {site.requests, site.sectors, site.bytes_requested, site.bytes_transferred, int(site.ways)};
}

void add_access(const Instruction& instruction, const SiteCounts& site, InstructionCounts& counts) {
    if (site.requests == 0) return;
    const auto add = [&](SharedCounts& shared, TrafficCounts& local, TrafficCounts& global) {
        if (site.generic_shared)
            shared += shared_of(site);
        else
            (site.local_requests ? local : global) += traffic_of(site);
    };
    switch (instruction.kind) {
        case AccessKind::none:
            return;
        case AccessKind::texture:
            counts.texture += traffic_of(site);
            return;
        case AccessKind::atomic:
            counts.atomics += site.requests;
            return;
        case AccessKind::write:
            return add(counts.shared_store, counts.local_store, counts.global_store);
        case AccessKind::read:
        case AccessKind::copy:
            if (memory_of(instruction).space == Space::constant) {
                counts.constant_requests += site.requests;
                counts.constant_addresses += site.sectors;
                if (memory_of(instruction).known_address) counts.constant_operands += site.requests;
                return;
            }
            return add(counts.shared_load, counts.local_load, counts.global_load);
    }
}

}  // namespace

Tally::Tally(const Program& program) : program_(program), sites_(program.code.size()) {
    for (const Function& function : program.functions) blocks_.emplace_back(function.blocks.size());
}

void Tally::add(const std::vector<std::vector<BlockCounts>>& blocks, const std::vector<SiteCounts>& sites) {
    for (std::size_t f = 0; f < blocks.size(); ++f) {
        for (std::size_t b = 0; b < blocks[f].size(); ++b) {
            blocks_[f][b].executions += blocks[f][b].executions;
            blocks_[f][b].lanes += blocks[f][b].lanes;
            blocks_[f][b].divergent += blocks[f][b].divergent;
        }
    }
    for (std::size_t i = 0; i < sites.size(); ++i) {
        SiteCounts& sum = sites_[i];
        const SiteCounts& more = sites[i];
        sum.guarded += more.guarded;
        sum.guarded_lanes += more.guarded_lanes;
        sum.requests += more.requests;
        sum.sectors += more.sectors;
        sum.bytes_requested += more.bytes_requested;
        sum.bytes_transferred += more.bytes_transferred;
        sum.replays += more.replays;
        sum.local_requests += more.local_requests;
        sum.ways = std::max(sum.ways, more.ways);
        sum.generic_shared = sum.generic_shared || more.generic_shared;
    }
}

void Tally::report(KernelCounters& made) const {
    std::map<int, InstructionCounts> lines;
    const auto count = [&](int index, const BlockCounts& block, Flow flow) {
        const bool control = flow != Flow::next;
        const Instruction& instruction = program_.code[std::size_t(index)];
        InstructionCounts& counts = lines[instruction.line];
        const SiteCounts& site = sites_[std::size_t(index)];
        if (instruction.weight > 0) {
            const std::uint64_t lanes = instruction.guard >= 0 && !control ? site.guarded_lanes : block.lanes;
            counts.instructions += block.executions;
            counts.thread_instructions += lanes;
            counts.predicated_off += block.lanes - lanes;
            counts.pipes[std::size_t(instruction.pipe)] += block.executions;
            counts.slow[std::size_t(instruction.slow)] += block.executions;
            counts.further += block.executions * instruction.further;
            counts.further_special += block.executions * instruction.further_special;
            counts.float_operations += lanes * instruction.float_operations;
        }
        if (flow == Flow::branch || flow == Flow::list) {
            counts.branches += block.executions;
            counts.divergent_branches += block.divergent;
        }
        if (flow == Flow::barrier) counts.barriers += block.executions;
        add_access(instruction, site, counts);
    };
    for (std::size_t f = 0; f < blocks_.size(); ++f) {
        const Function& function = program_.functions[f];
        for (std::size_t b = 0; b < function.blocks.size(); ++b) {
            const BasicBlock& block = function.blocks[b];
            made.block_executions.push_back(blocks_[f][b].executions);
            if (blocks_[f][b].executions == 0) continue;
            for (int i = block.first; i < block.last; ++i) count(i, blocks_[f][b], Flow::next);
            if (block.chain.links > 0)
                lines[block.chain.line].dependent += blocks_[f][b].executions * block.chain.links;
            if (block.control >= 0) count(block.control, blocks_[f][b], block.flow);
        }
    }
    for (const auto& [line, counts] : lines) {
        made.total += counts;
        made.lines.push_back({line, counts});
    }
}

}  // namespace ws::simt
