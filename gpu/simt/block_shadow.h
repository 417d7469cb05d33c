#pragma once
// What the threads of one block did to shared memory and to writable buffers.
//
// Threads race if two of them touch a byte, one of them writes, the accesses are not both atomic, and nothing
// orders them (thread_order.h).

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "gpu/simt/details.h"
#include "gpu/simt/thread_order.h"

namespace ws::simt {

// One thread's access.
struct Touch {
    int thread = 0;
    bool reads = false, writes = false;
    Strength strength = Strength::plain;
    bool releases = false;  // by a suffix of its own
    int bytes = 0;
    const std::byte* memory = nullptr;  // what lies there before a write...
    const std::byte* value = nullptr;   // ...and what a plain one brings; null: not known
};

class BlockShadow {
  public:
    // The worst of an access's bytes counts. `revalued`: a plain read of what atomics write, which is no race
    // if the thread's next atomic there compares (the loop around atomicCAS); see doubts.
    enum class Verdict : std::uint8_t { fine, same_value, revalued, uninitialised, race, pending };
    struct Answer {
        Verdict verdict = Verdict::fine;
        int other = 0;      // the thread that it races with
        int copy_line = 0;  // of the cp.async that brings or brought the data, 0: none
    };

    void begin_block(std::uint64_t shared_bytes, int threads);
    void barrier_of_all();
    [[nodiscard]] ThreadOrder& order() { return order_; }

    [[nodiscard]] Answer shared(std::uint64_t offset, const Touch& touch);
    [[nodiscard]] Answer global(std::uint64_t address, const Touch& touch);

    // An asynchronous copy to shared memory: from its beginning until its thread's wait nobody may touch the
    // target.
    [[nodiscard]] Answer begin_copy(std::uint64_t offset, const Touch& touch, int line);
    void end_copy(std::uint64_t offset, int bytes, int thread);

    // Plain reads that raced with atomics unless their thread compares and swaps there next.
    struct Doubt {
        const Instruction* instruction = nullptr;
        int thread = 0;
        int other = -1;  // -1: a thread of another block
        bool shared = false;
        std::uint64_t place = 0;
    };
    // Memory of the heap is given anew: who used it before does not matter any more.
    void forget(std::uint64_t address, std::uint64_t bytes);
    void doubt(const Doubt& doubt);
    void clear_doubt(int thread, std::uint64_t place);
    [[nodiscard]] std::vector<Doubt> take_doubts();

  private:
    // Lanes of one warp that read at one time.
    struct Reader {
        std::uint32_t lanes = 0;
        std::uint32_t time = 0;
        std::uint16_t warp = 0;
        bool strong = false;
    };
    // An access with what the cells of all its bytes need to know.
    struct Visit {
        const Touch& touch;
        std::uint64_t place;
        Reader reader;
        bool published;
    };
    // The last write of a byte, and the reads since the last barrier of all that no later read stands for.
    struct Cell {
        std::uint32_t block = 0;  // in which it was written
        std::uint32_t write_epoch = 0, write_time = 0;
        std::uint32_t read_epoch = 0;
        Reader reader;
        std::uint32_t more_readers = 0;  // 1 + index in the pool, 0: none
        std::uint32_t copy_line = 0;
        std::uint16_t writer = 0, copier = 0;
        std::uint8_t width = 0;  // of the write
        bool atomic = false;
        bool published = false;  // volatile and after a fence
        bool pending = false;    // a copy is on its way
        bool whole = true;       // the first cell of a word stands for all four
    };
    using Word = std::array<Cell, 4>;
    template <typename Work>
    void for_cells(Word& word, std::size_t first, std::size_t count, const Work& work);
    void split(Word& word);
    template <typename Work>
    void for_shared_cells(std::uint64_t offset, int bytes, const Work& work);
    [[nodiscard]] Word* global_word(std::uint64_t address);
    [[nodiscard]] Visit begin(std::uint64_t place, const Touch& touch);
    // Bytes `at` to `at + count` of the access, which have one cell.
    void check(const Cell& cell, const Visit& visit, std::size_t at, std::size_t count, Answer& answer) const;
    void check_write(const Cell& cell, const Visit& visit, std::size_t at, std::size_t count,
                     Answer& answer) const;
    void record(Cell& cell, const Visit& visit);
    void record_read(Cell& cell, const Visit& visit);
    [[nodiscard]] bool unordered_readers(const Cell& cell, const Visit& visit, int& other) const;

    ThreadOrder order_;
    std::vector<Word> shared_;
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint32_t> key_blocks_;
    std::vector<Word> global_;
    std::vector<std::vector<Reader>> pool_;  // of cells with readers of several warps or times
    std::size_t pool_used_ = 0;
    std::size_t used_ = 0;
    std::uint32_t block_ = 0;
    std::uint32_t epoch_ = 0;
    std::vector<std::uint64_t> pending_;  // words of which bytes may still wait for a copy
    std::unordered_map<std::uint64_t, Doubt> doubts_;
};

}  // namespace ws::simt
