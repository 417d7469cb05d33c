#include "gpu/analysis/model_session.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "gpu/analysis/gpu_links.h"
#include "gpu/core/error.h"
#include "gpu/core/peak.h"

namespace ws {
namespace {

// ---- what the model assumes

// Data of a packet on PCIe beside 24 bytes of header, numbers and checksum; what is left then loses 7 % to
// acknowledgements and credits. Copy engines send 256 bytes at a time, kernels ask for lines of 128.
constexpr double kHeaderBytes = 24;
constexpr double kFlow = 0.93;
constexpr double share_of(double payload) {
    return payload / (payload + kHeaderBytes) * kFlow;
}
constexpr double kCopyShare = share_of(256);
constexpr double kKernelShare = share_of(128);
constexpr double kPrefetchShare = 0.8 * kCopyShare;  // page tables change on both sides
constexpr double kWithinShare = 0.85;  // of a copy within a GPU's memory: docs/transpose.md, 8192 x 8192
constexpr double kNvlinkShare = 0.85;

constexpr double kCallMs = 0.002;      // the host's time for a command
constexpr double kSetupMs = 0.0015;    // a copy engine's for a copy
constexpr double kLaunchMs = 0.003;    // a GPU's for a kernel
constexpr double kNodeMs = 0.0003;     // the host's for a command of a graph
constexpr double kPrefetchMs = 0.025;  // to look up and unmap pages
constexpr double kStageMs = 0.004;     // the driver's for a pageable copy
constexpr double kPiece = 128 * 1024;  // bytes of a staging buffer between two GPUs
// One thread that reads and writes host memory: a third of a DDR3 channel's 26 GB/s, as a line is read,
// fetched for the write, and written.
constexpr double kHostCopyGbS = 26.0 / 3;

constexpr double ms_of(double bytes, double gb_s) {
    return bytes / gb_s / 1e6;
}

// ---- what a session hands out

class ModelMemory final : public SessionMemory {
  public:
    ModelMemory(HostMemory what, int where, std::size_t bytes) : kind(what), device(where), size_(bytes) {}
    [[nodiscard]] std::size_t size() const override { return size_; }
    [[nodiscard]] std::uint8_t* data() const override { return nullptr; }
    HostMemory kind;
    int device;        // kHost: memory of the host
    int lies = kHost;  // of managed memory: where

  private:
    std::size_t size_;
};

class ModelQueue final : public SessionQueue {
  public:
    explicit ModelQueue(int device) : device_(device) {}
    [[nodiscard]] int device() const override { return device_; }
    double ready_ms = 0;  // when what is in it is done
    int run = -1;         // of kernels, that its last command belongs to

  private:
    int device_;
};

class ModelMark final : public SessionMark {
  public:
    double at_ms = 0;
    double host_ms = 0;  // when a thread of the host has recorded it
};

class ModelGraph final : public SessionGraph {
  public:
    std::vector<std::function<void()>> commands;
};

ModelQueue& model(SessionQueue& queue) {
    return static_cast<ModelQueue&>(queue);
}
const ModelMemory& model(const SessionMemory& memory) {
    return static_cast<const ModelMemory&>(memory);
}

// When each engine of a device is free.
struct Engines {
    double up_ms = 0;
    double down_ms = 0;
    double peer_ms = 0;
    std::vector<double> multiprocessors;  // ms when each is free, the first one first
    std::vector<double> kernels;          // ms when those that may run at the same time end, likewise
    double last_kernel_ms = 0;            // when the last one has begun
    std::vector<double> runs;             // ms when the kernels end that were issued back to back
    bool in_run = false;                  // the last command was a kernel
};

class ModelSession final : public DeviceSession {
  public:
    ModelSession(const GpuProfile& gpu, int devices) : engines_(std::size_t(devices)) {
        const std::optional<GpuLinks> links = links_of(gpu.name);
        if (!links)
            throw Error("the links of " + gpu.name + " are not known", "assets/gpus.json",
                        "choose another GPU with --gpu");
        peer_ = links->peer;
        SessionDevice device;
        device.gpu = gpu;
        device.link = links->host;
        device.copy_engines = links->copy_engines;
        device.maps_host = gpu.limits.capability.number() >= 11;
        device.prefetches = gpu.limits.capability.major >= 6;
        device.kernels = concurrent_kernels(gpu.limits.capability);
        device.graphs = gpu.limits.capability.major >= 3;
        facts_.kind = Kind::estimated;
        facts_.devices.assign(std::size_t(devices), device);
        for (Engines& engines : engines_) {
            engines.multiprocessors.assign(std::size_t(std::max(1, gpu.multiprocessors)), 0);
            engines.kernels.assign(std::size_t(device.kernels), 0);
        }
    }

    [[nodiscard]] const SessionFacts& facts() const override { return facts_; }
    [[nodiscard]] double host_ms() override { return hosts_.front(); }
    // Engines, queues and clocks are each of one GPU and so of one thread; what one has to know of another it
    // knows by a mark. The driver takes the calls of several threads in turns, as it did on two H100s: each
    // waits for those of all others.
    void on_threads(int threads, const std::function<void(int)>& work) override {
        struct Clocks {  // of the threads, from one to the last one's
            explicit Clocks(std::vector<double>& of, int count) : hosts(of) {
                hosts.assign(std::size_t(std::max(1, count)), hosts.front());
            }
            // All threads are done with the last one.
            ~Clocks() { hosts.assign(1, *std::max_element(hosts.begin(), hosts.end())); }
            Clocks(const Clocks&) = delete;
            Clocks& operator=(const Clocks&) = delete;
            std::vector<double>& hosts;
        };
        const Clocks clocks(hosts_, threads);
        DeviceSession::on_threads(threads, work);
    }

    [[nodiscard]] MemoryPtr host_memory(HostMemory kind, std::size_t bytes) override {
        return std::make_unique<ModelMemory>(kind, kHost, bytes);
    }
    [[nodiscard]] MemoryPtr device_memory(int device, std::size_t bytes) override {
        const double gib = double(bytes) / double(1 << 30);
        if (gib > facts_.devices.at(std::size_t(device)).gpu.memory_gib)
            throw Error(bytes_message(gib), facts_.devices[std::size_t(device)].gpu.name, "choose fewer");
        return std::make_unique<ModelMemory>(HostMemory::pinned, device, bytes);
    }
    [[nodiscard]] QueuePtr queue(int device) override { return std::make_unique<ModelQueue>(device); }
    [[nodiscard]] MarkPtr mark() override { return std::make_unique<ModelMark>(); }

    void copy(SessionQueue& queue, SessionMemory& to, std::size_t to_offset, const SessionMemory& from,
              std::size_t from_offset, std::size_t bytes) override {
        if (graph_) {
            graph_->commands.emplace_back([this, &queue, &to, to_offset, &from, from_offset, bytes] {
                copy(queue, to, to_offset, from, from_offset, bytes);
            });
            return;
        }
        const ModelMemory& target = model(to);
        const ModelMemory& source = model(from);
        const int device = queue.device();
        if (source.device != kHost && target.device != kHost) {
            copy_on_devices(model(queue), source.device, target.device, double(bytes));
            return;
        }
        const bool up = target.device != kHost;
        const bool staged = (up ? source : target).kind == HostMemory::pageable;
        double& engine = engine_of(device, up);
        const double rate = link_gb_s(device) * kCopyShare;
        if (!staged) {
            (void)run(model(queue), engine, kSetupMs + ms_of(double(bytes), rate));
            return;
        }
        const double filling = ms_of(double(bytes), kHostCopyGbS);
        host_of(queue) = run(model(queue), engine, kStageMs + filling + ms_of(double(bytes), rate));
    }

    void fill(SessionQueue& queue, SessionMemory& memory, std::uint8_t value) override {
        if (graph_) {
            graph_->commands.emplace_back([this, &queue, &memory, value] { fill(queue, memory, value); });
            return;
        }
        double free = 0;
        const double rate = std::max(1.0, device_gb_s(queue.device()));
        (void)run(model(queue), free, kLaunchMs + ms_of(double(memory.size()), rate));
    }

    void prefetch(SessionQueue& queue, SessionMemory& memory, int to, std::size_t bytes) override {
        if (graph_) throw Error("a graph does not send managed memory ahead");
        auto& managed = static_cast<ModelMemory&>(memory);
        const bool there = managed.lies == to;
        managed.lies = to;
        double& engine = engine_of(queue.device(), to != kHost);
        const double rate = link_gb_s(queue.device()) * kPrefetchShare;
        (void)run(model(queue), engine, kPrefetchMs + (there ? 0 : ms_of(double(bytes), rate)));
    }

    void launch(SessionQueue& queue, const KernelCall& call) override {
        if (graph_) {
            graph_->commands.emplace_back([this, &queue, call] { launch(queue, call); });
            return;
        }
        const int device = queue.device();
        const double link = link_gb_s(device) * kKernelShare;
        const double peer = peer_gb_s() * (nvlink() ? kNvlinkShare : kKernelShare);
        double longest = ms_of(std::max(call.host_read_bytes, call.host_written_bytes), link);
        longest = std::max(longest, ms_of(call.peer_bytes, peer));
        longest = std::max(longest, ms_of(call.device_bytes, std::max(1.0, device_gb_s(device))));
        std::size_t wanted = 0;  // of multiprocessors
        if (const double rate = lane_steps_per_ms(device); call.lane_steps > 0 && rate > 0) {
            wanted = std::min<std::size_t>(call.blocks, engines_[std::size_t(device)].multiprocessors.size());
            longest = std::max(longest, call.lane_steps / (rate * double(wanted)));
        }
        run_kernel(model(queue), wanted, kLaunchMs + longest);
    }

    void record(SessionQueue& queue, SessionMark& mark) override {
        if (graph_) {
            graph_->commands.emplace_back([this, &queue, &mark] { record(queue, mark); });
            return;
        }
        auto& one = static_cast<ModelMark&>(mark);
        one.host_ms = host_of(queue);
        one.at_ms = std::max(model(queue).ready_ms, one.host_ms);
    }
    void wait(SessionQueue& queue, const SessionMark& mark) override {
        if (graph_) {
            graph_->commands.emplace_back([this, &queue, &mark] { wait(queue, mark); });
            return;
        }
        const auto& one = static_cast<const ModelMark&>(mark);
        double& ready = model(queue).ready_ms;
        ready = std::max(ready, one.at_ms);
        double& host = host_of(queue);
        host = std::max(host, one.host_ms);
    }
    [[nodiscard]] GraphPtr recorded(SessionQueue& queue, const std::function<void()>& issue) override {
        if (!facts_.devices.at(std::size_t(queue.device())).graphs)
            throw Error("the GPU is older than graphs", "", "choose another mode");
        auto made = std::make_unique<ModelGraph>();
        graph_ = made.get();
        try {
            issue();
        } catch (...) {
            graph_ = nullptr;
            throw;
        }
        graph_ = nullptr;
        return made;
    }
    void launch(SessionQueue& queue, SessionGraph& graph) override {
        host_of(queue) += kCallMs;
        call_ms_ = kNodeMs;
        for (const std::function<void()>& command : static_cast<ModelGraph&>(graph).commands) command();
        call_ms_ = kCallMs;
    }
    void finish(SessionQueue& queue) override {
        double& host = host_of(queue);
        host = std::max(host, model(queue).ready_ms);
    }
    [[nodiscard]] double ms_between(const SessionMark& begin, const SessionMark& end) override {
        return static_cast<const ModelMark&>(end).at_ms - static_cast<const ModelMark&>(begin).at_ms;
    }

    [[nodiscard]] Link peer_link(int device, int peer) override {
        if (device == peer) return {};
        if (nvlink()) return peer_;
        return facts_.devices[std::size_t(device)].link;
    }
    void allow_peers(int device, int peer, bool allow) override {
        const auto pair = std::pair<int, int>(std::minmax(device, peer));
        if (allow)
            peers_.insert(pair);
        else
            peers_.erase(pair);
    }

  private:
    static std::string bytes_message(double gib) {
        return std::to_string(gib).substr(0, 4) + " GiB are more than the GPU's memory holds";
    }
    [[nodiscard]] double link_gb_s(int device) const {
        return facts_.devices.at(std::size_t(device)).link.gb_s;
    }
    [[nodiscard]] double device_gb_s(int device) const {
        return facts_.devices.at(std::size_t(device)).gpu.bandwidth_gb_s;
    }
    [[nodiscard]] bool nvlink() const { return peer_.gb_s > 0; }
    [[nodiscard]] double peer_gb_s() const {
        return nvlink() ? peer_.gb_s : facts_.devices.front().link.gb_s;
    }
    // A GPU with one copy engine copies in one direction at a time.
    [[nodiscard]] double& engine_of(int device, bool up) {
        Engines& engines = engines_.at(std::size_t(device));
        return up || facts_.devices[std::size_t(device)].copy_engines < 2 ? engines.up_ms : engines.down_ms;
    }

    // Float32 multiply-adds, or what a lane does as fast, of a multiprocessor.
    [[nodiscard]] double lane_steps_per_ms(int device) const {
        const GpuProfile& gpu = facts_.devices.at(std::size_t(device)).gpu;
        return fp32_lanes(gpu.limits.capability) * double(gpu.clock_mhz) * 1e3;
    }
    [[nodiscard]] bool has_hyper_q(int device) const {
        return facts_.devices[std::size_t(device)].gpu.limits.capability.number() >= 35;
    }
    [[nodiscard]] bool copies_beside_kernels(int device) const {
        return facts_.devices[std::size_t(device)].copy_engines > 0;
    }

    // The clock of the thread that commands the queue's GPU.
    [[nodiscard]] double& host_of(const SessionQueue& queue) {
        return hosts_[std::size_t(queue.device()) % hosts_.size()];
    }

    // Puts a command of this length into the queue, on an engine; returns when it is done.
    double run(ModelQueue& queue, double& engine_free_ms, double ms) {
        double& host = host_of(queue);
        host += call_ms_ * double(hosts_.size());
        Engines& engines = engines_.at(std::size_t(queue.device()));
        double begin = std::max({host, queue.ready_ms, engine_free_ms});
        if (queue.run >= 0) begin = std::max(begin, engines.runs[std::size_t(queue.run)]);
        queue.run = -1;
        engines.in_run = false;
        if (!copies_beside_kernels(queue.device())) begin = std::max(begin, engines.kernels.back());
        engine_free_ms = queue.ready_ms = begin + ms;
        return queue.ready_ms;
    }

    void run_kernel(ModelQueue& queue, std::size_t multiprocessors, double ms) {
        double& host = host_of(queue);
        host += call_ms_ * double(hosts_.size());
        Engines& engines = engines_.at(std::size_t(queue.device()));
        double begin = std::max({host, queue.ready_ms, engines.last_kernel_ms, engines.kernels.front()});
        if (multiprocessors > 0) begin = std::max(begin, engines.multiprocessors[multiprocessors - 1]);
        if (!copies_beside_kernels(queue.device())) begin = std::max({begin, engines.up_ms, engines.down_ms});
        const double end = begin + ms;
        engines.last_kernel_ms = begin;
        engines.kernels.front() = end;
        std::sort(engines.kernels.begin(), engines.kernels.end());
        std::fill_n(engines.multiprocessors.begin(), multiprocessors, end);
        std::sort(engines.multiprocessors.begin(), engines.multiprocessors.end());
        queue.ready_ms = end;
        if (has_hyper_q(queue.device())) return;
        if (!engines.in_run) engines.runs.push_back(end);
        engines.in_run = true;
        engines.runs.back() = std::max(engines.runs.back(), end);
        queue.run = int(engines.runs.size()) - 1;
    }

    void copy_on_devices(ModelQueue& queue, int from, int to, double bytes) {
        Engines& engines = engines_.at(std::size_t(from));
        if (from == to) {  // each byte is read and written
            (void)run(queue, engines.peer_ms,
                      kSetupMs + ms_of(2 * bytes, std::max(1.0, device_gb_s(from) * kWithinShare)));
            return;
        }
        if (peers_.contains(std::pair<int, int>(std::minmax(from, to)))) {
            const double share = nvlink() ? kNvlinkShare : kCopyShare;
            (void)run(queue, engines.peer_ms, kSetupMs + ms_of(bytes, peer_gb_s() * share));
            return;
        }
        // Down and up again through pinned pieces, both at the same time but for the first one.
        const double rate = std::min(link_gb_s(from), link_gb_s(to)) * kCopyShare;
        (void)run(queue, engine_of(from, false),
                  kStageMs + ms_of(std::min(bytes, kPiece), rate) + ms_of(bytes, rate));
    }

    SessionFacts facts_;
    Link peer_;
    std::vector<Engines> engines_;
    std::set<std::pair<int, int>> peers_;  // that reach each other's memory, the lower one first
    std::vector<double> hosts_{0};         // ms, of each thread
    double call_ms_ = kCallMs;             // of each command; less within a graph
    ModelGraph* graph_ = nullptr;          // that is being recorded
};

}  // namespace

std::unique_ptr<DeviceSession> make_model_session(const GpuProfile& gpu, int devices) {
    return std::make_unique<ModelSession>(gpu, std::max(1, devices));
}

}  // namespace ws
