// Which lines are in each other's way in L1, by one thread that asks for one line after the other and sees by
// the time whether L1 had it. Six parts:
//   sets    of a pool of lines as few as still drive out line 0: as many as a set has ways. Then of each bit
//           of a line's number the lower nine bits with which it gives a line of the same set: a set is the
//           exclusive or of these
//   stay    by shared memory, how many lines side by side are all there when they are asked for again, and
//           how many are of 16, 64 and 256 more
//   rows    of so many rows of 4 KB, so far apart, how many are there when they are asked for a third time
//   any     of so many lines in any order, and round and round, what part is there
//   order   six lines of a set in any order, a to f; capital letters were there
//   stores  whether a line is there that was stored to, whether stores to lines of its set drive one out, and
//           whether a line that is stored to counts as asked for again
// Build: nvcc -O3 -std=c++20 -arch=native l1_places.cu -o l1_places   Usage: l1_places   (some seconds; needs
// 128 GB; gpu/core/first_level has the sets, docs/clock.md the figures)

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

constexpr int kBits = 29;
constexpr int kSetBits = 9;
constexpr std::size_t kLine = 128;
constexpr std::size_t kSpan = kLine << kBits;
constexpr int kMost = 12000;    // questions of a launch
constexpr unsigned kHit = 160;  // clocks at most

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "l1_places: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

__constant__ int lines[kMost];  // these do not come through L1

__global__ void ask(char* data, int count, int rounds, unsigned* hits) {
    __shared__ unsigned seen[kMost / 32];
    unsigned zero = 0;
    for (int round = 0; round < rounds; ++round) {
        unsigned bits = 0;
        for (int i = 0; i < count; ++i) {
            const bool stores = lines[i] < 0;  // else it loads
            char* at = data + std::size_t(unsigned(stores ? ~lines[i] : lines[i]) + zero) * kLine;
            const int next = lines[min(i + 1, count - 1)];  // is there when it is its turn
            const unsigned begin = clock() + (next == 0x7fffffff);
            unsigned loaded = 0, end = 0;
            if (stores)
                asm volatile("st.global.u32 [%0], %1;" : : "l"(at), "r"(zero) : "memory");
            else
                asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(loaded) : "l"(at) : "memory");
            asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 77; @p trap; mov.u32 %0, %%clock; }"
                         : "=r"(end)
                         : "r"(loaded)
                         : "memory");
            zero = loaded;
            bits |= (end - begin < kHit ? 1u : 0u) << i % 32;
            if (i % 32 == 31 || i + 1 == count) {
                seen[i / 32] = bits;
                bits = 0;
            }
        }
    }
    for (int i = 0; i <= (count - 1) / 32; ++i) hits[i] = seen[i];
}

class Bench {
  public:
    Bench() {
        check(cudaMalloc(&room_, 2 * kSpan), "cudaMalloc");
        check(cudaMemset(room_, 0, 2 * kSpan), "cudaMemset");
        check(cudaMalloc(&hits_, kMost / 8), "cudaMalloc");
        check(cudaFuncSetAttribute(ask, cudaFuncAttributePreferredSharedMemoryCarveout, 0), "ask");
        check(cudaFuncSetAttribute(ask, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 << 10), "ask");
        // The lines' numbers have no other bits.
        first_ =
            reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(room_) + kSpan - 1) / kSpan * kSpan);
    }
    ~Bench() {
        cudaFree(room_);
        cudaFree(hits_);
    }
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;

    // Of each question of the last round whether L1 had the line.
    std::vector<bool> had(const std::vector<int>& asked, int rounds = 1, int shared = 0) {
        check(cudaMemcpyToSymbol(lines, asked.data(), asked.size() * sizeof(int)), "lines");
        check(cudaMemset(hits_, 0xFF, kMost / 8), "cudaMemset");
        ask<<<1, 1, shared>>>(first_, int(asked.size()), rounds, hits_);
        check(cudaGetLastError(), "ask");
        std::vector<unsigned> bits((asked.size() + 31) / 32);
        check(cudaMemcpy(bits.data(), hits_, bits.size() * sizeof(unsigned), cudaMemcpyDeviceToHost), "ask");
        std::vector<bool> made;
        for (std::size_t i = 0; i < asked.size(); ++i) made.push_back(bits[i / 32] >> i % 32 & 1);
        return made;
    }
    int count(const std::vector<int>& asked, int rounds, int shared = 0) {
        const std::vector<bool> made = had(asked, rounds, shared);
        return int(std::count(made.begin(), made.end(), true));
    }
    // Line 0, by these after it; most of three times.
    bool drive_out(const std::vector<int>& others) {
        std::vector<int> asked{0};
        asked.insert(asked.end(), others.begin(), others.end());
        asked.push_back(0);
        int out = 0;
        for (int i = 0; i < 3; ++i) out += !had(asked).back();
        return out > 1;
    }

  private:
    char *room_ = nullptr, *first_ = nullptr;
    unsigned* hits_ = nullptr;
};

std::vector<int> as_few(Bench& bench, std::vector<int> pool) {
    for (std::size_t piece = pool.size() / 16; piece > 0; piece /= 2) {
        for (std::size_t at = 0; at < pool.size();) {
            std::vector<int> less(pool.begin(), pool.begin() + std::ptrdiff_t(at));
            less.insert(less.end(), pool.begin() + std::ptrdiff_t(std::min(pool.size(), at + piece)),
                        pool.end());
            if (bench.drive_out(less))
                pool = less;
            else
                at += piece;
        }
    }
    return pool;
}

std::vector<int> side_by_side(int count) {
    std::vector<int> made;
    for (int i = 0; i < count; ++i) made.push_back(i);
    return made;
}

// Lines of the set of line 0, itself the first.
std::vector<int> sets(Bench& bench, std::mt19937& random) {
    std::vector<int> pool;
    for (int i = 0; i < 3000; ++i) pool.push_back(4096 + int(random() % (1 << 20)));
    std::vector<int> few = as_few(bench, pool);
    std::printf("sets: %zu lines drive out line 0, so a set has as many ways\n", few.size());
    few.pop_back();
    std::vector<int> of_set{0};
    for (int bit = 0; bit < kBits; ++bit) {
        std::printf("%s%d:", bit % 8 ? "  " : "\n", bit);
        for (int low = 0; low < 1 << kSetBits; ++low) {
            const int line = (1 << bit) ^ low;
            std::vector<int> with = few;
            with.push_back(line);
            if (bit < kSetBits ? line == 0 : bench.drive_out(with)) {
                std::printf(" %d", low);
                if (bit >= kSetBits) of_set.push_back(line);
            }
        }
    }
    std::printf("\n\n");
    return of_set;
}

void stay(Bench& bench) {
    for (const int kib : {0, 6, 14, 24, 40, 96, 128, 160, 190, 220}) {
        const int shared = kib << 10;
        int all = 0, not_all = 2048;
        while (not_all - all > 1) {
            const int middle = (all + not_all) / 2;
            (bench.count(side_by_side(middle), 3, shared) == middle ? all : not_all) = middle;
        }
        std::printf("stay: %d KB asked for: all of %d lines;", kib, all);
        for (const int more : {16, 64, 256})
            std::printf(" %d of %d", bench.count(side_by_side(all + more), 3, shared), all + more);
        std::printf("\n");
    }
    std::printf("\n");
}

void rows(Bench& bench) {
    for (const int apart : {4, 264, 520, 528}) {
        std::printf("rows: %d KB apart:", apart);
        for (const int count : {32, 40, 53}) {
            std::vector<int> asked;
            for (int row = 0; row < count; ++row)
                for (int line = 0; line < 32; ++line) asked.push_back(row * apart * 8 + line);
            std::printf(" %.1f of %d", bench.count(asked, 3) / 32.0, count);
        }
        std::printf("\n");
    }
    std::printf("\n");
}

void any(Bench& bench, std::mt19937& random) {
    for (const int count : {1700, 2040, 3680}) {
        std::vector<int> asked, round;
        for (int i = 0; i < kMost; ++i) asked.push_back(int(random() % unsigned(count)));
        for (int i = 0; i + count < kMost; ++i) round.push_back(i % count);
        std::printf("any: of %d lines: %.1f %% in any order, %.1f round and round\n", count,
                    100.0 * bench.count(asked, 1) / kMost,
                    100.0 * bench.count(round, 1) / double(round.size()));
    }
    std::printf("\n");
}

void order(Bench& bench, std::mt19937& random, const std::vector<int>& of_set) {
    std::vector<int> asked;
    std::vector<int> which;
    for (int i = 0; i < 480; ++i) {
        which.push_back(int(random() % 6));
        asked.push_back(of_set[std::size_t(which.back())]);
    }
    const std::vector<bool> had = bench.had(asked);
    std::printf("order of");
    for (int i = 0; i < 6; ++i) std::printf(" %d", of_set[std::size_t(i)]);
    std::printf(":\n");
    for (std::size_t i = 0; i < which.size(); ++i)
        std::printf("%c%s", (had[i] ? 'A' : 'a') + which[i], i % 96 == 95 ? "\n" : "");
}

void stores(Bench& bench, const std::vector<int>& of_set) {
    const auto there = [&](std::vector<int> before, int line) {
        before.push_back(line);
        int hits = 0;
        for (int i = 0; i < 8; ++i) hits += bench.had(before).back();
        return hits;
    };
    const int a = of_set[0], b = of_set[1], c = of_set[2], d = of_set[3], e = of_set[4], f = of_set[5];
    std::printf("stores: of 8 times a line is there\n");
    std::printf("  stored to, not loaded: %d; loaded, then stored to: %d\n", there({~a}, a),
                there({a, ~a}, a));
    std::printf("  four loaded, one more stored to: the first %d, the second %d; two more: %d, %d\n",
                there({a, b, c, d, ~e}, a), there({a, b, c, d, ~e}, b),
                there({a, b, c, d, ~e, ~f}, a), there({a, b, c, d, ~e, ~f}, b));
    std::printf("  four loaded, the first stored to, one more loaded: the first %d, the second %d\n",
                there({a, b, c, d, ~a, e}, a), there({a, b, c, d, ~a, e}, b));
    std::printf("  one stored to, three loaded, one more loaded: the first %d, the second %d\n",
                there({~a, b, c, d, e}, a), there({~a, b, c, d, e}, b));
    std::printf("  the same, but the first stored to again before: the first %d, the second %d\n",
                there({~a, b, c, d, ~a, e}, a), there({~a, b, c, d, ~a, e}, b));
}

}  // namespace

int main() {
    Bench bench;
    std::mt19937 random(1);
    const std::vector<int> of_set = sets(bench, random);
    stay(bench);
    rows(bench);
    any(bench, random);
    if (of_set.size() < 6) return 1;
    order(bench, random, of_set);
    stores(bench, of_set);
}
