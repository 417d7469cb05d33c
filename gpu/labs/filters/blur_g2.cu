// Gaussian g2: g1 with launch bounds.
//
// Grew from g1; the code is the same. __launch_bounds__ promises the compiler how many threads a block
// has and asks that MIN_BLOCKS of them fit on a multiprocessor at once; the compiler then spends no
// more registers per thread than that allows.
// Why it should win: where registers limit occupancy, fewer registers mean more warps to hide latency.
// Counter to watch: registers per thread in the compile report; theoretical occupancy and its limiter.
// Stops winning: where registers were not the limit, nothing changes; where the bound is too tight,
// values spill to local memory and cost more than the warps gain.

// knob: BLOCK_X = 32 in 1..1024  threads of a block along a row
// knob: BLOCK_Y = 4 in 1..1024  threads of a block along a column
// knob: MIN_BLOCKS = 10 in 0..32  blocks that must fit on a multiprocessor; 0 asks for none (8 on Fermi)

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 4
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 10
#endif

#if MIN_BLOCKS > 0
#define LAUNCH_BOUNDS __launch_bounds__(BLOCK_X* BLOCK_Y, MIN_BLOCKS)
#else
#define LAUNCH_BOUNDS __launch_bounds__(BLOCK_X* BLOCK_Y)
#endif

// The weights of the upper left quarter, its middle row and column included: the others mirror them.
__constant__ int weights[4][4] = {{1, 2, 3, 4}, {2, 4, 6, 8}, {3, 6, 9, 12}, {4, 8, 12, 16}};

extern "C" __global__ void LAUNCH_BOUNDS blur(const unsigned char* src, unsigned char* dst, int width,
                                              int height) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x;
    const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;

    // Read the 7 x 7 neighbours into registers; a pixel outside the picture counts as 0. Compared as
    // unsigned, a negative position is a large one: one test for both sides.
    unsigned char window[7][7];
#pragma unroll
    for (int row = 0; row < 7; ++row) {
#pragma unroll
        for (int column = 0; column < 7; ++column) {
            const int from_x = x + column - 3;
            const int from_y = y + row - 3;
            const bool inside = unsigned(from_x) < unsigned(width) && unsigned(from_y) < unsigned(height);
            window[row][column] = inside ? src[from_y * width + from_x] : 0;
        }
    }

    // Weigh and sum them.
    int sum = 0;
#pragma unroll
    for (int row = 0; row < 7; ++row) {
#pragma unroll
        for (int column = 0; column < 7; ++column) {
            const int weight = weights[row < 4 ? row : 6 - row][column < 4 ? column : 6 - column];
            sum += weight * window[row][column];
        }
    }
    dst[y * width + x] = sum / 256;
}
