#pragma once
// What becomes of memory that is freed.

namespace ws {

// Lets the process keep what it frees, up to 128 MiB for each of the allocator's arenas, and take it again.
// Estimates of one version after the other take and free tens of megabytes each: as long as all of that went
// back to the system, a tenth of their time was the system's, clearing the pages that it gave out anew. For
// the whole process, once, before it starts threads. Nothing where the allocator is not glibc's.
void keep_freed_memory();

}  // namespace ws
