// The text of a file with a few letters before and behind it, mapped: only what is read of it takes memory, and can be let go of.
#include "core/files/mapped_text.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <mutex>
#include <vector>

#include "core/files/descriptor.h"

namespace faultline {
namespace {

constexpr off_t kLongestText = off_t{64} << 20;

std::mutex texts_mutex;
std::vector<MappedText*> texts;

std::size_t whole_pages(std::size_t bytes, std::size_t page) { return bytes / page * page; }

}  // namespace

std::unique_ptr<MappedText> MappedText::of(const char* path, std::string_view before, std::string_view after) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  if (before.size() > page || after.size() > page) return nullptr;
  const Descriptor file(::open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY));
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode)) return nullptr;
  if (found.st_size <= 0 || found.st_size > kLongestText) return nullptr;
  const auto size = static_cast<std::size_t>(found.st_size);
  const std::size_t of_file = whole_pages(size + page - 1, page);
  // A page before the file's and one behind them: what goes around the text lies where the file ends, or in these.
  const std::size_t bytes = page + of_file + page;
  void* const region = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (region == MAP_FAILED) return nullptr;
  std::unique_ptr<MappedText> mapped(new MappedText(region, bytes));
  char* const begin = static_cast<char*>(region) + page;
  if (::mmap(begin, of_file, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file.get(), 0) == MAP_FAILED) return nullptr;
  std::memcpy(begin - before.size(), before.data(), before.size());
  std::memcpy(begin + size, after.data(), after.size());
  if (::mprotect(region, bytes, PROT_READ) != 0) return nullptr;
  mapped->text_ = {begin - before.size(), before.size() + size + after.size()};
  mapped->file_begin_ = page;
  mapped->file_bytes_ = whole_pages(size, page);
  const std::lock_guard lock(texts_mutex);
  texts.push_back(mapped.get());
  return mapped;
}

MappedText::~MappedText() {
  {
    const std::lock_guard lock(texts_mutex);
    std::erase(texts, this);
  }
  ::munmap(region_, bytes_);
}

std::size_t give_back_texts() {
  const std::lock_guard lock(texts_mutex);
  std::size_t bytes = 0;
  for (const MappedText* text : texts) {
    void* const begin = static_cast<char*>(text->region_) + text->file_begin_;
    if (text->file_bytes_ > 0 && ::madvise(begin, text->file_bytes_, MADV_DONTNEED) == 0) bytes += text->file_bytes_;
  }
  return bytes;
}

}  // namespace faultline
