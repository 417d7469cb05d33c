// Classics: elements that lie anywhere. Sectors decide, and where the table lies: in L1, in L2 or in memory.

#define ELEMENT const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return

extern "C" __global__ void gather(float* out, const float* table, const int* index, int n) {
    ELEMENT;
    out[i] = table[index[i]];
}

extern "C" __global__ void scatter(float* out, const float* in, const int* index, int n) {
    ELEMENT;
    out[index[i]] = in[i];
}

// Rows of 64 floats, a warp for each: two words a lane.
extern "C" __global__ void embedding_lookup(float2* out, const float2* table, const int* tokens, int n) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= n) return;
    const int lane = threadIdx.x % 32;
    out[row * 32 + lane] = table[tokens[row] * 32 + lane];
}

// Each thread follows its own list of so many links.
extern "C" __global__ void pointer_chase(int* out, const int* next, int links, int n) {
    ELEMENT;
    int at = i;
    for (int k = 0; k < links; ++k) at = next[at];
    out[i] = at;
}

// The first place of a sorted table whose value is not below.
extern "C" __global__ void binary_search(int* out, const int* sorted, const int* keys, int length, int n) {
    ELEMENT;
    const int key = keys[i];
    int low = 0;
    int high = length;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (sorted[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = low;
}

// Where each part of two sorted lists begins that 8 results come from, and those results.
extern "C" __global__ void merge_path(int* out, const int* a, const int* b, int length) {
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    if (first >= 2 * length) return;
    int low = max(0, first - length);
    int high = min(first, length);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (a[middle] <= b[first - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    int at_a = low;
    int at_b = first - low;
    for (int k = first; k < min(first + 8, 2 * length); ++k) {
        const bool from_a = at_b >= length || (at_a < length && a[at_a] <= b[at_b]);
        out[k] = from_a ? a[at_a++] : b[at_b++];
    }
}
