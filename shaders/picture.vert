#version 330 core
// A rectangle of the picture: corner 0 to 1, placed in the view by scale and offset.
uniform vec2 u_scale;
uniform vec2 u_offset;
out vec2 v_texture;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    v_texture = corner;
    gl_Position = vec4(corner * u_scale + u_offset, 0.0, 1.0);
}
