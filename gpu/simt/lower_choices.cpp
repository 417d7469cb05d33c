// Lowering of what asks for the kind of a float, and of choices by a sign.

#include <array>
#include <bit>
#include <cmath>

#include "gpu/simt/lane_access.h"
#include "gpu/simt/lower.h"
#include "gpu/simt/special_operations.h"

namespace ws::simt {
namespace {

// d = whether the float a is of the kind.
template <typename T, typename Is>
void is_of_kind(Warp& warp, const Instruction& i) {
    u32 answers = 0;
    for_lanes(warp.mask, [&](int lane) { answers |= u32(Is{}(slot<T>(warp, i.a)[lane])) << lane; });
    u32& d = *slot<u32>(warp, i.d);
    d = (d & ~warp.mask) | answers;
}

struct Kind {
    const char* name;
    Handler of_f32;
    Handler of_f64;
};

template <typename Is>
constexpr Kind kind(const char* name, Is /*is*/) {
    return {name, &is_of_kind<float, Is>, &is_of_kind<double, Is>};
}

constexpr std::array kKinds{
    kind("finite", [](auto value) { return std::isfinite(value); }),
    kind("infinite", [](auto value) { return std::isinf(value); }),
    kind("number", [](auto value) { return !std::isnan(value); }),
    kind("notanumber", [](auto value) { return std::isnan(value); }),
    kind("normal", [](auto value) { return std::isnormal(value) || value == 0; }),
    kind("subnormal", [](auto value) { return std::fpclassify(value) == FP_SUBNORMAL; }),
};

}  // namespace

void Lowering::test_float(const Opcode& opcode) {
    if (opcode.types.size() != 1 || (opcode.types[0] != Type::f32 && opcode.types[0] != Type::f64))
        unknown("its type is .f32 or .f64");
    const Type type = opcode.types[0];
    for (const Kind& known : kKinds) {
        if (!opcode.has(known.name)) continue;
        Instruction made = with(type == Type::f32 ? known.of_f32 : known.of_f64, Pipe::alu);
        made.d = destination(operand(0), 'p');
        made.a = source(operand(1), register_width(type), 'f');
        return emit(made);
    }
    unknown("not this kind of a float");
}

// "slct.b32.s32 d, a, b, c": a where c is at least 0.
void Lowering::select_by_sign(const Opcode& opcode) {
    if (opcode.types.size() != 2 || bits_of(opcode.types[0]) < 16 || is_small_float(opcode.types[0]) ||
        (opcode.types[1] != Type::s32 && opcode.types[1] != Type::f32))
        unknown("it selects 16, 32 or 64 bits by an .s32 or .f32");
    const Type sign = opcode.types[1];
    Instruction test = with(&compare, Pipe::alu);
    test.weight = 0;
    test.modifiers.flush = sign == Type::f32 && opcode.has("ftz");
    attach(test, TypedComparison{{}, sign, Comparison::ge});
    test.d = frame_.scratch('p');
    test.a = source(operand(3), '4', sign == Type::f32 ? 'f' : 's');
    test.b = frame_.constant(0, false);
    emit(test);
    const char width = register_width(opcode.types[0]);
    Instruction made = of(*find_vector_operation(width == '8'   ? "selp.64"
                                                 : width == '2' ? "selp.16"
                                                                : "selp.32"));
    const char kind = is_float(opcode.types[0]) ? 'f' : 'b';
    made.d = destination(operand(0), width, kind);
    made.a = source(operand(1), width, kind);
    made.b = source(operand(2), width, kind);
    made.c = test.d;
    emit(made);
}

}  // namespace ws::simt
