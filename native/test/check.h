// The few lines of test harness the native tests need: named cases, and checks that continue after a failure.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

namespace checks {

inline int failures = 0;
inline const char* current = "";

template <typename Body>
void test(const char* name, Body body) {
  current = name;
  const int before = failures;
  body();
  std::printf("%s %s\n", failures == before ? "ok  " : "FAIL", name);
  std::fflush(stdout);
}

inline void report(bool ok, const char* file, int line, const std::string& what) {
  if (ok) return;
  ++failures;
  std::printf("  %s:%d: %s: %s\n", file, line, current, what.c_str());
}

inline std::string show(const std::string& value) { return '"' + value + '"'; }
inline std::string show(const char* value) { return show(std::string(value)); }
inline std::string show(std::string_view value) { return show(std::string(value)); }
template <typename Value>
std::string show(const Value& value) {
  return std::to_string(value);
}

inline int result() { return failures == 0 ? 0 : 1; }

}  // namespace checks

#define CHECK(condition) checks::report(static_cast<bool>(condition), __FILE__, __LINE__, #condition)
#define CHECK_EQ(actual, expected)                                                                          \
  do {                                                                                                      \
    const auto actual_value = (actual);                                                                    \
    const auto expected_value = (expected);                                                                \
    checks::report(actual_value == expected_value, __FILE__, __LINE__,                                       \
                  #actual " is " + checks::show(actual_value) + ", not " + checks::show(expected_value));     \
  } while (false)
#define CHECK_NEAR(actual, expected, tolerance)                                                             \
  checks::report(std::abs((actual) - (expected)) <= (tolerance), __FILE__, __LINE__,                         \
                #actual " is " + std::to_string(actual) + ", not " + std::to_string(expected))
