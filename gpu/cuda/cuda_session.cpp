#include "gpu/cuda/cuda_session.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/cuda/check.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/cuda/device_facts.h"
#include "gpu/cuda/driver.h"
#include "gpu/cuda/links.h"
#include "gpu/cuda/module_cache.h"
#include "gpu/cuda/resources.h"

namespace ws {
namespace {

using Clock = std::chrono::steady_clock;

void make_current(int device) {
    WS_CUDA(cudaSetDevice(device));
}

// An allocation that fails is told with what it was for.
void check_memory(cudaError_t status, const char* what, std::size_t bytes) {
    if (status == cudaSuccess) return;
    cudaGetLastError();
    throw Error(fmt::format("{} ({})", cudaGetErrorName(status), cudaGetErrorString(status)),
                fmt::format("{} bytes of {} memory", bytes, what),
                status == cudaErrorMemoryAllocation ? "choose fewer bytes, or end what else uses it" : "");
}

// `device`: whose it is, by CUDA's number; kHost: the host's.
class CudaMemory : public SessionMemory {
  public:
    CudaMemory(int device, std::size_t bytes) : device_(device), size_(bytes) {}
    [[nodiscard]] std::size_t size() const override { return size_; }
    [[nodiscard]] int device() const { return device_; }
    // What copies and kernels take.
    [[nodiscard]] virtual std::uint8_t* address() const = 0;

  private:
    int device_;
    std::size_t size_;
};

class PageableMemory final : public CudaMemory {
  public:
    explicit PageableMemory(std::size_t bytes) : CudaMemory(kHost, bytes) {
        data_ = static_cast<std::uint8_t*>(std::malloc(bytes));
        if (!data_)
            throw Error(fmt::format("{} bytes of host memory cannot be had", bytes), "", "choose fewer");
        // Pages that nobody has written are no memory yet.
        std::memset(data_, 0, bytes);
    }
    ~PageableMemory() override { std::free(data_); }
    PageableMemory(const PageableMemory&) = delete;
    PageableMemory& operator=(const PageableMemory&) = delete;
    [[nodiscard]] std::uint8_t* data() const override { return data_; }
    [[nodiscard]] std::uint8_t* address() const override { return data_; }

  private:
    std::uint8_t* data_ = nullptr;
};

// Pinned, write-combined and mapped. Every GPU of the session may use it (portable).
class LockedMemory final : public CudaMemory {
  public:
    LockedMemory(HostMemory kind, std::size_t bytes) : CudaMemory(kHost, bytes) {
        unsigned flags = cudaHostAllocPortable;
        if (kind == HostMemory::write_combined) flags |= cudaHostAllocWriteCombined;
        if (kind == HostMemory::mapped) flags |= cudaHostAllocMapped;
        check_memory(cudaHostAlloc(reinterpret_cast<void**>(&data_), bytes, flags), name_of(kind).data(),
                     bytes);
        address_ = data_;
        if (kind != HostMemory::mapped) return;
        void* mapped = nullptr;
        const cudaError_t status = cudaHostGetDevicePointer(&mapped, data_, 0);
        if (status != cudaSuccess) cudaFreeHost(data_);
        WS_CUDA(status);
        address_ = static_cast<std::uint8_t*>(mapped);
    }
    ~LockedMemory() override { report_cuda(cudaFreeHost(data_), "cudaFreeHost"); }
    LockedMemory(const LockedMemory&) = delete;
    LockedMemory& operator=(const LockedMemory&) = delete;
    [[nodiscard]] std::uint8_t* data() const override { return data_; }
    [[nodiscard]] std::uint8_t* address() const override { return address_; }

  private:
    std::uint8_t* data_ = nullptr;
    std::uint8_t* address_ = nullptr;
};

class ManagedMemory final : public CudaMemory {
  public:
    explicit ManagedMemory(std::size_t bytes) : CudaMemory(kHost, bytes) {
        check_memory(cudaMallocManaged(reinterpret_cast<void**>(&data_), bytes, cudaMemAttachGlobal),
                     "managed", bytes);
    }
    ~ManagedMemory() override { report_cuda(cudaFree(data_), "cudaFree"); }
    ManagedMemory(const ManagedMemory&) = delete;
    ManagedMemory& operator=(const ManagedMemory&) = delete;
    [[nodiscard]] std::uint8_t* data() const override { return data_; }
    [[nodiscard]] std::uint8_t* address() const override { return data_; }

  private:
    std::uint8_t* data_ = nullptr;
};

class GpuMemory final : public CudaMemory {
  public:
    GpuMemory(int device, std::size_t bytes) : CudaMemory(device, bytes) {
        check_memory(cudaMalloc(reinterpret_cast<void**>(&data_), bytes), "device", bytes);
    }
    ~GpuMemory() override { report_cuda(cudaFree(data_), "cudaFree"); }
    GpuMemory(const GpuMemory&) = delete;
    GpuMemory& operator=(const GpuMemory&) = delete;
    [[nodiscard]] std::uint8_t* data() const override { return nullptr; }
    [[nodiscard]] std::uint8_t* address() const override { return data_; }

  private:
    std::uint8_t* data_ = nullptr;
};

// `device`: its place in the session; made while its GPU is current.
class CudaQueue final : public SessionQueue {
  public:
    CudaQueue(int place, int device) : place_(place), device_(device) {}
    ~CudaQueue() override { report_cuda(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize"); }
    CudaQueue(const CudaQueue&) = delete;
    CudaQueue& operator=(const CudaQueue&) = delete;
    [[nodiscard]] int device() const override { return place_; }
    [[nodiscard]] int number() const { return device_; }
    [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }

  private:
    int place_;
    int device_;
    CudaStream stream_;
};

// An event belongs to the GPU that was current when it was made: it is made when it is recorded first.
class CudaMark final : public SessionMark {
  public:
    void record(cudaStream_t stream) {
        if (!event_) event_.emplace();
        WS_CUDA(cudaEventRecord(event_->get(), stream));
    }
    [[nodiscard]] cudaEvent_t get() const {
        if (!event_) throw Error("a mark is used that no queue has recorded");
        return event_->get();
    }

  private:
    std::optional<CudaEvent> event_;
};

struct GraphKind {
    using Handle = cudaGraph_t;
    static constexpr const char* kDestroy = "cudaGraphDestroy";
    static cudaError_t destroy(Handle graph) { return cudaGraphDestroy(graph); }
    static Handle create(cudaStream_t stream) {  // of what the stream has recorded
        Handle graph = nullptr;
        WS_CUDA(cudaStreamEndCapture(stream, &graph));
        return graph;
    }
};
struct ReadyGraphKind {
    using Handle = cudaGraphExec_t;
    static constexpr const char* kDestroy = "cudaGraphExecDestroy";
    static cudaError_t destroy(Handle graph) { return cudaGraphExecDestroy(graph); }
    static Handle create(cudaGraph_t of) {
        Handle graph = nullptr;
        WS_CUDA(cudaGraphInstantiateWithFlags(&graph, of, 0));
        return graph;
    }
};

class CudaGraph final : public SessionGraph {
  public:
    explicit CudaGraph(cudaGraph_t graph) : ready_(graph) {}
    [[nodiscard]] cudaGraphExec_t get() const { return ready_.get(); }

  private:
    CudaOwner<ReadyGraphKind> ready_;
};

const CudaMemory& cuda(const SessionMemory& memory) {
    return static_cast<const CudaMemory&>(memory);
}
CudaQueue& cuda(SessionQueue& queue) {
    return static_cast<CudaQueue&>(queue);
}

cudaError_t send_ahead(const std::uint8_t* address, std::size_t bytes, int device, cudaStream_t stream) {
#if CUDART_VERSION >= 13000
    cudaMemLocation place{};
    place.type = device == kHost ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    place.id = device == kHost ? 0 : device;
    return cudaMemPrefetchAsync(address, bytes, place, 0, stream);
#else
    return cudaMemPrefetchAsync(address, bytes, device == kHost ? cudaCpuDeviceId : device, stream);
#endif
}

class CudaSession final : public DeviceSession {
  public:
    CudaSession(std::vector<int> numbers, const Driver& driver, KernelMaker make_kernel)
        : numbers_(std::move(numbers)), driver_(driver), make_kernel_(std::move(make_kernel)) {
        facts_.kind = Kind::measured;
        facts_.moves_bytes = true;
        for (const int number : numbers_) {
            facts_.devices.push_back(facts_of(number));
            nvlinks_.push_back(read_nvlink(bus_of(number)));
            modules_.emplace_back(std::make_unique<ModuleCache>(driver_));
        }
    }
    ~CudaSession() override {
        for (std::size_t i = 0; i < modules_.size(); ++i) {
            report_cuda(cudaSetDevice(numbers_[i]), "cudaSetDevice");
            modules_[i].reset();
        }
    }
    CudaSession(const CudaSession&) = delete;
    CudaSession& operator=(const CudaSession&) = delete;

    [[nodiscard]] const SessionFacts& facts() const override { return facts_; }
    [[nodiscard]] double host_ms() override {
        return std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
    }

    [[nodiscard]] MemoryPtr host_memory(HostMemory kind, std::size_t bytes) override {
        make_current(numbers_.front());
        if (kind == HostMemory::pageable) return std::make_unique<PageableMemory>(bytes);
        if (kind == HostMemory::managed) return std::make_unique<ManagedMemory>(bytes);
        return std::make_unique<LockedMemory>(kind, bytes);
    }
    [[nodiscard]] MemoryPtr device_memory(int device, std::size_t bytes) override {
        make_current(number(device));
        return std::make_unique<GpuMemory>(number(device), bytes);
    }
    [[nodiscard]] QueuePtr queue(int device) override {
        make_current(number(device));
        return std::make_unique<CudaQueue>(device, number(device));
    }
    [[nodiscard]] MarkPtr mark() override { return std::make_unique<CudaMark>(); }

    void copy(SessionQueue& queue, SessionMemory& to, std::size_t to_offset, const SessionMemory& from,
              std::size_t from_offset, std::size_t bytes) override {
        const cudaStream_t stream = use(queue);
        std::uint8_t* target = cuda(to).address() + to_offset;
        const std::uint8_t* source = cuda(from).address() + from_offset;
        const int target_device = cuda(to).device();
        const int source_device = cuda(from).device();
        if (source_device != kHost && target_device != kHost && source_device != target_device) {
            WS_CUDA(cudaMemcpyPeerAsync(target, target_device, source, source_device, bytes, stream));
            return;
        }
        const cudaMemcpyKind kind = target_device == kHost && source_device == kHost ? cudaMemcpyHostToHost
                                    : source_device == kHost                         ? cudaMemcpyHostToDevice
                                    : target_device == kHost                         ? cudaMemcpyDeviceToHost
                                                             : cudaMemcpyDeviceToDevice;
        WS_CUDA(cudaMemcpyAsync(target, source, bytes, kind, stream));
    }
    void fill(SessionQueue& queue, SessionMemory& memory, std::uint8_t value) override {
        const cudaStream_t stream = use(queue);
        WS_CUDA(cudaMemsetAsync(cuda(memory).address(), value, memory.size(), stream));
    }
    void prefetch(SessionQueue& queue, SessionMemory& memory, int to, std::size_t bytes) override {
        const cudaStream_t stream = use(queue);
        WS_CUDA(send_ahead(cuda(memory).address(), bytes, to == kHost ? kHost : number(to), stream));
    }

    void launch(SessionQueue& queue, const KernelCall& call) override {
        const cudaStream_t stream = use(queue);
        const CUfunction function = function_of(call, std::size_t(queue.device()));
        std::vector<std::uint64_t> values;
        std::vector<void*> pointers;
        values.reserve(call.arguments.size());  // they stay where they are
        for (const CallArgument& argument : call.arguments) {
            values.push_back(argument.memory ? reinterpret_cast<std::uint64_t>(
                                                   cuda(*argument.memory).address() + argument.offset)
                                             : argument.bits);
            pointers.push_back(&values.back());
        }
        constexpr std::size_t kWithoutAsking = 48 << 10;
        if (call.shared_bytes > kWithoutAsking)
            check_launch(driver_.func_set_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                    int(call.shared_bytes)),
                         call);
        check_launch(driver_.launch_kernel(function, call.blocks, 1, 1, call.threads, 1, 1,
                                           unsigned(call.shared_bytes), reinterpret_cast<CUstream>(stream),
                                           pointers.data(), nullptr),
                     call);
    }

    void record(SessionQueue& queue, SessionMark& mark) override {
        static_cast<CudaMark&>(mark).record(use(queue));
    }
    void wait(SessionQueue& queue, const SessionMark& mark) override {
        const cudaStream_t stream = use(queue);
        WS_CUDA(cudaStreamWaitEvent(stream, static_cast<const CudaMark&>(mark).get(), 0));
    }
    // Relaxed: what a thread does meanwhile that records nothing, this one's first launch of a kernel too,
    // goes on as ever.
    [[nodiscard]] GraphPtr recorded(SessionQueue& queue, const std::function<void()>& issue) override {
        const cudaStream_t stream = use(queue);
        WS_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
        try {
            issue();
        } catch (...) {
            end_recording(stream);
            throw;
        }
        const CudaOwner<GraphKind> graph(use(queue));
        return std::make_unique<CudaGraph>(graph.get());
    }
    void launch(SessionQueue& queue, SessionGraph& graph) override {
        const cudaStream_t stream = use(queue);
        WS_CUDA(cudaGraphLaunch(static_cast<CudaGraph&>(graph).get(), stream));
    }
    void finish(SessionQueue& queue) override {
        const cudaStream_t stream = use(queue);
        WS_CUDA(cudaStreamSynchronize(stream));
    }
    [[nodiscard]] double ms_between(const SessionMark& begin, const SessionMark& end) override {
        float ms = 0;
        WS_CUDA(cudaEventElapsedTime(&ms, static_cast<const CudaMark&>(begin).get(),
                                     static_cast<const CudaMark&>(end).get()));
        return double(ms);
    }

    [[nodiscard]] Link peer_link(int device, int peer) override {
        int can = 0;
        WS_CUDA(cudaDeviceCanAccessPeer(&can, number(device), number(peer)));
        if (can == 0) return {};
        const Link& nvlink = nvlinks_[std::size_t(device)];
        if (nvlink.gb_s > 0) return nvlink;
        const Link& host = facts_.devices[std::size_t(device)].link;
        return host.name.empty() ? Link{"a link that is not known", 0} : host;
    }
    void allow_peers(int device, int peer, bool allow) override {
        if (allow && peer_link(device, peer).name.empty())
            throw Error(fmt::format("GPU {} and GPU {} do not reach each other's memory", number(device),
                                    number(peer)),
                        "", "copies between them go through the host");
        allow_one_way(number(device), number(peer), allow);
        allow_one_way(number(peer), number(device), allow);
    }

  private:
    static std::string bus_of(int number) {
        char bus[32] = "";
        WS_CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, number));
        return bus;
    }
    static SessionDevice facts_of(int number) {
        SessionDevice device;
        const DeviceFacts facts = read_cuda_facts(number);
        device.gpu = facts.profile;
        device.place = facts.place;
        const auto attribute = [&](cudaDeviceAttr which) {
            int value = 0;
            if (cudaDeviceGetAttribute(&value, which, number) != cudaSuccess) cudaGetLastError();
            return value;
        };
        device.copy_engines = attribute(cudaDevAttrAsyncEngineCount);
        if (attribute(cudaDevAttrConcurrentKernels) != 0)
            device.kernels = concurrent_kernels(device.gpu.limits.capability);
        device.graphs = true;
        device.maps_host = attribute(cudaDevAttrCanMapHostMemory) != 0;
        device.prefetches =
            attribute(cudaDevAttrManagedMemory) != 0 && attribute(cudaDevAttrConcurrentManagedAccess) != 0;
        device.link = read_host_link(bus_of(number));
        return device;
    }

    [[nodiscard]] int number(int device) const { return numbers_.at(std::size_t(device)); }
    // A thread may command several GPUs: each command makes its own current.
    [[nodiscard]] static cudaStream_t use(SessionQueue& queue) {
        make_current(cuda(queue).number());
        return cuda(queue).stream();
    }

    // What was recorded is thrown away; a stream whose record is broken says so, and is a stream again.
    static void end_recording(cudaStream_t stream) noexcept {
        cudaGraph_t graph = nullptr;
        (void)cudaStreamEndCapture(stream, &graph);
        cudaGetLastError();
        if (graph) report_cuda(cudaGraphDestroy(graph), "cudaGraphDestroy");
    }

    // What is as it is to be is no failure.
    static void allow_one_way(int from, int to, bool allow) {
        make_current(from);
        const cudaError_t status =
            allow ? cudaDeviceEnablePeerAccess(to, 0) : cudaDeviceDisablePeerAccess(to);
        cudaGetLastError();
        if (status == cudaErrorPeerAccessAlreadyEnabled || status == cudaErrorPeerAccessNotEnabled) return;
        WS_CUDA(status);
    }

    // Threads of several GPUs share what is compiled; what is loaded is each GPU's own.
    [[nodiscard]] std::shared_ptr<const CompiledKernel> kernel_of(const KernelCall& call,
                                                                  std::size_t device) {
        const std::pair<std::string, std::size_t> key{
            std::string(call.kernel) + " " + std::string(call.entry), device};
        const std::lock_guard lock(kernels_mutex_);
        auto found = kernels_.find(key);
        if (found == kernels_.end())
            found = kernels_
                        .emplace(key, make_kernel_(call.kernel, call.entry,
                                                   facts_.devices[device].gpu.limits.capability))
                        .first;
        return found->second;
    }
    [[nodiscard]] CUfunction function_of(const KernelCall& call, std::size_t device) {
        const ModuleCache::Loaded loaded = modules_[device]->load(kernel_of(call, device));
        if (!loaded.missing.empty()) throw Error(loaded.missing, "kernel " + std::string(call.kernel));
        check_launch(loaded.status, call);
        return loaded.function;
    }
    void check_launch(CUresult status, const KernelCall& call) const {
        if (status == CUDA_SUCCESS) return;
        throw Error(driver_.name_of(status) + " (" + driver_.text_of(status) + ")",
                    "kernel " + std::string(call.kernel));
    }

    std::vector<int> numbers_;  // CUDA's, by place in the session
    const Driver& driver_;
    KernelMaker make_kernel_;
    SessionFacts facts_;
    std::vector<Link> nvlinks_;                          // by device
    std::vector<std::unique_ptr<ModuleCache>> modules_;  // by device
    std::mutex kernels_mutex_;
    std::map<std::pair<std::string, std::size_t>, std::shared_ptr<const CompiledKernel>> kernels_;
    Clock::time_point start_ = Clock::now();
};

}  // namespace

Result<std::unique_ptr<DeviceSession>> open_cuda_session(int first, KernelMaker make_kernel) {
    using Opened = Result<std::unique_ptr<DeviceSession>>;
    const Result<std::vector<DeviceFacts>> devices = cuda_devices();
    if (!devices.ok()) return Opened::failure(devices.message());
    const int count = int(devices.value().size());
    if (first < 0 || first >= count) return Opened::failure(no_such_gpu(first, count).what());
    std::vector<int> numbers{first};
    for (int i = 0; i < count; ++i) {
        if (i != first) numbers.push_back(i);
    }
    try {
        return std::unique_ptr<DeviceSession>(
            std::make_unique<CudaSession>(std::move(numbers), *Driver::get(), std::move(make_kernel)));
    } catch (const Error& error) {
        return Opened::failure(error.what());
    }
}

}  // namespace ws
