// Fuzzes the join alone: an input is a job of up to eight ranks, a few bytes an operation, and no pickle is read.
// Form: ranks, groups; of each group its members as bits and its name; then operations of six bytes, the first says of whom.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>

#include "flight_recorder/analyse.h"
#include "flight_recorder/summary/summary.h"

using namespace faultline::flight_recorder;

namespace {

constexpr std::size_t RANKS = 8, GROUPS = 6, OPERATIONS = 64;
constexpr std::string_view GROUP_NAMES[] = {"0", "1", "2", "default_pg", "", "tp"};
constexpr std::string_view OPERATION_NAMES[] = {
    "nccl:all_reduce", "nccl:send 0->1", "nccl:recv 0<-1", "nccl:send 1->2", "nccl:recv 1<-0", "nccl:coalesced", "gloo:all_reduce",
    "nccl:broadcast", "nccl:_all_gather_base", "nccl:all_to_all", "nccl:recv 7<-9", "", "nccl:gather", "xccl:barrier", "mpi:reduce",
    "gloo:send 1->0",
};
constexpr std::string_view DTYPES[] = {"Float", "Half"};
constexpr std::int64_t NUMBERS[] = {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, INT64_MAX >> 1, INT64_MIN >> 1, 1 << 20, -2};
constexpr std::int64_t START_NS = 1'795'818'000'000'000'000;

struct Input {
  const std::uint8_t *at, *end;
  unsigned byte() { return at < end ? *at++ : 0; }
  bool empty() const { return at >= end; }
};

struct Membership {
  unsigned members, name;
};

// Of each set of members the list as a recorder writes it.
std::array<std::string, 256> made_lists() {
  std::array<std::string, 256> lists;
  for (unsigned members = 0; members < lists.size(); ++members) {
    for (unsigned rank = 0; rank < RANKS; ++rank) {
      if ((members >> rank & 1) != 0) lists[members] += (lists[members].empty() ? "[" : ", ") + std::to_string(rank);
    }
    lists[members] += lists[members].empty() ? "[]" : "]";
  }
  return lists;
}
const std::array<std::string, 256> LISTS = made_lists();

// One dump for all ranks and inputs, so that its tables are not made again each time; they keep equal ones once.
Dump& emptied(unsigned runs) {
  static std::unique_ptr<Dump> dump;
  if (!dump || runs % 4096 == 0) dump = std::make_unique<Dump>(std::size_t{64} << 20);
  while (dump->rows.size() > 0) dump->rows.drop_last();
  dump->top.clear();
  return *dump;
}

Value text(Dump& dump, std::string_view of) { return Value::string(dump.tables.string(of)); }
Value known(Name name) { return Value::string(static_cast<std::uint32_t>(name)); }
Value mapping(Dump& dump, const std::vector<Value>& pairs) {
  return Value::mapping(dump.tables.sequence(pairs.data(), pairs.size(), 2));
}

void put_groups(Dump& dump, unsigned rank, const std::vector<Membership>& groups, unsigned form) {
  std::vector<Value> config, status;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if ((groups[i].members >> rank & 1) == 0) continue;
    const std::string_view name = GROUP_NAMES[groups[i].name % std::size(GROUP_NAMES)];
    config.push_back(text(dump, name));
    config.push_back(mapping(dump, {known(Name::name), text(dump, name), known(Name::desc),
                                    text(dump, GROUP_NAMES[groups[i].name / 8 % std::size(GROUP_NAMES)]), known(Name::ranks), text(dump, LISTS[groups[i].members])}));
    status.push_back(text(dump, GROUP_NAMES[i % 3]));
    status.push_back(mapping(dump, {known(Name::last_enqueued_collective), Value::integer(NUMBERS[(form + rank + i) % 16]),
                                    known(Name::last_completed_collective), Value::integer(NUMBERS[(form / 16 + i) % 16])}));
  }
  if ((form & 1) == 0) dump.top.emplace_back(static_cast<std::uint32_t>(Name::pg_config), mapping(dump, config));
  if ((form & 2) == 0) dump.top.emplace_back(static_cast<std::uint32_t>(Name::pg_status), mapping(dump, status));
}

void put_operation(Dump& dump, const std::vector<Membership>& groups, Input& input) {
  const unsigned kind = input.byte(), seq = input.byte(), flags = input.byte(), when = input.byte(), size = input.byte();
  Row row;
  const std::size_t group = (kind >> 4) % groups.size();
  row.record_id = static_cast<std::int64_t>((flags & 0x40) != 0 ? 0 : dump.rows.size());
  row.pg_id = static_cast<std::int64_t>(group);
  row.pg_name = dump.tables.string(GROUP_NAMES[groups[group].name % std::size(GROUP_NAMES)]);
  row.pg_desc = dump.tables.string(GROUP_NAMES[groups[group].name / 8 % std::size(GROUP_NAMES)]);
  row.profiling_name = dump.tables.string(OPERATION_NAMES[kind & 15]);
  row.collective_seq = NUMBERS[seq & 15];
  row.p2p_seq = NUMBERS[seq >> 4];
  row.op_id = (size & 0x80) != 0 ? row.collective_seq : row.record_id;
  row.created_ns = when == 0 ? 0 : START_NS + std::int64_t{when} * when * 10'000'000;
  row.completed_ns = (flags & 8) != 0 ? row.created_ns + std::int64_t{when} * 1'000'000'000 : 0;
  row.timeout_ms = (flags & 0x80) != 0 ? UINT32_MAX : 60'000;
  row.state = static_cast<Row::State>(flags & 3);
  row.retired = (flags & 4) != 0;
  row.is_p2p = (flags & 16) != 0;
  row.started_seen = (flags & 32) != 0;
  const Value count = Value::integer(NUMBERS[size & 15]);
  const Value shape = Value::sequence(dump.tables.sequence(&count, 1, 1));
  row.input_sizes = row.output_sizes = dump.tables.sequence(&shape, 1, 2);
  const Value type = text(dump, DTYPES[size >> 4 & 1]);
  row.input_dtypes = row.output_dtypes = dump.tables.sequence(&type, 1, 1);
  dump.rows.add(row);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static unsigned runs = 0;
  ++runs;
  Input input{data, data + size};
  const unsigned ranks = 1 + input.byte() % RANKS;
  std::vector<Membership> groups(1 + input.byte() % GROUPS);
  for (Membership& group : groups) {
    group.members = input.byte();
    group.name = input.byte();
  }
  const unsigned form = input.byte();
  // By rank, in the order of the input.
  std::vector<std::vector<const std::uint8_t*>> operations(ranks);
  for (std::size_t count = 0; input.end - input.at >= 6 && count < OPERATIONS; ++count, input.at += 6) {
    operations[*input.at % ranks].push_back(input.at + 1);
  }
  Job job;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    // A rank without operations may have left no dump, or one that was refused.
    RankDump made;
    made.rank = rank;
    made.path = "rank";
    if (operations[rank].empty() && (form & 4) != 0) {
      made.rejection = Rejection{0, 0, "refused"};
      if ((form & 8) != 0) job.refused.push_back(std::move(made));
      continue;
    }
    Dump& dump = emptied(runs);
    put_groups(dump, rank, groups, form);
    for (const std::uint8_t* each : operations[rank]) {
      Input one{each, each + 5};
      put_operation(dump, groups, one);
    }
    dump.truncated = (form & 16) != 0 && rank == 0;
    made.dumped_ns = (form & 32) != 0 ? START_NS + 1'000'000'000 : 0;
    load(dump, job, made);
    job.dumps.push_back(std::move(made));
  }
  if ((form & 64) != 0 && !job.dumps.empty() && summary_of(job).empty()) std::abort();
  if (analyse_job(std::move(job)).empty()) std::abort();
  return 0;
}
