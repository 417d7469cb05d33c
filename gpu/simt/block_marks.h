#pragma once
// Which block wrote each byte of the buffers last: reads of what nothing wrote, and races between blocks.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/simt/block_shadow.h"
#include "gpu/simt/byte_marks.h"
#include "gpu/simt/grid_order.h"
#include "gpu/simt/launch_memory.h"
#include "gpu/simt/observer.h"

namespace ws::simt {

// That so many bytes of a buffer are never written.
[[nodiscard]] std::string unwritten_text(const DeviceBuffer& buffer, std::size_t missing, std::size_t first);

// Of all workers of a launch together.
class BlockMarks {
  public:
    BlockMarks(LaunchMemory& memory, bool with_fences);

    // What the marks of other blocks say of an access.
    struct Answer {
        bool empty = false;  // a byte that nothing wrote is read
        bool race = false;
        bool same_value = false;  // but the write changes nothing
        bool revalued = false;    // but it is a plain read of what atomics write
    };
    // Notes an access of a block that has read the flags; `publishes`: a volatile write after a fence.
    [[nodiscard]] Answer mark(std::uint64_t block, const LaneTouch& touch, const Touch& access,
                              const GridOrder::Flags& flags, bool publishes);
    // Notes the write, where the kernel has fences.
    void record(const LaneTouch& touch, const WriteRecord& write);

    // Memory of the heap is given anew: nothing has written it.
    void forget(const Region& heap, std::uint64_t address, std::uint64_t bytes);

    // Null where the kernel has none.
    [[nodiscard]] GridOrder* order() { return has_fences_ ? &order_ : nullptr; }

    // Buffers that came without data and were written in part only.
    void find_unwritten(FindingLog& findings) const;
    // Notes in the buffers what the launch has written.
    void keep_written() const;

  private:
    [[nodiscard]] std::size_t number_of(const Region& region) const {
        if (&region == &memory_.heap_region()) return memory_.regions().size();
        return std::size_t(&region - memory_.regions().data());
    }
    [[nodiscard]] bool ordered_after(const GridOrder::Flags& flags, const LaneTouch& touch,
                                     std::size_t byte) const;

    LaunchMemory& memory_;
    bool has_fences_;
    GridOrder order_;
    // By region, the heap's behind them, then by byte; empty: not written.
    std::vector<ByteMarks> marks_;
    std::vector<std::vector<WriteRecord>> records_;
};

}  // namespace ws::simt
