#pragma once
// A session of the tests that runs another one's commands late and in an order of its own, as far as marks
// allow: where a wait is missing, something is used before it is there. Its threads are slow, one slower than
// the other: where one does not wait for the other, a wait for a mark that is not recorded yet is refused.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "gpu/core/background.h"
#include "gpu/core/device_session.h"
#include "gpu/core/error.h"

namespace ws::testing {

class DeferredSession final : public DeviceSession {
  public:
    // `seed` decides which queue goes on; 0: the one that is waited for, as long as it can.
    DeferredSession(DeviceSession& inner, unsigned seed) : inner_(inner), seed_(seed), random_(seed) {}
    bool ignores_waits = false;      // a program without them
    std::optional<int> lost_device;  // takes no kernel

    [[nodiscard]] const SessionFacts& facts() const override { return inner_.facts(); }
    [[nodiscard]] double host_ms() override { return inner_.host_ms(); }
    [[nodiscard]] MemoryPtr host_memory(HostMemory kind, std::size_t bytes) override {
        return inner_.host_memory(kind, bytes);
    }
    [[nodiscard]] MemoryPtr device_memory(int device, std::size_t bytes) override {
        return inner_.device_memory(device, bytes);
    }
    [[nodiscard]] QueuePtr queue(int device) override {
        return std::make_unique<Queue>(*this, inner_.queue(device));
    }
    [[nodiscard]] MarkPtr mark() override { return std::make_unique<Mark>(inner_.mark()); }

    void on_threads(int threads, const std::function<void(int)>& work) override {
        ++round_;
        threads_ = threads;
        run_side_by_side(threads, work);
        threads_ = 1;
    }

    void copy(SessionQueue& queue, SessionMemory& to, std::size_t to_offset, const SessionMemory& from,
              std::size_t from_offset, std::size_t bytes) override {
        add(queue, [this, &queue, &to, to_offset, &from, from_offset, bytes] {
            inner_.copy(*of(queue).inner, to, to_offset, from, from_offset, bytes);
        });
    }
    void fill(SessionQueue& queue, SessionMemory& memory, std::uint8_t value) override {
        add(queue, [this, &queue, &memory, value] { inner_.fill(*of(queue).inner, memory, value); });
    }
    void prefetch(SessionQueue& queue, SessionMemory& memory, int to, std::size_t bytes) override {
        add(queue,
            [this, &queue, &memory, to, bytes] { inner_.prefetch(*of(queue).inner, memory, to, bytes); });
    }
    void launch(SessionQueue& queue, const KernelCall& call) override {
        if (queue.device() == lost_device) throw Error("the GPU is lost");
        add(queue, [this, &queue, call] { inner_.launch(*of(queue).inner, call); });
    }
    void record(SessionQueue& queue, SessionMark& mark) override {
        Mark& one = of(mark);
        dawdle(queue);
        const int number = ++one.issued;
        one.round = round_;
        add(queue, [this, &queue, &one, number] {
            inner_.record(*of(queue).inner, *one.inner);
            one.passed = number;
        });
    }
    void wait(SessionQueue& queue, const SessionMark& mark) override {
        const Mark& one = static_cast<const Mark&>(mark);
        if (one.issued == 0 || one.round != round_)
            throw Error("a queue waits for a mark that no queue has recorded");
        if (!ignores_waits) of(queue).commands.push_back({[] {}, &one, one.issued});
    }
    [[nodiscard]] GraphPtr recorded(SessionQueue&, const std::function<void()>&) override {
        throw Error("no graphs");
    }
    void launch(SessionQueue&, SessionGraph&) override { throw Error("no graphs"); }
    // Others go on no further than they happen to.
    void finish(SessionQueue& queue) override {
        Queue& waited = of(queue);
        while (!waited.commands.empty()) run_one(waited);
        inner_.finish(*waited.inner);
    }
    [[nodiscard]] double ms_between(const SessionMark& begin, const SessionMark& end) override {
        return inner_.ms_between(*static_cast<const Mark&>(begin).inner,
                                 *static_cast<const Mark&>(end).inner);
    }
    [[nodiscard]] Link peer_link(int device, int peer) override { return inner_.peer_link(device, peer); }
    void allow_peers(int device, int peer, bool allow) override { inner_.allow_peers(device, peer, allow); }

  private:
    struct Mark final : SessionMark {
        explicit Mark(MarkPtr of) : inner(std::move(of)) {}
        MarkPtr inner;
        int issued = 0, passed = 0;
        int round = 0;  // of threads, that has recorded it
    };
    struct Command {
        std::function<void()> run;
        const Mark* waits_for = nullptr;
        int number = 0;  // of its records
        [[nodiscard]] bool ready() const { return !waits_for || waits_for->passed >= number; }
    };
    struct Queue final : SessionQueue {
        Queue(DeferredSession& session, QueuePtr of) : owner(session), inner(std::move(of)) {
            owner.queues_.push_back(this);
        }
        ~Queue() override {
            while (!commands.empty()) owner.run_one(*this);
            std::erase(owner.queues_, this);
        }
        Queue(const Queue&) = delete;
        Queue& operator=(const Queue&) = delete;
        [[nodiscard]] int device() const override { return inner->device(); }
        [[nodiscard]] bool ready() const { return !commands.empty() && commands.front().ready(); }
        DeferredSession& owner;
        QueuePtr inner;
        std::deque<Command> commands;
    };
    static Queue& of(SessionQueue& queue) { return static_cast<Queue&>(queue); }
    static Mark& of(SessionMark& mark) { return static_cast<Mark&>(mark); }

    void add(SessionQueue& queue, std::function<void()> run) {
        of(queue).commands.push_back({std::move(run)});
    }
    // The thread of a GPU: which one is slow, the seed decides.
    void dawdle(const SessionQueue& queue) const {
        if (threads_ == 1) return;
        const auto place = (unsigned(queue.device()) + seed_) % unsigned(threads_);
        std::this_thread::sleep_for(std::chrono::microseconds(50 * place));
    }
    void run_one(Queue& waited) {
        std::vector<Queue*> ready;
        for (Queue* queue : queues_) {
            if (queue->ready()) ready.push_back(queue);
        }
        if (ready.empty()) throw Error("queues wait for each other");
        Queue* next = seed_ == 0 && waited.ready()
                          ? &waited
                          : ready[std::uniform_int_distribution<std::size_t>(0, ready.size() - 1)(random_)];
        const Command command = std::move(next->commands.front());
        next->commands.pop_front();
        command.run();
    }

    DeviceSession& inner_;
    unsigned seed_;
    std::mt19937 random_;
    std::vector<Queue*> queues_;
    int round_ = 0;
    int threads_ = 1;
};

}  // namespace ws::testing
