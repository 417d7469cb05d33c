#include "gpu/simt/chain.h"

#include <algorithm>

namespace ws::simt {
namespace {

// What waits for memory is no link: how long that takes is another question.
bool is_arithmetic(Pipe pipe) {
    return pipe != Pipe::lsu && pipe != Pipe::control && pipe != Pipe::texture;
}

}  // namespace

void ChainFinder::add(std::span<const Instruction> made, std::string_view opcode) {
    const bool moves = opcode.starts_with("mov") || opcode.starts_with("cvta");
    for (const Instruction& instruction : made) {
        std::uint32_t links = 0;
        for (const std::int32_t source :
             {instruction.a, instruction.b, instruction.c, instruction.e, instruction.guard}) {
            if (const auto known = links_.find(source); known != links_.end())
                links = std::max(links, known->second);
        }
        if (instruction.weight > 0 && !moves && is_arithmetic(instruction.pipe)) ++links;
        if (instruction.d >= 0) links_[instruction.d] = links;
        if (links > longest_.links) longest_ = {links, instruction.line};
    }
}

}  // namespace ws::simt
