#pragma once
// A session on simulated GPUs: kernels and copies do what they do, as soon as they are issued, and a launch
// takes a nanosecond for each warp instruction: those of several threads one at a time. A kernel that is
// given memory of a GPU that its own does not reach fails.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gpu/core/device_session.h"
#include "gpu/core/error.h"
#include "gpu/simt/gpu.h"

namespace ws::testing {

// PTX of a kernel of the program.
using PtxMaker = std::function<std::string(std::string_view kernel, std::string_view entry)>;

class SimtSession final : public DeviceSession {
  public:
    SimtSession(const GpuProfile& gpu, PtxMaker make_ptx, int devices = 1)
        : gpu_(gpu), make_ptx_(std::move(make_ptx)) {
        facts_.kind = Kind::estimated;
        facts_.moves_bytes = true;
        facts_.devices.assign(std::size_t(devices), {gpu, {}, 1, false, false});
    }

    [[nodiscard]] const SessionFacts& facts() const override { return facts_; }
    [[nodiscard]] double host_ms() override {
        const std::lock_guard lock(mutex_);
        return ms_;
    }
    // Once more than so many bytes are asked for, there is no memory.
    std::size_t most_bytes = ~std::size_t(0);
    bool no_peers = false;                // GPUs do not reach each other's memory
    bool loses_peer_copies = false;       // what goes from GPU to GPU does not arrive
    std::map<std::string, int> launches;  // by entry
    [[nodiscard]] simt::Gpu& gpu() { return gpu_; }

    [[nodiscard]] MemoryPtr host_memory(HostMemory /*kind*/, std::size_t bytes) override {
        return std::make_unique<Memory>(bytes);
    }
    [[nodiscard]] MemoryPtr device_memory(int device, std::size_t bytes) override {
        if (bytes > most_bytes) throw Error("cudaErrorMemoryAllocation (out of memory)");
        return std::make_unique<Memory>(gpu_, bytes, device);
    }
    [[nodiscard]] QueuePtr queue(int device) override { return std::make_unique<Queue>(device); }
    [[nodiscard]] MarkPtr mark() override { return std::make_unique<Mark>(); }

    void copy(SessionQueue& /*queue*/, SessionMemory& to, std::size_t to_offset, const SessionMemory& from,
              std::size_t from_offset, std::size_t bytes) override {
        const std::lock_guard lock(mutex_);
        Memory& target = of(to);
        const Memory& source = of(from);
        if (target.address != 0 && source.address != 0) {
            if (loses_peer_copies && target.device != source.device) return;
            std::vector<std::uint8_t> bytes_between(bytes);
            gpu_.copy_out(std::as_writable_bytes(std::span(bytes_between)), source.address + from_offset);
            gpu_.copy_in(target.address + to_offset, std::as_bytes(std::span(bytes_between)));
            return;
        }
        if (target.address == 0)
            gpu_.copy_out(std::as_writable_bytes(std::span(target.bytes)).subspan(to_offset, bytes),
                          source.address + from_offset);
        else
            gpu_.copy_in(target.address + to_offset,
                         std::as_bytes(std::span(source.bytes)).subspan(from_offset, bytes));
    }
    void fill(SessionQueue& /*queue*/, SessionMemory& memory, std::uint8_t value) override {
        const std::lock_guard lock(mutex_);
        const std::vector<std::uint8_t> bytes(memory.size(), value);
        gpu_.copy_in(of(memory).address, std::as_bytes(std::span(bytes)));
    }
    void prefetch(SessionQueue&, SessionMemory&, int, std::size_t) override { FAIL(); }
    void launch(SessionQueue& queue, const KernelCall& call) override {
        const std::lock_guard lock(mutex_);
        ++launches[std::string(call.entry)];
        simt::KernelLaunch launch;
        launch.program = program_of(call);
        launch.grid = {int(call.blocks), 1, 1};
        launch.block = {int(call.threads), 1, 1};
        launch.dynamic_shared_bytes = call.shared_bytes;
        for (std::size_t i = 0; i < call.arguments.size(); ++i) {
            const CallArgument& one = call.arguments[i];
            if (one.memory) {
                ASSERT_TRUE(reaches(queue.device(), of(*one.memory).device))
                    << call.entry << ", argument " << i;
            }
            simt::set_parameter(launch, i, one.memory ? of(*one.memory).address + one.offset : one.bits, 8);
        }
        simt::LaunchOptions options;
        options.threads = 2;
        const simt::LaunchOutcome outcome = gpu_.launch(launch, options);
        ASSERT_FALSE(outcome.stopped) << call.entry << ": " << outcome.counters.findings.front().message;
        ms_ += double(outcome.counters.total.instructions) * 1e-6;
    }
    void launch(SessionQueue&, SessionGraph&) override { FAIL(); }
    [[nodiscard]] GraphPtr recorded(SessionQueue&, const std::function<void()>&) override {
        ADD_FAILURE();
        return nullptr;
    }
    void record(SessionQueue& /*queue*/, SessionMark& mark) override {
        const std::lock_guard lock(mutex_);
        static_cast<Mark&>(mark).ms = ms_;
    }
    void wait(SessionQueue&, const SessionMark&) override {}  // nothing is late
    void finish(SessionQueue& /*queue*/) override {}
    [[nodiscard]] double ms_between(const SessionMark& begin, const SessionMark& end) override {
        return static_cast<const Mark&>(end).ms - static_cast<const Mark&>(begin).ms;
    }
    [[nodiscard]] Link peer_link(int, int) override { return no_peers ? Link{} : Link{"a link", 0}; }
    void allow_peers(int device, int peer, bool allow) override {
        if (allow && no_peers) throw Error("the GPUs do not reach each other's memory");
        const std::pair<int, int> pair = std::minmax(device, peer);
        if (allow)
            peers_.insert(pair);
        else
            peers_.erase(pair);
    }

    struct Memory final : SessionMemory {
        explicit Memory(std::size_t size) : bytes(size) {}  // of the host
        Memory(simt::Gpu& gpu, std::size_t size, int on)
            : owner(&gpu), address(gpu.allocate(size)), length(size), device(on) {}
        ~Memory() override {
            if (owner) owner->release(address);
        }
        Memory(const Memory&) = delete;
        Memory& operator=(const Memory&) = delete;
        [[nodiscard]] std::size_t size() const override { return owner ? length : bytes.size(); }
        [[nodiscard]] std::uint8_t* data() const override {
            return owner ? nullptr : const_cast<std::uint8_t*>(bytes.data());
        }
        std::vector<std::uint8_t> bytes;
        simt::Gpu* owner = nullptr;
        std::uint64_t address = 0;
        std::size_t length = 0;
        int device = kHost;
    };
    static Memory& of(SessionMemory& memory) { return static_cast<Memory&>(memory); }
    static const Memory& of(const SessionMemory& memory) { return static_cast<const Memory&>(memory); }

  private:
    struct Queue final : SessionQueue {
        explicit Queue(int of) : device_(of) {}
        [[nodiscard]] int device() const override { return device_; }

      private:
        int device_;
    };
    [[nodiscard]] bool reaches(int device, int memory) const {
        return device == memory || peers_.contains(std::pair<int, int>(std::minmax(device, memory)));
    }
    struct Mark final : SessionMark {
        double ms = 0;
    };
    std::shared_ptr<const simt::Program> program_of(const KernelCall& call) {
        auto& program = programs_[std::string(call.entry)];
        if (!program) {
            auto loaded = simt::load_program(make_ptx_(call.kernel, call.entry), std::string(call.entry));
            EXPECT_TRUE(loaded.ok()) << call.entry << ": " << (loaded.ok() ? "" : loaded.message());
            program = loaded.value();
        }
        return program;
    }

    std::mutex mutex_;
    simt::Gpu gpu_;  // one memory for all of them
    PtxMaker make_ptx_;
    SessionFacts facts_;
    std::map<std::string, std::shared_ptr<const simt::Program>> programs_;
    std::set<std::pair<int, int>> peers_;  // the lower one first
    double ms_ = 0;
};

}  // namespace ws::testing
