// Histogram, first step: the bins are empty.
//
// One block writes 256 zeros.
// Why it should win: it only has to be there; it is the same in every version.
// Counter to watch: its share of the time, a launch.
// Stops winning: a program would use cudaMemsetAsync.

// knob: BLOCK_X = 256 in 32..1024  threads of the block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// elements per block: 32768 x 16384
// order of tiles: line

extern "C" __global__ void clear_bins(unsigned* __restrict__ bins) {
    for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
}
