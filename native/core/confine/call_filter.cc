// Writes the program that the kernel runs at each call.
#include "core/confine/call_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <cstddef>

namespace faultline::confine {
namespace {

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned kArchitecture = 0;
#endif

sock_filter load(unsigned offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset); }
sock_filter load_number() { return load(offsetof(seccomp_data, nr)); }
// The low half; both architectures are little-endian.
sock_filter load_argument(unsigned which) {
  return load(static_cast<unsigned>(offsetof(seccomp_data, args) + which * sizeof(std::uint64_t)));
}
sock_filter answer(unsigned action) { return BPF_STMT(BPF_RET | BPF_K, action); }
sock_filter fail(int error) { return answer(SECCOMP_RET_ERRNO | static_cast<unsigned>(error)); }
// The next `skip` instructions are left out where the condition does not hold.
sock_filter unless_equal(std::uint32_t value, std::uint8_t skip) { return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip); }

}  // namespace

CallFilter::CallFilter() {
  program_ = {load(offsetof(seccomp_data, arch)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
              answer(SECCOMP_RET_KILL_PROCESS), load_number()};
}

CallFilter::~CallFilter() = default;

void CallFilter::allow(std::initializer_list<long> calls) {
  for (const long call : calls) {
    program_.insert(program_.end(), {unless_equal(static_cast<unsigned>(call), 1), answer(SECCOMP_RET_ALLOW)});
  }
}

void CallFilter::refuse(std::initializer_list<long> calls, int error) {
  for (const long call : calls) {
    program_.insert(program_.end(), {unless_equal(static_cast<unsigned>(call), 1), fail(error)});
  }
}

void CallFilter::refuse_unless(long call, unsigned which, std::uint32_t value, int error) {
  program_.insert(program_.end(), {unless_equal(static_cast<unsigned>(call), 4), load_argument(which),
                                   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0), fail(error),
                                   answer(SECCOMP_RET_ALLOW)});
}

void CallFilter::refuse_if(long call, unsigned which, std::uint32_t value, int error) {
  program_.insert(program_.end(), {unless_equal(static_cast<unsigned>(call), 4), load_argument(which),
                                   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1), fail(error), load_number()});
}

void CallFilter::refuse_unless_bits(long call, unsigned which, std::uint32_t wanted, std::uint32_t unwanted, int error) {
  program_.insert(program_.end(), {unless_equal(static_cast<unsigned>(call), 6), load_argument(which),
                                   BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, unwanted, 2, 0),
                                   BPF_STMT(BPF_ALU | BPF_AND | BPF_K, wanted),
                                   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, wanted, 1, 0), fail(error),
                                   answer(SECCOMP_RET_ALLOW)});
}

void CallFilter::kill_if_bits(long call, unsigned which, std::uint32_t bits) {
  program_.insert(program_.end(), {unless_equal(static_cast<unsigned>(call), 4), load_argument(which),
                                   BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0), answer(SECCOMP_RET_ALLOW),
                                   answer(SECCOMP_RET_KILL_PROCESS)});
}

void CallFilter::refuse_beyond(long highest, int error) {
  program_.insert(program_.end(),
                  {BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, static_cast<unsigned>(highest), 0, 1), fail(error)});
}

bool CallFilter::hold(Otherwise otherwise) {
  if (kArchitecture == 0) return false;
  program_.push_back(answer(otherwise == Otherwise::kAllow ? SECCOMP_RET_ALLOW : SECCOMP_RET_KILL_PROCESS));
  const sock_fprog filter{static_cast<unsigned short>(program_.size()), program_.data()};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

}  // namespace faultline::confine
