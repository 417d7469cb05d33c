#version 330 core
// The picture's colour. A reduced picture is averaged over the pixels that fall on one point of the screen, so that
// fine edges stay visible: u_step is a quarter of that area in texture coordinates, 0 where nothing is reduced.
uniform sampler2D u_picture;
uniform vec2 u_step;
in vec2 v_texture;
out vec4 o_color;

void main() {
    if (u_step.x == 0.0) {
        o_color = vec4(texture(u_picture, v_texture).rgb, 1.0);
        return;
    }
    vec3 sum = texture(u_picture, v_texture + vec2(-u_step.x, -u_step.y)).rgb +
               texture(u_picture, v_texture + vec2(u_step.x, -u_step.y)).rgb +
               texture(u_picture, v_texture + vec2(-u_step.x, u_step.y)).rgb +
               texture(u_picture, v_texture + vec2(u_step.x, u_step.y)).rgb;
    o_color = vec4(sum * 0.25, 1.0);
}
