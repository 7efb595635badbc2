// Kernel lines of RDMA cards other than mlx5: what a card left unanswered, and what a program merely asked for in vain.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeLines } from './lines.ts';

const EFA = 'efa 0000:4f:00.0 rdmap79s0: ';
const BNXT = 'bnxt_en 0000:12:00.0';

/** A line in the words of the driver that prints it, its kind, and the card's other name. */
const LINES: readonly (readonly [line: string, kind: string, name?: string])[] = [
  // drivers/infiniband/hw/efa/efa_com.c
  [`${EFA}The device didn't send any completion for admin cmd EFA_ADMIN_CREATE_AH(6) status 0 (ctx 0x00000000c1f2ab10, sq producer: 812, sq consumer: 811, cq consumer: 811)`, 'nic.command_timeout', 'rdmap79s0'],
  [`${EFA}The device sent a completion but the driver didn't receive any MSI-X interrupt for admin cmd MODIFY_QP(2) status 1 (ctx: 0x00000000c1f2ab10, sq producer: 8, sq consumer: 8, cq consumer: 8)`, 'nic.command_timeout', 'rdmap79s0'],
  [`${EFA}Wait for completion (polling) timeout`, 'nic.command_timeout', 'rdmap79s0'],
  [`${EFA}Admin queue is closed`, 'nic.command_timeout', 'rdmap79s0'],
  [`${EFA}Reading register timed out. expected: req id[7] offset[0x58] actual: req id[6] offset[0x54]`, 'nic.command_timeout', 'rdmap79s0'],
  [`${EFA}comp_ctx is NULL. Changing the admin queue running state`, 'nic.firmware_fault', 'rdmap79s0'],
  [`${EFA}Reset indication didn't turn off`, 'nic.firmware_fault', 'rdmap79s0'],
  [`${EFA}Device isn't ready, can't reset device`, 'nic.firmware_fault', 'rdmap79s0'],
  // drivers/infiniband/hw/bnxt_re/qplib_rcfw.c
  [`${BNXT}: QPLIB: bnxt_re_is_fw_stalled: FW STALL Detected. cmdq[0xe]=0x3 waited (103641 > 100000) msec active 1 `, 'nic.command_timeout'],
  [`${BNXT}: QPLIB: cmdq[0x4f]=0x5 timedout (20000)msec`, 'nic.command_timeout'],
  // drivers/net/ethernet/broadcom/bnxt: bnxt_hwrm.c, bnxt.c
  [`${BNXT} ens1np0: Error (timeout: 500015) msg {0x41 0x6} len:0`, 'nic.command_timeout', 'ens1np0'],
  [`${BNXT} ens1np0: Resp cmpl intr err msg: 0x51`, 'nic.command_timeout', 'ens1np0'],
  [`${BNXT} ens1np0: Resp cmpl intr abandoning msg: 0x51 due to firmware status: 0x10001`, 'nic.firmware_fault', 'ens1np0'],
  [`${BNXT} ens1np0: Firmware not responding, status: 0x10001`, 'nic.firmware_fault', 'ens1np0'],
  [`${BNXT} ens1np0: Firmware fatal reset event, data1: 0x2, data2: 0x10001, min wait 4000 ms, max wait 60000 ms`, 'nic.firmware_fault', 'ens1np0'],
  [`${BNXT} ens1np0: Detected firmware fatal condition, initiating reset`, 'nic.firmware_fault', 'ens1np0'],
  // netdev_err() of an interface without a name yet; drivers/base/dd.c, since Linux 6.4 and before
  [`${BNXT} (unnamed net_device) (uninitialized): Error (timeout: 500015) msg {0x0 0x0} len:0`, 'nic.command_timeout'],
  [`${BNXT}: probe with driver bnxt_en failed with error -110`, 'nic.lost'],
  ['mlx5_core 0000:5e:00.1: probe with driver mlx5_core failed with error -12', 'nic.lost'],
  // drivers/infiniband/hw/irdma/main.c: the address is bound to the Ethernet driver
  ['ice 0000:31:00.0 rocep49s0: critical PE Error, GLPE_CRITERR=0x00010152', 'nic.firmware_fault', 'rocep49s0'],
  ['ice 0000:31:00.0 rocep49s0: HMC Error', 'nic.firmware_fault', 'rocep49s0'],
  ['irdma 0000:31:00.0 rocep49s0: Requesting a reset', 'nic.firmware_fault', 'rocep49s0'],
]; // biome-ignore format: one row a line

for (const [line, kind, name] of LINES) {
  test(`${kind} from: ${line.slice(0, 96)}`, () => {
    const [event, ...others] = decodeLines([line]);
    assert.deepEqual(others, []);
    assert.deepEqual([event?.kind, event?.component?.type, event?.component?.id], [kind, 'nic', line.split(/:? /)[1]]);
    assert.deepEqual(event?.component?.aliases, name === undefined ? undefined : [name]);
  });
}

test('a driver that gives up a card of collectives, and not one that gives up anything else', () => {
  const [event] = decodeLines(['efa: probe of 0000:4f:00.0 failed with error -19']);
  assert.deepEqual([event?.kind, event?.component?.id], ['nic.lost', '0000:4f:00.0']);
  assert.deepEqual(decodeLines(['ahci 0000:00:17.0: probe with driver ahci failed with error -12', 'efa: probe of rdmap79s0 failed with error -19']), []); // biome-ignore format: two lines
});

test('a command that the card refused, a planned activation of firmware and other names say nothing of the card', () => {
  const lines = [
    `${EFA}Failed to process command CREATE_QP (opcode 1) comp_status 2 err -22`,
    `${EFA}Failed to create address handle [-22]`,
    `${BNXT}: QPLIB: cmdq[0x4f]=0x5 status 0x3`,
    `${BNXT} ens1np0: hwrm req_type 0x97 seq id 0x5a error 0x4`,
    `${BNXT} ens1np0: Firmware non-fatal reset event, data1: 0x1, data2: 0x8000, min wait 4000 ms, max wait 60000 ms`,
    'ice 0000:31:00.0 rocep49s0: Q1 Resource Check',
    'ice 0000:31:00.0 rocep49s0: abnormal ae_id = 0x505 bool qp=1 qp_id = 77',
    'tg3 0000:03:00.0 eno1: Admin queue is closed',
    `job: ${EFA}Admin queue is closed`,
  ];
  assert.deepEqual(decodeLines(lines), []);
});
