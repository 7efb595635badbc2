// One message between the halves of `faultline-environ`, with descriptors. No memory is asked for.
#pragma once

#include <string.h>
#include <sys/socket.h>

#include <cstddef>

namespace faultline::environ_reader {

inline constexpr std::size_t kMostSent = 40;  // descriptors

// Several pieces as one packet. False where the other side is gone.
inline bool send(int to, const iovec* pieces, std::size_t how_many, const int* fds = nullptr, std::size_t count = 0) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMostSent)]{};
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(pieces);
  message.msg_iovlen = how_many;
  if (count > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * count);
    memcpy(CMSG_DATA(header), fds, sizeof(int) * count);
  }
  std::size_t size = 0;
  for (std::size_t each = 0; each < how_many; ++each) size += pieces[each].iov_len;
  return sendmsg(to, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
}

inline bool send(int to, const void* bytes, std::size_t size, const int* fds = nullptr, std::size_t count = 0) {
  const iovec piece{const_cast<void*>(bytes), size};
  return send(to, &piece, 1, fds, count);
}

// How many bytes came, with descriptors where there is place for them; -1 when there are no more, or they have not all found place.
inline ssize_t receive(int from, void* into, std::size_t most, int* fds = nullptr, std::size_t* count = nullptr) {
  iovec piece{into, most};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMostSent)]{};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  if (fds != nullptr) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
  }
  const ssize_t size = recvmsg(from, &message, MSG_CMSG_CLOEXEC);
  if (size <= 0 || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) return -1;
  const cmsghdr* const header = fds == nullptr ? nullptr : CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) {
    *count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(fds, CMSG_DATA(header), *count * sizeof(int));
  }
  return size;
}

}  // namespace faultline::environ_reader
