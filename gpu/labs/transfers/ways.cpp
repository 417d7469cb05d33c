#include "gpu/labs/transfers/ways.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "gpu/core/error.h"

namespace ws::transfers {
namespace {

constexpr std::int64_t kMostManaged = std::int64_t(64) << 20;

constexpr std::array kHostWays{
    Way{"pageable", "pageable", HostMemory::pageable, Method::copy, kMostBytes},
    Way{"pinned", "pinned", HostMemory::pinned, Method::copy, kMostBytes},
    Way{"write_combined", "write-combined", HostMemory::write_combined, Method::copy, kMostBytes},
    Way{"mapped", "zero copy", HostMemory::mapped, Method::kernel, kMostBytes},
    Way{"managed", "unified, prefetched", HostMemory::managed, Method::prefetch, kMostManaged},
};
constexpr std::array kPeerWays{
    Way{"peer_copy", "peer copy", HostMemory::pinned, Method::peer_copy, kMostBytes},
    Way{"staged", "through the host", HostMemory::pinned, Method::staged, kMostBytes},
    Way{"peer_access", "peer access", HostMemory::pinned, Method::peer_kernel, kMostBytes},
};

constexpr double kSampleMs = 0.5;  // events resolve half a microsecond
constexpr int kMostRepeats = 64;
constexpr double kWarmUpMs = 100;
constexpr unsigned kBlocks = 64;  // enough bytes on their way for the fastest links
constexpr unsigned kThreads = 256;
constexpr std::uint8_t kPoison = 0xA5;

// A word of what is sent: no two neighbours alike, none all poison.
std::uint64_t word_at(std::size_t i, std::uint64_t seed) {
    return (std::uint64_t(i) + seed) * 0x9E3779B97F4A7C15ull;
}
void fill_pattern(std::uint8_t* bytes, std::size_t size, std::uint64_t seed) {
    for (std::size_t at = 0; at < size; at += 8) {
        const std::uint64_t word = word_at(at / 8, seed);
        std::memcpy(bytes + at, &word, std::min<std::size_t>(8, size - at));
    }
}
bool has_pattern(const std::uint8_t* bytes, std::size_t size, std::uint64_t seed) {
    for (std::size_t at = 0; at < size; at += 8) {
        const std::uint64_t word = word_at(at / 8, seed);
        if (std::memcmp(bytes + at, &word, std::min<std::size_t>(8, size - at)) != 0) return false;
    }
    return true;
}

// Bytes on their way in one direction. Its memory lives as long as it does.
class Route {
  public:
    Route(DeviceSession& session, const Way& way, bool up, const Trial& trial, std::uint64_t seed)
        : session_(session),
          way_(way),
          up_(up),
          bytes_(std::size_t(trial.bytes)),
          seed_(seed),
          peer_(trial.to),
          queue_(session.queue(trial.from)) {
        if (goes_to_peer()) {
            session.allow_peers(trial.from, peer_, way.method != Method::staged);
            host_ = session.device_memory(peer_, bytes_);
        } else {
            host_ = session.host_memory(way.memory, bytes_);
        }
        if (way.method != Method::prefetch) device_ = session.device_memory(trial.from, bytes_);
    }

    [[nodiscard]] SessionQueue& queue() { return *queue_; }

    // Not timed: what has to be as it was before.
    void prepare() {
        if (way_.method != Method::prefetch) return;
        session_.prefetch(*queue_, *host_, up_ ? kHost : 0, bytes_);
        session_.finish(*queue_);
    }
    void issue() {
        switch (way_.method) {
            case Method::copy:
                session_.copy(*queue_, target(), 0, source(), 0, bytes_);
                break;
            case Method::prefetch:
                session_.prefetch(*queue_, *host_, up_ ? 0 : kHost, bytes_);
                break;
            case Method::peer_copy:
            case Method::staged:
                session_.copy(*queue_, *host_, 0, *device_, 0, bytes_);
                break;
            case Method::kernel:
            case Method::peer_kernel:
                launch();
                break;
        }
    }

    // Sends a pattern over poison and compares what arrives.
    [[nodiscard]] bool arrives() {
        if (goes_to_peer()) return arrives_at_peer();
        if (way_.method == Method::prefetch) return stays_the_same();
        const MemoryPtr check = session_.host_memory(HostMemory::pageable, bytes_);
        if (up_) {
            fill_pattern(host_->data(), bytes_, seed_);
            session_.fill(*queue_, *device_, kPoison);
        } else {
            fill_pattern(check->data(), bytes_, seed_);
            session_.copy(*queue_, *device_, 0, *check, 0, bytes_);
            std::memset(host_->data(), kPoison, bytes_);
        }
        session_.finish(*queue_);
        issue();
        session_.finish(*queue_);
        // The host reads write-combined memory a word at a time, so that comes back by way of the GPU, too.
        if (!up_ && way_.memory != HostMemory::write_combined)
            return has_pattern(host_->data(), bytes_, seed_);
        if (!up_) session_.copy(*queue_, *device_, 0, *host_, 0, bytes_);
        std::memset(check->data(), kPoison, bytes_);
        session_.copy(*queue_, *check, 0, *device_, 0, bytes_);
        session_.finish(*queue_);
        return has_pattern(check->data(), bytes_, seed_);
    }

  private:
    [[nodiscard]] bool goes_to_peer() const {
        return way_.method == Method::peer_copy || way_.method == Method::staged ||
               way_.method == Method::peer_kernel;
    }
    [[nodiscard]] SessionMemory& target() { return up_ ? *device_ : *host_; }
    [[nodiscard]] SessionMemory& source() { return up_ ? *host_ : *device_; }

    void launch() {
        KernelCall call{"carry", "carry", kBlocks, kThreads, {}};
        const bool peer = way_.method == Method::peer_kernel;
        call.arguments = {
            {peer ? host_.get() : &source()}, {peer ? device_.get() : &target()}, {nullptr, 0, bytes_}};
        const auto bytes = double(bytes_);
        (peer ? call.peer_bytes : up_ ? call.host_read_bytes : call.host_written_bytes) = bytes;
        call.device_bytes = bytes;
        session_.launch(*queue_, call);
    }

    // The bytes of managed memory are the same wherever it lies.
    [[nodiscard]] bool stays_the_same() {
        fill_pattern(host_->data(), bytes_, seed_);
        prepare();
        issue();
        session_.finish(*queue_);
        return has_pattern(host_->data(), bytes_, seed_);
    }

    [[nodiscard]] bool arrives_at_peer() {
        const bool reads = way_.method == Method::peer_kernel;
        SessionMemory& from = reads ? *host_ : *device_;
        SessionMemory& to = reads ? *device_ : *host_;
        const MemoryPtr check = session_.host_memory(HostMemory::pageable, bytes_);
        const QueuePtr other = session_.queue(peer_);
        SessionQueue& at_source = reads ? *other : *queue_;
        SessionQueue& at_target = reads ? *queue_ : *other;
        fill_pattern(check->data(), bytes_, seed_);
        session_.copy(at_source, from, 0, *check, 0, bytes_);
        session_.finish(at_source);
        session_.fill(at_target, to, kPoison);
        session_.finish(at_target);
        issue();
        session_.finish(*queue_);
        std::memset(check->data(), kPoison, bytes_);
        session_.copy(at_target, *check, 0, to, 0, bytes_);
        session_.finish(at_target);
        return has_pattern(check->data(), bytes_, seed_);
    }

    DeviceSession& session_;
    const Way& way_;
    bool up_;
    std::size_t bytes_;
    std::uint64_t seed_;
    int peer_;
    MemoryPtr host_;  // or the other GPU's
    MemoryPtr device_;
    QueuePtr queue_;  // goes first: nothing is on its way when the memory goes
};

// All routes at once, each so often; ms of one transfer of them all.
double sample(DeviceSession& session, std::vector<Route>& routes, int repeats) {
    const MarkPtr begin = session.mark();
    const MarkPtr end = session.mark();
    std::vector<MarkPtr> ends;
    for (Route& route : routes) route.prepare();
    SessionQueue& first = routes.front().queue();
    session.record(first, *begin);
    for (std::size_t i = 1; i < routes.size(); ++i) session.wait(routes[i].queue(), *begin);
    for (int i = 0; i < repeats; ++i) {
        for (Route& route : routes) route.issue();
    }
    for (std::size_t i = 1; i < routes.size(); ++i) {
        ends.push_back(session.mark());
        session.record(routes[i].queue(), *ends.back());
        session.wait(first, *ends.back());
    }
    session.record(first, *end);
    session.finish(first);
    return session.ms_between(*begin, *end) / repeats;
}

std::vector<Route> routes_of(DeviceSession& session, const Way& way, const Trial& trial) {
    std::vector<Route> routes;
    routes.reserve(2);
    if (trial.direction != Direction::down) routes.emplace_back(session, way, true, trial, 1);
    if (trial.direction == Direction::down || trial.direction == Direction::both)
        routes.emplace_back(session, way, false, trial, 7);
    return routes;
}

void take_samples(DeviceSession& session, const Way& way, const Trial& trial, const std::stop_token& stop,
                  Measured& measured) {
    std::vector<Route> routes = routes_of(session, way, trial);
    if (trial.check && session.facts().moves_bytes) {
        measured.checked = true;
        for (Route& route : routes) measured.wrong = !route.arrives() || measured.wrong;
    }
    // Managed memory has to be sent back before it can be sent again. The first of all may have to compile a
    // kernel.
    (void)sample(session, routes, 1);
    const double once = sample(session, routes, 1);
    const bool again = way.method != Method::prefetch && once > 0;
    const int repeats = again ? int(std::clamp(kSampleMs / once + 1, 1.0, double(kMostRepeats))) : 1;
    std::vector<double> ms;
    for (int i = 0; i < trial.samples; ++i) {
        if (stop.stop_requested()) return;
        ms.push_back(sample(session, routes, repeats));
    }
    const double bytes = double(trial.bytes) * double(routes.size());
    std::vector<double> rates;
    rates.reserve(ms.size());
    for (const double value : ms) rates.push_back(value > 0 ? bytes / value / 1e6 : 0);
    const Statistics rate = statistics_of(std::move(rates));
    measured.ms = statistics_of(std::move(ms));
    measured.gb_s = rate.median;
    measured.spread_gb_s = rate.spread();
}

// A copy of a timeline, from the time when its queue has come to it.
struct Piece {
    int way = 0;
    MarkPtr begin, end;
};

}  // namespace

std::span<const Way> ways_of(Direction direction) {
    if (direction == Direction::peer) return kPeerWays;
    return kHostWays;
}

std::string why_not(const DeviceSession& session, const Way& way) {
    const SessionDevice& device = session.facts().devices.front();
    if (way.method == Method::kernel && !device.maps_host)
        return "the GPU's kernels do not reach memory of the host";
    if (way.method == Method::prefetch && !device.prefetches)
        return "managed memory cannot be sent to this GPU ahead";
    return {};
}

Measured measure(DeviceSession& session, const Way& way, const Trial& trial, const std::stop_token& stop) {
    Measured measured;
    try {
        measured.problem = why_not(session, way);
        if (measured.problem.empty()) take_samples(session, way, trial, stop, measured);
    } catch (const Error& error) {
        measured = {};
        measured.problem = error.what();
    }
    return measured;
}

void warm_up(DeviceSession& session, const std::stop_token& stop) {
    constexpr std::size_t kBytes = std::size_t(16) << 20;
    const MemoryPtr host = session.host_memory(HostMemory::pinned, kBytes);
    const MemoryPtr device = session.device_memory(0, kBytes);
    const QueuePtr queue = session.queue(0);
    const double begin = session.host_ms();
    while (session.host_ms() - begin < kWarmUpMs && !stop.stop_requested()) {
        session.copy(*queue, *device, 0, *host, 0, kBytes);
        session.copy(*queue, *host, 0, *device, 0, kBytes);
        session.finish(*queue);
    }
}

void add_bars(DeviceSession& session, HostMemory memory, std::int64_t bytes, int lane, Timeline& timeline) {
    constexpr int kPieces = 4;
    const auto piece = std::size_t(std::max<std::int64_t>(1, bytes / kPieces));
    const MemoryPtr host[2] = {session.host_memory(memory, piece), session.host_memory(memory, piece)};
    const MemoryPtr device[2] = {session.device_memory(0, piece), session.device_memory(0, piece)};
    const QueuePtr queue[2] = {session.queue(0), session.queue(0)};
    const MarkPtr start = session.mark();
    session.record(*queue[0], *start);
    session.wait(*queue[1], *start);
    std::vector<Piece> pieces;
    for (int i = 0; i < kPieces; ++i) {
        for (const int way : {0, 1}) {
            Piece one{way, session.mark(), session.mark()};
            session.record(*queue[way], *one.begin);
            if (way == 0)
                session.copy(*queue[way], *device[way], 0, *host[way], 0, piece);
            else
                session.copy(*queue[way], *host[way], 0, *device[way], 0, piece);
            session.record(*queue[way], *one.end);
            pieces.push_back(std::move(one));
        }
    }
    for (const QueuePtr& each : queue) session.finish(*each);
    for (std::size_t i = 0; i < pieces.size(); ++i)
        timeline.bars.push_back({lane + pieces[i].way, session.ms_between(*start, *pieces[i].begin),
                                 session.ms_between(*start, *pieces[i].end), std::to_string(i / 2 + 1)});
}

}  // namespace ws::transfers
