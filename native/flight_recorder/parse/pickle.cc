// Pickle as a recorder writes it. Opcodes are those of CPython's Lib/pickle.py; what is not listed here is refused.
#include "flight_recorder/parse/pickle.h"

#include <bit>
#include <cstring>

#include "flight_recorder/parse/builder.h"
#include "flight_recorder/parse/entry_reader.h"

namespace faultline::flight_recorder {
namespace {

enum Opcode : unsigned char {
  MARK = '(', STOP = '.', NONE = 'N', BININT = 'J', BININT1 = 'K', BININT2 = 'M', BINFLOAT = 'G', BINUNICODE = 'X',
  EMPTY_LIST = ']', APPEND = 'a', APPENDS = 'e', LIST = 'l', EMPTY_DICT = '}', SETITEM = 's', SETITEMS = 'u',
  DICT = 'd', EMPTY_TUPLE = ')', TUPLE = 't', BINPUT = 'q', LONG_BINPUT = 'r', BINGET = 'h', LONG_BINGET = 'j',
  PROTO = 0x80, TUPLE1 = 0x85, TUPLE2 = 0x86, TUPLE3 = 0x87, NEWTRUE = 0x88, NEWFALSE = 0x89, LONG1 = 0x8a,
  LONG4 = 0x8b, SHORT_BINUNICODE = 0x8c, BINUNICODE8 = 0x8d, MEMOIZE = 0x94, FRAME = 0x95, SHORT_BINBYTES = 'C',
  BINBYTES = 'B',
};

class Reader {
 public:
  Reader(std::span<const unsigned char> bytes, Dump& dump) : bytes_(bytes), builder_(dump), dump_(dump), entries_(bytes, builder_, dump) { dump.bytes = bytes; }

  void read() {
    while (true) {
      start_ = at_;
      if (left() < 1) return builder_.salvage();
      const unsigned char opcode = bytes_[at_++];
      if (opcode == STOP) {
        if (!builder_.finish()) reject(opcode, builder_.why());
        return;
      }
      const bool taken = step(opcode);
      if (short_) return builder_.salvage();
      if (taken) continue;
      const char* why = builder_.why();
      builder_.salvage();
      return reject(opcode, why_ != nullptr ? why_ : why);
    }
  }

 private:
  std::size_t left() const { return bytes_.size() - at_; }
  // The next `count` bytes; null when they are not there.
  const unsigned char* take(std::uint64_t count) {
    if (count > left()) {
      short_ = true;
      return nullptr;
    }
    const unsigned char* taken = bytes_.data() + at_;
    at_ += static_cast<std::size_t>(count);
    return taken;
  }
  template <typename T>
  bool little(T& value) {
    const unsigned char* taken = take(sizeof(T));
    if (taken == nullptr) return false;
    std::memcpy(&value, taken, sizeof(T));
    if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value) >> (64 - 8 * sizeof(T));
    return true;
  }
  bool refuse(const char* why) {
    why_ = why;
    return false;
  }
  void reject(unsigned char opcode, const char* why) { dump_.rejection = Rejection{start_, opcode, why}; }

  template <typename Length>
  bool unicode() {
    Length length = 0;
    if (!little(length)) return false;
    const unsigned char* text = take(length);
    return text != nullptr && builder_.text({reinterpret_cast<const char*>(text), static_cast<std::size_t>(length)});
  }
  template <typename Length>
  bool opaque() {
    Length length = 0;
    return little(length) && take(length) != nullptr && builder_.push(Value::of(Value::Special::opaque));
  }
  bool number(std::uint64_t length) {
    if (length > 8) return refuse("an integer of more than eight bytes");
    const unsigned char* bytes = take(length);
    if (bytes == nullptr) return false;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < length; ++i) value |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
    if (length > 0 && length < 8 && (bytes[length - 1] & 0x80) != 0) value |= ~std::uint64_t{0} << (8 * length);
    return builder_.push(Value::integer(static_cast<std::int64_t>(value)));
  }
  bool real() {
    const unsigned char* bytes = take(8);
    if (bytes == nullptr) return false;
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = (bits << 8) | bytes[i];
    return builder_.push(dump_.tables.number(std::bit_cast<double>(bits)));
  }
  template <typename Id>
  bool memo(bool put) {
    Id id = 0;
    return little(id) && (put ? builder_.memo_put(id) : builder_.memo_get(id));
  }

  bool step(unsigned char opcode) {
    switch (opcode) {
      case BINGET: return memo<std::uint8_t>(false);
      case LONG_BINGET: return memo<std::uint32_t>(false);
      case BINPUT: return memo<std::uint8_t>(true);
      case LONG_BINPUT: return memo<std::uint32_t>(true);
      case MEMOIZE: return builder_.memoize();
      case MARK: return builder_.mark();
      case EMPTY_LIST: return builder_.open_list();
      case EMPTY_DICT: return entries_.read(at_) || builder_.open_dict();
      case EMPTY_TUPLE: return builder_.tuple(0);
      case APPEND: return builder_.append_one();
      case APPENDS: return builder_.append_marked();
      case SETITEM: return builder_.set_one();
      case SETITEMS: return builder_.set_marked();
      case LIST: return builder_.list_marked();
      case DICT: return builder_.dict_marked();
      case TUPLE: return builder_.tuple_marked();
      case TUPLE1: return builder_.tuple(1);
      case TUPLE2: return builder_.tuple(2);
      case TUPLE3: return builder_.tuple(3);
      case NONE: return builder_.push(Value::of(Value::Special::none));
      case NEWTRUE: return builder_.push(Value::truth(true));
      case NEWFALSE: return builder_.push(Value::truth(false));
      case BININT1: {
        std::uint8_t value = 0;
        return little(value) && builder_.push(Value::integer(value));
      }
      case BININT2: {
        std::uint16_t value = 0;
        return little(value) && builder_.push(Value::integer(value));
      }
      case BININT: {
        std::uint32_t value = 0;
        return little(value) && builder_.push(Value::integer(static_cast<std::int32_t>(value)));
      }
      case LONG1: {
        std::uint8_t length = 0;
        return little(length) && number(length);
      }
      case LONG4: {
        std::uint32_t length = 0;
        return little(length) && number(length);
      }
      case BINFLOAT: return real();
      case SHORT_BINUNICODE: return unicode<std::uint8_t>();
      case BINUNICODE: return unicode<std::uint32_t>();
      case BINUNICODE8: return unicode<std::uint64_t>();
      case SHORT_BINBYTES: return opaque<std::uint8_t>();
      case BINBYTES: return opaque<std::uint32_t>();
      case PROTO: {
        std::uint8_t protocol = 0;
        if (!little(protocol)) return false;
        return protocol <= 5 || refuse("a pickle protocol newer than 5");
      }
      case FRAME: {
        std::uint64_t length = 0;  // says how far ahead a reader may buffer; we have the whole file
        return little(length);
      }
      default: return refuse("an opcode that no flight recorder writes");
    }
  }

  std::span<const unsigned char> bytes_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;
  bool short_ = false;
  const char* why_ = nullptr;
  Builder builder_;
  Dump& dump_;
  EntryReader entries_;
};

}  // namespace

void read_pickle(std::span<const unsigned char> bytes, Dump& dump) { Reader(bytes, dump).read(); }

}  // namespace faultline::flight_recorder
