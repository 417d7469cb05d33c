#include "gpu/simt/block_marks.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/simt/finding_log.h"

namespace ws::simt {
namespace {

constexpr std::uint16_t kUnwritten = 0;
constexpr std::uint16_t kGiven = 1;          // it came with the launch
constexpr std::uint16_t kByAtomic = 0x8000;  // beside the block, or instead of it: several blocks

std::uint16_t mark_of_block(std::uint64_t linear_index) {
    return std::uint16_t(2 + linear_index % (kByAtomic - 2));
}

}  // namespace

std::string unwritten_text(const DeviceBuffer& buffer, std::size_t missing, std::size_t first) {
    return fmt::format("{} of {} bytes of buffer {} are never written, the first at offset {}", missing,
                       buffer.bytes, buffer.index, first);
}

BlockMarks::BlockMarks(LaunchMemory& memory, bool with_fences) : memory_(memory), has_fences_(with_fences) {
    const std::vector<DeviceBuffer>& buffers = memory.buffers();
    for (std::size_t i = 0; i < memory.regions().size(); ++i) {
        const Region& region = memory.regions()[i];
        ByteMarks& marks = marks_.emplace_back();
        std::vector<WriteRecord>& records = records_.emplace_back();
        if (!region.writable) continue;
        const DeviceBuffer* buffer = i < buffers.size() ? &buffers[i] : nullptr;  // null: variables
        const bool unwritten = buffer && buffer->content == Content::unwritten;
        marks = ByteMarks(region.size, unwritten ? kUnwritten : kGiven);
        for (std::size_t k = 0; buffer && k < buffer->written.size(); ++k) {
            if (!buffer->written[k]) marks.store(k, kUnwritten);
        }
        if (with_fences) records.resize(region.size);
    }
    if (memory.heap()) {
        marks_.emplace_back(memory.heap()->end(), kGiven);
        records_.emplace_back(with_fences ? memory.heap()->end() : 0);
    }
}

// Whether flags that the block has read put the last write of a byte of an access before it.
bool BlockMarks::ordered_after(const GridOrder::Flags& flags, const LaneTouch& touch,
                               std::size_t byte) const {
    if (!has_fences_ || flags.empty()) return false;
    if (std::find(flags.begin(), flags.end(), touch.address) != flags.end() && order_.is_flag(touch.address))
        return true;
    return order_.covers(flags,
                         records_[number_of(*touch.region)][touch.address - touch.region->base + byte]);
}

BlockMarks::Answer BlockMarks::mark(std::uint64_t block, const LaneTouch& touch, const Touch& access,
                                    const GridOrder::Flags& flags, bool publishes) {
    const bool atomic = access.strength == Strength::strong && memory_of(touch.instruction).beyond_block;
    const bool strong = atomic || (access.strength == Strength::is_volatile && (!access.writes || publishes));
    const std::uint16_t own = mark_of_block(block);
    ByteMarks& marks = marks_[number_of(*touch.region)];
    const std::size_t first = touch.address - touch.region->base;
    Answer found;
    for (std::size_t k = 0; k < std::size_t(access.bytes); ++k) {
        const std::uint16_t before = marks.load(first + k);
        const bool by_strong = (before & kByAtomic) != 0;
        const bool foreign = before > kGiven && (before & ~kByAtomic) != own;
        found.empty = found.empty || before == kUnwritten;
        if (foreign && !(by_strong && strong) && !ordered_after(flags, touch, k)) {
            if (access.writes && access.value && access.value[k] == access.memory[k])
                found.same_value = true;
            else if (!access.writes && by_strong && access.strength == Strength::plain)
                found.revalued = true;
            else
                found.race = true;
        }
        if (!access.writes) continue;
        const bool several = strong && foreign && by_strong;
        marks.store(first + k, strong ? std::uint16_t(kByAtomic | (several ? 0 : own)) : own);
    }
    return found;
}

void BlockMarks::forget(const Region& heap, std::uint64_t address, std::uint64_t bytes) {
    const std::size_t number = number_of(heap);
    const std::size_t from = address - heap.base;
    // Only a launch of one worker allocates.
    marks_[number].grow(from + bytes);
    marks_[number].fill(from, bytes, kUnwritten);
    if (!has_fences_) return;
    std::vector<WriteRecord>& records = records_[number];
    if (records.size() < from + bytes) records.resize(from + bytes);
    std::fill_n(records.begin() + std::ptrdiff_t(from), bytes, WriteRecord{});
}

void BlockMarks::record(const LaneTouch& touch, const WriteRecord& write) {
    if (!has_fences_) return;
    std::fill_n(
        records_[number_of(*touch.region)].begin() + std::ptrdiff_t(touch.address - touch.region->base),
        touch.bytes, write);
}

void BlockMarks::find_unwritten(FindingLog& findings) const {
    const std::vector<DeviceBuffer>& buffers = memory_.buffers();
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (buffers[i].content != Content::unwritten) continue;
        const ByteMarks& marks = marks_[i];
        const std::size_t missing = marks.count(kUnwritten);
        if (missing == 0) continue;
        if (missing == marks.size()) continue;  // no output of this kernel
        findings.add(Finding::Kind::unwritten, 0, ~0ull - 1,
                     unwritten_text(buffers[i], missing, marks.find(kUnwritten)));
    }
}

void BlockMarks::keep_written() const {
    std::vector<DeviceBuffer>& buffers = memory_.buffers();
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        DeviceBuffer& buffer = buffers[i];
        const ByteMarks& marks = marks_[i];
        if (!buffer.writable || buffer.content == Content::given) continue;
        const std::size_t missing = marks.count(kUnwritten);
        buffer.content = missing == 0              ? Content::given
                         : missing == marks.size() ? Content::unwritten
                                                   : Content::partly;
        buffer.written.clear();
        if (buffer.content != Content::partly) continue;
        buffer.written.resize(marks.size());
        for (std::size_t k = 0; k < marks.size(); ++k) buffer.written[k] = marks.load(k) != kUnwritten;
    }
}

}  // namespace ws::simt
