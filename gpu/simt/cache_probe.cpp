#include "gpu/simt/cache_probe.h"

#include "gpu/simt/cache_walk.h"

namespace ws::simt {

void CacheProbe::probe(const WarpAccess& access) {
    if (access.instruction.kind == AccessKind::atomic || counted_space(access) != Space::global) return;
    (void)send(*caches_, access);
}

void CacheProbe::probe(const TextureRequest& request) {
    (void)send(*caches_, request);
}

}  // namespace ws::simt
