#version 330 core
// The picture's gray, read from the buffer into which the kernels write: rows of bytes without gaps. Enlarged, a
// pixel is a square; else the four nearest are weighed, and a reduced picture is sampled as in picture.frag.
uniform samplerBuffer u_picture;
uniform ivec2 u_size;
uniform bool u_smooth;
uniform int u_samples;
uniform vec2 u_span;
uniform bool u_largest;
uniform bool u_ink;  // inverted, and stronger by half
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
    float sum = 0.0;
    float most = 0.0;
    for (int row = 0; row < u_samples; ++row) {
        for (int column = 0; column < u_samples; ++column) {
            vec2 part = (vec2(column, row) + 0.5) / float(u_samples) - 0.5;
            float value = gray(v_texture + part * u_span);
            sum += value;
            most = max(most, value);
        }
    }
    float value = u_largest ? most : sum / float(u_samples * u_samples);
    o_color = vec4(vec3(u_ink ? 1.0 - min(1.5 * value, 1.0) : value), 1.0);
}
