// What values a quantity can have at all: the child leaves out what it cannot have, and the supervisor refuses it.
#pragma once

#include "core/vendor/quantities.h"

namespace faultline {

bool is_plausible(Quantity quantity, double value);

}  // namespace faultline
