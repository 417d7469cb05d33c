#pragma once
// A session of the tests: a modelled GPU's times, but bytes are moved, and faults are put in.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "gpu/core/device_session.h"
#include "gpu/core/error.h"

namespace ws {

struct Faults {
    std::size_t most_pinned = ~std::size_t(0);  // bytes of pinned memory that there are
    bool no_peers = false;
    bool no_graphs = false;
    std::size_t lost_byte = ~std::size_t(0);  // of every copy, from its start
    int commands_until_stop = -1;             // then `stop` is requested
    std::stop_source stop;
};

class HeldMemory final : public SessionMemory {
  public:
    HeldMemory(MemoryPtr modelled, bool of_host, int& living)
        : modelled_(std::move(modelled)), bytes(modelled_->size(), 0x11), of_host_(of_host), living_(living) {
        ++living_;
    }
    ~HeldMemory() override { --living_; }
    HeldMemory(const HeldMemory&) = delete;
    HeldMemory& operator=(const HeldMemory&) = delete;
    [[nodiscard]] std::size_t size() const override { return bytes.size(); }
    [[nodiscard]] std::uint8_t* data() const override { return of_host_ ? held() : nullptr; }
    [[nodiscard]] std::uint8_t* held() const { return const_cast<std::uint8_t*>(bytes.data()); }
    [[nodiscard]] SessionMemory& modelled() const { return *modelled_; }

  private:
    MemoryPtr modelled_;

  public:
    std::vector<std::uint8_t> bytes;

  private:
    bool of_host_;
    int& living_;
};

inline HeldMemory& held(SessionMemory& memory) {
    return static_cast<HeldMemory&>(memory);
}
inline const HeldMemory& held(const SessionMemory& memory) {
    return static_cast<const HeldMemory&>(memory);
}

class HeldGraph final : public SessionGraph {
  public:
    std::function<void()> issue;
};

class ByteSession final : public DeviceSession {
  public:
    ByteSession(std::unique_ptr<DeviceSession> model, Faults& faults)
        : model_(std::move(model)), faults_(faults), facts_(model_->facts()) {
        facts_.kind = Kind::measured;
        facts_.moves_bytes = true;
    }
    ~ByteSession() override { EXPECT_EQ(living_, 0) << "memory outlives its session"; }
    [[nodiscard]] const SessionFacts& facts() const override { return facts_; }
    [[nodiscard]] double host_ms() override { return model_->host_ms(); }
    [[nodiscard]] MemoryPtr host_memory(HostMemory kind, std::size_t bytes) override {
        if (kind == HostMemory::pinned && bytes > faults_.most_pinned)
            throw Error("cudaErrorMemoryAllocation (out of memory)", "pinned memory", "choose fewer bytes");
        return std::make_unique<HeldMemory>(model_->host_memory(kind, bytes), true, living_);
    }
    [[nodiscard]] MemoryPtr device_memory(int device, std::size_t bytes) override {
        return std::make_unique<HeldMemory>(model_->device_memory(device, bytes), false, living_);
    }
    [[nodiscard]] QueuePtr queue(int device) override { return model_->queue(device); }
    [[nodiscard]] MarkPtr mark() override { return model_->mark(); }
    void copy(SessionQueue& queue, SessionMemory& to, std::size_t to_offset, const SessionMemory& from,
              std::size_t from_offset, std::size_t bytes) override {
        count_command();
        ASSERT_LE(to_offset + bytes, to.size());
        ASSERT_LE(from_offset + bytes, from.size());
        move(held(to).held() + to_offset, held(from).held() + from_offset, bytes);
        model_->copy(queue, held(to).modelled(), to_offset, held(from).modelled(), from_offset, bytes);
    }
    void fill(SessionQueue& queue, SessionMemory& memory, std::uint8_t value) override {
        std::memset(held(memory).held(), value, memory.size());
        model_->fill(queue, held(memory).modelled(), value);
    }
    void prefetch(SessionQueue& queue, SessionMemory& memory, int to, std::size_t bytes) override {
        count_command();
        model_->prefetch(queue, held(memory).modelled(), to, bytes);
    }
    // The kernels that there are: bytes from the first to the second memory, and rounds on words.
    void launch(SessionQueue& queue, const KernelCall& call) override {
        count_command();
        ASSERT_EQ(call.arguments.size(), 3u);
        const auto& from = held(*call.arguments[0].memory);
        if (call.kernel == "piecework") {
            work(from.held() + call.arguments[0].offset, call.arguments[1].bits, call.arguments[2].bits);
        } else {
            ASSERT_EQ(call.kernel, "carry");
            const auto& to = held(*call.arguments[1].memory);
            move(to.held(), from.held(), std::size_t(call.arguments[2].bits));
        }
        KernelCall modelled = call;
        modelled.arguments.clear();
        model_->launch(queue, modelled);
    }
    void record(SessionQueue& queue, SessionMark& mark) override { model_->record(queue, mark); }
    void wait(SessionQueue& queue, const SessionMark& mark) override { model_->wait(queue, mark); }
    [[nodiscard]] GraphPtr recorded(SessionQueue& /*queue*/, const std::function<void()>& issue) override {
        if (faults_.no_graphs) throw Error("the GPU is older than graphs", "", "choose another mode");
        auto graph = std::make_unique<HeldGraph>();
        graph->issue = issue;
        return graph;
    }
    void launch(SessionQueue& /*queue*/, SessionGraph& graph) override {
        static_cast<HeldGraph&>(graph).issue();
    }
    void finish(SessionQueue& queue) override { model_->finish(queue); }
    [[nodiscard]] double ms_between(const SessionMark& begin, const SessionMark& end) override {
        return model_->ms_between(begin, end);
    }
    [[nodiscard]] Link peer_link(int device, int peer) override {
        return faults_.no_peers ? Link{} : model_->peer_link(device, peer);
    }
    void allow_peers(int device, int peer, bool allow) override {
        if (allow && faults_.no_peers)
            throw Error("GPU 0 and GPU 1 do not reach each other's memory", "",
                        "copies between them go through the host");
        model_->allow_peers(device, peer, allow);
    }

  private:
    // As the kernel's comment says it. What becomes of 0 and 1 says what becomes of any word.
    static void work(std::uint8_t* bytes, std::uint64_t count, std::uint64_t rounds) {
        std::uint32_t of_0 = 0;
        std::uint32_t of_1 = 1;
        for (std::uint64_t round = 0; round < rounds; ++round) {
            of_0 = of_0 * 1664525u + 1013904223u;
            of_1 = of_1 * 1664525u + 1013904223u;
        }
        for (std::uint64_t i = 0; i < count; ++i) {
            std::uint32_t word = 0;
            std::memcpy(&word, bytes + 4 * i, 4);
            word = word * (of_1 - of_0) + of_0;
            std::memcpy(bytes + 4 * i, &word, 4);
        }
    }
    // By memcpy, which a sanitizer does not take byte for byte.
    void move(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) const {
        if (to == from) return;
        const std::size_t lost = faults_.lost_byte;
        if (lost >= bytes) {
            std::memcpy(to, from, bytes);
            return;
        }
        std::memcpy(to, from, lost);
        std::memcpy(to + lost + 1, from + lost + 1, bytes - lost - 1);
    }
    void count_command() {
        if (faults_.commands_until_stop > 0 && --faults_.commands_until_stop == 0)
            faults_.stop.request_stop();
    }

    std::unique_ptr<DeviceSession> model_;
    Faults& faults_;
    SessionFacts facts_;
    int living_ = 0;
};

}  // namespace ws
