// XID lines in every shape that drivers print: address, process and message forms, each to its kind and component.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeLines, type Shape, testShapes } from './lines.ts';

const UNKNOWN = "pid='<unknown>', name=<unknown>";

const shapes: readonly Shape[] = [
  ['NVRM: Xid (0000:04:00): 8, Channel 0000001c', 'gpu.fifo_error', 'gpu/0000:04:00.0', { xid: 8, channel: '0x1c' }],
  [`NVRM: Xid (PCI:0000:15:00): 79, ${UNKNOWN}, GPU has fallen off the bus.`, 'gpu.lost', 'gpu/0000:15:00.0', { xid: 79, pid: undefined, process: undefined }],
  ['NVRM: Xid (PCI:0000:16:00): 79, GPU has fallen off the bus.', 'gpu.lost', 'gpu/0000:16:00.0', { xid: 79 }],
  ['NVRM: Xid (PCI:0000:17:00): 79, pid=4411, GPU has fallen off the bus.', 'gpu.lost', 'gpu/0000:17:00.0', { pid: 4411 }],
  ['NVRM: Xid (PCI:0000:18:00): 79, pid=<unknown>, name=<unknown>, GPU has fallen off the bus.', 'gpu.lost', 'gpu/0000:18:00.0', { pid: undefined, process: undefined }],
  [`NVRM: Xid (PCI:0000:19:00): 13, ${UNKNOWN}, Graphics SM Warp Exception on (GPC 3, TPC 2, SM 1): Misaligned Address`, 'gpu.app_fault', 'gpu/0000:19:00.0', { xid: 13, gpc: 3, tpc: 2, sm: 1 }],
  ['NVRM: Xid (PCI:000A:00:00): 13, pid=71, name=trigger, Graphics Exception: ChID 001f, Class 0000cbc0, Offset 0, Data 0', 'gpu.app_fault', 'gpu/000a:00:00.0', { channel: '0x1f', process: 'trigger', pid: 71 }],
  ['NVRM: Xid (PCI:0000:2c:00): 31, pid=812, name=bench, channel 0x00000004, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC1 GPCCLIENT_T1_3 faulted @ 0x7f11_20001000. Fault is of type FAULT_PTE ACCESS_TYPE_VIRT_WRITE', 'gpu.app_fault', 'gpu/0000:2c:00.0', { xid: 31, engine: 'GRAPHICS GPC1 GPCCLIENT_T1_3', virtual_address: '0x7f1120001000', fault: 'FAULT_PTE', access: 'VIRT_WRITE', channel: '0x4' }],
  ['NVRM: Xid (PCI:0000:67:00): 32, pid=900, name=train.7, Channel ID 0000000e intr0 00040000', 'gpu.fifo_error', 'gpu/0000:67:00.0', { process: 'train.7', channel: '0xe' }],
  ['NVRM: Xid (PCI:0000:39:00): 43, pid=901, name=ray::WorkerDict, Ch 00000009', 'gpu.app_fault', 'gpu/0000:39:00.0', { process: 'ray::WorkerDict', consequence: true }],
  ['NVRM: Xid (PCI:0000:62:00): 45, pid=902, name=distrib, Ch 0000000b', 'gpu.preemptive_cleanup', 'gpu/0000:62:00.0', { channel: '0xb', consequence: true }],
  ['NVRM: Xid (PCI:0000:40:00): 46', 'gpu.fault', 'gpu/0000:40:00.0', { xid: 46, action: 'reset_gpu' }],
  [`NVRM: Xid (PCI:0000:53:00): 48, ${UNKNOWN}, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at physAddr 0x21a4c040 partition 7, subpartition 2.`, 'gpu.memory.dbe', 'gpu/0000:53:00.0', { physical_address: '0x21a4c040', partition: 7 }],
  ['NVRM: Xid (PCI:0000:8b:00): 48, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 2, subpartition 0', 'gpu.memory.dbe', 'gpu/0000:8b:00.0', { physical_address: undefined, partition: 2 }],
  ['NVRM: Xid (PCI:0000:56:00): 171, HBM3, Uncorrectable DRAM error in FBPA 5 subpartition 1 physAddr 0xa1b2c3d4e0', 'gpu.memory.dbe', 'gpu/0000:56:00.0', { xid: 171, physical_address: '0xa1b2c3d4e0', consequence: true }],
  [`NVRM: Xid (PCI:0000:53:00): 63, ${UNKNOWN}, Row Remapper: New row (0x0000000021a4c040) marked for remapping, reset gpu to activate.`, 'gpu.memory.row_remap_pending', 'gpu/0000:53:00.0', { physical_address: '0x21a4c040' }],
  ['NVRM: Xid (PCI:0000:11:1d): 63, pid=44, Row Remapper: New row marked for remapping, reset gpu to activate.', 'gpu.memory.row_remap_pending', 'gpu/0000:11:1d.0', { pid: 44, physical_address: undefined }],
  ['NVRM: Xid (PCI:0000:12:00): 64, Row Remapper: Bank full, row not remapped', 'gpu.memory.row_remap_failed', 'gpu/0000:12:00.0', { xid: 64 }],
  ['NVRM: Xid (PCI:0000:02:00 GPU-I:07): 94, pid=45, Contained: CE User Channel (0x3). RST: No, D-RST: No', 'gpu.memory.contained', 'gpu/0000:02:00.0', { gpu_instance: 'gpu_instance/0000:02:00.0/7', where: 'CE User Channel (0x3)', action: undefined }],
  ['NVRM: Xid (PCI:0000:02:00 GPU-I:07): 95, pid=45, Uncontained: LTC DATA (0x2,0x1). RST: Yes, D-RST: No', 'gpu.memory.uncontained', 'gpu/0000:02:00.0', { gpu_instance: 'gpu_instance/0000:02:00.0/7', action: 'drain_reset_gpu' }],
  ['NVRM: Xid (PCI:0000:02:00): 95, pid=46, Uncontained: LTC DATA (0x2,0x1). RST: Yes, D-RST: No', 'gpu.memory.uncontained', 'gpu/0000:02:00.0', { action: 'reset_gpu' }],
  ['NVRM: Xid (PCI:0000:02:00): 95, pid=46, Uncontained: FBHUB. RST: No, D-RST: Yes', 'gpu.memory.uncontained', 'gpu/0000:02:00.0', { action: 'drain_reset_gpu' }],
  [`NVRM: Xid (PCI:0004:00:00): 74, ${UNKNOWN}, NVLink: fatal error detected on link 11(0x0, 0x0, 0x20000, 0x0, 0x0, 0x0, 0x0)`, 'nvlink.fatal', 'nvlink/0004:00:00.0/11', { link: 11, registers: '0x0, 0x0, 0x20000, 0x0, 0x0, 0x0, 0x0' }],
  ['NVRM: Xid (PCI:0004:00:00): 74, NVLink: non-fatal error detected on link 2', 'nvlink.nonfatal', 'nvlink/0004:00:00.0/2', { link: 2 }],
  ['NVRM: Xid (PCI:0000:9c:00): 119, pid=31, name=nvidia-smi, Timeout after 45s of waiting for RPC response from GPU5 GSP! Expected function 76 (GSP_RM_CONTROL) (0x2080 0x4).', 'gpu.gsp_timeout', 'gpu/0000:9c:00.0', { timeout_s: 45, function: 'GSP_RM_CONTROL', process: 'nvidia-smi' }],
  ['NVRM: Xid (PCI:0000:9c:00): 120, pid=1, name=nvc:[driver], GSP task exception: 4', 'gpu.gsp_timeout', 'gpu/0000:9c:00.0', { process: 'nvc:[driver]' }],
  ['NVRM: Xid (PCI:0019:01:00): 149, NETIR_LINK_EVT  Fatal   XC0 i0 Link 12 (0x024d25c6 0x00000000 0x00000000)', 'nvlink.fatal', 'nvlink/0019:01:00.0/12', { unit: 'NETIR_LINK_EVT', link: 12, registers: '0x24d25c6 0x0 0x0' }],
  ['NVRM: Xid (PCI:0019:01:00): 146, TLW_TX_PIPE0 Nonfatal XC0 i1 Link 03', 'nvlink.nonfatal', 'nvlink/0019:01:00.0/3', { unit: 'TLW_TX_PIPE0', injected: true }],
  ["NVRM: Xid (PCI:0019:01:00): 145, pid='<unknown>', name=cache_mgr_main, RLW_SRC_TRACK Nonfatal XC1 i0 Link 17 (0x04084507 0x0000", 'nvlink.nonfatal', 'nvlink/0019:01:00.0/17', { cross_contained: true, process: 'cache_mgr_main' }],
  ['NVRM: Xid (PCI:0019:01:00): 149, NETIR Fatal XC0 i0 Link -1 (0x000fe406)', 'nvlink.fatal', 'gpu/0019:01:00.0', { link: undefined }],
  ['NVRM: Xid (PCI:0009:01:00): 154, GPU recovery action changed from 0x4 (Drain and Reset) to 0x1 (PF FLR)', 'gpu.recovery_action', 'gpu/0009:01:00.0', { from: '0x4', to: '0x1', recovery_action: '0x1', action: 'reset_gpu' }],
  ['NVRM: Xid (PCI:0009:01:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (OS Reboot)', 'gpu.recovery_action', 'gpu/0009:01:00.0', { action: 'reboot_node' }],
  ['NVRM: Xid (PCI:0000:01:00.0): 92, SM SBE interrupt storm detected', 'gpu.memory.sbe_storm', 'gpu/0000:01:00.0', { xid: 92 }],
  ['NVRM: Xid (PCI:00010000:86:00.0): 79, GPU has fallen off the bus.', 'gpu.lost', 'gpu/00010000:86:00.0', { xid: 79 }],
  ['NVRM: Xid (PCI:00000000:86:00.0): 79, GPU has fallen off the bus.', 'gpu.lost', 'gpu/0000:86:00.0', { xid: 79 }],
]; // biome-ignore format: one shape a line

testShapes(shapes);

test('the value in the line, not its label, says which recovery action the driver wants', () => {
  const actions = ['0x0', '0x1', '0x2', '0x3', '0x4', '0x5', '0x6', '0x7', '0x9'].map((value) => {
    const line = `NVRM: Xid (PCI:0000:01:00): 154, GPU recovery action changed from 0x0 (None) to ${value} (Some Label)`;
    return decodeLines([line])[0]?.attributes?.action;
  });
  assert.deepEqual(actions, [
    'none',
    'reset_gpu',
    'reboot_node',
    'restart_app',
    'drain_reset_gpu',
    undefined,
    'reset_gpu',
    'reboot_node',
    undefined,
  ]);
});

test('an NVLink knows the GPU that it belongs to', () => {
  const line = 'NVRM: Xid (PCI:0000:c2:00): 74, NVLink: fatal error detected on link 1';
  assert.deepEqual(decodeLines([line])[0]?.component, {
    type: 'nvlink',
    id: '0000:c2:00.0/1',
    parent: 'gpu/0000:c2:00.0',
    host: 'node-1',
  });
});

test('one physical address in two widths is one address', () => {
  const [dbe, remap] = decodeLines([
    'NVRM: Xid (PCI:0000:53:00): 48, DBE at physAddr 0x0F1AB0 partition 7',
    'NVRM: Xid (PCI:0000:53:00): 63, Row Remapper: New row (0x00000000000f1ab0) marked for remapping',
  ]);
  assert.equal(dbe?.attributes?.physical_address, '0xf1ab0');
  assert.equal(remap?.attributes?.physical_address, '0xf1ab0');
});

test('the event carries the record time, its digits, its trust and the line itself', () => {
  const line = 'NVRM: Xid (PCI:0000:16:00): 79, GPU has fallen off the bus.';
  const event = decodeLines([line])[0];
  assert.equal(event?.timeDigits, 6);
  assert.equal(event?.trust, 'kernel');
  assert.equal(event?.source, 'kernel-log');
  assert.deepEqual(event?.evidence, [{ source: 'kernel-log', timeMs: event?.timeMs, text: line }]);
});

test('a channel that was removed because of another error names it: said once for each GPU where no line of that error came', () => {
  const removed = (address: string, channel: string) =>
    `NVRM: Xid (PCI:${address}): 45, pid=902, name=distrib, Ch ${channel} caused by previous Xid 149`;
  const kinds = (...lines: string[]) => decodeLines(lines).map(({ kind, component }) => `${kind} ${component?.id}`);
  assert.deepEqual(kinds(removed('0000:62:00', '0000000b'), removed('0000:62:00', '0000000c')), [
    'nvlink.nonfatal 0000:62:00.0',
    'gpu.preemptive_cleanup 0000:62:00.0',
    'gpu.preemptive_cleanup 0000:62:00.0',
  ]);
  const own = 'NVRM: Xid (PCI:0000:62:00): 31, pid=1, name=a, Ch 00000008, intr 00000000. MMU Fault';
  assert.deepEqual(kinds(own, 'NVRM: Xid (PCI:0000:62:00): 45,  caused by previous Xid 31'), [
    'gpu.app_fault 0000:62:00.0',
    'gpu.preemptive_cleanup 0000:62:00.0',
  ]);
  const [, event] = decodeLines([removed('0000:62:00', '0000000b')]);
  assert.equal(event?.attributes?.channel, '0xb');
  assert.equal(event?.attributes?.previous_xid, 149);
});
