// Kernel lines that hold what a user chose, as the kernel's own format strings have them: data for tests, one row a format.

/** What an ordinary user decides: the name of a process (15 bytes), of a file (255), a control group, a label or option, an interface. */
export interface UserWords {
  readonly comm: string;
  readonly file: string;
  readonly group: string;
  readonly label: string;
  readonly iface: string;
}

export interface KernelFormat {
  readonly name: string;
  /** The pid in it is the kernel's: PID. */
  readonly line: (words: UserWords) => string;
  /** What the line may become; nothing where this is left out. */
  readonly kind?: string;
  readonly component?: string;
}

/** Of the process that the kernel means. */
export const PID = 31_337;
export const HOST = 'node-1';

const crash = { kind: 'process.segfault', component: `process/${PID}` } as const;
const oom = { kind: 'host.oom', component: `process/${PID}` } as const;
const hung = { kind: 'host.hung_task', component: `process/${PID}` } as const;
const onHost = (kind: string) => ({ kind, component: `host/${HOST}` });
const WHERE = 'ip 00007f1d2a4c1b3e sp 00007ffc1a2b3c40';
const GPU = 'PCI:0000:9b:00';

/** arch/, mm/, kernel/, fs/, net/, drivers/ and the NVIDIA modules; each in the wording of one version or another. */
export const FORMATS: readonly KernelFormat[] = [
  { name: 'segfault, x86', ...crash, line: ({ comm, file }) => `${comm}[${PID}]: segfault at 7f1c ${WHERE} error 4 in ${file}[7f1d2a480000+8f000] likely on CPU 17 (core 17, socket 0)` },
  { name: 'segfault with an offset', ...crash, line: ({ comm, file }) => `${comm}[${PID}]: segfault at 0 ${WHERE} error 14 in ${file}[1b3e,7f1d2a480000+8f000]` },
  { name: 'segfault, nowhere', ...crash, line: ({ comm }) => `${comm}[${PID}]: segfault at 0 ${WHERE} error 4` },
  { name: 'segfault, powerpc', ...crash, line: ({ comm, file }) => `${comm}[${PID}]: segfault (11) at 0 nip 1000 lr 2000 code 1 in ${file}[10000000+10000]` },
  { name: 'exception, arm64', ...crash, line: ({ comm, file }) => `${comm}[${PID}]: unhandled exception: DABT (lower EL), ESR 0x0000000092000004, level 0 translation fault in ${file}[ffff8a400000+23000]` },
  { name: 'fault, arm64 of old', ...crash, line: ({ comm, file }) => `${comm}[${PID}]: unhandled level 2 translation fault (11) at 0x00000008, esr 0x92000006, in ${file}[ffff8a400000+23000]` },
  { name: 'segfault, no address', ...crash, line: ({ comm, file }) => `${comm}[${PID}]: segfault at 0 ip           (null) sp 00007ffc1a2b3c40 error 14 in ${file}[400000+1000]` },
  { name: 'signal, riscv', ...crash, line: ({ comm, file }) => `${comm}[${PID}]: unhandled signal 11 code 0x1 at 0x0000000000000000 in ${file}[2aaaaaa000+1000]` },
  { name: 'general protection', ...crash, line: ({ comm, file }) => `traps: ${comm}[${PID}] general protection fault ip:7f1 sp:7f2 error:0 in ${file}[7f0+1]` },
  { name: 'general protection, old', ...crash, line: ({ comm, file }) => `${comm}[${PID}] general protection ip:7f1 sp:7f2 error:0 in ${file}[7f0+1]` },
  { name: 'invalid opcode', ...crash, line: ({ comm, file }) => `traps: ${comm}[${PID}] trap invalid opcode ip:7f1 sp:7f2 error:0 in ${file}[7f0+1]` },
  { name: 'int3', line: ({ comm, file }) => `traps: ${comm}[${PID}] trap int3 ip:7f1 sp:7f2 error:0 in ${file}[7f0+1]` },
  { name: 'bad frame', line: ({ comm, file }) => `${comm}[${PID}] bad frame in rt_sigreturn frame:0000 ip:7f1 sp:7f2 orax:ffff in ${file}[7f0+1]` },
  { name: 'vsyscall', line: ({ comm }) => `${comm}[${PID}] vsyscall attempted with vsyscall=none ip:ffffffffff600000 cs:33 sp:7ffc ax:0 si:0 di:7ffc` },
  { name: 'iopl', line: ({ comm, file }) => `${comm}[${PID}] attempts to use CLI/STI, pretending it's a NOP, ip:7f1 in ${file}[7f0+1]` },
  { name: 'fatal signal', line: ({ comm }) => `${comm}/${PID}: potentially unexpected fatal signal 11.` },
  { name: 'fatal signal, new', line: () => 'potentially unexpected fatal signal 11.' },
  { name: 'core limit', line: ({ comm }) => `Process ${PID}(${comm}) has RLIMIT_CORE set to 1` },
  { name: 'core pipe', line: ({ comm }) => `coredump: ${PID}(${comm}): over core_pipe_limit, skipping core dump` },
  { name: 'oom invoked', ...onHost('host.oom'), line: ({ comm }) => `${comm} invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0` },
  { name: 'oom task table', line: ({ comm }) => `[  31337]  1000 31337  5588434   138005  8069120        0           999 ${comm}` },
  { name: 'oom memory of a group', line: ({ group }) => `Memory cgroup stats for /user.slice/${group}:` },
  { name: 'oom tasks in a group', line: ({ group }) => `Tasks in /user.slice/${group} are going to be killed due to memory.oom.group set` },
  { name: 'oom summary', ...oom, line: ({ comm, group }) => `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=${group.slice(0, 80)},mems_allowed=0-1,oom_memcg=/user.slice/${group},task_memcg=/user.slice/${group},task=${comm},pid=${PID},uid=1000` },
  { name: 'oom summary, global', ...oom, line: ({ comm, group }) => `oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,global_oom,task_memcg=/user.slice/${group},task=${comm},pid=${PID},uid=1000` },
  { name: 'oom summary, its end lost', line: ({ group }) => `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0-1,oom_memcg=/${'p'.repeat(880)}/${group},task_memcg=/x,task=victim,pid=4242,uid=0` },
  { name: 'oom kill', ...oom, line: ({ comm }) => `Out of memory: Killed process ${PID} (${comm}) total-vm:402653184kB, anon-rss:2012kB, file-rss:2048kB, shmem-rss:0kB, UID:1000 pgtables:412kB oom_score_adj:0` },
  { name: 'oom kill in a group', ...oom, line: ({ comm }) => `Memory cgroup out of memory: Killed process ${PID} (${comm}) total-vm:1kB, anon-rss:7kB, file-rss:1kB, shmem-rss:0kB, UID:1000 pgtables:4kB oom_score_adj:-999` },
  { name: 'oom kill, old', ...oom, line: ({ comm }) => `Out of memory: Kill process ${PID} (${comm}) score 900 or sacrifice child` },
  { name: 'oom kill, second line of old', ...oom, line: ({ comm }) => `Killed process ${PID} (${comm}) total-vm:1kB, anon-rss:7kB, file-rss:1kB, shmem-rss:0kB` },
  { name: 'oom reaper', ...oom, line: ({ comm }) => `oom_reaper: reaped process ${PID} (${comm}), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB` },
  { name: 'oom reaper, unable', line: ({ comm }) => `oom_reaper: unable to reap pid:${PID} (${comm})` },
  { name: 'oom victim exits', line: ({ comm }) => `Out of memory: OOM victim ${PID} (${comm}) is already exiting. Skip killing the task` },
  { name: 'hung task', ...hung, line: ({ comm }) => `INFO: task ${comm}:${PID} blocked for more than 122 seconds.` },
  { name: 'hung task in I/O', ...hung, line: ({ comm }) => `INFO: task ${comm}:${PID} blocked in I/O wait for more than 122 seconds.` },
  { name: 'hung task, owner', line: ({ comm }) => `INFO: task ${comm}:${PID} is blocked on a mutex likely owned by task ${comm}:${PID}.` },
  { name: 'hung task, body', ...hung, line: ({ comm }) => `task:${comm.padEnd(15)} state:D stack:    0 pid:${PID} tgid:${PID} ppid:  1257 task_flags:0x400140 flags:0x00004002` },
  { name: 'running task, body', line: ({ comm }) => `task:${comm.padEnd(15)} state:R  running task     stack:    0 pid:${PID} ppid: 15257 flags:0x00000002` },
  { name: 'soft lockup', ...onHost('host.soft_lockup'), line: ({ comm }) => `watchdog: BUG: soft lockup - CPU#7 stuck for 23s! [${comm}:${PID}]` },
  { name: 'trace', line: ({ comm }) => `CPU: 0 PID: ${PID} Comm: ${comm} Tainted: P           OE     6.8.0-48-generic #48-Ubuntu` },
  { name: 'scheduling while atomic', line: ({ comm }) => `BUG: scheduling while atomic: ${comm}/${PID}/0x00000002` },
  { name: 'bad page state', ...onHost('host.kernel_oops'), line: ({ comm }) => `BUG: Bad page state in process ${comm}  pfn:1f3a80` },
  { name: 'page failure', ...onHost('memory.ue'), line: ({ comm }) => `Memory failure: 0x2f3a80: Sending SIGBUS to ${comm}:${PID} due to hardware memory corruption` },
  { name: 'page allocation', line: ({ comm }) => `${comm}: page allocation failure: order:4, mode:0x40dc0(GFP_KERNEL|__GFP_COMP|__GFP_ZERO), nodemask=(null),cpuset=/,mems_allowed=0-1` },
  { name: 'page allocation in a named set', line: ({ comm, group }) => `${comm}: page allocation failure: order:4, mode:0x40dc0(GFP_KERNEL), nodemask=(null),cpuset=${group},mems_allowed=0-1` },
  { name: 'vmalloc', line: ({ comm }) => `${comm}: vmalloc error: size 1099511627776, exceeds total pages, mode:0xdc0(GFP_KERNEL|__GFP_ZERO), nodemask=(null),cpuset=/,mems_allowed=0` },
  { name: 'drop caches', line: ({ comm }) => `${comm} (${PID}): drop_caches: 3` },
  { name: 'stack depth', line: ({ comm }) => `${comm} (${PID}) used greatest stack depth: 12608 bytes left` },
  { name: 'stack depth, old', line: ({ comm }) => `${comm} used greatest stack depth: 5236 bytes left` },
  { name: 'oom_adj', line: ({ comm }) => `${comm} (${PID}): /proc/${PID}/oom_adj is deprecated, please use /proc/${PID}/oom_score_adj instead.` },
  { name: 'mlock', line: ({ comm }) => `${comm} (${PID}): Using mlock ulimits for SHM_HUGETLB is obsolete` },
  { name: 'mremap', line: ({ comm }) => `${comm} (${PID}): attempted to duplicate a private mapping with mremap.  This is not supported.` },
  { name: 'past the end of a device', line: ({ comm }) => `${comm}: attempt to access beyond end of device\nloop0: rw=2049, sector=8192, nr_sectors = 8 limit=4096` },
  { name: 'obsolete socket', line: ({ comm }) => `${comm} uses obsolete (PF_INET,SOCK_PACKET)` },
  { name: 'capabilities', line: ({ comm }) => `warning: \`${comm}' uses 32-bit capabilities (legacy support in use)` },
  { name: 'sysctl', line: ({ comm }) => `warning: process \`${comm}' used the deprecated sysctl system call with 1.1.` },
  { name: 'executable stack', line: ({ file }) => `process '${file}' started with executable stack` },
  { name: 'ptrace', line: ({ comm }) => `ptrace attach of "${comm}"[${PID}] was attempted by "${comm}"[${PID}]` },
  { name: 'yama', line: ({ comm, file }) => `Yama: ptrace attach of "${file}"[${PID}] was attempted by "${comm}"[${PID}]` },
  { name: 'dirtied', line: ({ comm, file }) => `${comm}(${PID}): dirtied inode 4026531 (${file}) on sda1` },
  { name: 'unaligned', line: ({ comm }) => `${comm}(${PID}): unaligned access to 0x6000000000003, ip=0x4000000000000` },
  { name: 'modprobe', line: ({ label }) => `request_module: modprobe ${label} cannot be processed, kmod busy with 50 threads for more than 5 seconds now` },
  { name: 'audit', line: ({ comm, file }) => `audit: type=1701 audit(1732800000.1:7): auid=1000 uid=1000 gid=1000 ses=1 pid=${PID} comm=${Buffer.from(comm).toString('hex')} exe="${file}" sig=11 res=1` },
  { name: 'seccomp', line: ({ comm }) => `audit: type=1326 audit(1732800000.1:8): auid=1000 uid=1000 pid=${PID} comm="${comm}" exe="/bin/x" sig=31 arch=c000003e syscall=41 compat=0` },
  { name: 'apparmor', line: ({ file, comm }) => `audit: type=1400 audit(1732800000.1:9): apparmor="DENIED" operation="open" profile="${file}" name="${file}" pid=${PID} comm="${comm}"` },
  { name: 'promiscuous', line: ({ iface }) => `device ${iface} entered promiscuous mode` },
  { name: 'promiscuous, new', line: ({ iface }) => `${iface}: entered promiscuous mode` },
  { name: 'renamed', line: ({ iface }) => `${iface}: renamed from ${iface}` },
  { name: 'renamed, with its device', line: ({ iface }) => `mlx5_core 0000:86:00.0 ${iface}: renamed from ${iface}` },
  { name: 'link ready', line: ({ iface }) => `IPv6: ADDRCONF(NETDEV_CHANGE): ${iface}: link becomes ready` },
  { name: 'bridge', line: ({ iface }) => `br0: port 1(${iface}) entered blocking state` },
  { name: 'checksum', line: ({ iface }) => `${iface}: hw csum failure` },
  { name: 'syn flood', line: ({ comm }) => `TCP: request_sock_TCP: Possible SYN flooding on port 4444. Sending cookies. ${comm}` },
  { name: 'packet filter', line: ({ label }) => `${label.slice(0, 127)}IN=eth0 OUT= MAC=aa:bb:cc:dd:ee:ff:00:11:22:33:44:55:08:00 SRC=10.0.0.4 DST=10.0.0.5 LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=1 DF PROTO=TCP SPT=1 DPT=2` },
  { name: 'packet filter, cut', line: ({ label }) => `${label.slice(0, 127)}IN=lo OUT= MAC= TRUNCATED` },
  { name: 'packet filter, header cut', line: ({ label }) => `${label.slice(0, 127)}IN=eth0 OUT= MAC=aa:bb:cc:dd:ee:ff SRC=10.0.0.4 DST=10.0.0.5 LEN=60 PROTO=TCP INCOMPLETE [8 bytes] ` },
  { name: 'packet filter, arp cut', line: ({ label }) => `${label.slice(0, 127)}IN=eth0 OUT= ARP TRUNCATED` },
  { name: 'packet filter of a bridge', line: ({ label }) => `${label.slice(0, 29)} IN=veth1 OUT=br0 MAC source = 02:42:ac:11:00:02 MAC dest = 02:42:ac:11:00:03 proto = 0x0806 ARP HTYPE=1, PTYPE=0x0800, OPCODE=1` },
  { name: 'ext4 options', line: ({ label }) => `EXT4-fs (sda1): mounted filesystem with ordered data mode. Opts: ${label}. Quota mode: none.` },
  { name: 'ext4 bad option', line: ({ label }) => `EXT4-fs (sda1): Unrecognized mount option "${label}" or missing value` },
  { name: 'ext4 error', kind: 'storage.io_error', component: 'disk/sda', line: ({ comm, file }) => `EXT4-fs error (device sda1): ext4_find_entry:1455: inode #2: comm ${comm}: reading directory ${file}` },
  { name: 'ext4 error of an image', line: ({ comm, file }) => `EXT4-fs error (device loop7): ext4_find_entry:1455: inode #2: comm ${comm}: reading directory ${file}` },
  { name: 'ext4 of an image', line: () => 'EXT4-fs (loop7): Remounting filesystem read-only' },
  { name: 'xfs mounts', line: ({ label }) => `XFS (sdb1): Mounting V5 Filesystem ${label.replaceAll('\n', ' ')}` },
  { name: 'btrfs label', line: ({ label, comm }) => `BTRFS: device label ${label} devid 1 transid 5 /dev/sdb1 (8:17) scanned by ${comm} (${PID})` },
  { name: 'btrfs option', line: ({ label }) => `BTRFS error (device sdb1): unrecognized mount option '${label}'` },
  { name: 'overlay', line: ({ file }) => `overlayfs: failed to resolve '${file}': -2` },
  { name: 'overlay option', line: ({ label }) => `overlayfs: unrecognized mount option "${label}" or missing value` },
  { name: 'fat', line: ({ label }) => `FAT-fs (sdb1): Unrecognized mount option "${label}" or missing value` },
  { name: 'isofs', line: ({ label }) => `isofs: Unknown parameter '${label}'` },
  { name: 'tmpfs', line: ({ label }) => `tmpfs: Unknown parameter '${label}'` },
  { name: 'fuse', line: ({ label }) => `fuse: Bad value for '${label}'` },
  { name: 'cifs', line: ({ label }) => `CIFS: Attempting to mount //${label}` },
  { name: 'nfs', line: ({ label }) => `NFS: nfs4_discover_server_trunking unhandled error -512. Exiting with error EIO ${label}` },
  { name: 'usb product', line: ({ label }) => `usb 1-1: Product: ${label}` },
  { name: 'input', line: ({ label }) => `input: ${label} as /devices/pci0000:00/usb1/input/input5` },
  { name: 'hid', line: ({ label }) => `hid-generic 0003:046D:C31C.0001: input,hidraw0: USB HID v1.10 Keyboard [${label}] on usb-0000:00:14.0-1/input0` },
  { name: 'xid with a process', kind: 'gpu.app_fault', component: 'gpu/0000:9b:00.0', line: ({ comm }) => `NVRM: Xid (${GPU}): 43, pid=${PID}, name=${comm}, Ch 00000008` },
  { name: 'xid of a link with a process', kind: 'nvlink.nonfatal', component: 'nvlink/0000:9b:00.0/2', line: ({ comm }) => `NVRM: Xid (${GPU}): 74, pid=${PID}, name=${comm}, NVLink: non-fatal error detected on link 2` },
  { name: 'xid of a unit with a process', kind: 'nvlink.nonfatal', component: 'nvlink/0000:9b:00.0/17', line: ({ comm }) => `NVRM: Xid (${GPU}): 145, pid=${PID}, name=${comm}, RLW_SRC_TRACK Nonfatal XC1 i0 Link 17 (0x04084507 0x00000004)` },
  { name: 'beegfs', ...onHost('storage.stall'), line: ({ comm }) => `beegfs: ${comm}(${PID}): NodeConn (acquire stream): Connect failed: beegfs-storage@10.9.0.3:8003 (protocol: TCP)` },
  { name: 'beegfs of a file', line: ({ comm, file }) => `beegfs: ${comm}(${PID}): Remoting (open file): entryID: 0-1-2 path: ${file} failed.` },
  { name: 'amdgpu process', line: ({ comm }) => `[drm:amdgpu_job_timedout [amdgpu]] *ERROR* Process information: process ${comm} pid ${PID} thread ${comm} pid ${PID}` },
  { name: 'amdgpu process, new', line: ({ comm }) => `amdgpu 0000:0a:00.0: amdgpu: Process information: process ${comm} pid ${PID} thread ${comm} pid ${PID}` },
  { name: 'amdgpu page fault', kind: 'gpu.app_fault', component: 'gpu/0000:0a:00.0', line: ({ comm }) => `amdgpu 0000:0a:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:3 pasid:32770, for process ${comm} pid ${PID} thread ${comm} pid ${PID})` },
  { name: 'transmit queue of a port', kind: 'nic.command_timeout', component: 'nic/0000:22:04.0', line: ({ iface }) => `r8125 0000:22:04.0 ${iface}: NETDEV WATCHDOG: CPU: 3: transmit queue 0 timed out 5010 ms` },
  { name: 'driver mismatch', ...onHost('gpu.driver_unsupported'), line: ({ label }) => `NVRM: API mismatch: the client has the version ${label.slice(0, 63)}, but\nNVRM: this kernel module has the version 570.86.10.  Please\nNVRM: make sure that this kernel module and all NVIDIA driver\nNVRM: components have the same version.` },
  { name: 'driver mismatch, new', ...onHost('gpu.driver_unsupported'), line: ({ comm, label }) => `NVRM: API mismatch: the client '${comm}' (pid ${PID})\nNVRM: has the version ${label.slice(0, 63)}, but this kernel module has\nNVRM: the version 570.86.10.  Please make sure that this\nNVRM: kernel module and all NVIDIA driver components\nNVRM: have the same version.` },
]; // biome-ignore format: one format a line

/** Whole true lines, from which users would build theirs. */
export const TRUE_LINES: readonly string[] = [
  `NVRM: Xid (${GPU}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.`,
  'NVRM: Xid: 79', 'NVRM: Xid : 79, GPU has fallen off the bus.', 'NVRM: Xid : 32, Channel ID 00000001', 'NVRM: Xid (): 79, x', 'NVRM: Xid (): 8',
  'NVRM: GPU 0000:9b:00.0: GPU has fallen off the bus.', 'NVRM: fallen off the bus and is not responding to commands.',
  'NVRM: BAR1 is 0M @ 0x0 (PCI:0000:9b:00.0)', 'NVRM: GPU 0000:9b:00.0: RmInitAdapter failed! (0x26:0x1a:1227)',
  'NVRM: API mismatch: the client has the version 1.2, but NVRM: this kernel module has the version 570.86.10.',
  'NVRM: x: Back to back GSP RPC timeout detected! GPU marked for reset', 'NVRM: The NVIDIA GPU 0000:9b:00.0', 'NVRM: loading NVIDIA UNIX x',
  'NVRM: GPU at PCI:0000:9b:00: GPU-12345678-9abc-def0-1234-56789abcdef0', 'NVRM: GPU Board Serial Number: 1650000000001',
  'Out of memory: Killed process 4242 (victim)', 'Killed process 4242 (victim) total-vm:1kB, anon-rss:7kB', 'oom_reaper: reaped process 4242 (victim), now anon-rss:0kB',
  'oom-kill:constraint=CONSTRAINT_NONE,task_memcg=/x,task=victim,pid=4242,uid=0', ',task=victim,pid=4242,uid=0', ',task_memcg=/slurm/job_1,task=victim,pid=4242,uid=0',
  'INFO: task victim:4242 blocked for more than 122 seconds.', ' blocked for more than 999 seconds.', ':4242 blocked for more than 9 seconds.',
  'task:victim          state:D stack:    0 pid:4242 ppid: 1 flags:0x00000002', ' state:D stack:0', 'watchdog: BUG: soft lockup - CPU#7 stuck for 23s! [victim:4242]', '! [victim:4242]',
  'a[4242]: segfault at 0 ip 1 sp 2 error 4 in libnccl.so.2[7f0+1]', 'traps: a[4242] general protection fault ip:1', '[4242]: segfault at', ' in libcuda.so.1[7f0+1]',
  'Kernel panic - not syncing: Fatal hardware error!', 'Kernel panic - ', 'mce: [Hardware Error]: CPU 12: Machine Check Exception: 5 Bank 7: be00000000800400',
  'mce: CMCI storm detected: switching to poll mode', 'mce: CPU2: Package temperature above threshold, cpu clock throttled (total events = 3)',
  'EDAC MC0: 9 UE memory read error on DIMM_A (channel:2 slot:0 page:0x0)', 'EDAC MC0: 9 UE ', 'EDAC MC0: 1 CE Cannot decode normalized address',
  'Memory failure: 0x2f3a80: Killing victim:4242 due to hardware memory corruption', ' due to hardware memory corruption',
  'pcieport 0000:16:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Requester ID)', 'a 0000:9b:00.0: DPC: containment event, status:0x1f01',
  'nvidia 0000:9b:00.0: probe with driver nvidia failed with error -1', 'nvidia: probe of 0000:9b:00.0 failed with error -1', 'pcieport 0000:16:00.0: pciehp: Slot(21): Link Down',
  'nvme nvme0: I/O 214 QID 12 timeout, aborting', 'nvme nvme0: controller is down; will reset: CSTS=0xffffffff', 'I/O error, dev sda, sector 77', 'blk_update_request: I/O error, dev sda, sector 77',
  'Buffer I/O error on dev sda1, logical block 5', 'md/raid1:md0: Disk failure on sda1, disabling device.', 'EXT4-fs (sda1): Remounting filesystem read-only',
  'EXT4-fs error (device sda1): x', 'Remounting filesystem read-only', 'forced readonly', 'BTRFS info (device sdb1: state E): forced readonly', ' (device sdb1): forced readonly',
  'XFS (dm-4): Filesystem has been shut down due to log error (0x2).', '.  Shutting down filesystem', 'nfs: server filer not responding, still trying', 'nfs: server filer OK',
  '{1}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 4', '{1}[Hardware Error]: event severity: fatal', '{1}[Hardware Error]:  Error 0, type: fatal', '[Hardware Error]: Error 0, type: fatal',
  '{1}[Hardware Error]:   section_type: memory error', '{1}[Hardware Error]:   DIMM location: A DIMM_1', '{1}[Hardware Error]:   device_id: 0000:9b:00.0', 'thermal thermal_zone4: critical temperature reached (128 C), shutting down',
  'HARDWARE PROTECTION shutdown (Temperature too high)', 'amdgpu 0000:0a:00.0: amdgpu: GPU reset begin!', 'amdgpu: MES might be in unrecoverable state, issue a GPU reset', '[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx timeout, signaled seq=1, emitted seq=3',
  'ring gfx timeout, but soft recovered', 'NETDEV WATCHDOG: eth2 (igb): transmit queue 5 timed out', 'a 0000:22:04.0 b: NETDEV WATCHDOG: CPU: 3: transmit queue 0 timed out 5010 ms', 'libceph: mon1 10.3.0.5:6789 session lost, hunting for new mon', 'ceph: mds0 hung',
  'beegfs: x(1): NodeConn (acquire stream): Connect failed: beegfs-storage@10.9.0.3:8003 (protocol: TCP)', '): NodeConn (acquire stream): Connect failed: beegfs-storage@10.9.0.9:8003 (protocol: TCP)', 'CIFS: VFS: x has not responded in 180 seconds. Reconnecting...',
  'wekafsio: ALL FEs down', 'mmfs: [E] Lost membership in cluster a. Unmounting file systems.', 'lockd: server a OK', 'nvme0n1: Read(0x2) @ LBA 1024, 256 blocks, Unrecovered Read Error (sct 0x2 / sc 0x81)', 'mlx5_core 0000:0e:00.0: Fatal error 1 detected', 'synd 0x7: irisc not responding', 'fw_ver 65535.65535.65535',
  'NVRM: The NVIDIA GPU 0000:41:00.0 (PCI ID: 10de:1b38)', 'NVRM: installed in this system is not supported by open',
  'Lustre: a-OST1-osc-f: Connection to a-OST1 (at 10.0.0.1@tcp) was lost', 'nvidia-nvswitch2: SXid (PCI:0000:07:00.0): 20034, Fatal, Link 41 LTSSM Fault Up',
  'mlx5_core 0000:0e:00.0: poll_health:801:(pid 0): No done completion', 'mlx5_:(pid 1): ', 'No done completion', ': High temperature', 'mlx5_core 0000:86:00.0 ens6: Link down',
  'Clock: inserting leap second 23:59:60 UTC', 'chronyd[840]: System clock was stepped by 4.0 seconds', 'chronyd', 'System clock was stepped by 4.0', 'Fatal', 'NVLink: fatal error detected on link 1',
  'x, Fatal', 'x, Ch 00000001', 'x, NVLink: fata', '4242', '[4242]', '(4242)', 'a[1]', 'a (1): ', '/', 'IN=a OUT=b MAC=', 'IN= OUT= ', 'SRC=10.0.0.4 DST=10.0.0.5 LEN=60 ',
]; // biome-ignore format: a list
