// Owners of RDMA queues: against a stand-in for the kernel that answers in its form, damaged answers, and the real one.
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "check.h"
#include "core/rdma/queue_owners.h"

using namespace faultline;
using checks::test;

namespace {

using Bytes = std::vector<std::byte>;

void append(Bytes& to, const void* data, std::size_t length, std::size_t align = 4) {
  const auto* bytes = static_cast<const std::byte*>(data);
  to.insert(to.end(), bytes, bytes + length);
  to.resize((to.size() + align - 1) / align * align);
}

Bytes attribute(unsigned type, const void* data, std::size_t length) {
  Bytes made;
  const nlattr header{static_cast<std::uint16_t>(NLA_HDRLEN + length), static_cast<std::uint16_t>(type)};
  append(made, &header, sizeof header);
  append(made, data, length);
  return made;
}

Bytes nested(unsigned type, const Bytes& inner) { return attribute(type | NLA_F_NESTED, inner.data(), inner.size()); }
Bytes number(unsigned type, std::uint32_t value) { return attribute(type, &value, sizeof value); }
Bytes text(unsigned type, const char* value) { return attribute(type, value, std::strlen(value) + 1); }

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Bytes message(std::uint16_t type, const Bytes& body) {
  Bytes made;
  nlmsghdr header{};
  header.nlmsg_len = static_cast<std::uint32_t>(NLMSG_HDRLEN + body.size());
  header.nlmsg_type = type;
  append(made, &header, sizeof header);
  return made + body;
}

Bytes with_code(std::uint16_t type, int code) {
  Bytes body;
  append(body, &code, sizeof code);
  return message(type, body);
}
Bytes done() { return with_code(NLMSG_DONE, 0); }

Bytes queue(std::uint32_t pid) {
  const Bytes owner = pid == 0 ? text(RDMA_NLDEV_ATTR_RES_KERN_NAME, "ib_core") : number(RDMA_NLDEV_ATTR_RES_PID, pid);
  return nested(RDMA_NLDEV_ATTR_RES_CQ_ENTRY, number(RDMA_NLDEV_ATTR_RES_CQE, 255) + owner + number(RDMA_NLDEV_ATTR_RES_CQN, 3));
}

Bytes device(std::uint32_t index, const char* name) {
  return message(0x1401, number(RDMA_NLDEV_ATTR_DEV_INDEX, index) + text(RDMA_NLDEV_ATTR_DEV_NAME, name));
}

// Index of a device → what the kernel answers about its queues; `devices` to the first question.
struct Kernel {
  Bytes devices;
  std::map<std::uint32_t, Bytes> queues;
  std::map<std::uint32_t, int> fails;
  unsigned asked = 0;

  int operator()(std::span<const std::byte> request, Bytes& answer) {
    asked += 1;
    nlmsghdr header{};
    std::memcpy(&header, request.data(), sizeof header);
    CHECK_EQ(header.nlmsg_len, request.size());
    CHECK_EQ(header.nlmsg_flags, NLM_F_REQUEST | NLM_F_DUMP);
    if (header.nlmsg_type == RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET)) {
      answer = devices;
      return 0;
    }
    CHECK_EQ(header.nlmsg_type, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_RES_CQ_GET));
    std::uint32_t index = 0;
    std::memcpy(&index, request.data() + NLMSG_HDRLEN + NLA_HDRLEN, sizeof index);
    answer = queues[index];
    return fails[index];
  }
};

QueueOwners owners_of(Kernel kernel) { return read_queue_owners(std::ref(kernel)); }

Kernel two_cards() {
  Kernel kernel;
  kernel.devices = device(0, "mlx5_0") + device(7, "mlx5_bond_0") + done();
  const Bytes table = nested(RDMA_NLDEV_ATTR_RES_CQ, queue(0) + queue(400) + queue(400) + queue(401));
  kernel.queues[0] = message(0x140c, number(RDMA_NLDEV_ATTR_DEV_INDEX, 0) + table) + done();
  kernel.queues[7] = message(0x140c, nested(RDMA_NLDEV_ATTR_RES_CQ, queue(401))) +
                     message(0x140c, nested(RDMA_NLDEV_ATTR_RES_CQ, queue(402) + queue(401))) + done();
  return kernel;
}

void answers() {
  test("each process on each device once, none for the kernel's own queues", [] {
    const QueueOwners read = owners_of(two_cards());
    CHECK_EQ(read.error, 0);
    CHECK(read.owners == (std::vector<QueueOwner>{{"mlx5_0", 400}, {"mlx5_0", 401}, {"mlx5_bond_0", 401}, {"mlx5_bond_0", 402}}));
  });

  test("a device that went away between the questions has none, and takes nothing from the others", [] {
    Kernel kernel = two_cards();
    kernel.fails[0] = ENODEV;
    const QueueOwners read = owners_of(kernel);
    CHECK_EQ(read.error, 0);
    CHECK_EQ(read.owners.size(), 2U);
  });

  test("what the kernel refuses is an error, and nothing is said then", [] {
    Kernel kernel = two_cards();
    kernel.queues[7] = with_code(NLMSG_ERROR, -EPERM);
    CHECK_EQ(owners_of(kernel).error, EPERM);
    CHECK(owners_of(kernel).owners.empty());
    kernel.fails[0] = ETIMEDOUT;
    CHECK_EQ(owners_of(kernel).error, ETIMEDOUT);
  });

  test("a damaged answer, cut or turned at any byte, is never read past its end", [] {
    const Kernel whole = two_cards();
    const Bytes& good = whole.queues.at(0);
    for (std::size_t at = 0; at < good.size(); ++at) {
      Kernel kernel = whole;
      kernel.queues[0].resize(at);
      owners_of(kernel);
      kernel.queues[0] = good;
      kernel.queues[0][at] ^= std::byte{0xff};
      CHECK(owners_of(kernel).owners.size() <= 6);
    }
  });

  test("the real kernel answers, or says that it has no RDMA", [] {
    const QueueOwners read = read_queue_owners(rdma_netlink);
    CHECK(read.error == 0 || read.error == EPROTONOSUPPORT || read.error == EAFNOSUPPORT || read.error == EPERM || read.error == EINVAL || read.error == ECONNREFUSED);
  });
}

}  // namespace

int main() {
  answers();
  return checks::result();
}
