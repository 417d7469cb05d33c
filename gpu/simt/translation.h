#pragma once
// A program as machine code of this processor, as far as it can be, twice: for warps with all lanes active
// and for those with some. What it is not made for (lanes that diverge, barriers, calls, accesses whose
// pattern is new, ...) is left to the interpreter, from which and to which code may change before any
// instruction.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/simt/access_pattern.h"
#include "gpu/simt/async_copies.h"

namespace ws::simt {

struct Program;

// When a GPU runs translated code: once a program has executed a good deal; at once; or never.
enum class Translate : std::uint8_t { when_hot, at_once, never };

// Which lanes code is made for.
enum class ForLanes : std::uint8_t { all, some };

// What translated code counts of a block.
struct BlockPasses {
    std::uint64_t times = 0;
    std::uint64_t lanes = 0;      // in sum; only code for some lanes counts them
    std::uint64_t divergent = 0;  // times that its branch led them apart and the code went on by itself
};

// What translated code works on, of the worker that calls it.
struct TranslatedState {
    std::byte* frame = nullptr;
    AccessPattern* patterns = nullptr;  // of accesses of all lanes
    BlockPasses* passes = nullptr;      // by number of the block, see Translation::block_number
    std::int64_t steps_left = 0;        // it may run beyond, but not around a loop
    // Code for all lanes goes on with some where a branch leads these past what the others do.
    std::array<BlockPasses*, 2> passes_of{};     // by lanes
    AccessPattern** partial_patterns = nullptr;  // PartialPatterns::table
    std::uint32_t apart = 0;                     // not 0: it did, and the warp's paths do not show it yet
    AsyncCopies::Room copies;
    std::uint32_t shared_bytes = 0;  // of the block
    // Of code for some lanes: which, and the block at whose begin it stops.
    std::uint32_t mask = 0;
    std::int32_t reconverge = -1;
    AccessPattern** patterns_of_mask = nullptr;        // of their way
    alignas(64) std::array<std::uint64_t, 32> room{};  // for what one instruction needs meanwhile
};

// Where the interpreter goes on.
struct Stop {
    static constexpr std::uint32_t kBlock = ~0u;
    std::uint32_t instruction =
        0;                    // of the program: a plain one, or its block's end; kBlock: the block's begin
    std::uint32_t block = 0;  // of the function
};
using TranslatedCode = Stop (*)(TranslatedState*);

// Where code may be entered, in bytes from its beginning; kNone: nowhere.
struct TranslatedEntries {
    static constexpr std::uint32_t kNone = ~0u;
    std::vector<std::uint32_t> blocks;        // by number
    std::vector<std::uint32_t> instructions;  // by index: behind an instruction that the interpreter executed
};

class Translation {
  public:
    // Null where the build, the processor or the system cannot.
    [[nodiscard]] static std::unique_ptr<const Translation> of(const Program& program);
    Translation(const Translation&) = delete;
    Translation& operator=(const Translation&) = delete;
    ~Translation();

    // Blocks are numbered through all functions.
    [[nodiscard]] int block_number(int function, int block) const {
        return first_block_[std::size_t(function)] + block;
    }
    [[nodiscard]] std::size_t blocks() const { return entries_.front().blocks.size(); }
    // Null where there is none.
    [[nodiscard]] TranslatedCode begin(ForLanes lanes, int function, int block) const {
        return code_at(entries_of(lanes).blocks[std::size_t(block_number(function, block))]);
    }
    [[nodiscard]] TranslatedCode resume(ForLanes lanes, std::uint32_t instruction) const {
        return code_at(entries_of(lanes).instructions[instruction]);
    }

  private:
    Translation() = default;
    [[nodiscard]] const TranslatedEntries& entries_of(ForLanes lanes) const {
        return entries_[std::size_t(lanes)];
    }
    [[nodiscard]] TranslatedCode code_at(std::uint32_t at) const {
        if (at == TranslatedEntries::kNone) return nullptr;
        return reinterpret_cast<TranslatedCode>(static_cast<std::byte*>(memory_) + at);
    }

    void* memory_ = nullptr;  // written, then executable, never both
    std::size_t bytes_ = 0;
    std::vector<int> first_block_;              // by function
    std::array<TranslatedEntries, 2> entries_;  // by lanes
};

// A program's translation as soon as it is worth its time. For all threads.
class TranslationOnDemand {
  public:
    // Null as long as there is none. `steps`: what the caller has executed since it last asked. The one that
    // asks when they are many translates, while others go on without.
    [[nodiscard]] const Translation* after(std::uint64_t steps, const Program& program,
                                           Translate translate) const;

  private:
    static constexpr std::uint64_t kHotSteps = 200'000;
    mutable std::atomic<std::uint64_t> steps_{0};
    mutable std::once_flag once_;
    mutable std::atomic<bool> begun_{false};
    mutable std::atomic<const Translation*> ready_{nullptr};
    mutable std::unique_ptr<const Translation> kept_;
};

}  // namespace ws::simt
