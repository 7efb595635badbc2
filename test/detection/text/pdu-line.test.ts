// Lines of power distribution units in the words of several vendors: which part, what of it, and what is not a fault.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import catalog from '#catalog/pdu-words.json' with { type: 'json' };
import { programFindings } from '../../../src/detection/text/programs/program-rows.ts';
import { KERNEL_WORDS } from '../../../src/detection/text/words/kernel-words.ts';
import { isKind } from '../../../src/model/kind.ts';

/** "kind severity state type name"; null where nothing is reported. */
function read(line: string, host = 'pdu-x1'): string | null {
  const [found] = programFindings(line, host) ?? [];
  if (found === undefined) return null;
  assert.ok(
    KERNEL_WORDS.words.some((word) => line.includes(word)),
    `no rule's word in: ${line}`,
  );
  const { kind, severity, state, component } = found;
  return [kind, severity, state, component?.type, component?.id].filter((part) => part !== undefined).join(' ');
}

test('kinds of the catalogue are kinds', () => {
  for (const { kind } of catalog.faults) assert.ok(isKind(kind), kind);
});

for (const [line, found] of [
  ["Sentry3_4f: EVENT: Infeed 'B1' load status is 'Over Load'", 'power.overload pdu_inlet pdu-x1/B1'],
  ["Sentry4_9: EVENT: Branch 'BA:L2-B3' current status 'High Alarm' 19.4A", 'power.overload pdu_branch pdu-x1/BA:L2-B3'],
  ["Sentry4_9: EVENT: Over-Current Protector 'BA:CB4' status is 'Blown Fuse/Tripped'", 'power.breaker_trip pdu_branch pdu-x1/BA:CB4'],
  ["PDU: Sensor 'RMS Current' on pole 'L3' of inlet 'I1' deasserted 'above upper critical' at 21.3 A.", 'power.overload clear pdu_phase pdu-x1/L3'],
  ['ePDU: Section 4 overload critical', 'power.overload pdu_branch pdu-x1/4'],
  ['ePDU: Breaker CB6 status: Open', 'power.breaker_trip pdu_branch pdu-x1/CB6'],
  ['ePDU: Input 1 phase L2 current critical high', 'power.overload pdu_phase pdu-x1/L2'],
  ['Geist: Circuit 5 Overcurrent Alarm tripped', 'power.overload pdu_branch pdu-x1/5'],
  ['PowerNet: rPDU2: Bank #3 is in near overload.', 'power.overload warning pdu_branch pdu-x1/3'],
  ['PowerNet: rPDU2: Breaker for Bank 3 has tripped.', 'power.breaker_trip pdu_branch pdu-x1/3'],
  ['PowerNet: rPDU2: Breaker on bank 3 closed.', 'power.breaker_trip clear pdu_branch pdu-x1/3'],
  ['apc: PDU: Phase 3 overload warning. Current 30.2 A, threshold 26 A.', 'power.overload warning pdu_phase pdu-x1/3'],
  ['apc: PDU: Current 30.2 A on L2 exceeds 28.8 A', 'power.overload pdu_phase pdu-x1/L2'],
  ['[ALERT] Outlet 11 switched off by overload', 'power.outlet_off pdu_outlet pdu-x1/11'],
  ['any-daemon: unit 1 phase L1 lost', 'power.phase_loss pdu_phase pdu-x1/L1'],
] as const) // biome-ignore format: a table
  test(line, () => assert.equal(read(line), found));

test('what users do, settings and other sensors are no fault of power', () => {
  for (const line of [
    "PowerNet: rPDU2: Outlet 4 turned off by user 'ops' via web.",
    'PowerNet: rPDU2: Bank 2 overload restriction enabled.',
    'PowerNet: rPDU2: Overload alarm threshold changed to 24 A.',
    'PowerNet: rPDU2: no overload on bank 1.',
    'PDU: Temperature sensor 2 above upper critical at 41 C.',
    'PDU: residual current above upper warning on inlet I1.',
    'PowerNet: System: Password changed.',
  ])
    assert.equal(read(line), null, line);
});

test('a host that is not a PDU by its name, and a program of no PDU, say nothing of breakers', () => {
  const line = 'shopd: circuit breaker opened for payments: overload';
  assert.equal(read(line, 'web-1'), null);
  assert.equal(read(line, 'pdusan-1'), null);
  assert.notEqual(read(line, 'rack7-pdu-b'), null);
});
