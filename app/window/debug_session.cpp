#include "app/window/debug_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

namespace ws {
namespace {

constexpr std::size_t kMostSaid = 64;  // lines

// Of each line whether it begins within a comment.
std::vector<bool> comments_of(const std::vector<std::string>& lines) {
    std::vector<bool> made;
    bool inside = false;
    for (const std::string& line : lines) {
        made.push_back(inside);
        for (std::size_t at = 0; at < line.size();) {
            const std::size_t next = inside ? line.find("*/", at) : line.find_first_of('/', at);
            if (next == std::string::npos || line.compare(next, 2, "//") == 0) break;
            const bool turns = inside || line.compare(next, 2, "/*") == 0;
            inside = inside != turns;
            at = next + (turns ? 2 : 1);
        }
    }
    return made;
}

// "87", "0.25".
std::string element_text(Element element, std::uint64_t bits) {
    std::array<std::uint8_t, sizeof bits> bytes{};
    std::memcpy(bytes.data(), &bits, sizeof bits);
    return fmt::format("{:.6g}", value_of(element, bytes.data()));
}

}  // namespace

DebugSession::DebugSession(DebuggedLaunch launch, std::shared_ptr<std::atomic<bool>> interrupt)
    : interrupt_(std::move(interrupt)), launch_(std::move(launch)) {
    start_ = launch_.target.start;
    debugger_ = std::make_unique<debug::Debugger>(std::move(launch_.target), *interrupt_);
    console_ = std::make_unique<debug::Console>(
        *debugger_, [this](std::string_view said) { take(said); }, debug::Console::Lanes::drawn);
    DebugText text{debugger_->text().files(), {}, debug::lines_with_code(*debugger_)};
    for (const debug::KernelText::File& file : text.files) text.in_comment.push_back(comments_of(file.lines));
    text_ = std::make_shared<const DebugText>(std::move(text));
}

void DebugSession::take(std::string_view said) {
    for (std::size_t at = 0; at < said.size();) {
        const std::size_t end = std::min(said.find('\n', at), said.size());
        if (said_.empty() || !goes_on_) said_.emplace_back();
        said_.back() += said.substr(at, end - at);
        goes_on_ = end == said.size();
        at = end + 1;
    }
    if (said_.size() > kMostSaid) said_.erase(said_.begin(), said_.end() - std::ptrdiff_t(kMostSaid));
}

void DebugSession::carry_out(const std::vector<std::string>& commands) {
    for (const std::string& command : commands) {
        take(fmt::format("{}> {}\n", goes_on_ ? "\n" : "", command));
        (void)console_->execute(command);
        if (console_->halt() && console_->halt()->stop.why == debug::Stop::Why::interrupted) break;
    }
}

std::shared_ptr<const DebugScene> DebugSession::scene(
    const std::shared_ptr<const debug::BlockStores>& stores) {
    auto made = std::make_shared<DebugScene>();
    made->file = launch_.file;
    made->text = text_;
    made->now = debug::scene_of(*debugger_, console_->displays(), console_->memory(), console_->level());
    made->halt = console_->halt();
    made->panel = console_->panel();
    made->said = said_;
    made->plane = launch_.plane;
    made->grid = launch_.grid;
    if (stores && stores->block == made->now.block_index) made->stores = stores;
    add_own(*made);
    return made;
}

// Elements of which the focus's lane makes something, and whether it has.
void DebugSession::add_own(DebugScene& scene) const {
    if (!scene.stores || !scene.plane) return;
    const auto each = std::uint64_t(bytes_of(scene.plane->element));
    const std::span<const std::byte> memory = debugger_->result();
    for (const debug::LaneStore& store : scene.stores->stores) {
        if (store.warp != scene.now.focus.warp || store.lane != scene.now.focus.lane) continue;
        for (std::uint64_t part = 0; part + each <= std::min<std::uint64_t>(store.bytes, 8); part += each) {
            const std::uint64_t at = store.offset + part;
            if (scene.own.size() == kMostOwn || at + each > memory.size()) return;
            std::uint64_t wanted = 0;
            std::uint64_t now = 0;
            std::uint64_t unwritten = 0;
            const std::uint64_t bits = store.bits >> (8 * part);
            std::memcpy(&wanted, &bits, each);
            std::memcpy(&now, memory.data() + at, each);
            std::memset(&unwritten, kUnwrittenByte, each);
            // What is as in the end has been stored, unless that is what lay there before.
            const bool stored = now == wanted && (now != unwritten || store.step < scene.now.step);
            scene.own.push_back({stored             ? ElementStore::State::stored
                                 : now == unwritten ? ElementStore::State::to_come
                                                    : ElementStore::State::other,
                                 element_at(*scene.plane, at), element_text(scene.plane->element, wanted)});
        }
    }
}

debug::BlockStores DebugSession::stores(std::uint64_t block, const std::atomic<bool>& cancel) const {
    return debug::stores_of(start_(block, cancel), block, cancel);
}

}  // namespace ws
