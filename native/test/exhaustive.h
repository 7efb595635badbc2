// How many of the values of a byte a test of damage tries: by sample, or each where FAULTLINE_LONG is set (scripts/check-long).
#pragma once

#include <cstdlib>

namespace exhaustive {

// The step between values. A prime: the samples of neighbouring bytes are different ones.
inline int step(int sampled) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return sampled * 6 + 1;  // a sanitizer takes twenty times as long
#else
  return std::getenv("FAULTLINE_LONG") != nullptr ? 1 : sampled;
#endif
}

}  // namespace exhaustive
