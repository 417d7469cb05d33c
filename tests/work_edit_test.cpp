// Edits of the work: what each makes of it, whatever it asks for.

#include <gtest/gtest.h>

#include "app/state/work_edit.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/labs/labs.h"
#include "gpu/labs/transpose/transpose.h"

namespace ws {
namespace {

const KernelLibrary& kernels() {
    static const KernelLibrary library;
    return library;
}

PerStep<ws::Block> own_blocks(const Version& version) {
    PerStep<ws::Block> blocks{};
    for (std::size_t i = 0; i < version.steps.size(); ++i) blocks[i] = version.steps[i].block;
    return blocks;
}

// Every lab, every version, every step, every knob, and values on both sides of what they take.
TEST(WorkEdits, BecomeWhatTheKernelsTake) {
    for (const Lab* lab : labs()) {
        const Work first = edited(initial_work(), ChooseLab{std::string(lab->id)}, kernels());
        EXPECT_EQ(first.lab, lab);
        for (const Version& version : lab->versions) {
            const Work own = edited(first, ChooseVersion{version.number}, kernels());
            EXPECT_EQ(own.version, version.number);
            EXPECT_EQ(own.blocks, own_blocks(version));
            for (std::size_t step = 0; step < lab->steps.size(); ++step) {
                const std::string_view kernel = version.steps[step].kernel;
                for (const Block block : {ws::Block{1, 1},
                                          {33, 5},
                                          {1024, 1},
                                          {1, 1024},
                                          {2'000'000'000, 2'000'000'000},
                                          {-7, 0}}) {
                    const ws::Block taken =
                        edited(own, ChooseBlock{int(step), block}, kernels()).block(int(step));
                    EXPECT_TRUE(taken.valid()) << to_string(taken);
                    if (kernel.empty()) continue;
                    const KernelSource& source = kernels().find(kernel);
                    EXPECT_EQ(fitted(source, taken), taken) << version.number << ", " << to_string(block);
                    if (block.valid() && fitted(source, block) == block) {
                        EXPECT_EQ(taken, block);
                    }
                }
                if (kernel.empty()) continue;
                for (const Knob& knob : kernels().find(kernel).knobs) {
                    const auto value_of = [&](int asked) {
                        return edited(own, ChooseKnob{knob.name, asked}, kernels()).knobs.at(knob.name);
                    };
                    EXPECT_EQ(value_of(knob.high), knob.high) << knob.name;
                    EXPECT_LE(value_of(1'000'000), std::max(1024, knob.high)) << knob.name;
                    EXPECT_GE(value_of(-1'000'000), std::min(0, knob.low)) << knob.name;
                }
            }
        }
    }
}

TEST(WorkEdits, WhatDoesNotExistChangesNothing) {
    const Work work = edited(initial_work(), ChooseVersion{8}, kernels());
    for (const WorkEdit& edit :
         {WorkEdit(ChooseVersion{77}), WorkEdit(ChooseVersion{-1}), WorkEdit(ChooseKnob{"NO_SUCH_KNOB", 3}),
          WorkEdit(ChooseGpu{"GTX 9"}), WorkEdit(ChooseLab{"no such lab"}), WorkEdit(ChooseView{99}),
          WorkEdit(ChooseView{-1}), WorkEdit(ChooseBlock{int(work.lab->steps.size()), {8, 8}}),
          WorkEdit(ChooseBlock{-1, {8, 8}}), WorkEdit(ChooseSize{{512, 512}})})
        EXPECT_EQ(edited(work, edit, kernels()), work);
    EXPECT_EQ(edited(work, ChooseGpu{"gtx 280"}, kernels()).target_gpu, "GTX 280") << "as the table has it";
}

TEST(WorkEdits, AnotherLabBeginsAnewOnTheSameGpu) {
    const Work work =
        edited(initial_work(),
               {ChooseVersion{8}, ChooseBlock{filters::step::blur, {64, 4}}, ChooseKnob{"MIN_BLOCKS", 3},
                ChooseDevice{DeviceKind::simt}, ChooseGpu{"GTX 280"}},
               kernels());
    Work expected = first_work(transpose::lab());
    expected.device = DeviceKind::simt;
    expected.target_gpu = "GTX 280";
    EXPECT_EQ(edited(work, ChooseLab{"transpose"}, kernels()), expected);
    EXPECT_EQ(edited(work, ChooseLab{"filters"}, kernels()), work) << "it is there already";
    // A size is the work's own where no picture decides, within what there may be.
    EXPECT_EQ(edited(expected, ChooseSize{{500, 300}}, kernels()).size, (Extent{500, 300}));
    EXPECT_EQ(edited(expected, ChooseSize{{0, 2'000'000'000}}, kernels()).size, (Extent{1, kMaxSide}));
}

TEST(WorkEdits, OneOfSeveralGpusStaysChosenInAnotherLabAndGoesWithItsDevice) {
    const Work work =
        edited(initial_work(), {ChooseDevice{DeviceKind::cuda, 1}, ChooseLab{"transpose"}}, kernels());
    EXPECT_EQ(work.device, DeviceKind::cuda);
    EXPECT_EQ(work.cuda_gpu, 1);
    EXPECT_FALSE(work == edited(work, ChooseDevice{DeviceKind::cuda, 0}, kernels()));
    EXPECT_EQ(edited(work, ChooseDevice{DeviceKind::simt}, kernels()).cuda_gpu, kAnyGpu);
    EXPECT_EQ(edited(work, ChooseDevice{DeviceKind::cuda}, kernels()).cuda_gpu, kAnyGpu);
}

TEST(WorkEdits, MakeAnyWorkAnew) {
    const std::vector<std::vector<WorkEdit>> cases{
        {ChooseVersion{8}, ChooseView{filters::view::edge_of_gray}, ChooseBlock{filters::step::edge, {64, 4}},
         ChooseKnob{"MIN_BLOCKS", 3}, ChooseDevice{DeviceKind::simt}, ChooseGpu{"GTX 280"}},
        {ChooseVersion{8}, ChooseView{filters::view::blur}},
        {ChooseDevice{DeviceKind::cuda, 1}, ChooseLab{"transpose"}},
        {ChooseLab{"transpose"}, ChooseVersion{7}, ChooseSize{{1000, 500}},
         ChooseBlock{transpose::step::transpose, {32, 4}}, ChooseDevice{DeviceKind::cpu}}};
    for (const std::vector<WorkEdit>& asked : cases) {
        const Work work = edited(initial_work(), asked, kernels());
        EXPECT_FALSE(work == initial_work());
        EXPECT_EQ(edited(initial_work(), edits_of(work), kernels()), work);
    }
}

}  // namespace
}  // namespace ws
