// Global memory m10: a structure of arrays.
//
// Grew from m9. All first fields lie one after the other, then all second fields: a thread copies the same field of its
// own structure, and its neighbour's lies beside it.
// Why it should win: each of the FIELDS accesses of a warp is 32 words side by side.
// Counter to watch: sectors per request, 4 (5 where an array begins within a sector).
// Stops winning: a program that needs whole structures in random order touches FIELDS sectors for each instead of one.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: FIELDS = 4 in 1..16  floats of a structure
// knob: CACHED = 1 in 0..1  loads go 1: through L1, 0: past it (2.x moves sectors then instead of lines)
// elements per block: FIELDS * BLOCK_X x 1
// order of tiles: line

#include "global.cuh"

#ifndef FIELDS
#define FIELDS 4
#endif

extern "C" __global__ void copy(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    const unsigned count = unsigned(width) * height;
    const unsigned structures = count / FIELDS;
    const unsigned mine = blockIdx.x * BLOCK_X + threadIdx.x;
    // What fills no structure.
    if (mine == structures) {
        for (unsigned word = structures * FIELDS; word < count; ++word) target[word] = source[word];
    }
    if (mine >= structures) return;
    float field[FIELDS];
#pragma unroll
    for (int i = 0; i < FIELDS; ++i) field[i] = load(source + i * structures + mine);
#pragma unroll
    for (int i = 0; i < FIELDS; ++i) target[i * structures + mine] = field[i];
}
