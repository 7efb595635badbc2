// Prints what the stand-in library says of one driver branch: its field ids' end, then each symbol on the command line
// that it exports; scripts/check-nvml-generations compares that with what NVIDIA published for the branch.
#include <cstdio>
#include <cstdlib>

#include "fake/generations.h"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int branch = std::atoi(argv[1]);
  std::printf("fields %u\n", faultline::fake::field_end(branch));
  for (int i = 2; i < argc; ++i) {
    if (faultline::fake::has_symbol(branch, argv[i])) std::printf("%s\n", argv[i]);
  }
}
