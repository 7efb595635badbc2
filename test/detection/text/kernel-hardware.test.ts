// Kernel lines about hardware outside the GPU: PCIe, memory, processors, disks, NVSwitches, network cards.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelContext } from '../../../src/detection/text/kernel.ts';
import { decodeLines, type Shape, START_MS, testShapes } from './lines.ts';

const HOST = 'host/node-1';
const DIMM = 'CPU_SrcID#1_MC#0_Chan#1_DIMM#0';
const CE = `EDAC MC3: 1 CE memory read error on ${DIMM} (channel:1 slot:0 page:0x2f3a80 offset:0x0 grain:32)`;

const shapes: readonly Shape[] = [
  ['nvidia 0000:44:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)', 'pcie.corrected', 'pcie/0000:44:00.0', { driver: 'nvidia', layer: 'Physical Layer' }],
  ['pcieport 0000:00:03.1: PCIe Bus Error: severity=Correctable, type=Data Link Layer, (Transmitter ID)', 'pcie.corrected', 'pcie/0000:00:03.1', { layer: 'Data Link Layer' }],
  ['pcieport 0000:16:00.0: PCIe Bus Error: severity=Uncorrected (Non-Fatal), type=Transaction Layer, (Requester ID)', 'pcie.uncorrected', 'pcie/0000:16:00.0', {}],
  ['pcieport 0000:16:00.0: PCIe Bus Error: severity=Uncorrectable (Fatal), type=Transaction Layer, (Requester ID)', 'pcie.uncorrected_fatal', 'pcie/0000:16:00.0', {}],
  ['pcieport 0000:16:00.0: DPC: containment event, status:0x1f01 source:0x0000', 'pcie.uncorrected_fatal', 'pcie/0000:16:00.0', { contained: true }],
  ['pcieport 0000:16:00.0: pciehp: Slot(21): Link Down', 'pcie.link_down', 'pcie/0000:16:00.0', { slot: '21' }],
  ['nvidia: probe of 0000:44:00.0 failed with error -1', 'gpu.init_failure', 'gpu/0000:44:00.0', {}],
  ['nvidia 0000:44:00.0: probe with driver nvidia failed with error -1', 'gpu.init_failure', 'gpu/0000:44:00.0', {}],
  ['NVRM: This PCI I/O region assigned to your NVIDIA device is invalid:\\x0aNVRM: BAR1 is 0M @ 0x0 (PCI:0000:44:00.0)', 'gpu.init_failure', 'gpu/0000:44:00.0', { bar: 1 }],
  ['NVRM: BAR0 is 0M @ 0x0 (PCI:0000:44:00.0)', 'gpu.init_failure', 'gpu/0000:44:00.0', { bar: 0 }],
  [CE, 'memory.ce', `dimm/node-1/MC3 ${DIMM}`, { errors: 1 }],
  [CE.replace('1 CE', '2 UE'), 'memory.ue', `dimm/node-1/MC3 ${DIMM}`, { errors: 2 }],
  ['EDAC MC2: CE page 0x91, offset 0x4c0, grain 8, syndrome 0x5dc1, row 2, channel 1, label "DIMM_B3": amd64_edac', 'memory.ce', 'dimm/node-1/MC2 DIMM_B3', { errors: 1 }],
  ['EDAC MC1: CE row 0, channel 3, label "CPU_SrcID#0_Channel#3_DIMM#0": 4 Unknown error(s): memory scrubbing on FATAL area : cpu=2', 'memory.ce', 'dimm/node-1/MC1 CPU_SrcID#0_Channel#3_DIMM#0', { errors: 4 }],
  ['EDAC MC0: UE row 1, channel-a= 0 channel-b= 1 labels "-": (Branch=0)', 'memory.ue', 'dimm/node-1/MC0 row 1 channel 0', { errors: 1 }],
  ['EDAC MC0: UE page 0x0, offset 0x0, grain 4096, row 3, labels ":": i3200_edac', 'memory.ue', 'dimm/node-1/MC0 row 3', {}],
  ['EDAC MC0: CE - no information available: INTERNAL ERROR', 'memory.ce', 'dimm/node-1/MC0', {}],
  ['EDAC MC0: 1 CE Cannot decode normalized address', 'memory.ce', 'dimm/node-1/MC0', {}],
  ['Memory failure: 0x2f3a80: Sending SIGBUS to python3:5160 due to hardware memory corruption', 'memory.ue', HOST, { page: '0x2f3a80', process: 'python3', pid: 5160 }],
  ['Memory failure: 0x2f3a80: Killing ray::IDLE:5161 due to hardware memory corruption', 'memory.ue', HOST, { process: 'ray::IDLE', pid: 5161 }],
  ['MCE 0x2f3a80: Killing python3:5160 due to hardware memory corruption', 'memory.ue', HOST, { page: '0x2f3a80', process: 'python3', pid: 5160 }],
  ['[Hardware Error]: CPU 3: Machine Check Exception: 4 Bank 4: f60000000107031f', 'cpu.machine_check', HOST, { cpu: 3, bank: 4 }],
  ['CPU 3: Machine Check Exception: 4 Bank 4: f60000000107031f', 'cpu.machine_check', HOST, { cpu: 3, bank: 4 }],
  ['CPU12: Temperature above threshold, cpu clock throttled', 'cpu.thermal_throttle', HOST, { cpu: 12 }],
  ['Watchdog detected hard LOCKUP on cpu 12', 'host.soft_lockup', HOST, { what: 'hard_lockup', cpu: 12 }],
  ['end_request: I/O error, dev sda, sector 123456', 'storage.io_error', 'disk/sda', { device: 'sda' }],
  ['mpt2sas0: fault_state(0x265d)!', 'storage.io_error', HOST, {}],
  ['mce: CMCI storm detected on CPU 3', 'memory.ce_storm', HOST, {}],
  ['mce: [Hardware Error]: CPU 12: Machine Check Exception: 5 Bank 7: be00000000800400', 'cpu.machine_check', HOST, { cpu: 12, bank: 7 }],
  ['mce: [Hardware Error]: CPU 2: Machine Check: 0 Bank 6: cc59dec000041152', 'cpu.machine_check', HOST, { cpu: 2, bank: 6, corrected: true, errors: 26491 }],
  ['mce: CPU2: Package temperature above threshold, cpu clock throttled (total events = 3)', 'cpu.thermal_throttle', HOST, { cpu: 2 }],
  ['CPU12: Package temperature is above threshold, cpu clock is throttled (total events = 41)', 'cpu.thermal_throttle', HOST, { cpu: 12, level: 'package', total_events: 41 }],
  ['mce: CPU12: Package temperature is above threshold, cpu clock is throttled', 'cpu.thermal_throttle', HOST, { cpu: 12 }],
  ['thermal thermal_zone4: critical temperature reached (128 C), shutting down', 'host.overtemp', HOST, { zone: 'thermal_zone4', temperature_c: 128 }],
  ['thermal thermal_zone0: x86_pkg_temp: critical temperature reached, shutting down', 'host.overtemp', HOST, { sensor: 'x86_pkg_temp' }],
  ['reboot: HARDWARE PROTECTION shutdown (Temperature too high)', 'host.overtemp', HOST, { shuts_down: true }],
  ['HARDWARE PROTECTION shutdown (Temperature too high)', 'host.overtemp', HOST, {}],
  ['nvme0n1: I/O Cmd(0x2) @ LBA 32545872, 8 blocks, I/O Error (sct 0x3 / sc 0x71) ', 'storage.io_error', 'disk/nvme0', { device: 'nvme0n1', status: 'I/O Error' }],
  ['nvme2c2n1: Read(0x2) @ LBA 1024, 256 blocks, Unrecovered Read Error (sct 0x2 / sc 0x81) DNR ', 'storage.io_error', 'disk/nvme2', { device: 'nvme2c2n1', status_code: '2/81' }],
  ['nvme nvme3: Disabling device after reset failure: -19', 'storage.io_error', 'disk/nvme3', { device: 'nvme3' }],
  ['sd 0:0:1:0: Device offlined - not ready after error recovery', 'storage.io_error', HOST, { device: '0:0:1:0' }],
  ['device-mapper: multipath: 253:3: Failing path 8:16.', 'storage.io_error', HOST, { device: '8:16', path: true }],
  ['mlx5_core 0000:0e:00.0: poll_health:836:(pid 0): Fatal error 1 detected', 'nic.lost', 'nic/0000:0e:00.0', { fatal_sensor: 1 }],
  ['mlx5_core 0000:0e:00.0: Fatal error 3 detected', 'nic.firmware_fault', 'nic/0000:0e:00.0', { fatal_sensor: 3 }],
  ['mlx5_core 0000:0e:00.0: Fatal error detected', 'nic.firmware_fault', 'nic/0000:0e:00.0', {}],
  ['mlx5_core 0000:0e:00.0: print_health_info:424:(pid 0): PCI slot is unavailable', 'nic.lost', 'nic/0000:0e:00.0', {}],
  ['mlx5_core 0000:0e:00.0: fw_ver 65535.65535.65535', 'nic.lost', 'nic/0000:0e:00.0', { all_ones: true }],
  ['mlx5_core 0000:0e:00.0: synd 0x7: irisc not responding', 'nic.firmware_fault', 'nic/0000:0e:00.0', { syndrome: '0x7: irisc not responding' }],
  ['mlx5_core 0000:0e:00.0: print_health_info:430:(pid 0): Health issue observed, High temperature, severity(3) ERROR:', 'nic.overtemp', 'nic/0000:0e:00.0', {}],
  ['mlx5_core 0000:0e:00.0: print_health_info:430:(pid 0): Health issue observed, ICM fetch PCI error, severity(3) ERROR:', 'nic.pci_error', 'nic/0000:0e:00.0', {}],
  ['mlx5_core 0000:0e:00.0: mlx5_pci_err_detected was called', 'nic.pci_error', 'nic/0000:0e:00.0', {}],
  ['mlx5_core 0000:0e:00.0: mlx5_pci_err_detected Device state = 1 health sensors: 1 pci_status: 1. Enter, pci channel state = 2', 'nic.pci_error', 'nic/0000:0e:00.0', {}],
  ['mlx5_core 0000:0e:00.0: wait_func:1149:(pid 5162): MANAGE_PAGES(0x108) canceled on out of queue timeout.', 'nic.command_timeout', 'nic/0000:0e:00.0', {}],
  ['CPU5: Core temperature above threshold, cpu clock is throttled (total events = 3)', 'cpu.thermal_throttle', HOST, { cpu: 5 }],
  ['nvme nvme3: I/O 415 QID 7 timeout, reset controller', 'storage.stall', 'disk/nvme3', { device: 'nvme3' }],
  ['nvme nvme3: I/O tag 415 (10d6) opcode 0x1 (Write) QID 7 timeout, aborting req_op:WRITE(1) size:131072', 'storage.stall', 'disk/nvme3', { device: 'nvme3' }],
  ['nvme nvme3: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0x10', 'storage.io_error', 'disk/nvme3', { device: 'nvme3' }],
  ['blk_update_request: I/O error, dev nvme3n1, sector 77 op 0x1:(WRITE) flags 0x0', 'storage.io_error', 'disk/nvme3', { device: 'nvme3n1' }],
  ['print_req_error: I/O error, dev sdb, sector 77', 'storage.io_error', 'disk/sdb', { device: 'sdb' }],
  ['critical medium error, dev nvme3n1, sector 77 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2', 'storage.io_error', 'disk/nvme3', { device: 'nvme3n1' }],
  ['CPU2: Core temperature is above threshold, cpu clock is throttled (total events = 1)', 'cpu.thermal_throttle', HOST, { cpu: 2 }],
  ['BTRFS info (device dm-0 state EA): forced readonly', 'storage.readonly', HOST, { device: 'dm-0' }],
  ['pcieport 0000:16:00.0: AER: PCIe Bus Error: severity=Corrected, type=Physical Layer, id=00e8(Receiver ID)', 'pcie.corrected', 'pcie/0000:16:00.0', {}],
  ['EDAC MC0: 1 CE Single-bit ECC on DIMM location: not present. DMI handle: 0x0001 (node:0 card:0 module:0 page:0x1 offset:0x0 grain:1)', 'memory.ce', 'dimm/node-1/MC0 DIMM location: not present. DMI handle: 0x0001', {}],
  ['I/O error, dev sda, sector 77 op 0x0:(READ) flags 0x80700', 'storage.io_error', 'disk/sda', { device: 'sda' }],
  ['Buffer I/O error on dev sda1, logical block 5, async page read', 'storage.io_error', 'disk/sda', { device: 'sda1' }],
  ['md/raid1:md0: Disk failure on nvme3n1p2, disabling device.', 'storage.io_error', 'disk/nvme3', { device: 'nvme3n1p2' }],
  ['EXT4-fs error (device sda1): ext4_find_entry:1455: inode #2: comm ls: reading directory lblock 0', 'storage.io_error', 'disk/sda', { device: 'sda1' }],
  ['EXT4-fs error (device dm-0) in ext4_reserve_inode_write:5656: Journal has aborted', 'storage.io_error', HOST, { device: 'dm-0' }],
  ['EXT4-fs (sda1): Remounting filesystem read-only', 'storage.readonly', 'disk/sda', { device: 'sda1' }],
  ['XFS (dm-4): Filesystem has been shut down due to log error (0x2).', 'storage.readonly', HOST, { device: 'dm-4' }],
  ['XFS (dm-4): Corruption of in-memory data (0x8) detected at x+0x1/0x2 [xfs].  Shutting down filesystem.', 'storage.readonly', HOST, { device: 'dm-4' }],
  ['BTRFS info (device sdb1: state E): forced readonly', 'storage.readonly', 'disk/sdb', {}],
  ['nvidia-nvswitch2: SXid (PCI:0000:07:00.0): 20034, Fatal, Link 41 LTSSM Fault Up', 'nvswitch.fatal', 'nvswitch/0000:07:00.0', { sxid: 20_034, link: 41 }],
  ['nvidia-nvswitch2: SXid (PCI:0000:07:00.0): 28006, Non-fatal, Link 41 MC TS crumbstore MCTO (First)', 'nvswitch.nonfatal', 'nvswitch/0000:07:00.0', { sxid: 28_006, link: 41 }],
  ['mlx5_core 0000:0e:00.0: Port module event[error]: module 0, Cable error, High Temperature', 'nic.module_overtemp', 'nic/0000:0e:00.0', {}],
  ['mlx5_core 0000:0e:00.0: wait_func:1132:(pid 5162): CREATE_DCT(0x710) timeout. Will cause a leak of a command resource', 'nic.command_timeout', 'nic/0000:0e:00.0', {}],
  ['mlx5_core 0000:0e:00.0: mlx5_pcie_event:299:(pid 5163): Detected insufficient power on the PCIe slot (25W).', 'nic.slot_power_low', 'nic/0000:0e:00.0', { watts: 25 }],
  ['mlx5_port_module_event:1131:(pid 0): Port module event[error]: module 0, Cable error, High Temperature', 'nic.module_overtemp', null, {}],
  // The cable or its module, whatever the driver puts before the words; never the card, whose reset would take every port with it.
  ['mlx5_core 0000:ca:00.0: Port module event: module 0, Cable error, Bus stuck(I2C or data shorted)', 'nic.port_down', 'nic/0000:ca:00.0', {}],
  ['mlx5_core 0000:ca:00.0: Port module event[warning]: module 0, Cable error, Power budget exceeded', 'nic.port_down', 'nic/0000:ca:00.0', {}],
  ['mlx5_core 0000:ca:00.0: mlx5_port_module_event:1131:(pid 0): Port module event: module 1, Cable error, No EEPROM/retry timeout', 'nic.port_down', 'nic/0000:ca:00.0', {}],
  ['mlx5_core 0000:ca:00.0: Port module event: module 0, Cable error, High Temperature', 'nic.module_overtemp', 'nic/0000:ca:00.0', {}],
  ['mlx5_core 0000:0e:00.0: temp_warn:171:(pid 0): High temperature on sensors with bit set 0 1', 'nic.overtemp', 'nic/0000:0e:00.0', {}],
  ['mlx5_core 0000:0e:00.1: mlx5_health_try_recover:381:(pid 1): health recovery flow aborted, PCI reads still not working', 'nic.lost', 'nic/0000:0e:00.1', {}],
  ['mlx5_core 0000:0e:00.0: mlx5_cmd_out_err:838:(pid 5): ACCESS_REG(0x805) op_mod(0x1) failed, status bad resource', 'nic.access_reg_failed', 'nic/0000:0e:00.0', {}],
]; // biome-ignore format: one shape a line

testShapes(shapes);

for (const line of [
  'pcieport 0000:00:03.1: AER: Correctable error message received from 0000:00:00.0',
  'nvidia 0000:04:00.0: AER: can\'t recover (no error_detected callback)',
  'nvidia 0000:44:00.0: 63.012 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link',
  'python3 0000:44:00.0 x: PCIe Bus Error: severity=Corrected, type=Physical Layer',
  'user nvidia 0000:44:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer',
  'nvidia: probe of wlan0 failed with error -1',
  'EDAC sbridge MC0: HANDLING MCE MEMORY ERROR',
  'EDAC MC0: CE rows are read, channel 0, label "DIMM_A1"',
  'EDAC MC0: Giving out device to module i7core_edac.c controller i7 core #0: DEV 0000:3f:03.0',
  'EDAC sbridge MC0: CPU 0: Machine Check Event: 0 Bank 5: 8c00004000010092',
  'mce: [Hardware Error]: Machine check events logged',
  'mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 5: 8c00004000010092',
  'mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 6: cc39dec000041152',
  'mce: CPU6: Package temperature/speed normal',
  'CPU6: Package temperature/speed normal (total events = 41)',
  'mlx5_core 0000:0e:00.0: fw_ver 20.26.4012',
  'mlx5_core 0000:0e:00.0: hw_id 0x0000020f',
  'thermal thermal_zone0: failed to read out thermal zone (-61)',
  'mce: CPU0: Thermal monitoring enabled (TM1)',
  'Memory failure: 0x2f3a80: recovery action for dirty LRU page: Recovered',
  'nvme nvme3: I/O 415 QID 7 timeout, completion polled',
  'nvme nvme3: 64/0/0 default/read/poll queues',
  'I/O error, dev sr0, sector 0 op 0x0:(READ)',
  'Buffer I/O error on dev fd0, logical block 0, async page read',
  'EXT4-fs (nvme1n1p1): re-mounted. Quota mode: none.',
  'EXT4-fs (nvme1n1p1): mounted filesystem with ordered data mode',
  'XFS (dm-4): Mounting V5 Filesystem',
  'BTRFS info (device sdb1): using crc32c',
  'nvidia-nvswitch2: SXid (PCI:0000:07:00.0): 20034, Severity 1 Engine instance 60 Sub-engine instance 00',
  'mlx5_core 0000:0e:00.0: firmware version 28.39.2048',
  'mlx5_core 0000:0e:00.0: Port module event: module 0, Cable plugged',
  'mlx5_core 0000:0e:00.0: mlx5_pcie_event:301:(pid 5): PCIe slot advertised sufficient power (75W).',
]) test(`nothing from: ${line.slice(0, 80)}`, () => assert.deepEqual(decodeLines([line]), [])); // biome-ignore format: a list

test('a disk whose first block alone cannot be read may be no disk of the host: a warning', () => {
  const first = [
    'Buffer I/O error on dev rdx0n1, logical block 0, async page read',
    'blk_update_request: I/O error, dev rdx0n1, sector 0',
  ];
  for (const line of [...first, 'I/O error, dev sdk, sector 0 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2'])
    assert.deepEqual(
      decodeLines([line]).map(({ severity }) => severity),
      ['warning'],
      line,
    );
  for (const line of [
    'I/O error, dev sdk, sector 0 op 0x1:(WRITE) flags 0x800',
    'Buffer I/O error on dev sdk, logical block 05, async page read',
  ])
    assert.deepEqual(
      decodeLines([line]).map(({ severity }) => severity),
      [undefined],
      line,
    );
});

test('a switch error that is corrected is only noted, whatever number a fatal one has', () => {
  const line = (sxid: number, word: string) =>
    decodeLines([`nvidia-nvswitch0: SXid (PCI:0000:07:00.0): ${sxid}, ${word}, Link 04 x`])[0];
  assert.equal(line(24_001, 'Non-fatal')?.severity, 'info');
  assert.equal(line(20_009, 'Non-fatal')?.severity, undefined, 'a link that gets worse');
  assert.equal(line(12_028, 'Non-fatal')?.severity, undefined);
  assert.equal(line(24_001, 'Fatal')?.kind, 'nvswitch.fatal');
  assert.equal(line(24_001, 'Fatal')?.severity, undefined);
});

test('corrected errors of one DIMM are a storm from a hundred within an hour', () => {
  const context = kernelContext('node-1');
  const many = (count: number, slot = DIMM) =>
    decodeLines([CE.replace('1 CE', `${count} CE`).replace(DIMM, slot)], context)[0]?.kind;
  assert.equal(many(60), 'memory.ce');
  assert.equal(many(60, 'CPU_SrcID#0_MC#0_Chan#0_DIMM#0'), 'memory.ce', 'another DIMM is counted for itself');
  assert.equal(many(39), 'memory.ce');
  assert.equal(many(1), 'memory.ce_storm');
});

test('names that are made up do not grow the count of DIMMs', () => {
  const context = kernelContext('node-1');
  for (let i = 0; i < 5000; i += 1) decodeLines([CE.replace(DIMM, `DIMM_${i}`)], context);
  assert.ok(context.corrected.size <= 256);
});

test('a file server that does not answer is over when it does', () => {
  const events = decodeLines(['nfs: server 10.0.0.4 not responding, still trying', 'nfs: server 10.0.0.4 OK']);
  assert.deepEqual(
    events.map(({ kind, state, discriminator }) => [kind, state, discriminator]),
    [
      ['storage.stall', 'onset', 'nfs 10.0.0.4'],
      ['storage.stall', 'clear', 'nfs 10.0.0.4'],
    ],
  );
});

/** As open-gpu-kernel-modules writes it, in one record or in several. */
const NOT_SUPPORTED = [
  'NVRM: The NVIDIA GPU 0000:41:00.0 (PCI ID: 10de:1b38)',
  'NVRM: installed in this system is not supported by open',
  'NVRM: nvidia.ko because it does not include the required GPU',
  'NVRM: System Processor (GSP).',
];

test('a GPU that this driver does not run is a driver that does not fit, whatever fails after it', () => {
  const REFUSED = 'nvidia: probe of 0000:41:00.0 failed with error -1';
  for (const lines of [
    [...NOT_SUPPORTED, REFUSED],
    [NOT_SUPPORTED.join('\n'), REFUSED],
    [NOT_SUPPORTED.join('\\x0a'), 'nvidia 0000:41:00.0: probe with driver nvidia failed with error -1'],
    [
      'NVRM: The NVIDIA GPU 0000:41:00.0 (PCI ID: 10de:1292)',
      'NVRM: installed in this system is not supported by the 304.116',
      REFUSED,
    ],
    [
      'NVRM: The NVIDIA GPU 0000:41:00.0 (PCI ID: 10de:2b85)',
      'NVRM: installed in this system requires use of the NVIDIA open kernel modules.',
      REFUSED,
    ],
  ]) {
    const events = decodeLines(lines);
    assert.deepEqual(
      events.map(({ kind, component }) => [kind, component?.id]),
      [['gpu.driver_unsupported', '0000:41:00.0']],
      lines.join(' | '),
    );
  }
  const other = decodeLines([...NOT_SUPPORTED, 'nvidia: probe of 0000:44:00.0 failed with error -1']);
  assert.equal(other.at(-1)?.kind, 'gpu.init_failure', 'another GPU that fails has a reason of its own');
});

const DUMP = [
  'assert_var[0] 0x00000001',
  'fw_ver 20.26.4012',
  'hw_id 0x0000020f',
  'synd 0x7: irisc not responding',
  'ext_synd 0x40d0',
];
const ONES = [
  'assert_var[0] 0xffffffff',
  'fw_ver 65535.65535.65535',
  'hw_id 0xffffffff',
  'synd 0xff: unrecognized error',
  'raw fw_ver 0xffffffff',
];

/** What a card's missed polls become with the lines of its dump, at the latest two seconds after them. */
function afterPolls(dump: readonly string[]) {
  const context = kernelContext('node-1');
  const head = 'mlx5_core 0000:0e:00.0: ';
  const lines = [`${head}device's health compromised - reached miss count`, ...dump.map((line) => head + line)];
  return [...decodeLines(lines, context), ...decodeLines(['x'], context, START_MS + 2000)];
}

test('a card that missed its polls is one whose firmware stopped, by the unit that its dump names', () => {
  for (const dump of [DUMP, []]) {
    const [event, ...others] = afterPolls(dump);
    assert.deepEqual(
      others.filter(({ kind }) => kind !== event?.kind),
      [],
    );
    assert.deepEqual(
      [event?.kind, event?.component?.id, event?.timeMs],
      ['nic.firmware_fault', '0000:0e:00.0', START_MS],
    );
    assert.equal(event?.attributes?.syndrome, dump.length === 0 ? undefined : '0x7: irisc not responding');
  }
});

test('a card whose dump is all ones is off the bus, and its firmware is not to blame', () => {
  const kinds = afterPolls(ONES).map(({ kind, component }) => `${kind} ${component?.id}`);
  assert.deepEqual([...new Set(kinds)], ['nic.lost 0000:0e:00.0']);
});

test('a saved log is read as the kernel’s own', () => {
  const saved = kernelContext('node-1', false);
  const lines = [
    'Sep 19 16:18:02 node-a kernel: [68183.615810] pcieport 0000:00:03.1: PCIe Bus Error: severity=Correctable, type=Data Link Layer',
    '[Mon Jan 27 19:27:15 2020] EDAC MC0: 1 CE memory read error on DIMM_A (channel:2)',
    '[ 1108.858286] nvidia-nvswitch0: SXid (PCI:0000:c3:00.0): 24007, Fatal, Link 28 sourcetrack timeout error (First)',
  ];
  assert.deepEqual(
    decodeLines(lines, saved).map(({ kind }) => kind),
    ['pcie.corrected', 'memory.ce', 'nvswitch.fatal'],
  );
});
