#include "tools/scene/arrangement.h"

#include "tools/scene/noise.h"

namespace still_life {
namespace {

constexpr Box around(Vec half) {
    return {{-half.x, -half.y, -half.z}, half};
}
constexpr Box kRound = around({0.62f, 0.62f, 0.62f});
constexpr Box kPearBox{{-0.45f, -0.45f, -0.45f}, {0.45f, 0.97f, 0.45f}};

std::vector<Thing> bowl_of_fruit() {
    const Vec at{-0.95f, 0.04f, -0.35f};
    std::vector<Thing> things{
        {bowl, &kBowl, {{-1.65f, -0.03f, -1.65f}, {1.65f, 1.02f, 1.65f}}, at, turned(0.2f)}};
    const auto put = [&](Shape shape, const Material& material, const Box& box, Vec place, const Frame& frame,
                         float scale = 1) {
        things.push_back({shape, &material, box, at + place, frame, scale});
    };
    put(orange, kOrange, kRound, {-0.62f, 0.78f, 0.42f}, turned(0.4f, 0.9f));
    put(apple, kApple, kRound, {0.30f, 0.72f, 0.66f}, turned(0.9f, 0.42f), 1.06f);
    put(lemon, kLemon, kRound, {0.86f, 0.84f, 0.08f}, turned(0.95f, -0.25f));
    put(orange, kOrange, kRound, {-0.75f, 0.85f, -0.44f}, turned(2, -0.5f), 1.04f);
    put(apple, kGreenApple, kRound, {0.32f, 0.82f, -0.62f}, turned(2.2f, -0.3f), 1.08f);
    put(orange, kOrange, kRound, {-0.14f, 0.55f, -0.05f}, turned(1, 0.2f));
    put(apple, kApple, kRound, {-0.2f, 1.32f, -0.12f}, turned(3.6f, -0.35f), 1.05f);
    put(pear, kPear, kPearBox, {0.52f, 1.27f, -0.02f}, turned(-0.3f, 0.75f), 1.0f);
    return things;
}

// A bunch that hangs over the bowl's rim.
std::vector<Thing> grapes() {
    std::vector<Thing> things;
    for (int i = 0; i < 26; ++i) {
        const float part = float(i) / 25;
        const float angle = 2.4f * float(i);
        const float spread = 0.34f * (1 - 0.75f * part) * std::sqrt(hash_of(i, 4) * 0.7f + 0.3f);
        const Vec place{-2.22f - 0.42f * part + spread * std::cos(angle),
                        1.16f - 0.98f * part * part + 0.1f * hash_of(i, 1),
                        0.62f + 0.3f * part + spread * std::sin(angle)};
        things.push_back({grape, &kGrape, around({0.18f, 0.2f, 0.18f}), place,
                          turned(hash_of(i, 2) * 6, hash_of(i, 3) * 2), 0.88f});
    }
    return things;
}

std::vector<Thing> coffee_cup() {
    const Vec at{2.35f, 0, -0.1f};
    return {{saucer, &kSaucer, {{-1.1f, -0.01f, -1.1f}, {1.1f, 0.3f, 1.1f}}, at, turned(0)},
            {cup,
             &kCup,
             {{-0.65f, 0, -0.65f}, {0.95f, 1.08f, 0.65f}},
             at + Vec{0, 0.07f, 0},
             turned(-0.45f),
             1.06f},
            {coffee,
             &kCoffee,
             {{-0.56f, -0.03f, -0.56f}, {0.56f, 0.03f, 0.56f}},
             at + Vec{0, 0.93f, 0},
             turned(0)},
            {spoon,
             &kSilver,
             {{-0.4f, -0.02f, -0.26f}, {1.85f, 0.32f, 0.26f}},
             {3.3f, 0.01f, 1.5f},
             turned(-1.25f),
             0.85f}};
}

std::vector<Thing> open_book() {
    const Vec at{1.45f, 0, 2.55f};
    const Frame frame = turned(-0.22f);
    return {{book_pages, &kPages, {{-1.52f, 0.03f, -1.07f}, {1.52f, 0.45f, 1.07f}}, at, frame},
            {book_cover, &kCover, {{-1.6f, -0.01f, -1.15f}, {1.6f, 0.06f, 1.15f}}, at, frame}};
}

std::vector<Thing> gingham() {
    return {
        {cloth, &kCloth, {{-2.45f, -0.01f, -1.85f}, {2.45f, 0.3f, 1.85f}}, {-1.15f, 0, 0.05f}, turned(0.3f)}};
}

std::vector<Thing> on_the_cloth() {
    return {{apple, &kGreenApple, kRound, {0.45f, 0.38f, 1.0f}, turned(0.3f, 0.12f), 1.0f},
            {lemon, &kLemon, kRound, {-1.05f, 0.39f, 1.82f}, turned(0.55f), 0.98f},
            {walnut, &kWalnut, around({0.26f, 0.22f, 0.22f}), {-2.1f, 0.2f, 1.9f}, turned(0.8f), 1.1f},
            {walnut, &kWalnut, around({0.26f, 0.22f, 0.22f}), {-0.2f, 0.2f, 2.3f}, turned(2.1f, 0.3f), 1.1f},
            {walnut,
             &kWalnut,
             around({0.26f, 0.22f, 0.22f}),
             {-2.62f, 0.19f, 1.55f},
             turned(-0.5f, 0.2f),
             1.05f}};
}

// A jug with daisies, each on its stalk with leaves.
std::vector<Thing> jug_of_flowers() {
    const Vec at{0.95f, 0, -2.6f};
    std::vector<Thing> things{
        {jug, &kJug, {{-1.2f, -0.02f, -0.9f}, {0.9f, 2.3f, 0.9f}}, at, turned(0.35f), 0.92f}};
    struct Stalk {
        float yaw, lean, tall, size;
    };
    constexpr Stalk kStalks[] = {
        {0.1f, 0.55f, 2.0f, 1.1f},   {1.3f, 0.35f, 2.1f, 1.05f}, {2.6f, 0.5f, 2.2f, 1.15f},
        {3.6f, 0.62f, 1.9f, 1.1f},   {4.5f, 0.45f, 1.75f, 1.2f}, {5.4f, 0.28f, 2.15f, 1.1f},
        {2.0f, 0.1f, 2.65f, 1.15f},  {5.9f, 0.8f, 1.6f, 1.0f},   {3.2f, 0.9f, 1.55f, 1.05f},
        {0.6f, 0.22f, 2.75f, 0.95f}, {4.0f, 0.22f, 2.6f, 1.0f}};
    int number = 0;
    for (const Stalk& each : kStalks) {
        const Frame frame = turned(each.yaw, each.lean);
        const float tall = 0.68f * each.tall;
        const Vec root = at + Vec{0, 1.6f, 0};
        things.push_back(
            {stalk, &kStalk, {{-0.12f, -0.03f, -0.05f}, {0.05f, 1.03f, 0.05f}}, root, frame, tall});
        // Heads lean on, and look a little towards the window and the room.
        const Vec look = normalized(frame.y + Vec{-0.3f, 0.1f, 0.75f});
        things.push_back({flower,
                          &kFlower,
                          {{-0.5f, -0.1f, -0.5f}, {0.5f, 0.13f, 0.5f}},
                          root + frame.y * tall,
                          frame_around(look),
                          0.92f * each.size});
        for (int side = 0; side < 3; ++side, ++number) {
            const float along = 0.28f + 0.2f * float(side) + 0.1f * hash_of(number, 5);
            things.push_back({leaf,
                              &kLeaf,
                              {{-0.02f, -0.4f, -0.25f}, {0.95f, 0.12f, 0.25f}},
                              root + frame.y * (tall * along),
                              turned(each.yaw + 2.2f * float(side) + hash_of(number, 6),
                                     -0.5f + 0.7f * hash_of(number, 7)),
                              0.75f + 0.35f * hash_of(number, 8)});
        }
    }
    return things;
}

}  // namespace

std::vector<std::vector<Thing>> arrangement() {
    return {bowl_of_fruit(), grapes(),       coffee_cup(),    open_book(),
            gingham(),       on_the_cloth(), jug_of_flowers()};
}

}  // namespace still_life
