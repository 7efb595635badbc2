// Asks for each link's fields in one batch, and for older libraries' counters by call.
#include "vendor/nvml/links.h"

#include <algorithm>

namespace faultline::nvml {
namespace {

constexpr VendorCall kFieldCall = VendorCall::kFieldValues;
constexpr unsigned kLinksAStep = 4;
constexpr std::span kLinkFields = fields_of(Batch::kLink);
constexpr std::span kTotalFields = fields_of(Batch::kLinkTotal);
constexpr std::size_t kRows = kLinkFields.size();
constexpr std::size_t kStateRow = 0;
static_assert(kLinkFields[kStateRow].quantity == Quantity::kNvlinkState && kRows <= Asker::kLongestBatch);
static_assert(kTotalFields[0].quantity == Quantity::kNvlinks);

// A code says more than another the more of the link it lets through.
int rank_of(Return code) {
  if (code == kSuccess) return 3;
  if (code == Gpu::kNotAsked) return 0;
  return outcome_of(code) == Outcome::kUnsupported ? 1 : 2;
}

}  // namespace

bool Links::step(Asker& asker, Gpu& gpu, bool closer) {
  if (next_ == 0) {
    closer_ = closer;
    begin(asker, gpu);
  }
  const unsigned end = std::min(count_, next_ + kLinksAStep);
  for (; next_ < end && !gpu.lost && !asker.answers.dead(); ++next_) link(asker, gpu, next_);
  if (next_ < count_ && !gpu.lost && !asker.answers.dead()) return false;
  this->end(asker, gpu);
  return true;
}

void Links::begin(Asker& asker, Gpu& gpu) {
  up_ = 0;
  codes_.fill(Gpu::kNotAsked);
  if (counted_) return;
  FieldValue field{};
  field.fieldId = kTotalFields[0].id;
  Return result = asker.call_plain(gpu, kFieldCall, asker.nvml.field_values, gpu.handle, 1, &field);
  if (result == kSuccess) result = field.nvmlReturn;
  if (asker.accept(gpu, reading_of(kTotalFields[0]), kFieldCall, result)) {
    const double number = field_number(field);
    count_ = number >= 0 && number <= kMaxLinks ? static_cast<unsigned>(number) : 0;
    counted_ = true;
  } else if (outcome_of(result) == Outcome::kUnsupported) {
    count_ = count_by_state(asker, gpu);
    counted_ = !gpu.lost;
  }
}

// The call refuses the numbers that no link has; a link without a partner is down, and counts.
unsigned Links::count_by_state(Asker& asker, Gpu& gpu) {
  unsigned count = 0;
  for (unsigned link = 0; link < kMaxLinks; ++link) {
    unsigned state = 0;
    const Return result =
        asker.call_plain(gpu, VendorCall::kNvLinkState, asker.nvml.link_state, gpu.handle, link, &state);
    if (!asker.accept(gpu, kReadLinkState, VendorCall::kNvLinkState, result)) break;
    count = link + 1;
  }
  if (count > 0) gpu.codes[kReadLinkState] = kSuccess;
  return count;
}

void Links::link(Asker& asker, Gpu& gpu, unsigned link) {
  FieldValue batch[kRows]{};
  std::size_t which[kRows];
  int count = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    if (!asker.wanted(gpu, reading_of(kLinkFields[row]))) continue;
    batch[count].fieldId = kLinkFields[row].id;
    batch[count].scopeId = link;
    which[count++] = row;
  }
  Return result = kFunctionNotFound;
  if (count > 0) result = asker.call_plain(gpu, kFieldCall, asker.nvml.field_values, gpu.handle, count, &batch[0]);
  double values[kRows];
  bool has[kRows]{};
  for (int i = 0; i < count; ++i) {
    const std::size_t row = which[i];
    const Return code = result == kSuccess ? batch[i].nvmlReturn : result;
    if (rank_of(code) > rank_of(codes_[row])) codes_[row] = code;
    if (!asker.judge(gpu, kFieldCall, code)) continue;
    const double scale = kLinkFields[row].scale;
    values[row] = scale == kAsBitErrorRate ? bit_error_rate(field_number(batch[i])) : field_number(batch[i]) * scale;
    has[row] = true;
  }
  if (gpu.lost || asker.answers.dead()) return;

  double state = values[kStateRow];
  bool known = has[kStateRow];
  if (!known) {
    unsigned enabled = 0;
    known = asker.ask(gpu, kReadLinkState, VendorCall::kNvLinkState, asker.nvml.link_state, link, &enabled);
    state = enabled;
  }
  const bool up = known && (state == kLinkUp || state == kLinkAsleep);
  if (up) ++up_;
  any_ever_up_ = any_ever_up_ || up;
  // A card whose links lead nowhere has nothing to say about them.
  if (!any_ever_up_) return;
  if (known) asker.answers.put(gpu, Quantity::kNvlinkState, state, link);
  bool given[static_cast<std::size_t>(Quantity::kEnd)]{};
  for (std::size_t row = kStateRow + 1; row < kRows; ++row) {
    bool& already = given[static_cast<std::size_t>(kLinkFields[row].quantity)];
    if (!has[row] || already) continue;
    already = true;
    asker.answers.put(gpu, kLinkFields[row].quantity, values[row], link);
  }
  if (!given[static_cast<std::size_t>(Quantity::kNvlinkReplays)] && up) counters(asker, gpu, link);
  if (closer_) corrections(asker, gpu, link);
}

// A histogram of blocks by how many of their symbols error correction repaired: how near to its end a link works.
void Links::corrections(Asker& asker, Gpu& gpu, unsigned link) {
  if (!asker.wanted(gpu, kReadLinkFec)) return;
  FieldValue bins[kLinkFecBins]{};
  for (unsigned bin = 0; bin < kLinkFecBins; ++bin) {
    bins[bin].fieldId = kFieldLinkFec + bin;
    bins[bin].scopeId = link;
  }
  Return result = asker.call_plain(gpu, kFieldCall, asker.nvml.field_values, gpu.handle,
                                         static_cast<int>(kLinkFecBins), &bins[0]);
  if (result == kSuccess) result = bins[0].nvmlReturn;
  if (!asker.accept(gpu, kReadLinkFec, kFieldCall, result)) return;
  double corrected = 0;
  unsigned worst = 0;
  for (unsigned bin = 1; bin < kLinkFecBins; ++bin) {
    const double blocks = bins[bin].nvmlReturn == kSuccess ? field_number(bins[bin]) : 0;
    if (!(blocks > 0)) continue;
    corrected += blocks;
    worst = bin;
  }
  asker.answers.put(gpu, Quantity::kNvlinkFecCorrected, corrected, link);
  asker.answers.put(gpu, Quantity::kNvlinkFecWorst, worst, link);
}

// Before Hopper: by call, and CRC errors in two parts.
void Links::counters(Asker& asker, Gpu& gpu, unsigned link) {
  const auto counter = [&](unsigned which, unsigned long long& out) {
    return asker.ask(gpu, kReadLinkErrorCounter, VendorCall::kNvLinkErrorCounter, asker.nvml.link_error_counter, link, which,
                     &out);
  };
  unsigned long long value = 0, other = 0;
  if (counter(kLinkReplay, value)) asker.answers.put(gpu, Quantity::kNvlinkReplays, number_of(value), link);
  if (counter(kLinkRecovery, value)) asker.answers.put(gpu, Quantity::kNvlinkRecoveries, number_of(value), link);
  if (counter(kLinkCrcFlit, value) && counter(kLinkCrcData, other)) {
    asker.answers.put(gpu, Quantity::kNvlinkCrcErrors, number_of(value) + number_of(other), link);
  }
}

void Links::end(Asker& asker, Gpu& gpu) {
  next_ = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    if (codes_[row] == Gpu::kNotAsked) continue;
    // A later row of a quantity that an earlier one gives is not needed again.
    bool covered = false;
    for (std::size_t earlier = 0; earlier < row; ++earlier) {
      covered = covered || (kLinkFields[earlier].quantity == kLinkFields[row].quantity && codes_[earlier] == kSuccess);
    }
    gpu.codes[reading_of(kLinkFields[row])] = covered ? kNotSupported : codes_[row];
  }
  if (!counted_ || gpu.lost || asker.answers.dead()) return;
  up_before_ = up_;
  asker.answers.put(gpu, Quantity::kNvlinks, count_);
  asker.answers.put(gpu, Quantity::kNvlinksActive, up_);
  if (!any_ever_up_) return;
  constexpr std::size_t kTotals = kTotalFields.size() - 1;
  FieldValue totals[kTotals]{};
  for (std::size_t i = 0; i < kTotals; ++i) {
    if (!asker.wanted(gpu, reading_of(kTotalFields[i + 1]))) return;
    totals[i].fieldId = kTotalFields[i + 1].id;
    totals[i].scopeId = kAllLinks;
  }
  const Return result =
      asker.call_plain(gpu, kFieldCall, asker.nvml.field_values, gpu.handle, static_cast<int>(kTotals), &totals[0]);
  for (std::size_t i = 0; i < kTotals; ++i) {
    const Return code = result == kSuccess ? totals[i].nvmlReturn : result;
    if (!asker.accept(gpu, reading_of(kTotalFields[i + 1]), kFieldCall, code)) continue;
    asker.answers.put(gpu, kTotalFields[i + 1].quantity, field_number(totals[i]) * kTotalFields[i + 1].scale);
  }
}

std::string Links::text() const {
  if (count_ == 0) return "";
  return std::to_string(count_) + (count_ == 1 ? " link, " : " links, ") + std::to_string(up_before_) + " up";
}

}  // namespace faultline::nvml
