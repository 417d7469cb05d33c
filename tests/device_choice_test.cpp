// Devices as a person names them, and GPUs of one name that are told apart.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "gpu/core/device.h"
#include "gpu/core/device_choice.h"

namespace ws {
namespace {

TEST(DeviceChoices, AreReadAsTheyAreWritten) {
    const std::array<std::pair<const char*, DeviceChoice>, 7> kNames{
        {{"auto", {DeviceKind::automatic}},
         {"cuda", {DeviceKind::cuda}},
         {"cuda:0", {DeviceKind::cuda, 0}},
         {"cuda:15", {DeviceKind::cuda, 15}},
         {"cuda:all", {DeviceKind::cuda, kAllGpus}},
         {"simt", {DeviceKind::simt}},
         {"cpu", {DeviceKind::cpu}}}};
    for (const auto& [name, choice] : kNames) {
        ASSERT_TRUE(device_named(name)) << name;
        EXPECT_EQ(*device_named(name), choice) << name;
        EXPECT_EQ(name_of(choice), name);
    }
    for (const char* name :
         {"", "gpu", "CUDA", "cuda:", "cuda:-1", "cuda:-2", "cuda:1x", "cuda: 1", "cuda:ALL",
          "cuda:99999999999", "simt:0", "cpu:0", "auto:0", "cuda:0:0", "cuda0"})
        EXPECT_FALSE(device_named(name)) << name;
}

TEST(DeviceChoices, SayWhatThereIsWhereTheNumberIsTooHigh) {
    EXPECT_STREQ(no_such_gpu(3, 2).what(),
                 "there is no cuda:3, this machine has 2 CUDA GPUs: choose from cuda:0 to cuda:1, which "
                 "'warpscope devices' lists with their addresses");
    EXPECT_STREQ(no_such_gpu(1, 1).what(),
                 "there is no cuda:1, this machine has one CUDA GPU: choose cuda:0");
}

TEST(DeviceNames, TellGpusOfOneNameApart) {
    DeviceFacts device;
    device.kind = DeviceKind::cuda;
    device.name = "NVIDIA H200";
    device.place.of = 1;
    EXPECT_EQ(shown_name(device), "NVIDIA H200");
    device.place.of = 2;
    device.place.number = 1;
    EXPECT_EQ(shown_name(device), "NVIDIA H200 (cuda:1)");
    DeviceFacts cpu;
    cpu.name = "a CPU";
    EXPECT_EQ(shown_name(cpu), "a CPU");
}

TEST(DeviceNames, WriteUuidsAsNvidiaSmiDoes) {
    const std::array<std::uint8_t, 16> bytes{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
                                             0xf0, 0xe1, 0xd2, 0xc3, 0xb4, 0xa5, 0x96, 0x87};
    EXPECT_EQ(uuid_text(bytes), "GPU-01234567-89ab-cdef-f0e1-d2c3b4a59687");
}

}  // namespace
}  // namespace ws
