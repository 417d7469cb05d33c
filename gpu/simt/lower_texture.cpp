#include "gpu/simt/lower.h"
#include "gpu/simt/special_operations.h"

namespace ws::simt {

void Lowering::sample_texture(const Opcode& opcode) {
    const auto is = [&](std::size_t i, Type type) { return opcode.types[i] == type; };
    const bool one_dimension = opcode.has("1d");
    if (!(one_dimension || opcode.has("2d")) || !opcode.has("v4") || opcode.types.size() != 2)
        unknown("1D and 2D textures of 4 elements only");
    if (!(is(0, Type::f32) || is(0, Type::u32) || is(0, Type::s32)) ||
        !(is(1, Type::f32) || is(1, Type::s32)))
        unknown("a texel is .f32, .u32 or .s32, a coordinate .f32 or .s32");
    const std::vector<PtxOperand>& to = operand(0).parts;
    const std::vector<PtxOperand>& at = operand(1).parts;
    if (to.size() != 4 || operand(1).kind != PtxOperand::Kind::address) unknown("4 elements were expected");
    if (at.size() != (one_dimension ? 1 : 2) || operand(1).offset != 0)
        unknown(one_dimension ? "1 coordinate was expected" : "2 coordinates were expected");
    Instruction made = with(kFetchTexture, Pipe::texture);
    made.kind = AccessKind::texture;
    TextureFetch& detail = attach(made, TextureFetch{{}, kNoElements, !is(0, Type::f32), !is(1, Type::f32)});
    for (std::size_t i = 0; i < 4; ++i) {
        if (to[i].name != "_") detail.elements[i] = destination(to[i], '4', is(0, Type::f32) ? 'f' : 'u');
    }
    made.a = frame_.reg(operand(1).name, '8');
    made.b = source(at[0], '4', is(1, Type::f32) ? 'f' : 's');
    if (!one_dimension) made.c = source(at[1], '4', is(1, Type::f32) ? 'f' : 's');
    emit(made);
}

}  // namespace ws::simt
