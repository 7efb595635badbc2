// Native results as the plain objects and typed arrays of src/native.ts.
#include "addon/to_js.h"

namespace faultline {
namespace {

void SetTraceparent(Napi::Env env, Napi::Object object, const std::string& traceparent) {
  if (!traceparent.empty()) object.Set("traceparent", Napi::String::New(env, traceparent));
}

Napi::Object EdgeToJs(Napi::Env env, const Edge& edge, const Core& core) {
  const SteadyClock& clock = core.clock();
  const Transition& change = edge.transition;
  const double reference =
      change.reference_is_time ? clock.to_ms(static_cast<std::int64_t>(change.reference)) : change.reference;
  Napi::Object object = Napi::Object::New(env);
  object.Set("detector", Napi::String::New(env, *edge.detector));
  object.Set("key", Napi::String::New(env, core.key(edge.series)));
  object.Set("edge", Napi::String::New(env, change.onset ? "onset" : "clear"));
  object.Set("timeMs", Napi::Number::New(env, clock.to_ms(change.time_ns)));
  object.Set("previousMs", Napi::Number::New(env, clock.to_ms(change.previous_ns)));
  object.Set("value", Napi::Number::New(env, change.value));
  object.Set("reference", Napi::Number::New(env, reference));
  object.Set("extreme", Napi::Number::New(env, change.extreme));
  object.Set("detectedMs", Napi::Number::New(env, clock.to_ms(edge.detected_ns)));
  SetTraceparent(env, object, edge.traceparent);
  return object;
}

Napi::Object RecordToJs(Napi::Env env, const KernelRecord& record, const SteadyClock& clock) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("sequence", Napi::Number::New(env, static_cast<double>(record.sequence)));
  object.Set("timeMs", Napi::Number::New(env, clock.to_ms(record.monotonic_ns)));
  object.Set("observedMs", Napi::Number::New(env, clock.to_ms(record.observed_ns)));
  object.Set("priority", Napi::Number::New(env, record.priority));
  object.Set("facility", Napi::Number::New(env, record.facility));
  object.Set("text", Napi::String::New(env, record.text));
  if (record.repeats > 0) object.Set("repeats", Napi::Number::New(env, static_cast<double>(record.repeats)));
  return object;
}

// Builds the value of whatever the detail is.
struct DetailToJs {
  Napi::Env env;
  Napi::Value operator()(std::monostate) const { return env.Null(); }
  Napi::Value operator()(double value) const { return Napi::Number::New(env, value); }
  Napi::Value operator()(const std::string& value) const { return Napi::String::New(env, value); }
  Napi::Value operator()(const std::vector<std::uint32_t>& values) const {
    Napi::Array array = Napi::Array::New(env, values.size());
    for (std::uint32_t i = 0; i < values.size(); ++i) array.Set(i, Napi::Number::New(env, values[i]));
    return array;
  }
};

Napi::Object NoticeToJs(Napi::Env env, const Notice& notice, const SteadyClock& clock) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("type", Napi::String::New(env, notice.type));
  object.Set("timeMs", Napi::Number::New(env, clock.to_ms(notice.monotonic_ns)));
  object.Set("component", Napi::String::New(env, notice.component));
  object.Set("name", Napi::String::New(env, notice.name));
  object.Set("text", Napi::String::New(env, notice.text));
  object.Set("value", Napi::Number::New(env, notice.value));
  SetTraceparent(env, object, notice.traceparent);
  if (notice.details.empty()) return object;
  Napi::Object details = Napi::Object::New(env);
  for (const auto& [key, value] : notice.details) details.Set(key, std::visit(DetailToJs{env}, value));
  object.Set("details", details);
  return object;
}

}  // namespace

Napi::Object ToJs(Napi::Env env, const Events& events, const Core& core) {
  std::uint32_t index = 0;
  Napi::Array edges = Napi::Array::New(env, events.edges.size());
  for (const Edge& edge : events.edges) edges.Set(index++, EdgeToJs(env, edge, core));
  index = 0;
  Napi::Array records = Napi::Array::New(env, events.records.size());
  for (const KernelRecord& record : events.records) records.Set(index++, RecordToJs(env, record, core.clock()));
  index = 0;
  Napi::Array notices = Napi::Array::New(env, events.notices.size());
  for (const Notice& notice : events.notices) notices.Set(index++, NoticeToJs(env, notice, core.clock()));
  Napi::Object object = Napi::Object::New(env);
  object.Set("edges", edges);
  object.Set("records", records);
  object.Set("notices", notices);
  return object;
}

Napi::Object ToJs(Napi::Env env, const std::vector<Aggregate>& aggregates, const SteadyClock& clock) {
  const std::size_t size = aggregates.size();
  auto ids = Napi::Uint32Array::New(env, size);
  auto count = Napi::Uint32Array::New(env, size);
  auto min = Napi::Float64Array::New(env, size);
  auto max = Napi::Float64Array::New(env, size);
  auto mean = Napi::Float64Array::New(env, size);
  auto last = Napi::Float64Array::New(env, size);
  auto last_time = Napi::Float64Array::New(env, size);
  for (std::size_t i = 0; i < size; ++i) {
    const Aggregate& entry = aggregates[i];
    ids[i] = entry.series;
    count[i] = entry.count;
    min[i] = entry.min;
    max[i] = entry.max;
    mean[i] = entry.mean;
    last[i] = entry.last;
    last_time[i] = clock.to_ms(entry.last_ns);
  }
  Napi::Object object = Napi::Object::New(env);
  object.Set("ids", ids);
  object.Set("count", count);
  object.Set("min", min);
  object.Set("max", max);
  object.Set("mean", mean);
  object.Set("last", last);
  object.Set("lastTimeMs", last_time);
  return object;
}

Napi::Object ToJs(Napi::Env env, const std::vector<Sample>& samples, const SteadyClock& clock) {
  auto times = Napi::Float64Array::New(env, samples.size());
  auto values = Napi::Float64Array::New(env, samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    times[i] = clock.to_ms(samples[i].time_ns);
    values[i] = samples[i].value;
  }
  Napi::Object object = Napi::Object::New(env);
  object.Set("timesMs", times);
  object.Set("values", values);
  return object;
}

Napi::Object ToJs(Napi::Env env, const CoreStats& stats) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("series", Napi::Number::New(env, static_cast<double>(stats.series)));
  object.Set("samples", Napi::Number::New(env, static_cast<double>(stats.samples)));
  object.Set("edges", Napi::Number::New(env, static_cast<double>(stats.edges)));
  object.Set("recordsLost", Napi::Number::New(env, static_cast<double>(stats.records_lost)));
  object.Set("wakeups", Napi::Number::New(env, static_cast<double>(stats.wakeups)));
  object.Set("pendingEvents", Napi::Number::New(env, static_cast<double>(stats.pending_events)));
  return object;
}

}  // namespace faultline
