// The colours of both themes: contrast, and what colour-blind eyes tell apart.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/canvas/style.h"

namespace ws {
namespace {

TEST(Palette, EveryTextCanBeReadOnItsGround) {
    for (const Theme theme : {Theme::light, Theme::dark}) {
        for (const Readable& pair : readable_pairs())
            EXPECT_GE(
                contrast(palette(theme)[std::size_t(pair.text)], palette(theme)[std::size_t(pair.ground)]), 7)
                << name_of(pair.text) << " on " << name_of(pair.ground) << ", theme " << int(theme);
    }
    EXPECT_NEAR(contrast({0, 0, 0}, {255, 255, 255}), 21, 0.01);
    EXPECT_NEAR(contrast({119, 119, 119}, {255, 255, 255}), 4.48, 0.01) << "a gray that is known";
}

// Machado, Oliveira and Fernandes 2009: what eyes without red, green or blue cones see, in linear light.
TEST(Palette, MeaningsAreToldApartByColorBlindEyes) {
    constexpr double kEyes[3][3][3] = {
        {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
        {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
        {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};
    const auto seen = [&](Rgba color, int eye) {
        const double channels[3] = {std::pow(color.r / 255.0, 2.2), std::pow(color.g / 255.0, 2.2),
                                    std::pow(color.b / 255.0, 2.2)};
        std::array<double, 3> made{};
        for (int i = 0; i < 3; ++i) {
            double sum = 0;
            for (int k = 0; k < 3; ++k) sum += kEyes[eye][i][k] * channels[k];
            made[std::size_t(i)] = 255 * std::pow(std::clamp(sum, 0.0, 1.0), 1 / 2.2);
        }
        return made;
    };
    for (const Theme theme : {Theme::light, Theme::dark}) {
        const Palette& colors = palette(theme);
        for (int eye = 0; eye < 3; ++eye) {
            const auto a = seen(colors[std::size_t(Ink::now_fill)], eye);
            const auto b = seen(colors[std::size_t(Ink::base_fill)], eye);
            const double apart = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
            EXPECT_GT(apart, 70) << "now and baseline, theme " << int(theme) << ", eye " << eye;
        }
    }
}

}  // namespace
}  // namespace ws
