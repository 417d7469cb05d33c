#pragma once
// The original and the result as PNG files, written on another thread so that the window stays responsive.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/core/image.h"
#include "gpu/core/job.h"
#include "gpu/core/snapshot.h"

namespace ws {

struct CaptureRequest {
    Picture original;
    std::optional<GrayImage> current;  // none where the original itself is shown
    std::optional<GrayImage> a;        // what the result is compared with, where that is not the original
    std::string a_label;               // "blurred by V3"
    std::vector<std::string> caption;
    std::string label;    // of the current picture: "edges after blur"
    std::string sides;    // what lies left and right: "left: original, right: edges after blur"
    std::string reduced;  // behind the last line where pictures are reduced, {} for the factor
    std::filesystem::path folder;
    std::optional<RgbaImage> view;  // the window itself
    std::string state;              // that --restore reads; empty: none
    std::string stem;               // "2026-11-20_231500_V5_32x8"
    // The part of the pictures that is on the screen, as it is there: then nothing else is saved but the
    // state.
    std::optional<RgbaImage> detail;
};

// In the window's language, as all that follows. What computed the picture: "edges after blur by V5 shared
// memory, blur block 32 x 4", or that no version's kernel did.
[[nodiscard]] std::string_view describe_drawn(const Drawn& drawn);

// The caption and the file name, which are the same in all languages, of what the snapshot shows; a version
// is named only if it ran.
[[nodiscard]] CaptureRequest describe_capture(const Snapshot& snapshot, std::filesystem::path folder);

// A part of a picture, as much of it as there is.
[[nodiscard]] RgbaImage cut_out(const RgbaImage& whole, int left, int top, Extent size);
// The detail over the caption.
[[nodiscard]] RgbaImage captioned(const RgbaImage& detail, const std::vector<std::string>& caption);

// Both pictures side by side over a caption, reduced by a whole factor to at most about 4096 pixels across.
[[nodiscard]] RgbaImage side_by_side(const CaptureRequest& request);

// Writes stem_original.png, stem_LABEL.png and stem_both.png, and, where there is one, stem_A_LABEL.png,
// stem_view.png and stem.json; of a detail stem_detail.png and stem.json. Returns their paths. Throws Error.
std::vector<std::filesystem::path> write_capture(const CaptureRequest& request);

class CaptureWriter {
  public:
    void start(CaptureRequest request);
    [[nodiscard]] bool busy() const { return job_.active(); }
    // What came of a capture that has finished since the last call: a message, and whether it is an error.
    struct Outcome {
        std::string message;
        bool failed = false;
    };
    [[nodiscard]] std::optional<Outcome> poll();

  private:
    Job<std::string> job_;  // whose end waits for the last file
};

}  // namespace ws
