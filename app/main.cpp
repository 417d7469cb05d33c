// Warpscope: shows how CUDA kernels become fast.

#include "app/program.h"

int main(int argc, char** argv) {
    return ws::run_program(argc, argv, {});
}
