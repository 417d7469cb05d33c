#include "gpu/labs/several_gpus/strip_pipeline.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gpu/core/thread_pool.h"
#include "gpu/labs/filters/native.h"

namespace ws::several_gpus {
namespace {

constexpr std::size_t kSourceBytes = 4;  // of a pixel
constexpr std::uint8_t kPoison = 0xA5;
constexpr unsigned kThreads = 256;
constexpr std::size_t kMostBlocks = 65535;  // of GPUs before 3.0; a thread takes what is left over

// What a model takes a pixel to cost a lane. Simple kernels of these stages took an H200 32, 137 and 44
// microseconds for 10 Mpixel (docs/labs.md): so many steps of 128 lanes on 132 multiprocessors at 1980 MHz.
constexpr double kGraySteps = 108;
constexpr double kBlurSteps = 458;
constexpr double kEdgeSteps = 148;

enum Place : int { kIn, kKernel, kOut, kHalo };  // in the timeline's parts

unsigned blocks_for(std::size_t pixels) {
    return unsigned(std::clamp<std::size_t>((pixels + kThreads - 1) / kThreads, 1, kMostBlocks));
}

// Another thread has failed, and tells why.
struct Abandoned {};

CallArgument number(int value) {
    return {nullptr, 0, std::uint64_t(std::int64_t(value))};
}

}  // namespace

std::shared_ptr<const TestPicture> make_test_picture(Extent size) {
    auto made = std::make_shared<TestPicture>();
    made->source = RgbaImage(size);
    for (std::size_t i = 0; i < size.pixels(); ++i) {
        std::uint32_t word = std::uint32_t(i + 1) * 0x9E3779B9u;
        word ^= word >> 15;
        std::memcpy(made->source.bytes.data() + i * kSourceBytes, &word, kSourceBytes);
    }
    made->defined = GrayImage(size);
    ThreadPool pool;
    filters::native::one_pass(pool, size, made->source.bytes.data(), {.blur = true, .edge = true},
                              made->defined.bytes.data());
    return made;
}

StripPipeline::StripPipeline(DeviceSession& session, const StripWork& work)
    : session_(session),
      work_(work),
      source_(session.host_memory(HostMemory::pinned, work.size.pixels() * kSourceBytes)),
      target_(session.host_memory(HostMemory::pinned, work.size.pixels())),
      end_(session.mark()) {
    const int devices = int(session.facts().devices.size());
    for (const Strip& strip : strips_of(work.size.height, std::min(work.gpus, devices))) {
        const int gpu = int(parts_.size());
        parts_.push_back(make_part(strip, gpu));
        queues_.push_back(session.queue(gpu));
        for (HandedMark& one : signals_.emplace_back()) one.mark = session.mark();
    }
    if (!source_->data() || !work.picture) return;
    std::memcpy(source_->data(), work.picture->source.bytes.data(), source_->size());
    for (int gpu = 0; gpu < strips(); ++gpu) {
        const Stored& stored = part(gpu).source;
        session.copy(queue(gpu), *stored.memory, 0, *source_,
                     std::size_t(stored.first) * row_bytes() * kSourceBytes, stored.memory->size());
        session.finish(queue(gpu));
    }
}

StripPipeline::Part StripPipeline::make_part(const Strip& strip, int gpu) const {
    const Strip whole = widened(strip, kWholeHalo, work_.size.height);
    const Strip edges = widened(strip, kEdgeHalo, work_.size.height);
    const auto rows = [&](int count, std::size_t bytes = 1) {
        return session_.device_memory(gpu, std::size_t(count) * row_bytes() * bytes);
    };
    return {strip,
            {rows(whole.rows, kSourceBytes), whole.first},
            {rows(whole.rows), whole.first},
            {rows(edges.rows), edges.first},
            {rows(strip.rows), strip.first},
            {rows(kBlurHalo), rows(kBlurHalo)},
            {rows(kEdgeHalo), rows(kEdgeHalo)}};
}

void StripPipeline::prepare(Halos halos) {
    if (halos == Halos::twice) return;
    for (int gpu = 0; gpu + 1 < strips(); ++gpu) session_.allow_peers(gpu, gpu + 1, halos != Halos::host);
}

// ---- marks that other GPUs wait for

void StripPipeline::raise(int gpu, Signal signal) {
    HandedMark& one = handed(gpu, signal);
    session_.record(queue(gpu), *one.mark);
    one.recorded.give();
}

const SessionMark& StripPipeline::there(int gpu, Signal signal) {
    const HandedMark& one = handed(gpu, signal);
    if (!one.recorded.taken()) throw Abandoned();
    return *one.mark;
}

void StripPipeline::wait(int gpu, int other, Signal signal) {
    session_.wait(queue(gpu), there(other, signal));
}

// ---- the commands

void StripPipeline::command(AllBars* bars, int gpu, int part, const char* name,
                            const std::function<void()>& issue) {
    if (!bars) return issue();
    Bar bar{part, name, session_.mark(), session_.mark()};
    session_.record(queue(gpu), *bar.begin);
    issue();
    session_.record(queue(gpu), *bar.end);
    (*bars)[std::size_t(gpu)].bars.push_back(std::move(bar));
}

// All GPUs begin behind the first one, and the clock runs once all of the host's threads are there. That they
// have each recorded a mark counts for no queue, but a thread's first command takes longer than others.
void StripPipeline::fork(int gpu, AllBars* bars) {
    if (gpu == 0) {
        for (int other = 1; other < strips(); ++other) (void)there(other, kReady);
        begun_ms_ = session_.host_ms();
        raise(gpu, kBegun);
    } else {
        wait(gpu, 0, kBegun);
    }
    if (!bars) return;
    MarkPtr& start = (*bars)[std::size_t(gpu)].start;
    start = session_.mark();
    session_.record(queue(gpu), *start);
}

// The first one ends behind all of them.
void StripPipeline::join(int gpu) {
    if (gpu > 0) return;
    for (int other = 1; other < strips(); ++other) wait(gpu, other, kDone);
    session_.record(queue(gpu), *end_);
    issued_ms_ = session_.host_ms();
}

void StripPipeline::load(Halos halos, int gpu, AllBars* bars) {
    const Stored& stored = part(gpu).source;
    const Strip rows =
        halos == Halos::twice ? widened(part(gpu).strip, kWholeHalo, work_.size.height) : part(gpu).strip;
    const std::size_t row = row_bytes() * kSourceBytes;
    command(bars, gpu, kIn, "", [&] {
        session_.copy(queue(gpu), *stored.memory, std::size_t(rows.first - stored.first) * row, *source_,
                      std::size_t(rows.first) * row, std::size_t(rows.rows) * row);
    });
}

void StripPipeline::gray(Halos halos, int gpu, AllBars* bars) {
    const Part& one = part(gpu);
    const Strip rows = halos == Halos::twice ? widened(one.strip, kWholeHalo, work_.size.height) : one.strip;
    const std::size_t pixels = std::size_t(rows.rows) * row_bytes();
    const std::size_t offset = std::size_t(rows.first - one.gray.first) * row_bytes();
    KernelCall call{"strips", "strip_gray", blocks_for(pixels), kThreads, {}};
    call.arguments = {{one.source.memory.get(), offset * kSourceBytes},
                      {one.gray.memory.get(), offset},
                      {nullptr, 0, pixels}};
    call.device_bytes = double(pixels) * (kSourceBytes + 1);
    call.lane_steps = double(pixels) * kGraySteps;
    command(bars, gpu, kKernel, "1", [&] { session_.launch(queue(gpu), call); });
}

void StripPipeline::send_halos(bool blur, int gpu, AllBars* bars) {
    const int halo = blur ? kBlurHalo : kEdgeHalo;
    const std::size_t bytes = std::size_t(halo) * row_bytes();
    const Strip& strip = part(gpu).strip;
    const Stored& from = blur ? part(gpu).gray : part(gpu).blurred;
    const auto offset = [&](int row) { return std::size_t(row - from.first) * row_bytes(); };
    const auto rows_at = [&](int of) -> HaloRows& { return blur ? part(of).of_gray : part(of).of_blurred; };
    command(bars, gpu, kHalo, "", [&] {
        if (gpu > 0)
            session_.copy(queue(gpu), *rows_at(gpu - 1).below, 0, *from.memory, offset(strip.first), bytes);
        if (gpu + 1 < strips())
            session_.copy(queue(gpu), *rows_at(gpu + 1).above, 0, *from.memory, offset(strip.end() - halo),
                          bytes);
    });
}

void StripPipeline::offer_halos(Halos halos, bool blur, int gpu, AllBars* bars) {
    if (strips() == 1 || halos == Halos::twice) return;
    if (halos != Halos::peer_access) send_halos(blur, gpu, bars);
    raise(gpu, blur ? kGrayThere : kBlurThere);
}

KernelCall StripPipeline::filter_call(Halos halos, bool blur, int gpu) {
    const int height = work_.size.height;
    const int halo = blur ? kBlurHalo : kEdgeHalo;
    const bool twice = halos == Halos::twice;
    const auto from_of = [&](int of) -> const Stored& { return blur ? part(of).gray : part(of).blurred; };
    const Part& one = part(gpu);
    const Strip in = twice ? widened(one.strip, blur ? kWholeHalo : kEdgeHalo, height) : one.strip;
    const Strip out = twice && blur ? widened(one.strip, kEdgeHalo, height) : one.strip;
    const Stored& to = blur ? one.blurred : one.result;
    const HaloRows& rows = blur ? one.of_gray : one.of_blurred;
    const auto stored = [&](const Stored& where, int row) {
        return CallArgument{where.memory.get(), std::size_t(row - where.first) * row_bytes()};
    };
    const bool reads_peers = halos == Halos::peer_access;
    const CallArgument above = reads_peers && gpu > 0
                                   ? stored(from_of(gpu - 1), part(gpu - 1).strip.end() - halo)
                                   : CallArgument{rows.above.get()};
    const CallArgument below = reads_peers && gpu + 1 < strips()
                                   ? stored(from_of(gpu + 1), part(gpu + 1).strip.first)
                                   : CallArgument{rows.below.get()};
    const std::size_t pixels = std::size_t(out.rows) * row_bytes();
    KernelCall call{"strips", blur ? "strip_blur" : "strip_edge", blocks_for(pixels), kThreads, {}};
    call.arguments = {stored(from_of(gpu), in.first),
                      above,
                      below,
                      stored(to, out.first),
                      number(work_.size.width),
                      number(height),
                      number(in.first),
                      number(in.rows),
                      number(out.first),
                      number(out.rows)};
    const int neighbours = (gpu > 0 ? 1 : 0) + (gpu + 1 < strips() ? 1 : 0);
    if (reads_peers) call.peer_bytes = double(neighbours) * halo * double(row_bytes());
    call.device_bytes = double(in.rows + out.rows) * double(row_bytes());
    call.lane_steps = double(pixels) * (blur ? kBlurSteps : kEdgeSteps);
    return call;
}

void StripPipeline::filter(Halos halos, bool blur, int gpu, AllBars* bars) {
    if (halos != Halos::twice) {
        const Signal signal = blur ? kGrayThere : kBlurThere;
        if (gpu > 0) wait(gpu, gpu - 1, signal);
        if (gpu + 1 < strips()) wait(gpu, gpu + 1, signal);
    }
    const KernelCall call = filter_call(halos, blur, gpu);
    command(bars, gpu, kKernel, blur ? "2" : "3", [&] { session_.launch(queue(gpu), call); });
}

void StripPipeline::store(int gpu, AllBars* bars) {
    const Stored& result = part(gpu).result;
    command(bars, gpu, kOut, "", [&] {
        session_.copy(queue(gpu), *target_, std::size_t(result.first) * row_bytes(), *result.memory, 0,
                      result.memory->size());
    });
}

// A step waits for marks of the steps before it alone: one thread may take all GPUs through each of them.
std::vector<StripPipeline::Step> StripPipeline::steps(Halos halos, AllBars* bars) {
    std::vector<Step> all{[this](int gpu) { raise(gpu, kReady); },
                          [this, bars](int gpu) { fork(gpu, bars); }};
    if (work_.from_host) all.emplace_back([this, halos, bars](int gpu) { load(halos, gpu, bars); });
    all.emplace_back([this, halos, bars](int gpu) { gray(halos, gpu, bars); });
    for (const bool blur : {true, false}) {
        all.emplace_back([this, halos, blur, bars](int gpu) { offer_halos(halos, blur, gpu, bars); });
        all.emplace_back([this, halos, blur, bars](int gpu) { filter(halos, blur, gpu, bars); });
    }
    if (work_.from_host) all.emplace_back([this, bars](int gpu) { store(gpu, bars); });
    all.emplace_back([this](int gpu) { raise(gpu, kDone); });
    all.emplace_back([this](int gpu) { join(gpu); });
    return all;
}

// ---- times, checks, bars

StripTime StripPipeline::run(const Way& way, AllBars* bars) {
    for (Signals& signals : signals_) {
        for (HandedMark& one : signals) one.recorded.reset();
    }
    const std::vector<Step> all = steps(way.halos, bars);
    const int threads = std::clamp(way.threads, 1, strips());
    session_.on_threads(threads, [&](int thread) {
        try {
            for (const Step& step : all) {
                for (int gpu = thread; gpu < strips(); gpu += threads) step(gpu);
            }
        } catch (const Abandoned&) {
            return;
        } catch (...) {
            for (Signals& signals : signals_) {
                for (HandedMark& one : signals) one.recorded.abandon();
            }
            throw;
        }
    });
    session_.finish(queue(0));
    return {session_.ms_between(*handed(0, kBegun).mark, *end_), issued_ms_ - begun_ms_};
}

void StripPipeline::poison() {
    for (int gpu = 0; gpu < strips(); ++gpu) {
        const Part& one = part(gpu);
        std::vector<SessionMemory*> written{one.gray.memory.get(),     one.blurred.memory.get(),
                                            one.result.memory.get(),   one.of_gray.above.get(),
                                            one.of_gray.below.get(),   one.of_blurred.above.get(),
                                            one.of_blurred.below.get()};
        if (work_.from_host) written.push_back(one.source.memory.get());
        for (SessionMemory* memory : written) session_.fill(queue(gpu), *memory, kPoison);
        session_.finish(queue(gpu));
    }
    std::memset(target_->data(), kPoison, target_->size());
}

bool StripPipeline::right(const Way& way) {
    poison();
    (void)sample(way);
    if (!work_.from_host) {
        for (int gpu = 0; gpu < strips(); ++gpu) {
            store(gpu, nullptr);
            session_.finish(queue(gpu));
        }
    }
    return std::memcmp(target_->data(), work_.picture->defined.bytes.data(), target_->size()) == 0;
}

void StripPipeline::add_bars(const Way& way, Timeline& timeline) {
    AllBars all(parts_.size());
    (void)run(way, &all);
    timeline.parts = {message("copy in"), message("kernel"), message("copy out"), message("halo")};
    for (int gpu = 0; gpu < strips(); ++gpu) {
        const Bars& bars = all[std::size_t(gpu)];
        for (const Bar& bar : bars.bars)
            timeline.bars.push_back({gpu, session_.ms_between(*bars.start, *bar.begin),
                                     session_.ms_between(*bars.start, *bar.end), bar.name, bar.part});
    }
}

}  // namespace ws::several_gpus
