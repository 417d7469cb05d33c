#pragma once
// A session with GPUs that are not there: a clock of the host, queues, copy engines and links, which give
// each command its time. Its times are estimates, and it moves no bytes.
//
// A command begins when a thread of the host has issued it, which takes each thread the same time, its queue
// has come to it and its engine is free. A copy takes a setup time and its bytes over what the link leaves
// for data; pageable memory goes through pinned pieces, each of which the host fills itself before the engine
// copies it. Kernels of different queues run at the same time from compute capability 2.0 on; each takes a
// start and the longest of its ways. One that computes takes a multiprocessor for each of its blocks, as long
// as there are any, and begins when so many are free; kernels begin in the order in which they are issued.
// Before 3.5 (Hyper-Q) there is one hardware queue for all kernels: of those that are issued back to back,
// what follows learns of the end when the last one has ended. The constants are in model_session.cpp.

#include <memory>

#include "gpu/core/device_session.h"

namespace ws {

// `devices` GPUs of one kind, each with the links and the copy engines of the table; throws Error for a GPU
// that it does not have.
[[nodiscard]] std::unique_ptr<DeviceSession> make_model_session(const GpuProfile& gpu, int devices = 1);

}  // namespace ws
