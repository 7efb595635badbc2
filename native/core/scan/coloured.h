// Colours in text: where escape sequences of a terminal are, and the text without them, as src/detection/text/job/ansi.ts has it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace faultline {

// The first place at or behind `from` where an escape sequence begins, or a colour code without its escape ends ("[1;31m");
// npos where there is none.
std::size_t next_colour(std::string_view text, std::size_t from);

// Puts the text without them into `plain`.
void strip_colours(std::string_view text, std::string& plain);

// Newlines in the text, sixteen bytes at a time.
std::size_t count_newlines(std::string_view text);

}  // namespace faultline
