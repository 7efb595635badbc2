// Two dumps: the devices with their numbers, then the completion queues of each.
#include "core/rdma/queue_owners.h"

#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

namespace faultline {
namespace {

constexpr std::size_t kMostRdmaDevices = 1024;
constexpr std::size_t kMostOwners = 65'536;
constexpr std::size_t kLongestDump = 64U << 20;
constexpr std::size_t kPart = 64U << 10;  // the kernel's dumps are at most 32 KiB at a time
constexpr std::size_t kHeader = NLMSG_HDRLEN;

using NetlinkBytes = std::span<const std::byte>;

struct NetlinkAttribute {
  std::uint16_t type;
  NetlinkBytes value;
};

template <class T>
std::optional<T> number_in(NetlinkBytes bytes) {
  T value{};
  if (bytes.size() < sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// Each attribute that is whole.
template <class Visit>
void each_attribute(NetlinkBytes bytes, Visit visit) {
  while (bytes.size() >= NLA_HDRLEN) {
    nlattr header{};
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.nla_len < NLA_HDRLEN || header.nla_len > bytes.size()) return;
    visit(NetlinkAttribute{static_cast<std::uint16_t>(header.nla_type & NLA_TYPE_MASK), bytes.subspan(NLA_HDRLEN, header.nla_len - NLA_HDRLEN)});
    bytes = bytes.subspan(std::min<std::size_t>(NLA_ALIGN(header.nla_len), bytes.size()));
  }
}

// The attributes of each message of the dump; an errno where the kernel refused.
template <class Visit>
int each_message(NetlinkBytes bytes, Visit visit) {
  while (bytes.size() >= kHeader) {
    nlmsghdr header{};
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.nlmsg_len < kHeader || header.nlmsg_len > bytes.size()) return EBADMSG;
    const NetlinkBytes body = bytes.subspan(kHeader, header.nlmsg_len - kHeader);
    if (header.nlmsg_type == NLMSG_ERROR || header.nlmsg_type == NLMSG_DONE) {
      const int code = number_in<int>(body).value_or(0);
      return code < 0 ? -code : 0;
    }
    visit(body);
    bytes = bytes.subspan(std::min<std::size_t>(NLMSG_ALIGN(header.nlmsg_len), bytes.size()));
  }
  return 0;
}

struct RdmaRequest {
  nlmsghdr header;
  nlattr device;
  std::uint32_t index;
};

NetlinkBytes asked(RdmaRequest& request, unsigned command, std::optional<std::uint32_t> device) {
  request = {};
  request.header.nlmsg_len = device ? sizeof request : kHeader;
  request.header.nlmsg_type = static_cast<std::uint16_t>(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command));
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.device = {NLA_HDRLEN + sizeof(std::uint32_t), RDMA_NLDEV_ATTR_DEV_INDEX};
  request.index = device.value_or(0);
  return std::as_bytes(std::span(&request, 1)).first(request.header.nlmsg_len);
}

using RdmaDevices = std::vector<std::pair<std::uint32_t, std::string>>;

int list_devices(const NetlinkCall& call, RdmaDevices& devices) {
  RdmaRequest request{};
  std::vector<std::byte> answer;
  if (const int error = call(asked(request, RDMA_NLDEV_CMD_GET, {}), answer); error != 0) return error;
  return each_message(answer, [&](NetlinkBytes message) {
    std::optional<std::uint32_t> index;
    std::string name;
    each_attribute(message, [&](const NetlinkAttribute& each) {
      if (each.type == RDMA_NLDEV_ATTR_DEV_INDEX) index = number_in<std::uint32_t>(each.value);
      if (each.type == RDMA_NLDEV_ATTR_DEV_NAME) {
        const auto* text = reinterpret_cast<const char*>(each.value.data());
        name.assign(text, strnlen(text, each.value.size()));
      }
    });
    if (index && !name.empty() && devices.size() < kMostRdmaDevices) devices.emplace_back(*index, name);
  });
}

void take_owners(NetlinkBytes queues, const std::string& device, std::vector<QueueOwner>& owners) {
  each_attribute(queues, [&](const NetlinkAttribute& queue) {
    if (queue.type != RDMA_NLDEV_ATTR_RES_CQ_ENTRY) return;
    each_attribute(queue.value, [&](const NetlinkAttribute& each) {
      // The kernel's own queues have a name in its place; those of another namespace are left out.
      const auto pid = each.type == RDMA_NLDEV_ATTR_RES_PID ? number_in<std::uint32_t>(each.value).value_or(0) : 0;
      const QueueOwner owner{device, pid};
      if (pid != 0 && owners.size() < kMostOwners && (owners.empty() || owners.back() != owner)) owners.push_back(owner);
    });
  });
}

}  // namespace

QueueOwners read_queue_owners(const NetlinkCall& call) {
  QueueOwners read;
  RdmaDevices devices;
  read.error = list_devices(call, devices);
  for (const auto& [index, name] : devices) {
    RdmaRequest request{};
    std::vector<std::byte> answer;
    int error = call(asked(request, RDMA_NLDEV_CMD_RES_CQ_GET, index), answer);
    if (error == 0) {
      error = each_message(answer, [&](NetlinkBytes message) {
        each_attribute(message, [&](const NetlinkAttribute& table) {
          if (table.type == RDMA_NLDEV_ATTR_RES_CQ) take_owners(table.value, name, read.owners);
        });
      });
    }
    // A device that went away meanwhile is one without queues; another error is that of all.
    if (error != 0 && error != ENODEV && error != EINVAL && read.error == 0) read.error = error;
  }
  if (read.error != 0) read.owners.clear();
  std::ranges::sort(read.owners);
  const auto [first, last] = std::ranges::unique(read.owners);
  read.owners.erase(first, last);
  return read;
}

int rdma_netlink(NetlinkBytes request, std::vector<std::byte>& answer) {
  const int socket = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
  if (socket < 0) return errno;
  const timeval limit{.tv_sec = 2, .tv_usec = 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  int error = send(socket, request.data(), request.size(), 0) < 0 ? errno : 0;
  bool over = error != 0;
  while (!over) {
    const std::size_t before = answer.size();
    if (before >= kLongestDump) {
      error = EFBIG;
      break;
    }
    answer.resize(before + kPart);
    const ssize_t length = recv(socket, answer.data() + before, kPart, 0);
    if (length <= 0) {
      answer.resize(before);
      error = length == 0 ? EPIPE : errno == EAGAIN ? ETIMEDOUT : errno;
      break;
    }
    answer.resize(before + static_cast<std::size_t>(length));
    // The last message of a part says whether it is the last of all.
    NetlinkBytes rest = NetlinkBytes(answer).subspan(before);
    while (rest.size() >= kHeader) {
      nlmsghdr header{};
      std::memcpy(&header, rest.data(), sizeof header);
      over = over || header.nlmsg_type == NLMSG_DONE || header.nlmsg_type == NLMSG_ERROR;
      if (header.nlmsg_len < kHeader || header.nlmsg_len > rest.size()) break;
      rest = rest.subspan(std::min<std::size_t>(NLMSG_ALIGN(header.nlmsg_len), rest.size()));
    }
  }
  close(socket);
  return error;
}

}  // namespace faultline
