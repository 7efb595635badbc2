// The text of a file with a few letters before and behind it, mapped: only what is read of it takes memory, and can be let go of.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace faultline {

class MappedText {
 public:
  // Null where the file cannot be mapped, is empty, or what goes around it is longer than a page.
  static std::unique_ptr<MappedText> of(const char* path, std::string_view before, std::string_view after);
  ~MappedText();
  MappedText(const MappedText&) = delete;
  MappedText& operator=(const MappedText&) = delete;

  // Good while this lives, and while the file is not shortened: what replaces a program puts new files in the place of the old ones.
  std::string_view text() const { return text_; }

 private:
  MappedText(void* region, std::size_t bytes) : region_(region), bytes_(bytes) {}

  void* region_;
  std::size_t bytes_;
  std::string_view text_;
  // Pages that are of the file alone.
  std::size_t file_begin_ = 0;
  std::size_t file_bytes_ = 0;

  friend std::size_t give_back_texts();
};

// Takes the pages of all mapped texts out of this process; those that are read again come back from the page cache. Bytes of them.
std::size_t give_back_texts();

}  // namespace faultline
