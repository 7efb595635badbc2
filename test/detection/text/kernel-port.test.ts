// Ports that were never up: drivers print "Link down" of them as well when they start, and no link was lost.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NEVER_UP, portDown } from '../../../src/detection/text/kernel/port-line.ts';
import { decodeKernelLine, kernelContext, releaseHeld } from '../../../src/detection/text/kernel.ts';
import { decodeLines, kernelRecord, START_MS } from './lines.ts';

const BOOT = 'Linux version 6.8.0-45-generic (buildd@lcy02) (x86_64-linux-gnu-gcc-13)';
const DOWN = 'mlx5_core 0000:86:00.0 p0: Link down';
const UP = 'mlx5_core 0000:86:00.0 p0: Link up';
const APART_MS = 9000;

function brief(lines: readonly string[], apartMs = APART_MS) {
  return decodeLines(lines, kernelContext('node-1'), START_MS, apartMs).map(({ kind, state, severity }) => [
    kind,
    state,
    severity,
  ]);
}

test('of a log alone it is not known whether a port was ever up, so that it is down is an error, after a boot as well', () => {
  assert.deepEqual(brief([DOWN]), [['nic.port_down', 'onset', undefined]]);
  assert.deepEqual(brief([BOOT, DOWN]), [['nic.port_down', 'onset', undefined]]);
  assert.deepEqual(brief([UP, BOOT, DOWN]).at(-1), ['nic.port_down', 'onset', undefined]);
  assert.deepEqual(brief([BOOT, UP, DOWN, UP], 2000).at(-1), ['nic.link_flap', undefined, 'warning']);
});

test('what the source of the cards knows comes with the record, until the log shows the port up', () => {
  const context = kernelContext('node-1');
  const record = kernelRecord(DOWN);
  const known = { ...record, attributes: { ...record.attributes, [NEVER_UP]: true } };
  const at = (timeMs: number) => releaseHeld(context, timeMs).map(({ severity }) => severity);
  assert.deepEqual(decodeKernelLine(known, context), []);
  assert.deepEqual(at(START_MS + APART_MS), ['info']);
  decodeKernelLine(kernelRecord(UP, 2), context);
  decodeKernelLine(known, context);
  assert.deepEqual(at(START_MS + APART_MS), [undefined]);
});

test('a port is asked about for a line that reports it down alone', () => {
  assert.deepEqual([DOWN, UP, BOOT, 'bnxt_en 0000:41:00.1 ens1: NIC Link is Down'].map(portDown), ['p0', null, null, 'ens1']); // biome-ignore format: one call
});

test('a port of a switch behind an interface is apart from its others, and flaps by itself', () => {
  const port = (number: number, word: string) => `mtk_soc_eth 1e100000.ethernet eth0: port ${number} link ${word}`;
  const lines = [port(1, 'up'), port(2, 'up'), port(2, 'down'), port(2, 'up')];
  const found = decodeLines(lines, kernelContext('node-1'), START_MS, 2000);
  assert.deepEqual(
    found.map(({ kind, component }) => [kind, component?.id]),
    [['nic.link_flap', 'eth0 port 2']],
  );
  assert.deepEqual(brief([port(3, 'down')]), []);
});

test('the RDMA core says that a port is down; of an Ethernet card its driver said it before', () => {
  const down = 'infiniband mlx5_5: Port: 1 Link DOWN';
  const active = 'infiniband mlx5_5: Port: 1 Link ACTIVE';
  assert.deepEqual(brief([down]), [['nic.port_down', 'onset', undefined]]);
  assert.deepEqual(brief([down, active], 2000), [['nic.link_flap', undefined, 'warning']]);
  assert.deepEqual(brief(['infiniband mlx5_5: Port: 1 Link INIT', 'infiniband mlx5_5: Port: 1 Link ARMED']), []);
  assert.deepEqual(brief([DOWN, down], 1000), [['nic.port_down', 'onset', undefined]]);
});
