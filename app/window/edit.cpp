#include "app/window/edit.h"

#include <utility>

namespace ws {

void Edits::add(Edit edit) {
    all_.push_back(std::move(edit));
}

}  // namespace ws
