#include "gpu/simt/translation.h"

#ifdef WARPSCOPE_ASMJIT
#include <algorithm>

#include "gpu/simt/x86_translator.h"
#endif

namespace ws::simt {

#ifdef WARPSCOPE_ASMJIT
namespace VirtMem = asmjit::VirtMem;

std::unique_ptr<const Translation> Translation::of(const Program& program) {
    if (!has_translated_instructions()) return nullptr;
    std::unique_ptr<Translation> made(new Translation);
    int blocks = 0;
    for (const Function& function : program.functions) {
        made->first_block_.push_back(blocks);
        blocks += int(function.blocks.size());
    }
    asmjit::CodeHolder holder;
    if (holder.init(asmjit::Environment::host()) != asmjit::kErrorOk) return nullptr;
    made->entries_ = translate(program, made->first_block_, holder);
    if (made->blocks() == 0 || holder.flatten() != asmjit::kErrorOk ||
        holder.resolveUnresolvedLinks() != asmjit::kErrorOk)
        return nullptr;
    made->bytes_ = holder.codeSize();
    void* memory = nullptr;
    if (VirtMem::alloc(&memory, made->bytes_, VirtMem::MemoryFlags::kAccessRW) != asmjit::kErrorOk)
        return nullptr;
    made->memory_ = memory;
    if (holder.relocateToBase(std::uint64_t(reinterpret_cast<std::uintptr_t>(memory))) != asmjit::kErrorOk ||
        holder.copyFlattenedData(memory, made->bytes_) != asmjit::kErrorOk ||
        VirtMem::protect(memory, made->bytes_, VirtMem::MemoryFlags::kAccessRX) != asmjit::kErrorOk)
        return nullptr;  // some systems refuse memory that becomes executable
    for (TranslatedEntries& of : made->entries_) {
        for (std::vector<std::uint32_t>* labels : {&of.blocks, &of.instructions}) {
            for (std::uint32_t& entry : *labels) {
                if (entry != TranslatedEntries::kNone) entry = std::uint32_t(holder.labelOffset(entry));
            }
        }
    }
    return made;
}

Translation::~Translation() {
    if (memory_) VirtMem::release(memory_, bytes_);
}
#else
std::unique_ptr<const Translation> Translation::of(const Program& /*program*/) {
    return nullptr;
}

Translation::~Translation() = default;
#endif

const Translation* TranslationOnDemand::after(std::uint64_t steps, const Program& program,
                                              Translate translate) const {
    if (translate == Translate::never) return nullptr;
    if (const Translation* ready = ready_.load(std::memory_order_acquire)) return ready;
    const auto make = [&] {
        kept_ = Translation::of(program);
        ready_.store(kept_.get(), std::memory_order_release);
    };
    // At once, or by the one who sees that it has become hot.
    if (translate == Translate::at_once ||
        (steps_.fetch_add(steps, std::memory_order_relaxed) + steps >= kHotSteps && !begun_.exchange(true)))
        std::call_once(once_, make);
    return ready_.load(std::memory_order_acquire);
}

}  // namespace ws::simt
