#include "app/lecture/player.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpu/core/numbers.h"

namespace ws {

Playing first_step(std::shared_ptr<const Lecture> lecture) {
    Playing playing;
    playing.answers.resize(lecture->steps.size());
    playing.lecture = std::move(lecture);
    return playing;
}

Playing at_step(Playing playing, int step) {
    playing.at = std::clamp(step, 0, playing.count() - 1);
    playing.typed.clear();
    return playing;
}

Playing turned(Playing playing, int by) {
    if (by != 1 || !playing.asking()) {
        const int next = playing.at + by;
        return at_step(std::move(playing), next);
    }
    playing = fixed(std::move(playing));
    playing.answers[std::size_t(playing.at)].told = true;
    playing.typed.clear();
    return playing;
}

Playing typed(Playing playing, char letter) {
    if (!playing.asking()) return playing;
    constexpr std::size_t kMostLetters = 9;
    const bool digit = letter >= '0' && letter <= '9';
    const bool point = letter == '.' || letter == ',';
    if (point && playing.typed.find('.') != std::string::npos) return playing;
    if ((digit || point) && playing.typed.size() < kMostLetters) playing.typed += point ? '.' : letter;
    return playing;
}

Playing erased(Playing playing) {
    if (!playing.typed.empty()) playing.typed.pop_back();
    return playing;
}

Playing pointed(Playing playing, double value) {
    if (!playing.asking() || !std::isfinite(value) || value < 0) return playing;
    playing.typed = value >= 100  ? fmt::format("{:.0f}", value)
                    : value >= 10 ? fmt::format("{:.1f}", value)
                                  : fmt::format("{:.2f}", value);
    return playing;
}

Playing nudged(Playing playing, double by) {
    if (!playing.asking()) return playing;
    const Askable& asked = *playing.step().asks;
    const std::optional<double> now = typed_value(playing);
    const double place = now ? place_on_axis(asked, *now) : 0.5;
    return pointed(std::move(playing), value_on_axis(asked, place + by));
}

std::optional<double> typed_value(const Playing& playing) {
    std::string_view text = playing.typed;
    if (text.ends_with('.')) text.remove_suffix(1);
    return parse_number<double>(text);
}

Playing fixed(Playing playing) {
    const std::optional<double> value = typed_value(playing);
    if (!playing.asking() || !value) return playing;
    playing.answers[std::size_t(playing.at)] = {true, value};
    playing.typed.clear();
    return playing;
}

}  // namespace ws
