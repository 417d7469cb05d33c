#pragma once
// What all workers of a launch write to.

#include "gpu/simt/finding_log.h"
#include "gpu/simt/print_sink.h"

namespace ws::simt {

struct LaunchLogs {
    FindingLog findings;
    PrintSink prints;
};

}  // namespace ws::simt
