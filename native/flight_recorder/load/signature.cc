// Turns the fields of an entry that ranks must agree on into one number over all dumps.
#include "flight_recorder/load/signature.h"

#include <charconv>

namespace faultline::flight_recorder {
namespace {

constexpr std::size_t MAX_FRAMES = 64;
constexpr std::size_t MAX_SIZES = 64;
constexpr std::size_t MAX_NAME = 128;

std::int64_t multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

struct Sizes {
  std::string text = "[";
  std::int64_t elements = 0, first = 0;
  bool any = false;
  bool uneven = false;  // tensors of different sizes
};

void add_shape(const Tables& tables, std::span<const Value> shape, Sizes& sizes) {
  std::int64_t product = 1;
  sizes.text += sizes.text.size() > 1 ? ", [" : "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t size = integer_of(tables, shape[i]).value_or(-1);
    product = multiply(product, size);
    if (i >= MAX_SIZES) continue;
    if (i > 0) sizes.text += ", ";
    sizes.text += std::to_string(size);
  }
  sizes.text += "]";
  if (!sizes.any) sizes.first = product;
  sizes.uneven = sizes.uneven || product != sizes.first;
  sizes.any = true;
  if (__builtin_add_overflow(sizes.elements, product, &sizes.elements)) sizes.elements = INT64_MAX;
}

Sizes sizes_of(const Tables& tables, std::uint32_t id) {
  Sizes sizes;
  if (id != UINT32_MAX) {
    const auto shapes = tables.values(id);
    if (!shapes.empty() && shapes[0].is_integer()) {
      add_shape(tables, shapes, sizes);
    } else {
      std::size_t shown = 0;
      for (const Value shape : shapes) {
        if (!shape.is(Value::Tag::sequence) || ++shown > 4096) continue;
        add_shape(tables, tables.values(shape.index()), sizes);
      }
    }
  }
  if (sizes.text.size() > 1024) sizes.text.resize(1024);
  sizes.text += "]";
  return sizes;
}

std::string dtype_of(const Tables& tables, std::uint32_t id) {
  if (id == UINT32_MAX) return {};
  const auto values = tables.values(id);
  if (values.empty() || !values[0].is(Value::Tag::string)) return {};
  return std::string(tables.text(values[0].index()).substr(0, MAX_NAME));
}

std::uint32_t number_in(std::unordered_map<std::string, std::uint32_t>& ids, const std::string& text) {
  return ids.try_emplace(text, static_cast<std::uint32_t>(ids.size())).first->second;
}

}  // namespace

std::uint32_t Texts::id(std::string_view text) {
  const auto [at, added] = ids_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
  if (added) texts_.push_back(&at->first);
  return at->second;
}

Kind kind_of(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (name == "send") return Kind::send;
  if (name == "recv" || name == "recv_any_source" || name == "recvAnySource") return Kind::recv;
  if (name == "coalesced") return Kind::coalesced;
  if (has("barrier")) return Kind::barrier;
  if (has("reduce_scatter") || has("reducescatter")) return Kind::reduce_scatter;
  if (has("all_reduce") || has("allreduce")) return Kind::all_reduce;
  if (has("all_gather") || has("allgather") || has("ALLGATHER")) return Kind::all_gather;
  if (has("all_to_all") || has("alltoall")) return Kind::all_to_all;
  if (has("broadcast")) return Kind::broadcast;
  if (has("gather")) return Kind::gather;
  if (has("scatter")) return Kind::scatter;
  if (has("reduce")) return Kind::reduce;
  return Kind::other;
}

OperationName operation_name(std::string_view name) {
  OperationName parts;
  if (const std::size_t colon = name.find(':'); colon != std::string_view::npos) {
    parts.backend = name.substr(0, colon).substr(0, MAX_NAME);
    name.remove_prefix(colon + 1);
  }
  const std::size_t space = name.find(' ');
  parts.operation = name.substr(0, space).substr(0, MAX_NAME);
  if (space == std::string_view::npos || (parts.operation != "send" && parts.operation != "recv")) return parts;
  const std::string_view pair = name.substr(space + 1);
  const std::size_t arrow = pair.find(parts.operation == "send" ? "->" : "<-");
  if (arrow == std::string_view::npos) return parts;
  const auto read = [](std::string_view text, std::int32_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 0) number = -1;
  };
  read(pair.substr(0, arrow), parts.self);
  read(pair.substr(arrow + 2), parts.peer);
  return parts;
}

std::size_t Signatures::Hash::operator()(const Key& key) const {
  std::uint64_t hash = key.name;
  for (const std::uint32_t part : {key.input_sizes, key.output_sizes, key.input_dtypes, key.output_dtypes}) {
    hash = (hash ^ part) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

std::uint32_t Signatures::of(const Row& row) {
  const Key key{row.profiling_name, row.input_sizes, row.output_sizes, row.input_dtypes, row.output_dtypes};
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  const Tables& tables = dump_.tables;
  Signature made;
  made.operation = operation_name(dump_.text(row.profiling_name)).operation;
  made.kind = kind_of(made.operation);
  const Sizes input = sizes_of(tables, row.input_sizes);
  const Sizes output = sizes_of(tables, row.output_sizes);
  made.input_sizes = input.text;
  made.output_sizes = output.text;
  made.input_elements = input.elements;
  made.output_elements = output.elements;
  const bool by_output = made.kind == Kind::scatter || made.kind == Kind::reduce_scatter;
  made.dtype = dtype_of(tables, by_output ? row.output_dtypes : row.input_dtypes);
  switch (made.kind) {
    case Kind::all_reduce:
    case Kind::broadcast:
    case Kind::reduce:
    case Kind::gather:
      if (input.any) made.compared_elements = input.elements;
      break;
    // Where every rank brings another part, all have the same whole.
    case Kind::all_gather:
      if (input.any) made.compared_elements = output.uneven ? output.elements : input.elements;
      break;
    case Kind::reduce_scatter:
      if (output.any) made.compared_elements = input.uneven ? input.elements : output.elements;
      break;
    case Kind::scatter:
      if (output.any) made.compared_elements = output.elements;
      break;
    default: break;  // all_to_all may be uneven, a barrier has no sizes, of others we know nothing
  }
  const std::uint32_t id = signature_id(std::move(made), job_);
  known_.emplace(key, id);
  return id;
}

std::uint32_t signature_id(Signature made, Job& job) {
  const std::string agree =
      made.operation + '\n' + std::to_string(made.compared_elements) + '\n' + made.dtype;
  const std::string all = agree + '\n' + made.input_sizes + '\n' + made.output_sizes;
  const std::uint32_t id = number_in(job.signature_ids, all);
  if (id == job.signatures.size()) {
    made.key = number_in(job.key_ids, agree);
    job.signatures.push_back(std::move(made));
  }
  return id;
}

std::uint32_t stack_of(const Dump& dump, Job& job, std::uint32_t frames) {
  if (frames == UINT32_MAX) return NO_ID;
  std::vector<Frame> stack;
  std::string text;
  for (const Value frame : dump.frames(frames)) {
    if (stack.size() >= MAX_FRAMES || !frame.is(Value::Tag::mapping)) break;
    Frame made{job.texts.id(""), job.texts.id(""), 0};
    const auto pairs = dump.tables.values(frame.index());
    for (std::size_t i = 0; i + 1 < pairs.size() && i < 16; i += 2) {
      switch (static_cast<Name>(pairs[i].index())) {
        case Name::name: made.function = job.texts.id(dump.string(pairs[i + 1]).substr(0, 1024)); break;
        case Name::filename: made.file = job.texts.id(dump.string(pairs[i + 1]).substr(0, 4096)); break;
        case Name::line: made.line = integer_of(dump.tables, pairs[i + 1]).value_or(0); break;
        default: break;
      }
    }
    text += std::to_string(made.function) + ' ' + std::to_string(made.file) + ' ' + std::to_string(made.line) + '\n';
    stack.push_back(made);
  }
  if (stack.empty()) return NO_ID;
  const std::uint32_t id = number_in(job.stack_ids, text);
  if (id == job.stacks.size()) job.stacks.push_back(std::move(stack));
  return id;
}

}  // namespace faultline::flight_recorder
