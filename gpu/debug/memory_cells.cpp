#include "gpu/debug/memory_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "gpu/debug/value_text.h"
#include "gpu/simt/addresses.h"

namespace ws::debug {
namespace {

// Cells as values of a format.
struct CellType {
    TypeTable types;
    int type = 0;
};

CellType cell_type(const ExamineFormat& format) {
    Type cell;
    cell.bytes = format.bytes;
    cell.is_signed = format.letter == 'd' || format.letter == 'c';
    cell.kind = format.letter == 'f' && format.bytes >= 4 ? TypeKind::floating : TypeKind::integer;
    CellType made;
    made.type = made.types.add(cell);
    return made;
}

// What an array consists of, or a pointer points to; the array itself where it is one of arrays.
int element_of(const TypeTable& types, int type) {
    while (types[type].kind == TypeKind::array || types[type].kind == TypeKind::pointer) {
        const bool pointer = types[type].kind == TypeKind::pointer;
        type = types[type].target;
        if (pointer) break;
    }
    while (types[type].kind == TypeKind::array) type = types[type].target;
    return type;
}

// Of elements of a type: as they are written.
std::optional<ExamineFormat> format_for(const TypeTable& types, int element, std::string text) {
    const Type& type = types[element];
    const bool fits = type.bytes == 1 || type.bytes == 2 || type.bytes == 4 || type.bytes == 8;
    ExamineFormat made{MemoryWatch::kCells, 'x', 4, std::move(text)};
    if (!fits || type.kind == TypeKind::structure || type.kind == TypeKind::nothing) return made;
    made.bytes = type.bytes;
    made.letter = type.kind == TypeKind::floating && type.bytes >= 4 ? 'f'
                  : type.kind == TypeKind::pointer                   ? 'x'
                  : type.is_signed                                   ? 'd'
                                                                     : 'u';
    return made;
}

}  // namespace

MemoryCells memory_cells(Debugger& debugger, const ExamineFormat& format, int level) {
    const LaneView view = debugger.view(debugger.focus(), level);
    TypeTable& types = debugger.text().info().types;
    const Value value = evaluate(debugger.parse(format.text), types, view);
    const Type& type = types[value.type];
    if (type.kind == TypeKind::floating || (type.kind == TypeKind::structure && !value.address))
        throw DebugError(fmt::format("{} is no address", format.text));
    MemoryCells made;
    made.text = format.text;
    made.bytes = format.bytes;
    made.letter = format.letter;
    made.address = type.kind == TypeKind::structure ? *value.address : bits_of(value, types, view);
    const bool indexes = type.kind == TypeKind::array || type.kind == TypeKind::pointer;
    made.elements = indexes && types[element_of(types, value.type)].bytes == format.bytes;
    const CellType cell = cell_type(format);
    for (std::uint64_t i = 0; i < format.count; ++i) {
        const std::uint64_t at = made.address + i * format.bytes;
        if (view.memory(at, format.bytes).empty()) {
            made.problem = fmt::format("Cannot access memory at address {:#x}", at);
            break;
        }
        made.cells.push_back(text_of({cell.type, 0, at, 0, 0}, cell.types, view, format.letter));
    }
    return made;
}

// The first array, then the first pointer.
std::optional<ExamineFormat> MemoryWatch::wanted(Debugger& debugger, int level) const {
    const LaneView view = debugger.view(debugger.focus(), level);
    TypeTable& types = debugger.text().info().types;
    // No further than an array goes.
    const auto cut = [&](ExamineFormat format, const Value& value) {
        format.count = kCells;
        if (types[value.type].kind == TypeKind::array && types[value.type].bytes > 0)
            format.count = std::clamp<std::uint64_t>(types[value.type].bytes / format.bytes, 1, kCells);
        return format;
    };
    if (chosen_) return cut(*chosen_, evaluate(debugger.parse(chosen_->text), types, view));
    for (const TypeKind kind : {TypeKind::array, TypeKind::pointer}) {
        for (const LaneView::Local& local : view.locals()) {
            try {
                const Value value = view.value_of(local);
                if (types[value.type].kind != kind || (kind == TypeKind::array && !value.address)) continue;
                return cut(*format_for(types, element_of(types, value.type), local.name), value);
            } catch (const DebugError&) {  // it has no place here
            }
        }
    }
    return std::nullopt;
}

MemoryCells MemoryWatch::current(Debugger& debugger, int level) const {
    MemoryCells made;
    if (chosen_) made.text = chosen_->text;
    try {
        const std::optional<ExamineFormat> format = wanted(debugger, level);
        if (format) made = memory_cells(debugger, *format, level);
    } catch (const DebugError& error) {
        made.problem = error.what();
    }
    // Where memory ends before the cells do, they say enough.
    if (!made.cells.empty()) made.problem.clear();
    return made;
}

void MemoryWatch::stopped(Debugger& debugger) {
    const MemoryCells cells = current(debugger, 0);
    Kept made{debugger.block_index(), cells.address, debugger.focus(), {}};
    const std::uint64_t bytes = cells.cells.size() * cells.bytes;
    const LaneView view = debugger.view(debugger.focus());
    if (bytes > 0) {
        const std::span<const std::byte> there = view.memory(cells.address, bytes);
        made.bytes.assign(there.begin(), there.end());
    }
    before_ = std::exchange(now_, std::move(made));
}

MemoryCells MemoryWatch::cells(Debugger& debugger, int level) const {
    MemoryCells made = current(debugger, level);
    made.changed.assign(made.cells.size(), false);
    if (!before_ || before_->block != debugger.block_index()) return made;
    // Each lane has local memory of its own.
    const bool local = made.address >= simt::kLocalWindow;
    if (local && before_->focus != debugger.focus()) return made;
    const LaneView view = debugger.view(debugger.focus(), level);
    for (std::size_t i = 0; i < made.cells.size(); ++i) {
        const std::uint64_t at = made.address + i * made.bytes;
        if (at < before_->address || at + made.bytes > before_->address + before_->bytes.size()) continue;
        const std::span<const std::byte> now = view.memory(at, made.bytes);
        made.changed[i] =
            std::memcmp(now.data(), before_->bytes.data() + (at - before_->address), made.bytes) != 0;
    }
    return made;
}

}  // namespace ws::debug
