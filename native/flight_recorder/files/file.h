// One dump file: found in folders, read only when it is a plain file of bounded size, its rank and host from its name.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/files/checked_path.h"

namespace faultline::flight_recorder {

// Memory that is written before it is read: zeros in it would cost as much as the file.
template <typename T>
struct AsItComes : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = AsItComes<U>;
  };
  template <typename U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <typename U, typename... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
};

struct FileBytes {
  std::vector<unsigned char, AsItComes<unsigned char>> bytes;
  std::int64_t modified_ns = 0;
  std::string error;  // empty when it was read
};

// Opens without following a link of others, reads into memory of our own, stops at MAX_FILE_BYTES.
FileBytes read_file(const std::string& path);

// The same for files one after the other, whose folder is entered once.
class FileReader {
 public:
  FileBytes read(const std::string& path, const Named& named = {});

 private:
  std::string folder_;
  Named named_;
  CheckedFolder at_;
};

struct FoundFile {
  std::string path;
  bool named = false;  // given by name, not found in a folder
};

// The files of these paths: folders are entered two levels deep, hidden names are passed over. Sorted.
std::vector<FoundFile> find_files(const std::vector<std::string>& paths, std::vector<std::string>& errors);

struct NameParts {
  std::optional<std::int64_t> rank;
  std::string host;  // empty when the name holds none
};

// `nccl_trace_rank_5`, `nccl_trace_rank_node02_5`, `node02_rank5.pkl`, `_dump_12`, `rank_3/dump`.
NameParts name_parts(std::string_view path);

// "[0, 1, 2]" as numbers; nullopt for anything else and for more than MAX_RANKS.
std::optional<std::vector<std::int64_t>> ranks_of(std::string_view text);

}  // namespace faultline::flight_recorder
