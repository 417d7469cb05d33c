#include "app/texts/texts.h"
#include "app/views/views.h"

namespace ws {

void draw_occupancy(const Stage& stage) {
    draw_headline(stage, stage.slots.page_headline, {"occupancy", ""});
}
void draw_memory(const Stage& stage) {
    draw_headline(stage, stage.slots.page_headline, {"memory", ""});
}
void draw_gpu(const Stage& stage) {
    draw_headline(stage, stage.slots.page_headline, {"gpu", ""});
}

}  // namespace ws
