// Which processes have queues on which RDMA device, as the kernel tracks them (netlink, RDMA_NLDEV_CMD_RES_CQ_GET). Completion queues and
// not queue pairs: a process makes them on the devices that it works through, and of each queue pair the kernel would ask the
// card's firmware for its state (drivers/infiniband/core/nldev.c, fill_res_qp_entry).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace faultline {

// Name of the device, mlx5_0, and the process as the caller's namespace numbers it; each pair once.
using QueueOwner = std::pair<std::string, std::uint32_t>;

struct QueueOwners {
  int error = 0;  // errno; EPROTONOSUPPORT where the kernel has no RDMA
  std::vector<QueueOwner> owners;
};

// Sends one request and gives all that comes back, up to the end of the dump: 0, or an errno.
using NetlinkCall = std::function<int(std::span<const std::byte> request, std::vector<std::byte>& answer)>;

QueueOwners read_queue_owners(const NetlinkCall& call);

// The kernel's. Waits two seconds at most for each part.
int rdma_netlink(std::span<const std::byte> request, std::vector<std::byte>& answer);

}  // namespace faultline
