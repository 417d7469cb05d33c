#version 330 core
// The picture's gray, read from the buffer into which the kernels write: rows of bytes without gaps. Enlarged, a
// pixel is a square; else the four nearest are weighed, and a reduced picture is averaged over u_step as in
// picture.frag.
uniform samplerBuffer u_picture;
uniform ivec2 u_size;
uniform bool u_smooth;
uniform vec2 u_step;
in vec2 v_texture;
out vec4 o_color;

float pixel(ivec2 at) {
    at = clamp(at, ivec2(0), u_size - 1);
    return texelFetch(u_picture, at.y * u_size.x + at.x).r;
}

float gray(vec2 place) {
    vec2 at = place * vec2(u_size);
    if (!u_smooth) return pixel(ivec2(floor(at)));
    vec2 corner = floor(at - 0.5);
    vec2 part = at - 0.5 - corner;
    ivec2 first = ivec2(corner);
    return mix(mix(pixel(first), pixel(first + ivec2(1, 0)), part.x),
               mix(pixel(first + ivec2(0, 1)), pixel(first + ivec2(1, 1)), part.x), part.y);
}

void main() {
    float value = 0.0;
    if (u_step.x == 0.0) {
        value = gray(v_texture);
    } else {
        value = 0.25 * (gray(v_texture + vec2(-u_step.x, -u_step.y)) + gray(v_texture + vec2(u_step.x, -u_step.y)) +
                        gray(v_texture + vec2(-u_step.x, u_step.y)) + gray(v_texture + vec2(u_step.x, u_step.y)));
    }
    o_color = vec4(vec3(value), 1.0);
}
