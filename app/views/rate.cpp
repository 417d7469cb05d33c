#include "app/views/rate.h"

#include "app/texts/texts.h"
#include "app/views/words.h"
#include "gpu/core/peak.h"

namespace ws {
namespace {

Rate rate_of(const Lab& lab) {
    if (lab.bandwidth) return Rate::bandwidth;
    if (lab.native.float_operations) return Rate::arithmetic;
    return lab.counts_operations() ? Rate::operations : Rate::none;
}

// That the time is of.
const GpuProfile& gpu_of(const WorkFigures& figures) {
    return figures.measured || !figures.counted() ? figures.key.gpu : figures.steps.front().key.gpu;
}

double operations_of(const WorkFigures& figures) {
    double each = 0;
    for (const LaunchKey& launch : figures.key.launches)
        each += figures.work.lab->steps[std::size_t(launch.step)].operations;
    return each * double(figures.key.input.size.pixels());
}

// Two digits behind the point below 10.
std::string_view number_text(double value) {
    return value < 9.95 ? text("{:.2f}", value) : text("{:.1f}", value);
}

std::string_view arithmetic_text(const WorkFigures& figures, double tflop_s) {
    constexpr double kGiga = 1e3;  // of 10^12
    const double peak = peak_gflop_s(gpu_of(figures)) / kGiga;
    return peak > 0 ? say("figure.of_peak", number_text(tflop_s), text("{:.0f}", 100 * tflop_s / peak))
                    : text("{} TFLOP/s", number_text(tflop_s));
}

std::string_view operations_text(const WorkFigures& figures, double per_clock) {
    const PublishedFigure* known = published(*figures.work.lab, figures.work.version, gpu_of(figures).name,
                                             PublishedQuantity::operations_per_clock);
    return known ? say("rate.operations.published", number_text(per_clock), text("{}", known->value))
                 : say("rate.operations", number_text(per_clock));
}

}  // namespace

Rate shown_rate(const Snapshot& snapshot) {
    const Rate rate = rate_of(*snapshot.work.lab);
    const bool known = rate != Rate::operations || gpu_of(snapshot.told.now).clock_mhz > 0;
    return known ? rate : Rate::none;
}

double rate(const WorkFigures& figures, double ms) {
    const Lab& lab = *figures.work.lab;
    constexpr double kPerMillisecond = 1e9;  // operations a ms that are a TFLOP/s
    if (ms <= 0) return 0;
    switch (rate_of(lab)) {
        case Rate::bandwidth:
            return bandwidth(figures, ms);
        case Rate::arithmetic:
            return lab.native.float_operations(figures.key.input.size) / ms / kPerMillisecond;
        case Rate::operations:
            return operations_per_clock(operations_of(figures), ms, gpu_of(figures));
        case Rate::none:
            break;
    }
    return 0;
}

std::string_view rate_text(const WorkFigures& figures, double ms) {
    const double value = rate(figures, ms);
    switch (rate_of(*figures.work.lab)) {
        case Rate::bandwidth:
            return text("{:.0f} GB/s", value);
        case Rate::arithmetic:
            return arithmetic_text(figures, value);
        case Rate::operations:
            return operations_text(figures, value);
        case Rate::none:
            break;
    }
    return {};
}

std::string_view short_rate(const WorkFigures& figures, double ms) {
    const double value = rate(figures, ms);
    switch (rate_of(*figures.work.lab)) {
        case Rate::arithmetic:
            return text("{} TFLOP/s", number_text(value));
        case Rate::operations:
            return say("rate.per_clock", number_text(value));
        case Rate::bandwidth:
        case Rate::none:
            break;
    }
    return rate_text(figures, ms);
}

std::string_view rate_title(Rate rate) {
    return say(rate == Rate::operations   ? "chart.operations"
               : rate == Rate::arithmetic ? "chart.arithmetic"
                                          : "chart.bandwidth");
}

std::string_view rate_tip(Rate rate) {
    return rate == Rate::operations   ? "tip.operations"
           : rate == Rate::arithmetic ? "tip.arithmetic"
                                      : "tip.bandwidth";
}

}  // namespace ws
