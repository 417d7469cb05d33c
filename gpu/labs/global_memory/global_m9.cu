// Global memory m9: an array of structures.
//
// Grew from m4. The array is taken for structures of FIELDS floats; a thread copies one, field by field. The lanes of an
// access are FIELDS words apart.
// Why it should win: it does not; it is what one writes first: `struct Particle { float x, y, z, ...; } particles[n];`
// Counter to watch: sectors per request, 4 * FIELDS up to 32. All bytes of a sector are used, but by FIELDS requests.
// Stops winning: from 2.0 on L1 may hold the lines of a warp from field to field; stores it never holds. Structures of 8 or
// 16 bytes that are loaded as one word (m5) are no problem.

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
    for (int i = 0; i < FIELDS; ++i) field[i] = load(source + mine * FIELDS + i);
#pragma unroll
    for (int i = 0; i < FIELDS; ++i) target[mine * FIELDS + i] = field[i];
}
