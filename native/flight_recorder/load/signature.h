// Turns the fields of an entry that ranks must agree on into one number over all dumps.
#pragma once

#include <unordered_map>

#include "flight_recorder/load/job.h"

namespace faultline::flight_recorder {

// Per dump: looks each combination up once.
class Signatures {
 public:
  Signatures(const Dump& dump, Job& job) : dump_(dump), job_(job) {}
  std::uint32_t of(const Row& row);

 private:
  struct Key {
    std::uint32_t name, input_sizes, output_sizes, input_dtypes, output_dtypes;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  const Dump& dump_;
  Job& job_;
  std::unordered_map<Key, std::uint32_t, Hash> known_;
};

// The number of an equal signature of the job; its key is set here.
std::uint32_t signature_id(Signature made, Job& job);

// "nccl:send 0->3" as its parts.
struct OperationName {
  std::string_view backend, operation;
  std::int32_t self = -1, peer = -1;
};
OperationName operation_name(std::string_view profiling_name);

// Numbers of a stack's frames, innermost first, at most `MAX_FRAMES`.
std::uint32_t stack_of(const Dump& dump, Job& job, std::uint32_t frames);

}  // namespace faultline::flight_recorder
