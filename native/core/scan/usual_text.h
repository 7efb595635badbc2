// What logs are full of: the lines that are in every log of a host, of a job and of a server, once each. Which part of a word is
// rare is read off here; it need not be complete, since what it lacks costs time alone.
#pragma once

#include <string_view>

namespace faultline {

inline constexpr std::string_view kUsualText =
    " [2026-01-17 09:31:58] iteration 48120/ 500000 | consumed samples: 98549760 | elapsed time per iteration (ms): 5310.7 | throughput per GPU "
    "(TFLOP/s/GPU): 412.6 | learning rate: 3.700000E-04 | global batch size: 2048 | lm loss: 1.986520E+00 | loss scale: 1.0 | grad norm: 0.384 | "
    "number of skipped iterations: 0 | number of nan iterations: 0 |\n"
    "[rank0]:[titan] 2026-01-17 09:31:58,204 - root - INFO - step: 1490  loss: 3.78123  grad_norm: 0.9127  memory: 61.35GiB(76.88%)  tps: 7,214  "
    "tflops: 352.69  mfu: 35.66%\n"
    "{'loss': 1.2931, 'grad_norm': 0.71, 'learning_rate': 1.8e-05, 'epoch': 0.42}\n"
    "Epoch 3:  47%|####7     | 612/1302 [04:41<05:17,  2.17it/s, v_num=7, train_loss=0.853, lr=2.95e-5]\n"
    "gpu-a17:21875:22410 [6] NCCL INFO Channel 07/0 : 38[6] -> 46[6] [receive] via NET/IB/3/GDRDMA/Shared\n"
    "gpu-a17:21875:22410 [6] NCCL INFO Connected all rings, use ring PXN 0 GDR 1\n"
    "gpu-a17:21875:22410 [6] NCCL INFO comm 0x55d0c63f8e70 rank 38 nranks 64 cudaDev 6 nvmlDev 6 busId c7000 commId 0x8c51d2fa903b - Init COMPLETE\n"
    "2026-01-17 09:31:58,671 - data.loader - INFO - Loading shard 417 of 2048 from /mnt/data/train/part-00417.parquet, 18250 rows in 263 ms\n"
    "2026-01-17 09:31:58 | DEBUG    | trainer.data:prefetch:218 - queue 31/64, worker 9 took 540 us for batch 76213\n"
    "WARNING:root:model config file version 2 is old, using default value for the attention mask of module decoder.layers.17\n"
    "INFO:absl:Saving checkpoint to directory /mnt/checkpoints/run-8/step_0003000, build graph compile time 41.3 seconds, device memory usage total\n"
    "  File \"/usr/lib/python3.11/site-packages/torch/nn/modules/module.py\", line 1751, in _wrapped_call_impl\n    return self._call_impl(*args, **kwargs)\n"
    "Jan 17 09:31:58 gpu-a17 systemd[1]: Starting user-1000.slice - User Slice of UID 1000... Started session-312.scope. Deactivated successfully.\n"
    "Jan 17 09:31:58 gpu-a17 sshd[40917]: Accepted publickey for alice from 10.42.7.19 port 58114 ssh2: RSA SHA256:kJx3vQe9Rw1pLzT7bNcYhUoMd5aGf2sXi8EuVqKt0Dg\n"
    "Jan 17 09:31:58 gpu-a17 CRON[51204]: pam_unix(cron:session): session opened for user root(uid=0) by (uid=0)\n"
    "Jan 17 09:31:58 gpu-a17 slurmd[3120]: launch task StepId=81734.0 request from UID:1000 GID:1000 HOST:10.42.7.2 PORT:43186\n"
    "[48213.907341] kernel: IN=eth0 OUT= MAC=0c:42:a1:7e:d9:b8 SRC=10.42.7.19 DST=10.42.0.1 LEN=52 TOS=0x00 PREC=0x00 TTL=64 ID=31507 DF PROTO=TCP "
    "SPT=43186 DPT=443 WINDOW=502 RES=0x00 ACK SYN URGP=0\n"
    "[48214.118820] audit: type=1400 audit(1768642318.204:937): apparmor=\"ALLOWED\" operation=\"open\" profile=\"snap.lxd\" name=\"/proc/51204/cmdline\" "
    "pid=51204 comm=\"python3\" requested_mask=\"r\" denied_mask=\"r\" fsuid=1000 ouid=0\n"
    "[    3.671025] usb 1-9: New USB device found, idVendor=046b, idProduct=ff01, bcdDevice= 1.00, Product: Virtual Hub, Manufacturer: Megatrends\n"
    "[    4.018233] pci 0000:c7:00.0: BAR 0: assigned [mem 0xd4000000-0xd4ffffff 64bit pref] ACPI: PCI Interrupt Link [LNKA] enabled\n"
    "[ 1021.447190] IPv6: ADDRCONF(NETDEV_CHANGE): veth7d0c: link becomes ready, cni0: port 4(veth7d0c) entered forwarding state, docker0 eth0\n"
    "INFO:     10.42.7.19:58114 - \"POST /v1/chat/completions HTTP/1.1\" 200 OK, \"GET /metrics HTTP/1.1\" 200 OK\n"
    "INFO 01-17 09:31:58 metrics.py:455] Avg generation throughput: 1832.6 tokens/s, Running: 43 reqs, Swapped: 0 reqs, Pending: 2 reqs, GPU KV cache "
    "usage: 61.7%, CPU KV cache usage: 0.0%, Prefix cache hit rate: 12.8%\n"
    "I0117 09:31:58.204117    2817 kubelet.go:2431] \"SyncLoop (PLEG): event for pod\" pod=\"ml-team-4/trainer-0-x7k2p\" event={\"ID\":\"5c1e9a04-83bd\","
    "\"Type\":\"ContainerStarted\"}\n"
    "time=\"2026-01-17T09:31:58.671204917Z\" level=info msg=\"CreateContainer within sandbox returns container id\" namespace=k8s.io runtime=io.containerd\n"
    "{\"log\":\"processed request in 35 ms\\n\",\"stream\":\"stdout\",\"time\":\"2026-01-17T09:31:58.671204917Z\",\"level\":\"debug\"}\n"
    "2026-01-17T09:31:58.671204917Z stdout F host node process started, finished, stopped, training, evaluation, validation, data, test, path, service, "
    "import, error_count=0 errors: 0, timeout=600s, reset, status, state, task, state: running\n";

}  // namespace faultline
