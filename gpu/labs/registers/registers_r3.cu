// Registers r3: a limit for the compiler.
//
// Grew from r1; the code is the same. The option --maxrregcount gives a thread MAX_REGISTERS and no more, whatever the block;
// with nvcc it holds for a whole file.
// Why it should win: it does not have to know the block size; a little fewer registers may cost nothing.
// Counter to watch: spills in the compiler's report, local loads and stores in the machine code, occupancy, time.
// Stops winning: 64 numbers and their addresses do not fit into 64 registers. What spills is stored and loaded again, through L1 and further.

// knob: BLOCK_X = 128 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: MAX_REGISTERS = 64 in 16..255  registers of a thread that the compiler may take
// registers at most: MAX_REGISTERS
// elements per block: 64 * BLOCK_X x 1
// order of tiles: line

#include "registers.cuh"

extern "C" __global__ void transform64(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                                       int height) {
    transform_group(source, target, width, height);
}
