#include "app/window/debug_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <utility>

#include "app/cli/debug_target.h"
#include "gpu/debug/console_words.h"

namespace ws {
namespace {

constexpr std::size_t kMostAsked = 16;  // a key that is held asks faster than the debugger steps

DebuggedLaunch opened_version(const Nvrtc& nvrtc, const DebugSubject& subject, const Problem& problem,
                              const GpuProfile& gpu, const std::filesystem::path& kernels) {
    const auto library = std::make_shared<const KernelLibrary>(kernels);
    return debugged_version(nvrtc, version_step(subject.work, subject.step, library, gpu), problem, gpu, {});
}

std::string block_command(const std::array<int, 3>& block) {
    return fmt::format("cuda block ({},{},{})", block[0], block[1], block[2]);
}

}  // namespace

DebugDesk::DebugDesk(std::shared_ptr<const Options> file, std::string commands)
    : file_(std::move(file)), commands_(std::move(commands)) {
    if (file_) page_.file = std::filesystem::path(file_->simt.what).filename().string();
}

DebugDesk::~DebugDesk() {
    if (cancel_) *cancel_ = true;
    *interrupt_ = true;
}

// What was asked for, else the kernel's first line; of a picture in the middle, where no border is special.
std::vector<std::string> DebugDesk::first_commands(const DebugSubject& wanted,
                                                   const Snapshot& snapshot) const {
    if (!commands_.empty()) return debug::commands_in(commands_);
    std::vector<std::string> commands;
    if (!wanted.file && snapshot.work.lab->takes_picture()) {
        const StepSnapshot& step = snapshot.steps[std::size_t(wanted.step)];
        commands.push_back(block_command({step.shape.grid.width / 2, step.shape.grid.height / 2, 0}));
    }
    // The breakpoints of the same kernel stay.
    if (page_.scene && subject_ && subject_->file == wanted.file && subject_->step == wanted.step) {
        for (const debug::BreakScene& one : page_.scene->now.breakpoints) {
            if (one.line.file == 0 && !one.conditional)
                commands.push_back(fmt::format("break {}", one.line.line));
        }
    }
    commands.emplace_back("start");
    return commands;
}

bool DebugDesk::is_of(const DebugWish& wanted, const Snapshot& snapshot) const {
    if (!subject_ || subject_->file != wanted.file) return false;
    if (wanted.file) return true;
    return subject_->work == *wanted.work && subject_->step == wanted.step &&
           subject_->input == wanted.input && same_text(subject_->source, *wanted.source) &&
           subject_->gpu == snapshot.target.gpu.name;
}

void DebugDesk::begin(const DebugWish& wish, const Snapshot& snapshot) {
    DebugSubject wanted{wish.file, {}, 0, {}, {}, {}};
    if (!wish.file)
        wanted = {false, *wish.work, wish.step, wish.input, *wish.source, snapshot.target.gpu.name};
    std::vector<std::string> commands = first_commands(wanted, snapshot);
    commands_.clear();
    if (cancel_) *cancel_ = true;
    stores_.reset();
    element_.reset();
    asked_.clear();
    subject_ = wanted;
    page_.problem.clear();
    Opened before = std::exchange(session_, nullptr);
    interrupt_ = std::make_shared<std::atomic<bool>>(false);
    begun_at_ = std::chrono::steady_clock::now();
    job_ = Job<Done>([wanted, interrupt = interrupt_, commands = std::move(commands), kernels = *wish.kernels,
                      file = file_, before = std::move(before), problem = snapshot.problem,
                      gpu = snapshot.target.gpu](const std::stop_token&) mutable {
        before.reset();
        const Result<std::shared_ptr<Nvrtc>> nvrtc = Nvrtc::open();
        if (!nvrtc.ok()) throw Error("the debugger needs the kernel compiler", "", nvrtc.message());
        auto session = std::make_shared<DebugSession>(
            wanted.file ? debugged_file(*file, *nvrtc.value())
                        : opened_version(*nvrtc.value(), wanted, problem, gpu, kernels),
            interrupt);
        session->carry_out(commands);
        return Done{session, session->scene(nullptr)};
    });
}

void DebugDesk::go_on() {
    refresh_ = false;
    *interrupt_ = false;
    begun_at_ = std::chrono::steady_clock::now();
    job_ = Job<Done>(
        [session = session_, stores = stores_, commands = std::exchange(asked_, {})](const std::stop_token&) {
            session->carry_out(commands);
            return Done{session, session->scene(stores)};
        });
}

// Of the block that is looked at, beside everything else.
void DebugDesk::want_stores() {
    if (!session_ || !page_.scene || !session_->fills_plane()) return;
    const std::uint64_t block = page_.scene->now.block_index;
    if (stores_job_.active()) {
        if (stores_of_ != block) *cancel_ = true;
        return;
    }
    if (stores_ && stores_->block == block) return;
    cancel_ = std::make_shared<std::atomic<bool>>(false);
    stores_of_ = block;
    stores_job_ = Job<std::shared_ptr<const debug::BlockStores>>(
        [session = session_, block, cancel = cancel_](const std::stop_token&) {
            return std::make_shared<const debug::BlockStores>(session->stores(block, *cancel));
        },
        Priority::gives_way);
}

void DebugDesk::take(Result<Done> done) {
    page_.problem.clear();
    if (!done.ok()) {
        page_.problem = done.message();
        page_.scene.reset();
        session_.reset();
        return;
    }
    session_ = std::move(done.value().session);
    page_.scene = std::move(done.value().scene);
}

void DebugDesk::update(const DebugWish* wanted, const Snapshot& snapshot) {
    if (std::optional<Result<Done>> done = job_.poll(); done && !std::exchange(discard_, false))
        take(std::move(*done));
    if (wanted && !is_of(*wanted, snapshot)) {
        if (!job_.active()) {
            begin(*wanted, snapshot);
        } else {
            *interrupt_ = true;
            discard_ = true;
        }
    }
    if (auto found = stores_job_.poll()) {
        // Where they could not be found out there are none.
        stores_ = found->ok()
                      ? std::move(found->value())
                      : std::make_shared<const debug::BlockStores>(debug::BlockStores{stores_of_, false, {}});
        refresh_ = !cancel_ || !*cancel_;
        if (!refresh_) stores_.reset();
    }
    if (!job_.active()) {
        want_stores();
        focus_on_element();
        if (session_ && (refresh_ || !asked_.empty())) go_on();
    }
    // A step that takes a moment does not flicker.
    constexpr auto kMoment = std::chrono::milliseconds(200);
    page_.running = job_.active() && std::chrono::steady_clock::now() - begun_at_ > kMoment;
}

void DebugDesk::ask(const std::string& command) {
    if (!session_ || asked_.size() >= kMostAsked) return;
    asked_.push_back(command);
}

void DebugDesk::pause() {
    asked_.clear();
    if (job_.active()) *interrupt_ = true;
}

void DebugDesk::toggle_breakpoint(int line) {
    if (!page_.scene) return;
    const DebugScene& scene = *page_.scene;
    const debug::SourceLine at = line > 0 ? debug::SourceLine{0, line} : scene.now.at;
    if (at.line <= 0) return;
    for (const debug::BreakScene& one : scene.now.breakpoints) {
        if (one.line == at) return ask(fmt::format("delete {}", one.number));
    }
    ask(fmt::format("break {}:{}", scene.text->files[std::size_t(at.file)].name, at.line));
}

void DebugDesk::toggle_freeze() {
    if (!page_.scene) return;
    const auto& warps = page_.scene->now.warps;
    const bool frozen =
        std::any_of(warps.begin(), warps.end(), [](const debug::WarpScene& warp) { return warp.frozen; });
    ask(frozen ? "thaw" : "freeze others");
}

void DebugDesk::step_focus(int warps, int lanes) {
    if (!page_.scene) return;
    const debug::Scene& now = page_.scene->now;
    const int count = int(now.warps.size());
    const int warp = (now.focus.warp + warps % count + count) % count;
    const int there = std::max(1, std::popcount(now.lanes));
    const int lane = (now.focus.lane + lanes + there) % there;
    ask(fmt::format("cuda warp {} lane {}", warp, lane));
}

void DebugDesk::keep_watched(const WatchChoice& shown) {
    if (!page_.scene) return;
    const debug::LanesScene& one = page_.scene->now.watched[shown_watch(page_.scene->now, shown)];
    ask(one.number > 0 ? fmt::format("undisplay {}", one.number) : fmt::format("display{}", one.words));
}

void DebugDesk::choose(Element2d element) {
    if (!page_.scene || !page_.scene->plane || !session_) return;
    const FilledPlane& plane = *page_.scene->plane;
    const WarpGrid& grid = page_.scene->grid;
    element_ = element;
    if (!grid.covers()) return;
    const WarpPlace at = grid.holding(plane.turned ? Element2d{element.y, element.x} : element);
    const debug::Scene& now = page_.scene->now;
    if (now.block[0] == at.block_x && now.block[1] == at.block_y) return;
    ask(block_command({at.block_x, at.block_y, 0}));
    ask("start");
    ask(fmt::format("cuda warp {} lane 0", at.warp));
}

// The lane that stores the element which was chosen becomes the focus, once it is known.
void DebugDesk::focus_on_element() {
    if (!element_ || !page_.scene || !asked_.empty()) return;
    const DebugScene& scene = *page_.scene;
    if (!scene.plane || !stores_ || stores_->block != scene.now.block_index) return;
    const Element2d wanted = *std::exchange(element_, std::nullopt);
    for (const debug::LaneStore& one : stores_->stores) {
        const Element2d first = element_at(*scene.plane, one.offset);
        const int across = std::max(1, int(one.bytes) / bytes_of(scene.plane->element));
        if (first.y != wanted.y || wanted.x < first.x || wanted.x >= first.x + across) continue;
        return ask(fmt::format("cuda warp {} lane {}", one.warp, one.lane));
    }
}

}  // namespace ws
