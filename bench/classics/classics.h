#pragma once
// The table of the classics: kernels that courses and books have, each with a launch. The clock of a
// multiprocessor is held against their times on a GPU (docs/clock.md). Nothing is fitted to any of them;
// every third one is looked at apart all the same, by its place here: is_held_out().

#include <bit>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "gpu/core/block.h"
#include "gpu/core/image.h"

namespace ws::classics {

// What a buffer holds before the launch.
enum class Fill : std::uint8_t {
    none,         // the kernel writes all of it
    zeros,        // it writes or counts in parts of it
    floats,       // from 0 to 1, at random
    doubles,      // the same
    bytes,        // below the range, at random
    numbers,      // the same in words; a range of 0: all bits
    permutation,  // each place once, far from its neighbours'
    ascending,    // about `range` more from each to the next
    starts        // of rows of about `range` places, the last one's end behind them
};

struct Memory {
    std::uint64_t count = 0;
    int element_bytes = 4;
    Fill fill = Fill::none;
    std::uint64_t range = 0;
    double touched = 1;  // the share of its sectors that the launch needs
    [[nodiscard]] std::uint64_t bytes() const { return count * std::uint64_t(element_bytes); }
};

// A buffer, or a number.
struct Argument {
    Memory memory;
    std::uint64_t bits = 0;
    std::uint32_t bytes = 8;
    [[nodiscard]] bool is_buffer() const { return memory.count > 0; }
};

struct Classic {
    std::string name;  // "copy_strided 8"
    std::string file;  // "vectors"
    std::string entry;
    Extent grid;
    Block block;
    std::vector<Argument> arguments;
};

// `measured` gives 20 microseconds to 3 ms on an H200; `odd` is small and a multiple of nothing.
enum class Size : std::uint8_t { measured, odd };

inline bool is_held_out(std::size_t place) {
    return place % 3 == 2;
}

namespace detail {

template <typename T>
Argument value(T number) {
    Argument made;
    made.bytes = sizeof number;
    std::memcpy(&made.bits, &number, sizeof number);
    return made;
}
inline Argument memory(std::uint64_t count, int bytes, Fill fill, std::uint64_t range = 0) {
    Argument made;
    made.memory = {count, bytes, fill, range};
    return made;
}
inline Argument out(std::uint64_t count, int bytes = 4) {
    return memory(count, bytes, Fill::none);
}
inline Argument zeros(std::uint64_t count, int bytes = 4) {
    return memory(count, bytes, Fill::zeros);
}
inline Argument floats(std::uint64_t count) {
    return memory(count, 4, Fill::floats);
}
inline Argument doubles(std::uint64_t count) {
    return memory(count, 8, Fill::doubles);
}
inline Argument bytes(std::uint64_t count, std::uint64_t range = 256) {
    return memory(count, 1, Fill::bytes, range);
}
inline Argument numbers(std::uint64_t count, std::uint64_t range = 0) {
    return memory(count, 4, Fill::numbers, range);
}
inline Argument permuted(std::uint64_t count) {
    return memory(count, 4, Fill::permutation);
}
inline Argument ascending(std::uint64_t count, std::uint64_t step) {
    return memory(count, 4, Fill::ascending, step);
}
inline Argument starts(std::uint64_t rows, std::uint64_t places) {
    return memory(rows + 1, 4, Fill::starts, places);
}
inline Argument touched(Argument one, double share) {
    one.memory.touched = share;
    return one;
}

// Adds the kernels of one file.
class Family {
  public:
    Family(std::vector<Classic>& all, Size size, std::string file)
        : all_(all), odd_(size == Size::odd), file_(std::move(file)) {}
    [[nodiscard]] int pick(int measured, int odd) const { return odd_ ? odd : measured; }
    // A thread, or so many elements of the line for each block.
    void line(const std::string& name, std::int64_t elements, int threads,
              std::initializer_list<Argument> arguments, int of_block = 0) {
        const int each = of_block > 0 ? of_block : threads;
        add(name, {int((elements + each - 1) / each), 1}, {threads, 1}, arguments);
    }
    void plane(const std::string& name, Extent size, Block block, std::initializer_list<Argument> arguments) {
        add(name, {(size.width + block.x - 1) / block.x, (size.height + block.y - 1) / block.y}, block,
            arguments);
    }
    void add(const std::string& name, Extent grid, Block block, std::initializer_list<Argument> arguments) {
        all_.push_back({name, file_, name.substr(0, name.find(' ')), grid, block, arguments});
    }

  private:
    std::vector<Classic>& all_;
    bool odd_;
    std::string file_;
};

inline void add_vectors(std::vector<Classic>& all, Size size) {
    Family f(all, size, "vectors");
    const int n = f.pick(1 << 24, 1003);
    const int few = f.pick(1 << 22, 1003);
    f.line("vector_add", n, 256, {out(n), floats(n), floats(n), value(n)});
    f.line("saxpy_four", n / 4, 256, {floats(n), floats(n), value(0.5f), value(n / 4)});
    f.line("scale_doubles", n, 128, {out(n, 8), doubles(n), value(0.5), value(n)});
    f.line("copy_bytes", 4 * n, 256, {out(4 * n, 1), bytes(4 * n), value(4 * n)});
    f.line("copy_words", n, 1024, {out(n), floats(n), value(n)});
    f.add("triad_grid_stride", {f.pick(528, 3), 1}, {512, 1},
          {out(n), floats(n), floats(n), value(0.5f), value(n)});
    for (const int stride : {2, 4, 8}) {
        f.line("copy_strided " + std::to_string(stride), few, 256,
               {out(few), floats(std::uint64_t(few) * stride), value(stride), value(few)});
    }
    f.line("copy_strided 32", few, 256,
           {out(few), touched(floats(std::uint64_t(few) * 32), 0.25), value(32), value(few)});
    f.line("copy_shifted", n, 256, {out(n), floats(n + 1), value(n)});
    f.line("structures_to_arrays", n, 256, {out(n), out(n), out(n), floats(3 * n), value(n)});
    f.line("relu", n, 64, {out(n), floats(n), value(n)});
    f.line("complex_multiply", n, 256, {out(n, 8), floats(2 * n), floats(2 * n), value(n)});
    f.line("polynomial_floats", n, 256, {out(n), floats(n), value(n)});
    f.line("polynomial_doubles", few, 256, {out(few, 8), doubles(few), value(few)});
    f.line("gelu", n, 256, {out(n), floats(n), value(n)});
    f.line("square_roots_doubles", few, 256, {out(few, 8), doubles(few), value(few)});
}

inline void add_gathers(std::vector<Classic>& all, Size size) {
    Family f(all, size, "gathers");
    const int n = f.pick(1 << 23, 1003);
    const int in_l1 = f.pick(1 << 12, 101);
    const int in_l2 = f.pick(1 << 21, 307);
    const int in_memory = f.pick(1 << 26, 4099);
    f.line("gather of-16-KiB", n, 256, {out(n), floats(in_l1), numbers(n, in_l1), value(n)});
    f.line("gather of-8-MiB", n, 256, {out(n), floats(in_l2), numbers(n, in_l2), value(n)});
    f.line("gather of-256-MiB", n, 256,
           {out(n), touched(floats(in_memory), 0.63), numbers(n, in_memory), value(n)});
    f.line("scatter", n, 256, {out(n), floats(n), permuted(n), value(n)});
    const int tokens = f.pick(1 << 18, 77);
    const int entries = f.pick(50257, 33);
    f.line("embedding_lookup", 32LL * tokens, 128,
           {out(64 * tokens), floats(64 * entries), numbers(tokens, entries), value(tokens)});
    const int lists = f.pick(132 * 128, 131);
    f.line("pointer_chase", lists, 64, {out(lists), permuted(in_l2), value(f.pick(64, 9)), value(lists)});
    const int keys = f.pick(1 << 21, 1003);
    f.line("binary_search", keys, 256,
           {out(keys), ascending(in_l2, 3), numbers(keys, 3ull * in_l2), value(in_l2), value(keys)});
    f.line("merge_path", 2LL * in_l2, 128,
           {out(2 * in_l2), ascending(in_l2, 4), ascending(in_l2, 4), value(in_l2)}, 1024);
}

inline void add_sums(std::vector<Classic>& all, Size size) {
    Family f(all, size, "sums");
    const int n = f.pick(1 << 25, 5003);
    const auto blocks = [n](int each) { return (n + each - 1) / each; };
    const int few = f.pick(1 << 21, 5003);
    f.line("sum_atomic", few, 256, {zeros(1), floats(few), value(few)});
    f.line("sum_tree", n, 256, {out(blocks(256)), floats(n), value(n)});
    f.line("sum_tree_interleaved", n, 256, {out(blocks(256)), floats(n), value(n)});
    f.line("dot_product", n, 256, {out(blocks(4096)), floats(n), floats(n), value(n)}, 4096);
    f.line("largest_place", n, 256, {out(blocks(4096)), floats(n), value(n)}, 4096);
    const int width = f.pick(1 << 15, 131);
    const int height = f.pick(1 << 10, 37);
    const std::uint64_t places = std::uint64_t(width) * height;
    f.line("column_sums", width, 64, {out(width), floats(places), value(width), value(height)});
    f.line("row_sums", width, 64, {out(width), floats(places), value(height), value(width)});
}

inline void add_scans(std::vector<Classic>& all, Size size) {
    Family f(all, size, "scans");
    const int n = f.pick(1 << 23, 1700);
    f.line("scan_hillis_steele", n, 512, {out(n), numbers(n, 100), value(n)});
    f.line("scan_blelloch", n, 256, {out(n), numbers(n, 100), value(n)}, 512);
    f.line("scan_shuffles", n, 256, {out(n), numbers(n, 100), value(n)});
    f.line("compact", n, 256, {zeros(n), out((n + 255) / 256), floats(n), value(0.5f), value(n)});
}

inline void add_histograms(std::vector<Classic>& all, Size size) {
    Family f(all, size, "histograms");
    const int n = f.pick(1 << 24, 5003);
    const int few = f.pick(1 << 20, 5003);
    f.line("histogram_global", few, 256, {zeros(256), bytes(few), value(few)});
    f.line("histogram_shared", n, 256, {zeros(256), bytes(n), value(n)}, 4096);
    f.line("histogram_contended", n, 256, {zeros(4), bytes(n), value(n)}, 4096);
    f.line("histogram_private", n, 128, {out((n + 8191) / 8192 * 16), bytes(n), value(n)}, 8192);
    f.line("radix_digits", n, 256, {zeros((n + 255) / 256 * 128), numbers(n), value(8), value(n)});
}

inline void add_stencils(std::vector<Classic>& all, Size size) {
    Family f(all, size, "stencils");
    const int n = f.pick(1 << 24, 1003);
    f.line("stencil_three", n, 256, {out(n), floats(n), value(n)});
    f.line("stencil_seven_shared", n, 256, {out(n), floats(n), value(n)});
    const Extent plane{f.pick(4096, 67), f.pick(4096, 43)};
    const auto points = plane.pixels();
    const auto w = value(plane.width);
    const auto h = value(plane.height);
    f.plane("heat_floats", plane, {32, 8}, {out(points), floats(points), value(0.2f), w, h});
    f.plane("heat_doubles", plane, {32, 8}, {out(points, 8), doubles(points), value(0.2), w, h});
    f.plane("wave_step", plane, {16, 16}, {out(points), floats(points), floats(points), value(0.2f), w, h});
    f.plane("stencil_nine_shared", plane, {32, 8}, {out(points), floats(points), w, h});
    const Extent room{f.pick(512, 35), f.pick(512, 19)};
    const int depth = f.pick(64, 7);
    const auto all_points = std::uint64_t(room.pixels()) * std::uint64_t(depth);
    f.plane("stencil_room", room, {32, 4},
            {zeros(all_points), floats(all_points), value(room.width), value(room.height), value(depth)});
    f.plane("game_of_life", plane, {32, 8}, {out(points, 1), bytes(points, 2), w, h});
}

inline void add_pictures(std::vector<Classic>& all, Size size) {
    Family f(all, size, "pictures");
    const Extent plane{f.pick(3840, 67), f.pick(2160, 43)};
    const auto points = plane.pixels();
    const auto w = value(plane.width);
    const auto h = value(plane.height);
    f.plane("gray_of_rgba", plane, {32, 8}, {out(points, 1), bytes(4 * points), w, h});
    f.plane("gray_of_rgb", plane, {16, 16}, {out(points, 1), bytes(3 * points), w, h});
    f.plane("sepia", plane, {16, 16}, {out(points), bytes(4 * points), w, h});
    f.plane("threshold", plane, {8, 8}, {out(points, 1), bytes(points), value(100), w, h});
    f.plane("gamma_curve", plane, {32, 8}, {out(points), bytes(4 * points), value(0.45f), w, h});
    f.plane("sobel", plane, {32, 8}, {out(points, 1), bytes(points), w, h});
    f.plane("box_filter 2", plane, {32, 8}, {out(points), floats(points), value(2), w, h});
    f.plane("box_filter 7", plane, {16, 16}, {out(points), floats(points), value(7), w, h});
    f.plane("median", plane, {32, 8}, {out(points, 1), bytes(points), w, h});
    f.plane("bilateral", plane, {32, 8}, {out(points), floats(points), w, h});
    f.plane("convolve_rows", plane, {128, 2}, {out(points), floats(points), w, h});
    f.plane("convolve_columns", plane, {32, 8}, {out(points), floats(points), w, h});
    f.plane("halve", plane, {32, 8}, {out(points), floats(4 * points), w, h, value(2 * plane.width)});
    f.plane("rotate_picture", plane, {16, 16}, {out(points), floats(points), value(0.8f), value(0.6f), w, h});
}

inline void add_matrices(std::vector<Classic>& all, Size size) {
    Family f(all, size, "matrices");
    const int n = f.pick(4096, 67);
    const std::uint64_t places = std::uint64_t(n) * std::uint64_t(n);
    const Extent square{n, n};
    const auto order = value(n);
    f.plane("transpose_plain", square, {32, 8}, {out(places), floats(places), order, order});
    f.add("transpose_tiles", {(n + 31) / 32, (n + 31) / 32}, {32, 8},
          {out(places), floats(places), order, order});
    f.line("matrix_vector_rows", n, 64, {out(n), floats(places), floats(n), order, order});
    f.line("matrix_vector_warps", 32LL * n, 256, {out(n), floats(places), floats(n), order, order});
    f.line("vector_matrix", n, 64, {out(n), floats(places), floats(n), order, order});
    const int m = f.pick(1024, 67);
    const std::uint64_t few = std::uint64_t(m) * std::uint64_t(m);
    const Extent small{m, m};
    f.plane("product_plain", small, {32, 8}, {out(few), floats(few), floats(few), value(m)});
    const int d = f.pick(512, 43);
    const std::uint64_t fewer = std::uint64_t(d) * std::uint64_t(d);
    f.plane("product_doubles", {d, d}, {16, 16}, {out(fewer, 8), doubles(fewer), doubles(fewer), value(d)});
    f.plane("product_tiles", small, {16, 16}, {out(few), floats(few), floats(few), value(m)});
    f.plane("product_four", {m, (m + 3) / 4}, {32, 8}, {out(few), floats(few), floats(few), value(m)});
    f.plane("outer_product", square, {32, 8}, {out(places), floats(n), floats(n), order, order});
    f.plane("elimination_step", square, {32, 8}, {out(places), floats(places), value(n / 5), order});
    f.plane("shortest_paths_step", square, {16, 16},
            {out(places), numbers(places, 1000), value(n / 3), order});
}

inline void add_sparse(std::vector<Classic>& all, Size size) {
    Family f(all, size, "sparse");
    const int rows = f.pick(1 << 18, 301);
    constexpr int kPlaces = 24;
    const std::uint64_t filled = std::uint64_t(rows + 1) * kPlaces;
    const auto columns = numbers(filled, std::uint64_t(rows));
    f.line("csr_threads", rows, 256,
           {out(rows), starts(rows, kPlaces), columns, floats(filled), floats(rows), value(rows)});
    f.line("csr_warps", 32LL * rows, 256,
           {out(rows), starts(rows, kPlaces), columns, floats(filled), floats(rows), value(rows)});
    f.line("ell_rows", rows, 128,
           {out(rows), columns, floats(filled), floats(rows), value(kPlaces), value(rows)});
    const int nodes = f.pick(1 << 20, 301);
    const std::uint64_t edges = std::uint64_t(nodes + 1) * 8;
    f.line("breadth_first_step", nodes, 256,
           {zeros(nodes), numbers(nodes, 4), starts(nodes, 8),
            touched(numbers(edges, std::uint64_t(nodes)), 0.44), value(2), value(nodes)});
}

inline void add_simulations(std::vector<Classic>& all, Size size) {
    Family f(all, size, "simulations");
    const int bodies = f.pick(132 * 1024, 700);
    const int others = f.pick(1024, 300);
    f.line("bodies_tiles", bodies, 256, {out(bodies, 16), floats(4 * bodies), value(others), value(bodies)});
    f.line("bodies_plain", bodies, 128, {out(bodies, 16), floats(4 * bodies), value(others), value(bodies)});
    const Extent plane{f.pick(1920, 67), f.pick(1080, 43)};
    const auto points = plane.pixels();
    const auto w = value(plane.width);
    const auto h = value(plane.height);
    f.plane("mandelbrot", plane, {16, 16}, {out(points, 2), value(256), w, h});
    f.plane("julia", plane, {32, 4}, {out(points, 2), value(256), w, h});
    const int n = f.pick(1 << 20, 1003);
    f.line("pi_by_chance", n, 256, {out(n), value(f.pick(64, 10)), value(n)});
    f.line("random_words", 16LL * n, 256, {out(16ull * n), value(12345), value(16 * n)});
    f.line("black_scholes", 4LL * n, 128,
           {out(4 * n), out(4 * n), floats(4 * n), floats(4 * n), floats(4 * n), value(0.02f), value(0.3f),
            value(4 * n)});
    f.line("price_paths", n, 256, {out(n), value(f.pick(16, 3)), value(n)});
    f.plane("ray_balls", plane, {16, 16}, {out(points), floats(4 * 64), value(f.pick(64, 16)), w, h});
    f.line("collatz", n, 256, {out(n), value(n)});
}

inline void add_sorting(std::vector<Classic>& all, Size size) {
    Family f(all, size, "sorting");
    const int n = f.pick(1 << 21, 1700);
    const auto values = numbers(n, 1 << 30);
    f.line("bitonic_shared", n, 256, {out(n), values, value(n)}, 512);
    const int many = f.pick(1 << 24, 1700);
    f.line("bitonic_step 8", many, 256,
           {out(many), numbers(many, 1 << 30), value(1 << 12), value(8), value(many)});
    f.line("bitonic_step 65536", many, 256,
           {out(many), numbers(many, 1 << 30), value(1 << 20), value(1 << 16), value(many)});
    f.line("odd_even_shared", n, 128, {out(n), values, value(n)}, 256);
    const int ranked = f.pick(1 << 18, 1003);
    f.line("rank_sort", ranked, 256,
           {out(ranked), numbers(ranked, 1 << 30), value(f.pick(1024, 500)), value(ranked)});
}

inline void add_bytes(std::vector<Classic>& all, Size size) {
    Family f(all, size, "bytes");
    const int n = f.pick(1 << 20, 1003);
    const int many = 16 * n;
    f.line("crc_tables", n, 256, {out(n), numbers(32ull * n), value(n)});
    f.line("crc_bits", many, 256, {out(many), numbers(many), value(many)});
    f.line("hash_words", n, 256, {out(n), numbers(16ull * n), value(n)});
    f.line("count_bits", 4LL * n, 256, {out(4 * n), numbers(16ull * n), value(4 * n)});
    f.line("unpack_bits", many, 256, {out(many, 1), numbers((many + 31) / 32), value(many)});
    f.line("find_text", many, 128,
           {out(many, 1), bytes(many, 2), value(0x00010001), value(0x01000100), value(many)});
    f.line("cipher_tables", n, 256, {out(n, 16), numbers(4ull * n), numbers(1024), value(n)});
    f.line("cipher_turns", 4LL * n, 256, {out(4 * n, 16), value(12345), value(4 * n)});
    f.line("capitals", many, 256, {out(many), numbers(many), value(many)});
    f.line("common_divisor", n, 256, {out(n), numbers(n), numbers(n), value(n)});
    const int blocks = f.pick(132 * 8, 3);
    for (const int stride : {1, 2, 8, 32}) {
        f.add("shared_conflicts " + std::to_string(stride), {blocks, 1}, {256, 1},
              {out(256ull * blocks), value(stride), value(f.pick(512, 10))});
    }
}

inline void add_rows(std::vector<Classic>& all, Size size) {
    Family f(all, size, "rows");
    const int width = f.pick(2048, 333);
    const int rows = f.pick(8192, 5);
    const std::uint64_t places = std::uint64_t(width) * std::uint64_t(rows);
    f.add("softmax_rows", {rows, 1}, {256, 1}, {out(places), floats(places), value(width)});
    f.add("layer_norm", {rows, 1}, {256, 1},
          {out(places), floats(places), floats(width), floats(width), value(width)});
    f.add("largest_of_rows", {rows, 1}, {256, 1}, {out(rows), floats(places), value(width)});
    const int lists = f.pick(1 << 18, 77);
    f.line("softmax_threads", lists, 128, {out(64ull * lists), floats(64ull * lists), value(lists)});
    const int points = f.pick(1 << 20, 1003);
    f.line("nearest_centre", points, 256,
           {out(points), floats(4 * points), floats(4 * 32), value(32), value(points)});
    const int n = f.pick(2048, 67);
    f.plane("pair_distances", {n, n}, {16, 16}, {out(std::uint64_t(n) * n), floats(64 * n), value(n)});
}

inline void add_transforms(std::vector<Classic>& all, Size size) {
    Family f(all, size, "transforms");
    const int n = f.pick(1 << 23, 1024);
    f.line("fourier_step 16", n / 2, 256, {out(n, 8), floats(2 * n), value(16), value(n)});
    f.line("fourier_step 4096", n / 2, 256, {out(n, 8), floats(2 * n), value(f.pick(4096, 64)), value(n)});
    const int frequencies = f.pick(1 << 17, 200);
    f.line("fourier_sums", frequencies, 128,
           {out(frequencies, 8), floats(1024), value(f.pick(1024, 200)), value(frequencies)});
    f.line("walsh_hadamard", n, 256, {out(n), floats(n), value(n)}, 512);
    f.line("haar_step", n, 256, {out(n), out(n), floats(2 * n), value(n)});
    const Extent plane{f.pick(4096, 67), f.pick(2048, 43)};
    f.plane("cosine_squares", plane, {8, 8},
            {out(plane.pixels()), floats(plane.pixels()), value(plane.width), value(plane.height)});
    f.line("signal_filter", n, 256, {out(n), floats(n + 32), floats(32), value(n)});
}

inline void add_strides(std::vector<Classic>& all, Size size) {
    Family f(all, size, "strides");
    const int n = f.pick(1 << 22, 1003);
    f.line("store_strided 2", 4 * n, 256,
           {zeros(8 * std::uint64_t(n)), floats(4 * n), value(2), value(4 * n)});
    f.line("store_strided 8", n, 256, {zeros(8 * std::uint64_t(n)), floats(n), value(8), value(n)});
    f.line("store_strided 32", n, 256,
           {touched(zeros(std::uint64_t(n) * 32), 0.25), floats(n), value(32), value(n)});
    f.line("move_particles", n, 256, {touched(floats(16 * std::uint64_t(n)), 0.5), value(0.5f), value(n)});
    // 64 bytes of each row of 512.
    const int rows = f.pick(1 << 20, 1003);
    f.add("scale_columns", {(rows + 15) / 16, 1}, {16, 16},
          {touched(floats(128 * std::uint64_t(rows)), 0.125), floats(16), value(128), value(rows)});
}

}  // namespace detail

inline std::vector<Classic> classics(Size size) {
    std::vector<Classic> all;
    for (const auto add :
         {detail::add_vectors, detail::add_gathers, detail::add_sums, detail::add_scans,
          detail::add_histograms, detail::add_stencils, detail::add_pictures, detail::add_matrices,
          detail::add_sparse, detail::add_simulations, detail::add_sorting, detail::add_bytes,
          detail::add_rows, detail::add_transforms, detail::add_strides})
        add(all, size);
    return all;
}

// The content of a buffer; `seed` tells buffers of a launch apart.
inline void fill(const Memory& memory, unsigned seed, std::uint8_t* to) {
    const auto random = [seed](std::uint64_t i) {
        std::uint32_t v = std::uint32_t(i) * 2654435761U + seed * 0x9e3779b9U;
        v = (v ^ v >> 16) * 0x7feb352dU;
        v = (v ^ v >> 15) * 0x846ca68bU;
        return v ^ v >> 16;
    };
    const auto set = [&](auto content) {
        for (std::uint64_t i = 0; i < memory.count; ++i) {
            const auto one = content(i);
            std::memcpy(to + i * sizeof one, &one, sizeof one);
        }
    };
    const std::uint64_t range = memory.range > 0 ? memory.range : std::uint64_t(1) << 32;
    switch (memory.fill) {
        case Fill::none:
        case Fill::zeros:
            std::memset(to, 0, memory.bytes());
            break;
        case Fill::floats:
            set([&](std::uint64_t i) { return float(random(i) >> 8) / float(1 << 24); });
            break;
        case Fill::doubles:
            set([&](std::uint64_t i) { return double(random(i)) / 4294967296.0; });
            break;
        case Fill::bytes:
            set([&](std::uint64_t i) { return std::uint8_t(random(i) % range); });
            break;
        case Fill::numbers:
            set([&](std::uint64_t i) { return std::uint32_t(random(i) % range); });
            break;
        case Fill::permutation:  // of a prime: it has no divisor in common with the count
            set([&](std::uint64_t i) { return std::uint32_t(i * 2654435761ULL % memory.count); });
            break;
        case Fill::ascending:
        case Fill::starts:
            set([&](std::uint64_t i) { return std::uint32_t(i * range + random(i) % range); });
            break;
    }
}

}  // namespace ws::classics
