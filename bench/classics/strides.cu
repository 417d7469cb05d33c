// Classics: parts of lines. What is stored of each line, or of each few, is less than all of it.

#define ELEMENT const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return

extern "C" __global__ void store_strided(float* y, const float* x, int stride, int n) {
    ELEMENT;
    y[(size_t)i * stride] = x[i];
}

// 64 bytes of which a step needs half and changes a quarter.
struct Particle {
    float4 position, velocity, color, rest;
};

extern "C" __global__ void move_particles(Particle* particles, float seconds, int n) {
    ELEMENT;
    float4 position = particles[i].position;
    const float4 velocity = particles[i].velocity;
    position.x += seconds * velocity.x;
    position.y += seconds * velocity.y;
    position.z += seconds * velocity.z;
    particles[i].position = position;
}

// The first columns of a matrix, as many as a block has threads beside each other.
extern "C" __global__ void scale_columns(float* matrix, const float* factors, int width, int rows) {
    const int column = threadIdx.x;
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row < rows) matrix[(size_t)row * width + column] *= factors[column];
}
