// Lines of parts of the kernel by catalog/kernel-lines.json: each row reads its example, and none that quotes it or that says more.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import catalog from '#catalog/kernel-lines.json' with { type: 'json' };
import { SUBSYSTEM_ROWS, SUBSYSTEM_WORDS } from '../../../src/detection/text/kernel/subsystem-line.ts';
import { isKind } from '../../../src/model/kind.ts';
import { SEVERITIES } from '../../../src/model/severity.ts';
import { readsAsKernel } from '../../../src/sources/saved-text/form/kernel-words.ts';
import { decodeLines } from './lines.ts';

const kindsOf = (line: string) => decodeLines([line]).map(({ kind }) => kind);

for (const { of, example, kind, severity, source } of SUBSYSTEM_ROWS)
  test(`"${example.slice(0, 80)}" is ${kind}`, () => {
    assert.ok(isKind(kind) && (severity === undefined || SEVERITIES.includes(severity)));
    assert.ok(
      of.every((name) => name in catalog.heads),
      'each head is known',
    );
    assert.ok(source.length > 8, 'it says where it is from');
    assert.deepEqual(kindsOf(example), [kind]);
    assert.ok(
      SUBSYSTEM_WORDS.some((word) => example.includes(word)),
      'a word of the list is in it',
    );
    for (const quote of [`looking for "${example}"`, `# ${example}`, `python3[12]: ${example}`])
      assert.deepEqual(kindsOf(quote), [], quote);
  });

test("a line of a program is not part of the kernel's, however it begins", () => {
  const programs = ['RuntimeError: CUDA error: an illegal memory access was encountered', 'Error: no such file', 'torch.distributed.DistBackendError: NCCL error', 'main: 12 rows']; // biome-ignore format: one line
  for (const line of programs) assert.equal(readsAsKernel(line), false, line);
});

test("a client of Lustre that has no configuration from its MGS, in the kernel's own spelling too", () => {
  for (const word of ['Configuration', 'Confguration'])
    assert.deepEqual(kindsOf(`LustreError: 15c-8: MGC10.9.0.2@tcp: ${word} from log work-client failed from MGS -110. Communication error`), ['storage.io_error']); // biome-ignore format: one line
  assert.deepEqual(kindsOf('Lustre: MGC10.9.0.2@tcp: Confguration from log work-client read'), []);
});

/** What the same parts print on an ordinary day, or of what is a program's own doing. */
const ORDINARY = [
  'nvidia-uvm: Loaded the UVM driver, major device number 511.',
  'nvidia-uvm: uvm_gpu.c:812 uvm_gpu_retain[pid:71233] Created GPU 0',
  'nvidia-peermem nv_mem_acquire:221 ERROR nv_mem_acquire -- error -22 while calling nvidia_p2p_put_pages()',
  'nvidia-fs:nvfs_io_complete:681 IO failed with -512',
  'nvidia_fs: Initializing nvfs driver module',
  'nvidia-nvswitch0: open (major=510)',
  'nvidia-uvm: uvm_gpu.c:812 uvm_gpu_retain[pid:71233] Initialized the channel manager, GPU 0',
  'neuron:ncdev_module_init: Neuron Driver Started with Version:2.19.5.0',
  'ceph: loaded (mds proto 32)',
  'neuron:nr_start_ncs: nd3: initiating device reset request 812',
  'neuron:nr_process_reset_requests: nd3: reset request 812 completed',
  'lockd: failed to monitor 10.0.0.4',
  'irq 16: Affinity broken due to vector space exhaustion.',
  'neighbour: ndisc_cache: table is 80 % full',
  'overlayfs: upper fs does not support tmpfile.',
  'overlayfs: failed to get inode (-12)',
  'Out of memory handling is on',
  'mce: CMCI storm subsided: switching to interrupt mode',
  'mpt3sas_cm0: diag reset: SUCCESS',
  'LustreError: 8812:0:(ldlm_request.c:125:fn()) ### blocking callback (enqueued at 1733050000)',
  'XFS (sdb1): Ending clean mount',
  'nvme nvme6: allocated 64 MiB host memory buffer.',
  'nvme nvme6: Identify Descriptors failed (nsid=1, status=0xb)',
  'sd 4:0:0:0: [sdd] Synchronizing SCSI cache',
  'sd 4:0:0:0: [sdd] Synchronize Cache(10) failed: Result: hostbyte=DID_NO_CONNECT driverbyte=DRIVER_OK',
  'ata5: SATA link down (SStatus 0 SControl 300)',
  'md: recovery of RAID array md1',
  'mpt3sas_cm1: log_info(0x31080000): originator(PL), code(0x08), sub_code(0x0000)',
  'zram: Added device: zram0',
  'block nbd0: shutting down sockets',
  'bcache: register_bdev() registered backing device sdb',
  'EXT4-fs (sda2): re-mounted with ordered data mode. Quota mode: none.',
  'XFS (sdc1): Mounting V5 Filesystem 0b1c',
  'BTRFS info (device sdb1): scrub: finished on devid 1 with status: 0',
  'CIFS: No dialect specified on mount. Default has changed to a more secure dialect',
  'libceph: osd3 (1)10.3.0.13:6801 socket closed (con state OPEN)',
  'Lustre: Lustre: Build Version: 2.15.4',
  'LNet: Added LNI 10.3.1.9@o2ib [8/256/0/180]',
  'LustreError: 3341:0:(file.c:4500:ll_file_flock()) work-clilmv: inode lock: rc = -11',
  'mce: CPU supports 32 MCE banks',
  'EDAC MC0: Giving out device to module skx_edac controller Skylake Socket#0 IMC#0: DEV 0000:64:0a.0 (INTERRUPT)',
  'pci 0000:c1:00.0: BAR 7: no space for [mem size 0x00100000 64bit pref]',
  'DMAR: Intel(R) Virtualization Technology for Directed I/O',
  'ipmi_si IPI0001:00: IPMI kcs interface initialized',
  'microcode: Current revision: 0x2b000571',
  'perf: interrupt took too long (3130 > 3128), lowering kernel.perf_event_max_sample_rate to 63750',
  'WARNING: CPU: 3 PID: 1 at drivers/gpu/drm/drm_x.c:12 foo+0x1/0x2',
  'mlx5_core 0000:9a:00.0: mlx5_cmd_out_err:838:(pid 81): CREATE_MKEY(0x200) op_mod(0x0) failed, status bad resource(0x5), syndrome (0x1), err(-22)',
  'mlx5_core 0000:9a:00.0: Port module event: module 0, Cable plugged',
  'ice 0000:31:00.1: The DDP package was successfully loaded: ICE OS Default Package version 1.3.30.0',
  'efa 0000:00:1d.0: Failed to process command CREATE_QP (opcode 1) comp_status 2 err -22',
  'ena 0000:00:05.0 ens5: Device reset completed successfully, Driver info: Elastic Network Adapter (ENA) v2.12',
  'IPv6: ADDRCONF(NETDEV_CHANGE): ens2np0: link becomes ready',
  "NVRM: GPU1 knvlinkDiscoverPostRxDetLinks_GH100: Getting peer0's postRxDetLinkMask failed!",
  'nvidia-uvm: Loaded the UVM driver, major device number 235.',
  'amdgpu 0000:83:00.0: amdgpu: RAS: optional ras ta ucode is not available',
  'amdgpu 0000:83:00.0: amdgpu: psp gfx command LOAD_TA(0x1) failed and response status is (0x7)',
  '[drm:amdgpu_cs_ioctl [amdgpu]] *ERROR* Failed to initialize parser -125!',
  'xe 0000:03:00.0: [drm] GT0: Engine reset: engine_class=ccs, logical_mask: 0x1, guc_id=12',
  'habanalabs 0000:19:00.0 accel2: Loading firmware to device, may take some time...',
];

test('on an ordinary day the same parts report nothing', () => {
  for (const line of ORDINARY) assert.deepEqual(kindsOf(line), [], line);
});
