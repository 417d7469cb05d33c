// Labs are data that nothing else knows: each is walked from end to end, and whatever it names has to be
// there.

#include "gpu/labs/labs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "gpu/compile/kernel_library.h"
#include "gpu/core/device.h"
#include "gpu/core/error.h"
#include "gpu/core/result_key.h"
#include "gpu/core/thread_pool.h"
#include "gpu/core/work.h"

namespace ws {
namespace {

template <typename List>
bool holds(const List& list, int place) {
    return place >= 0 && std::size_t(place) < list.size();
}

// The knob of a kernel of the version; null if none has it.
const Knob* knob_of(const Version& version, const std::string& name) {
    static const KernelLibrary library;
    for (const StepKernel& step : version.steps) {
        if (step.kernel.empty()) continue;
        for (const Knob& knob : library.find(step.kernel).knobs) {
            if (knob.name == name) return &knob;
        }
    }
    return nullptr;
}

// Names that a person types or reads: there, and each once.
template <typename List>
void expect_names(const List& list, const char* what) {
    std::set<std::string_view> names;
    for (const auto& entry : list) {
        EXPECT_FALSE(entry.name.empty()) << what;
        EXPECT_TRUE(names.insert(entry.name).second) << what << ' ' << entry.name << " is there twice";
    }
}

// Buffers with content behind the first one.
std::size_t further_inputs(const Lab& lab) {
    const auto made = std::count_if(lab.buffers.begin() + 1, lab.buffers.end(),
                                    [](const Buffer& buffer) { return buffer.content == Content::made; });
    EXPECT_EQ(made > 0, lab.made_input.make_further != nullptr);
    return std::size_t(made);
}

// An input of noise for a lab that takes a picture, else its own.
Problem some_problem(const Lab& lab, Extent size, const KnobValues& knobs = {}) {
    if (!lab.takes_picture()) return generated_problem(lab, size, knobs);
    RgbaImage image(size);
    std::minstd_rand random(unsigned(size.width));
    for (std::uint8_t& byte : image.bytes) byte = std::uint8_t(random() >> 7);
    return picture_problem(lab, std::make_shared<const RgbaImage>(std::move(image)), knobs);
}

class Labs : public ::testing::TestWithParam<const Lab*> {
  protected:
    const Lab& lab_ = *GetParam();
};

TEST_P(Labs, HaveStepsAndBuffersWithNames) {
    EXPECT_FALSE(lab_.id.empty());
    EXPECT_FALSE(lab_.title.empty());
    EXPECT_FALSE(lab_.question.empty());
    EXPECT_EQ(&lab_named(lab_.id), &lab_);
    ASSERT_FALSE(lab_.steps.empty());
    EXPECT_LE(lab_.steps.size(), kMostSteps);
    expect_names(lab_.steps, "step");
    for (std::size_t i = 0; i < lab_.steps.size(); ++i) {
        EXPECT_FALSE(lab_.steps[i].entry.empty());
        EXPECT_EQ(step_named(lab_, lab_.steps[i].name), int(i));
    }
    std::vector<int> order = lab_.by_weight;
    std::sort(order.begin(), order.end());
    ASSERT_EQ(order.size(), lab_.steps.size()) << "by weight is every step once";
    for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], int(i));
    ASSERT_GE(lab_.buffers.size(), 2u);
    expect_names(lab_.buffers, "buffer");
    for (std::size_t i = 0; i < lab_.buffers.size(); ++i)
        EXPECT_EQ(lab_.buffers[i].content == Content::computed, i > further_inputs(lab_))
            << lab_.buffers[i].name;
    EXPECT_EQ(lab_.made_input.make != nullptr, lab_.buffers.front().content == Content::made);
    EXPECT_TRUE(lab_.made_input.make || lab_.takes_picture() || lab_.made_input.knobs.empty());
    const bool whole = std::ranges::all_of(lab_.views, [](const View& view) {
        return std::ranges::all_of(view.ways, [](const auto& way) { return way.size() == 1; });
    });
    EXPECT_TRUE(lab_.native.step || whole) << "the whole is its step";
    EXPECT_TRUE(lab_.native.whole);
    EXPECT_GE(lab_.reach, 0);
}

TEST_P(Labs, HaveVersionsInAscendingOrder) {
    ASSERT_FALSE(lab_.versions.empty());
    int before = -1;
    for (const Version& version : lab_.versions) {
        EXPECT_GT(version.number, before);
        before = version.number;
        EXPECT_FALSE(version.title.empty()) << "V" << version.number;
        EXPECT_FALSE(version.changed.empty()) << "V" << version.number;
        EXPECT_FALSE(version.why.empty()) << "V" << version.number;
        ASSERT_EQ(version.steps.size(), lab_.steps.size()) << "V" << version.number;
        for (const StepKernel& step : version.steps) EXPECT_TRUE(step.block.valid()) << "V" << version.number;
        EXPECT_FALSE(version.steps[std::size_t(main_step(lab_, version))].kernel.empty())
            << "V" << version.number << " has no kernel";
        EXPECT_EQ(&version_of(lab_, version.number), &version);
    }
    EXPECT_THROW((void)version_of(lab_, -1), UsageError);
    EXPECT_THROW((void)version_of(lab_, before + 1), UsageError);
}

TEST_P(Labs, HaveTheirKernelsInTheProgram) {
    const KernelLibrary library;
    for (const Version& version : lab_.versions) {
        std::set<std::string> knobs;
        for (std::size_t i = 0; i < version.steps.size(); ++i) {
            const StepKernel& step = version.steps[i];
            if (step.kernel.empty()) continue;
            const KernelSource& source = library.find(step.kernel);
            EXPECT_NE(source.text.find("__global__"), std::string::npos) << step.kernel;
            const std::regex function("\\b" + std::string(lab_.steps[i].entry) + "\\(");
            EXPECT_TRUE(std::regex_search(source.text, function))
                << step.kernel << " has no function " << lab_.steps[i].entry;
            EXPECT_EQ(source.text.rfind("//", 0), 0u) << step.kernel << " must open with its comment";
            EXPECT_EQ(fitted(source, step.block), step.block)
                << step.kernel << " does not take the block of V" << version.number;
            for (const Knob& knob : source.knobs) {
                const auto own = version.knobs.find(knob.name);
                if (own != version.knobs.end() && own->second >= knob.low && own->second <= knob.high)
                    knobs.insert(knob.name);
            }
        }
        for (const auto& [knob, value] : version.knobs)
            EXPECT_TRUE(knobs.count(knob)) << "V" << version.number << " sets " << knob << " to " << value;
    }
}

TEST_P(Labs, HaveViewsThatTheirStepsCompute) {
    for (const View& view : lab_.views) {
        std::set<int> shown;
        for (const std::vector<Pass>& way : view.ways) {
            ASSERT_FALSE(way.empty()) << view.name;
            std::set<int> there{0};
            for (std::size_t i = 1; i <= further_inputs(lab_); ++i) there.insert(int(i));
            int before = -1;
            for (const Pass& pass : way) {
                ASSERT_TRUE(holds(lab_.steps, pass.step)) << view.name;
                // A plan has its launches in the order of the steps, each once.
                EXPECT_GT(pass.step, before) << view.name;
                before = pass.step;
                for (const Argument& argument : pass.arguments) {
                    const bool is_buffer = argument.only_reads() || argument.writes();
                    EXPECT_EQ(holds(lab_.buffers, argument.buffer), is_buffer) << view.name;
                    EXPECT_TRUE(!argument.only_reads() || there.count(argument.buffer))
                        << view.name << " reads what no pass before has written";
                    // It is copied once for a problem, not after every pass.
                    EXPECT_TRUE(argument.kind != Argument::Kind::texture ||
                                lab_.buffers[std::size_t(argument.buffer)].content != Content::computed)
                        << view.name << ": a texture of what a step writes";
                    const std::string_view knob = argument.sampling.address_knob;
                    EXPECT_TRUE(knob.empty() || lab_.made_input.knobs.contains(std::string(knob)))
                        << view.name << ": an address mode by " << knob;
                }
                const int output = output_of(pass.arguments);
                EXPECT_GT(output, 0) << view.name << ": nobody writes the input";
                there.insert(output);
            }
            shown.insert(output_of(way.back().arguments));
        }
        ASSERT_TRUE(holds(lab_.buffers, view.shows)) << view.name;
        EXPECT_TRUE(view.ways.empty() || shown.count(view.shows)) << view.name;
        EXPECT_TRUE(!view.ways.empty() || view.shows == 0) << view.name << " needs a way to what is computed";
    }
}

TEST_P(Labs, HaveViewsForEveryVersion) {
    ASSERT_TRUE(holds(lab_.views, first_view(lab_)));
    EXPECT_FALSE(lab_.views[std::size_t(first_view(lab_))].ways.empty()) << "it begins with a kernel";
    for (const View& view : lab_.views) {
        for (const Version& version : lab_.versions) {
            const std::vector<Pass>* way = way_of(view, version);
            ASSERT_TRUE(way) << view.name << " by V" << version.number;
            EXPECT_EQ(way->empty(), view.ways.empty());
            EXPECT_TRUE(holds(lab_.buffers, shown_buffer(view, version)));
        }
    }
}

TEST_P(Labs, HaveViewsThatLeadToOthers) {
    expect_names(lab_.views, "view");
    std::set<char> keys;
    for (std::size_t i = 0; i < lab_.views.size(); ++i) {
        const View& view = lab_.views[i];
        EXPECT_FALSE(view.title.empty()) << view.name;
        EXPECT_EQ(view_named(lab_, view.name), int(i));
        if (view.key) {
            EXPECT_TRUE(keys.insert(view.key).second) << view.key << " is there twice";
        }
        EXPECT_EQ(view.base.empty(), view.omits.empty()) << view.name;
        if (!view.base.empty()) {
            const int base = view_named(lab_, view.base);
            ASSERT_GE(base, 0) << view.name << " without " << view.omits << " of " << view.base;
            EXPECT_GE(step_named(lab_, view.omits), 0) << view.name;
            EXPECT_EQ(view_with(lab_, int(i), true), base);
            EXPECT_EQ(view_with(lab_, base, false), int(i)) << "one view, one counterpart";
        }
        std::set<char> moves;
        for (const auto& [key, to] : view.moves) {
            EXPECT_TRUE(moves.insert(key).second) << view.name << ": " << key << " is there twice";
            EXPECT_GE(view_named(lab_, to), 0) << view.name << ": " << key << " leads to " << to;
        }
    }
    // Every view can be had: by a key of its own, or by one where another view is shown.
    for (const View& view : lab_.views) {
        const bool leads_here = std::any_of(lab_.views.begin(), lab_.views.end(), [&](const View& from) {
            return std::any_of(from.moves.begin(), from.moves.end(), [&](const auto& move) {
                return move.second == view.name && keys.count(move.first);
            });
        });
        EXPECT_TRUE(view.key || leads_here) << view.name;
    }
}

TEST_P(Labs, HavePresetsThatAKernelTakes) {
    const KernelLibrary library;
    EXPECT_FALSE(lab_.presets.empty());
    for (std::size_t i = 0; i < lab_.presets.size(); ++i) {
        const Block preset = lab_.presets[i];
        EXPECT_TRUE(preset.valid()) << to_string(preset);
        EXPECT_EQ(std::count(lab_.presets.begin(), lab_.presets.end(), preset), 1) << to_string(preset);
        EXPECT_TRUE(std::any_of(lab_.versions.begin(), lab_.versions.end(), [&](const Version& version) {
            const StepKernel& step = version.steps[std::size_t(main_step(lab_, version))];
            return fitted(library.find(step.kernel), preset) == preset;
        })) << to_string(preset);
    }
}

TEST_P(Labs, HaveSizesWhereNoPictureDecides) {
    EXPECT_EQ(lab_.sizes.swept.empty(), lab_.takes_picture());
    EXPECT_EQ(lab_.sizes.first.pixels() == 0, lab_.takes_picture());
    std::size_t before = 0;
    for (const Extent size : lab_.sizes.swept) {
        EXPECT_GT(size.pixels(), before);
        before = size.pixels();
        EXPECT_LE(std::max(size.width, size.height), kMaxSide);
    }
    for (const PublishedFigure& figure : lab_.figures) {
        EXPECT_NO_THROW((void)version_of(lab_, figure.version)) << figure.source;
        EXPECT_FALSE(figure.gpu.empty() || figure.source.empty());
        EXPECT_FALSE(unit_of(figure.quantity).empty() || name_of(figure.quantity).empty());
        const Version& version = version_of(lab_, figure.version);
        for (const auto& [name, value] : figure.knobs) {
            const Knob* knob = knob_of(version, name);
            ASSERT_TRUE(knob) << "V" << version.number << " has no knob " << name;
            EXPECT_TRUE(value >= knob->low && value <= knob->high) << name << " " << value;
        }
        EXPECT_GT(figure.value, 0);
        EXPECT_GT(figure.size.pixels(), 0u);
    }
}

// What decides on the input has a slider in every version, with the lab's own value.
TEST_P(Labs, HaveTheirInputKnobsInEveryVersion) {
    for (const auto& [name, value] : lab_.made_input.knobs) {
        for (const Version& version : lab_.versions) {
            const Knob* knob = knob_of(version, name);
            ASSERT_TRUE(knob) << "V" << version.number << " has no knob " << name;
            EXPECT_EQ(knob->value, value) << "V" << version.number;
            EXPECT_FALSE(version.knobs.contains(name)) << "V" << version.number;
            // Another input is another problem; a knob of the kernels alone is not.
            const Problem own = some_problem(lab_, {64, 48});
            EXPECT_EQ(input_key(some_problem(lab_, {64, 48}, {{"NONE", 1}})), input_key(own));
            const Problem other = some_problem(lab_, {64, 48}, {{name, knob->high}});
            EXPECT_FALSE(input_key(other) == input_key(own));
            EXPECT_EQ(*other.input == *own.input, lab_.takes_picture()) << "a picture stays what it is";
            Work work = with_version(first_work(lab_), version);
            work.knobs = {{name, knob->high}, {"NONE", 1}};
            EXPECT_EQ(with_version(work, lab_.versions.front()).knobs, (KnobValues{{name, knob->high}}));
        }
    }
}

// The steps one by one give what the whole gives by definition, whatever the size and the number of threads.
TEST_P(Labs, StepByStepIsTheWhole) {
    if (!lab_.native.step) return;
    for (const int threads : {1, 3}) {
        ThreadPool pool(threads);
        for (const Extent size : {Extent{1, 1}, Extent{7, 1}, Extent{1, 9}, Extent{67, 45}, Extent{64, 96}}) {
            const Problem problem = some_problem(lab_, size);
            for (const View& view : lab_.views) {
                for (const std::vector<Pass>& way : view.ways) {
                    std::vector<HostBytes> made(lab_.buffers.size());
                    made[0].assign(problem.input->begin(), problem.input->end());
                    for (const Pass& pass : way) {
                        const int input = input_of(pass.arguments);
                        const std::uint8_t* from = input < 0 ? nullptr : made[std::size_t(input)].data();
                        const auto to = std::size_t(output_of(pass.arguments));
                        EXPECT_EQ(from != nullptr, input >= 0) << view.name << ": nobody has written it";
                        made[to].assign(bytes_of(lab_.buffers[to], size), 0xA5);
                        lab_.native.step(pool, pass.step, size, from, made[to].data());
                    }
                    const int shown = output_of(way.back().arguments);
                    HostBytes whole(made[std::size_t(shown)].size(), 0x5A);
                    lab_.native.whole(pool, problem, shown, whole.data());
                    EXPECT_TRUE(made[std::size_t(shown)] == whole)
                        << view.name << ", " << size.width << " x " << size.height;
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, Labs, ::testing::ValuesIn(labs().begin(), labs().end()), [](const auto& test) {
    std::string name(test.param->id);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST(LabList, HasEachLabOnce) {
    ASSERT_GE(labs().size(), 2u);
    EXPECT_EQ(labs().front()->id, "filters") << "where the program begins";
    EXPECT_GE(labs().front()->versions.size(), 18u);
    std::set<std::string_view> ids;
    for (const Lab* lab : labs()) EXPECT_TRUE(ids.insert(lab->id).second) << lab->id;
    try {
        (void)lab_named("sepia");
        FAIL();
    } catch (const UsageError& error) {
        for (const std::string_view id : ids)
            EXPECT_NE(std::string(error.what()).find(id), std::string::npos);
    }
}

// Every kernel file belongs to a version, and to one lab.
TEST(LabList, UsesEveryKernelThatThereIs) {
    std::map<std::string, std::set<std::string_view>> users;
    for (const Lab* lab : labs()) {
        for (const Version& version : lab->versions) {
            for (const StepKernel& step : version.steps)
                if (!step.kernel.empty()) users[std::string(step.kernel)].insert(lab->id);
        }
    }
    for (const Experiment* experiment : experiments()) {
        for (const std::string_view kernel : experiment->kernels)
            users[std::string(kernel)].insert(experiment->id);
    }
    const KernelLibrary library;
    for (const auto& [name, source] : library.all())
        EXPECT_EQ(users[name].size(), 1u) << name << ".cu is of no lab or of several";
}

// The rows of the tables whose second column says where a figure can be seen.
std::vector<std::string> places_in_docs() {
    std::ifstream lines(std::filesystem::path(WARPSCOPE_SOURCE_DIR) / "docs" / "labs.md");
    std::vector<std::string> places;
    bool within = false;
    for (std::string line; std::getline(lines, line);) {
        if (line == "| figure | where |") within = true;
        if (line.empty()) within = false;
        const std::size_t bar = line.find(" | ");
        if (within && bar != std::string::npos && line != "| figure | where |")
            places.push_back(line.substr(bar + 3, line.size() - bar - 5));
    }
    return places;
}

// "`global-memory` V2 `OFFSET`, V3": names that are there.
void expect_names_are_there(const std::string& place) {
    static const std::regex word("`([^`]+)`|V(\\d+)");
    const Lab* lab = nullptr;
    std::vector<const Version*> versions;
    for (auto found = std::sregex_iterator(place.begin(), place.end(), word); found != std::sregex_iterator();
         ++found) {
        const std::string name = (*found)[1];
        const std::string number = (*found)[2];
        const auto is_it = [&](const Lab* one) { return one->id == name; };
        if (!number.empty()) {
            ASSERT_TRUE(lab) << place;
            EXPECT_NO_THROW(versions.push_back(&version_of(*lab, std::stoi(number)))) << place;
        } else if (std::any_of(labs().begin(), labs().end(), is_it)) {
            lab = *std::find_if(labs().begin(), labs().end(), is_it);
            versions.clear();
        } else if (name.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos) {
            EXPECT_TRUE(std::any_of(versions.begin(), versions.end(),
                                    [&](const Version* version) { return knob_of(*version, name); }))
                << place << ": no knob " << name;
        } else {
            EXPECT_TRUE(name.starts_with("warpscope ") || experiment_named(name)) << place << ": " << name;
        }
    }
}

TEST(LabDocs, NameLabsVersionsAndKnobsThatAreThere) {
    const std::vector<std::string> places = places_in_docs();
    EXPECT_GT(places.size(), 40u);
    for (const std::string& place : places) {
        EXPECT_TRUE(place.starts_with('`') || place.starts_with("comes later: ")) << place;
        expect_names_are_there(place);
    }
    // And no published figure is in none of them.
    for (const Lab* lab : labs()) {
        for (const PublishedFigure& figure : lab->figures) {
            const std::string version = "V" + std::to_string(figure.version);
            EXPECT_TRUE(std::any_of(places.begin(), places.end(),
                                    [&](const std::string& place) {
                                        return place.find("`" + std::string(lab->id) + "`") !=
                                                   std::string::npos &&
                                               std::regex_search(place, std::regex("\\b" + version + "\\b"));
                                    }))
                << lab->id << " " << version << ": " << figure.source;
        }
    }
}

}  // namespace
}  // namespace ws
