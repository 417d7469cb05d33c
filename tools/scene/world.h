#pragma once
// What stands in the room, and what a ray meets there.

#include <optional>
#include <vector>

#include "tools/scene/materials.h"
#include "tools/scene/shapes.h"

namespace still_life {

struct Ray {
    Vec origin, way;  // the way has length 1
};

struct Box {
    Vec low, high;
};

struct Thing {
    Shape shape;
    const Material* material;
    Box bounds;  // in its own frame
    Vec place;
    Frame frame;
    float scale = 1;
};

struct Hit {
    float distance;
    Vec point;
    Vec normal;  // towards where the ray came from
    Vec local;   // the point in the frame of what was hit
    const Material* material;
    const Thing* thing;  // null: table or wall
};

class World {
  public:
    World();
    [[nodiscard]] std::optional<Hit> meet(const Ray& ray) const;
    [[nodiscard]] bool blocked(const Ray& ray, float up_to) const;

  private:
    struct Group {  // things that stand together, within one box
        Box bounds;
        std::vector<Thing> things;
    };
    void add(std::vector<Thing> things);
    std::vector<Group> groups_;
};

}  // namespace still_life
