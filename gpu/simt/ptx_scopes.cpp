#include "gpu/simt/ptx_scopes.h"

#include <fmt/format.h>

namespace ws::simt {
namespace {

constexpr std::size_t kDeepest = 256;

}  // namespace

void PtxScopes::begin_function() {
    scopes_.assign(1, {});
    count_ = 0;
}

void PtxScopes::open() {
    if (scopes_.size() == kDeepest) reader_.fail("scopes are nested too deeply");
    scopes_.push_back({++count_, {}});
}

std::string PtxScopes::in(const std::string& name, int scope) {
    return scope == 0 ? name : fmt::format("{}#{}", name, scope);
}

std::string PtxScopes::declare(const std::string& name) {
    std::string kept = in(name, scopes_.back().id);
    if (!scopes_.back().names.emplace(name, kept).second)
        reader_.fail(fmt::format("'{}' is declared twice", name));
    return kept;
}

std::string PtxScopes::resolve(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        if (const auto found = scope->names.find(name); found != scope->names.end()) return found->second;
    }
    return name;
}

std::vector<int> PtxScopes::open_scopes() const {
    std::vector<int> ids;
    ids.reserve(scopes_.size());
    for (const Scope& scope : scopes_) ids.push_back(scope.id);
    return ids;
}

}  // namespace ws::simt
