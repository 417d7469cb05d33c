#pragma once
// Every English text that the parts below the window hand to it: what a language's file has to translate
// beside the window's own keys.

#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "app/window/keys.h"
#include "gpu/analysis/comparison.h"
#include "gpu/analysis/hotspot.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/core/clocked_launch.h"
#include "gpu/core/counters.h"
#include "gpu/core/estimate.h"
#include "gpu/labs/labs.h"
#include "tests/each_source.h"

namespace ws {

// The patterns of message("...") in the sources below a folder.
inline std::set<std::string> patterns_in(const char* folder) {
    static const std::regex kCall(R"re(\bmessage\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+))re");
    static const std::regex kPiece(R"re("((?:[^"\\]|\\.)*)")re");
    std::set<std::string> found;
    for_each_source(folder, [&](const std::filesystem::path& /*path*/, const std::string& text) {
        for (std::sregex_iterator call(text.begin(), text.end(), kCall), end; call != end; ++call) {
            const std::string pieces = (*call)[1];
            std::string pattern;
            for (std::sregex_iterator piece(pieces.begin(), pieces.end(), kPiece); piece != end; ++piece)
                pattern += (*piece)[1];
            found.insert(pattern);
        }
    });
    return found;
}

inline std::set<std::string> source_texts() {
    std::set<std::string> all = patterns_in("gpu");
    for (const Lab* lab : labs()) {
        all.insert({std::string(lab->title), std::string(lab->question)});
        for (const Step& step : lab->steps) all.emplace(step.name);
        for (const View& view : lab->views) all.insert({std::string(view.name), std::string(view.title)});
        for (const Version& version : lab->versions)
            all.insert({std::string(version.title), std::string(version.changed), std::string(version.why)});
    }
    for (const Experiment* experiment : experiments()) {
        all.insert({std::string(experiment->title), std::string(experiment->question)});
        for (const Control& control : experiment->controls) {
            all.emplace(control.title);
            if (const auto* choice = std::get_if<ChoiceControl>(&control.takes)) {
                for (const ChoiceControl::Option& option : choice->options) all.emplace(option.title);
            }
        }
    }
    const KernelLibrary kernels;
    for (const auto& [name, kernel] : kernels.all()) {
        for (const Knob& knob : kernel.knobs) {
            if (!knob.meaning.empty()) all.insert(knob.meaning);
        }
    }
    // Letters and signs are the same on every keyboard; keys with names are not.
    static const std::regex kNamed("[A-Z][a-z]+|[a-z]{2,}");
    for (const KeyBinding& binding : key_bindings()) {
        if (std::regex_search(binding.keys, kNamed)) all.emplace(binding.keys);
    }
    for (const Quantity& quantity : quantities()) all.emplace(quantity.label);
    for (const std::string_view part : kPartNames) all.emplace(part);
    for (std::size_t state = 0; state < kWarpStates; ++state) {
        if (is_wait(WarpState(state))) all.emplace(waited_for(WarpState(state)));
    }
    for (int kind = 0; kind <= int(Finding::Kind::stopped); ++kind) all.emplace(name_of(Finding::Kind(kind)));
    for (const char* word : {"sectors", "sector", "transactions", "transaction", "pixels", "elements"})
        all.emplace(word);
    return all;
}

}  // namespace ws
