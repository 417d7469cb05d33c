#pragma once
// Instruction throughput: how many operations a multiprocessor does in a clock, by the operation, beside the
// tables of the lectures. To add a version: its .cu file here (or a function in one), a row in throughput.cpp
// and, if it computes something else, a step and its definition in chains.cpp.

#include "gpu/core/lab.h"

namespace ws::throughput {

// A step computes one kind of chain; its result has the buffer step + 1.
namespace step {
enum Step : int {
    float_add,
    separate,
    fused,
    doubles,
    integer_add,
    logic,
    choose,
    rotate,
    multiply,
    convert,
    widen,
    reciprocal,
    root,
    sine,
    exponential,
    logarithm,
    divide,
    modulo,
    from_byte,
    from_short,
    to_byte,
    to_short,
    count
};
}

[[nodiscard]] const Lab& lab();

}  // namespace ws::throughput
