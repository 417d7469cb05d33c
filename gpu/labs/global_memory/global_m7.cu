// Global memory m7: words in an order like dice, within windows.
//
// Grew from m3. Words are not permuted within 32, but within a window of 2 to the power of WINDOW_LOG2.
// Why it should win: it does not. A window of 32 words is much like m3; one of 1024 (4 KB) is 32 words in up to 32 lines, which L1
// holds until the other warps have used the rest; of 2 to the power of 20 (4 MB) the second level holds them; then nobody
// does.
// Counter to watch: sectors per request, up to 32; hits in L1 and L2 by the window.
// Stops winning: sort what you need before you fetch it, or fetch it once into shared memory.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: WINDOW_LOG2 = 20 in 5..24  words change places within 2 to the power of this many
// knob: CACHED = 1 in 0..1  loads go 1: through L1, 0: past it (2.x moves sectors then instead of lines)
// elements per block: 4 * BLOCK_X x 1
// order of tiles: line

#include "global.cuh"

#ifndef WINDOW_LOG2
#define WINDOW_LOG2 20
#endif

constexpr unsigned kWindow = 1u << WINDOW_LOG2;

// Each number below kWindow once: odd factors and shifted XORs can be undone.
static __device__ unsigned mixed(unsigned number) {
    number = number * 0x9E3779B1u % kWindow;
    number ^= number >> (WINDOW_LOG2 + 1) / 2;
    number = number * 0x2C1B3C6Du % kWindow;
    return number ^ number >> (WINDOW_LOG2 + 1) / 2;
}

extern "C" __global__ void copy(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    const unsigned count = unsigned(width) * height;
    copy_words(source, target, count, [=](unsigned word) {
        const unsigned first = word & ~(kWindow - 1);
        // The last words stay where they are unless they fill a window.
        return count - first >= kWindow ? first + mixed(word % kWindow) : word;
    });
}
