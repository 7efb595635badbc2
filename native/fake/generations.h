// What a library of each driver generation has: symbols, field ids and their numbering; and what each GPU architecture answers.
#pragma once

#include <string_view>

namespace faultline::fake {

// Driver branches, by number: 470, 535, 550, 570, 575, 580 and later.
int branch_of(std::string_view driver);
// The driver version that stands for a branch where none is scripted.
std::string_view driver_of(int branch);
// Whether a library of that branch exports the symbol.
bool has_symbol(int branch, std::string_view symbol);

// One greater than the largest field id of the branch's header.
unsigned field_end(int branch);

// What a field is, whatever number it has on that branch.
enum class FieldMeaning { kUnknown, kPlain, kTimeSwThermal, kTimeHwThermal, kTimePowerBrake, kSmoothing };
struct FieldNumber {
  FieldMeaning meaning;
  unsigned id;  // the id in the newest numbering
};
FieldNumber field_of(int branch, std::string_view driver, unsigned id);

enum class Architecture { kVolta = 5, kAmpere = 7, kHopper = 9, kBlackwell = 10 };
// "hopper"; Hopper for what it does not know.
Architecture architecture_of(std::string_view name);

}  // namespace faultline::fake
