#pragma once
// Which bytes of its sectors a store writes.

#include <span>
#include <vector>

#include "gpu/core/warp_trace.h"
#include "gpu/simt/traffic.h"

namespace ws::simt {

// Of each of these lines, as add_lines has them; none where all sectors are whole. Counted as parts are those
// that are not. In the bytes the two ends of what fills a sector beside are whole: who stores on from there
// is the warp beside, at the same time.
void add_stored_bytes(TracedAccess& access, const AscendingAddresses& addresses, std::uint64_t bytes_of_each,
                      std::span<const LineSectors> lines, std::vector<StoredBytes>& to);

}  // namespace ws::simt
