#include "app/texts/texts.h"
#include "app/views/views.h"

namespace ws {

void draw_gpu(const Stage& stage) {
    draw_headline(stage, stage.slots.page_headline, {"gpu", ""});
}

}  // namespace ws
