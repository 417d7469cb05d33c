#pragma once
// What benches of the window share: how large it is, and what a frame of it costs.

#include <time.h>

#include <cstdio>
#include <string>

#include "gpu/core/error.h"
#include "gpu/core/image.h"

namespace ws {

// What this thread has computed, without waiting.
[[nodiscard]] inline double thread_ms() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
}

// Of "1280x720". Throws UsageError.
[[nodiscard]] inline Extent size_of(const std::string& text) {
    Extent size;
    if (std::sscanf(text.c_str(), "%dx%d", &size.width, &size.height) != 2)
        throw UsageError("'" + text + "' is not a size", "", "--size WxH");
    return size;
}

}  // namespace ws
