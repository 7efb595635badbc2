// Folded lines: what a fault's words are read behind or without — the full name of a C++ function, a message on the next line, half a line.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { jobRecord, START_MS } from './lines.ts';

function kinds(...texts: string[]): string[] {
  const decoder = new JobLineDecoder('llama', 'auto');
  const faults = texts.flatMap((text, i) => decoder.decode(jobRecord(text, i, START_MS + i * 10)).faults);
  return [...faults, ...decoder.flush().faults].map(({ kind }) => kind);
}

const REQUEST =
  'NCCL WARN NET/OFI Request 0x7f45 completed with error. RC: 103. Error: 4126 (Unresponsive receiver (reachable by EFA device but handshake failed) My EFA addr: 1)';

test('the full name of a C++ function before the words is a place, no sentence', () => {
  const named = 'node-1:194:710 [0] int handle_error(context_t*, fid_cq*, uint16_t):46 ';
  assert.deepEqual(kinds(`${named}${REQUEST}`), ['net.rdma_retry_exceeded']);
  assert.deepEqual(kinds(`node-1:194:710 [0] static void a::post(int):7 ${REQUEST}`), ['net.rdma_retry_exceeded']);
  assert.deepEqual(kinds(`we look for this in f(int):7 ${REQUEST}`), []);
});

test('what JAX could not allocate may come on the next line', () => {
  const head = 'jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED:';
  assert.deepEqual(kinds(head, '  Out of memory while trying to allocate 27668233200 bytes'), ['job.gpu_oom']);
  assert.deepEqual(kinds('RpcError: RESOURCE_EXHAUSTED: Received message larger than max'), []);
});

test('half a line of Slingshot names the peer that got nothing', () => {
  const half = 'Request dest_addr: 225 caddr.nic: 0X19631 caddr.pid: 0 rxc_id: 0  error: 0x40dc440';
  assert.deepEqual(kinds(`${half} (err: 5, UNDELIVERABLE)`), ['net.rdma_retry_exceeded']);
  assert.deepEqual(kinds(`${half} (err: 0, OK)`), []);
});

test('a high loss scale that stays once is on its way down', () => {
  const skip = (from: string, to: string): string =>
    `[2023-02-08 13:52:24,187] [INFO] [stage_1_and_2.py:1762:step] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: ${from}, reducing to ${to}`;
  assert.deepEqual(kinds(skip('65536', '65536'), skip('65536', '32768.0')), []);
  assert.deepEqual(kinds(skip('1', '1')), ['job.nan']);
});
