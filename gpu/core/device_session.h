#pragma once
// What an experiment does with GPUs from the host: memory of several kinds, queues, copies, kernels, and the
// times between places in a queue. gpu/cuda has the real one, gpu/analysis a model for machines without.
//
// One thread at a time, but for on_threads. Everything that a session hands out must go before it. Every
// function throws Error with what to do about it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/device.h"
#include "gpu/core/figures.h"
#include "gpu/core/gpu_profile.h"

namespace ws {

// How memory of the host can be had. A GPU copies from and to all but pageable memory by itself; its kernels
// reach mapped and managed memory under an address of their own.
enum class HostMemory : std::uint8_t { pageable, pinned, write_combined, mapped, managed };

// The way between the host and a GPU, or between two GPUs.
struct Link {
    std::string name;  // "PCIe 5.0 x16"; empty: not known
    double gb_s = 0;   // at most, in one direction, 10^9 bytes a second; 0: not known
};
// PCI Express of a generation (1 to 6) with so many lanes: what is left of the signalling rate after its line
// code (8b/10b, from generation 3 on 128b/130b, of 6 the flits of 242 data bytes in 256). Source: PCI Express
// Base Specification. Nothing is known of other generations.
[[nodiscard]] Link pcie_link(int generation, int lanes);

struct SessionDevice {
    GpuProfile gpu;
    Link link;
    int copy_engines = 0;  // copies that run at the same time, each in its direction; 0: none beside a kernel
    int kernels = 1;       // of different queues that run at the same time, at most
    bool graphs = false;   // commands can be recorded, and launched as one
    bool maps_host = false;   // kernels reach mapped memory
    bool prefetches = false;  // managed memory can be sent to it ahead
    GpuPlace place{};         // of one of this machine
};

struct SessionFacts {
    // How its times come about: measured, or estimated by a model.
    Kind kind = Kind::measured;
    // Bytes arrive: a model only says when.
    bool moves_bytes = false;
    std::vector<SessionDevice> devices;  // at least one
};

class SessionMemory {
  public:
    virtual ~SessionMemory() = default;
    [[nodiscard]] virtual std::size_t size() const = 0;  // bytes
    // Where the host reads and writes it; null for memory of a device, and where no bytes are moved.
    [[nodiscard]] virtual std::uint8_t* data() const = 0;
};
// Commands that run one after the other; those of different queues may overlap.
class SessionQueue {
  public:
    virtual ~SessionQueue() = default;
    [[nodiscard]] virtual int device() const = 0;
};
// A place in a queue, with the time when it was passed.
class SessionMark {
  public:
    virtual ~SessionMark() = default;
};
// Commands that were recorded: launched as one, as often as is wanted, one launch after the other. What they
// name must stay.
class SessionGraph {
  public:
    virtual ~SessionGraph() = default;
};
using MemoryPtr = std::unique_ptr<SessionMemory>;
using QueuePtr = std::unique_ptr<SessionQueue>;
using MarkPtr = std::unique_ptr<SessionMark>;
using GraphPtr = std::unique_ptr<SessionGraph>;

// Where managed memory is sent to.
inline constexpr int kHost = -1;

struct CallArgument {
    const SessionMemory* memory = nullptr;  // its address at this offset...
    std::size_t offset = 0;
    std::uint64_t bits = 0;  // ...or, without memory, a value of up to 8 bytes
};
// A kernel of the program. `threads` of each block are along x, like the blocks.
struct KernelCall {
    std::string_view kernel;  // the name of its file
    std::string_view entry;
    unsigned blocks = 1;
    unsigned threads = 1;
    std::vector<CallArgument> arguments;
    // What it moves, from which a model has its time: over the link to and from the host, over the link to
    // another GPU, and within the GPU's own memory.
    double host_read_bytes = 0, host_written_bytes = 0, peer_bytes = 0, device_bytes = 0;
    std::size_t shared_bytes = 0;  // dynamic shared memory of a block
    // What it computes, in steps of one lane: then each of its blocks has a multiprocessor of its own.
    double lane_steps = 0;
};

class DeviceSession {
  public:
    virtual ~DeviceSession() = default;
    [[nodiscard]] virtual const SessionFacts& facts() const = 0;
    // A clock that runs while the host works and waits: its first thread, where several command.
    [[nodiscard]] virtual double host_ms() = 0;
    // Calls work(0) to work(threads - 1) at the same time, each on a thread of its own, and returns when all
    // have ended. Thread i then commands GPU i and every `threads`-th behind it: it makes marks, and gives
    // its GPUs' queues copies, fills, kernels, marks and waits. A thread that lets a queue wait for a mark
    // must know that the other thread has recorded it: a queue does not wait for what is recorded later.
    virtual void on_threads(int threads, const std::function<void(int thread)>& work);

    [[nodiscard]] virtual MemoryPtr host_memory(HostMemory kind, std::size_t bytes) = 0;
    [[nodiscard]] virtual MemoryPtr device_memory(int device, std::size_t bytes) = 0;
    [[nodiscard]] virtual QueuePtr queue(int device) = 0;
    [[nodiscard]] virtual MarkPtr mark() = 0;

    // Between any two memories, of the host, of a device, of two devices. From or to pageable memory the host
    // waits until its part is done.
    virtual void copy(SessionQueue& queue, SessionMemory& to, std::size_t to_offset,
                      const SessionMemory& from, std::size_t from_offset, std::size_t bytes) = 0;
    // Memory of a device.
    virtual void fill(SessionQueue& queue, SessionMemory& memory, std::uint8_t value) = 0;
    // Sends managed memory to the queue's device, or to the host (kHost).
    virtual void prefetch(SessionQueue& queue, SessionMemory& memory, int to, std::size_t bytes) = 0;
    virtual void launch(SessionQueue& queue, const KernelCall& call) = 0;
    virtual void record(SessionQueue& queue, SessionMark& mark) = 0;
    // What comes later in the queue waits for the mark.
    virtual void wait(SessionQueue& queue, const SessionMark& mark) = 0;
    // What `issue` gives to this queue, and to others from where they wait for a mark of this one to where
    // this one waits for a mark of theirs, is recorded and does not run. Such marks have no time.
    [[nodiscard]] virtual GraphPtr recorded(SessionQueue& queue, const std::function<void()>& issue) = 0;
    virtual void launch(SessionQueue& queue, SessionGraph& graph) = 0;
    // The host waits until the queue is empty.
    virtual void finish(SessionQueue& queue) = 0;
    // Both marks are of one device and have been passed.
    [[nodiscard]] virtual double ms_between(const SessionMark& begin, const SessionMark& end) = 0;

    // The way between two GPUs if they can reach each other's memory; its name is empty if they cannot.
    [[nodiscard]] virtual Link peer_link(int device, int peer) = 0;
    // Lets both reach each other's memory, or forbids it: then copies between them go through the host.
    virtual void allow_peers(int device, int peer, bool allow) = 0;
};

[[nodiscard]] std::string_view name_of(HostMemory kind);
// Kernels that run at the same time, at most: resident grids of the CUDA programming guide; 1 before 2.0.
[[nodiscard]] int concurrent_kernels(ComputeCapability capability);

}  // namespace ws
