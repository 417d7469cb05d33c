#pragma once
// Which instructions are translated to x86-64 code, and how.

#include <unordered_map>

#include "gpu/simt/details.h"
#include "gpu/simt/x86_operations.h"

namespace ws::simt {

// How an instruction is translated, if at all.
struct TranslatedWay {
    const LaneCode* lanes = nullptr;
    const FloatCode* floats = nullptr;
    const PredicateCode* predicate = nullptr;
    bool halves = false;  // cvt.u32.u64
    bool loads = false;
    bool stores = false;
    bool is_signed = false;  // the load
    bool wide = false;       // its registers, or the store's
    bool shuffles = false;
    bool copies = false;
    bool commits = false;  // a group of copies
};

// Of a program's instructions, each operation looked up once.
class TranslatedWays {
  public:
    [[nodiscard]] TranslatedWay of(const Instruction& i);
    [[nodiscard]] bool has(const Instruction& i);

  private:
    std::unordered_map<const Operation*, TranslatedWay> known_;
};

}  // namespace ws::simt
