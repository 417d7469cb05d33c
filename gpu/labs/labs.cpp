#include "gpu/labs/labs.h"

#include <array>
#include <string>

#include "gpu/core/error.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/labs/transpose/transpose.h"

namespace ws {

std::span<const Lab* const> labs() {
    static const std::array kLabs{
        &filters::lab(),
        &transpose::lab(),
    };
    return kLabs;
}

const Lab& lab_named(std::string_view id) {
    std::string names;
    for (const Lab* lab : labs()) {
        if (lab->id == id) return *lab;
        names += (names.empty() ? "" : ", ") + std::string(lab->id);
    }
    throw UsageError("there is no lab '" + std::string(id) + "'", "", "choose from " + names);
}

}  // namespace ws
