#version 330 core
// The picture's colour. Where the picture is reduced, several pixels fall on one point of the screen: u_span in
// texture coordinates, looked at in u_samples times u_samples places. Their mean keeps a photograph's brightness;
// the largest keeps thin edges, which would fade in a mean.
uniform sampler2D u_picture;
uniform int u_samples;
uniform vec2 u_span;
uniform bool u_largest;
uniform bool u_ink;  // inverted, and stronger by half
in vec2 v_texture;
out vec4 o_color;

void main() {
    vec3 sum = vec3(0.0);
    vec3 most = vec3(0.0);
    for (int row = 0; row < u_samples; ++row) {
        for (int column = 0; column < u_samples; ++column) {
            vec2 part = (vec2(column, row) + 0.5) / float(u_samples) - 0.5;
            vec3 color = texture(u_picture, v_texture + part * u_span).rgb;
            sum += color;
            most = max(most, color);
        }
    }
    vec3 color = u_largest ? most : sum / float(u_samples * u_samples);
    o_color = vec4(u_ink ? 1.0 - min(1.5 * color, 1.0) : color, 1.0);
}
