// Reasons are for people: they name a kind by its title, not by its key in the catalogue.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KINDS } from '../../../src/model/kind.ts';
import { correlator, event, FEED_LINKS, GPUS, link, run } from '../fixtures.ts';

const sag = (pdu: string) => event(0, 'power.voltage_sag', `pdu_phase/${pdu}/1`, { state: 'onset' });
const brake = (gpu: string, i: number) => event(1 + i / 100, 'gpu.power_brake', gpu, { state: 'onset' });
const elsewhere = [...FEED_LINKS, link('pdu/pdu-c', 'host/node-9', 'feeds')];
const CASES = {
  'a PDU that feeds other hosts': run(correlator(elsewhere), [sag('pdu-c'), brake(GPUS[0] ?? '', 0)]),
  'a PDU in no mapping and one brake': run(correlator(), [sag('pdu-x'), brake(GPUS[0] ?? '', 0)]),
  'a PDU in no mapping and eight brakes': run(correlator(), [sag('pdu-x'), ...GPUS.map(brake)]),
};

for (const [name, { last }] of Object.entries(CASES)) {
  test(`no reason has the key of a kind: ${name}`, () => {
    const reasons = last.flatMap(({ alternatives, ruledOut, confidenceParts }) => [
      ...alternatives.map(({ why }) => why),
      ...ruledOut.map(({ why }) => why),
      ...confidenceParts.map(({ why }) => why),
    ]);
    assert.ok(
      reasons.some((why) => why.includes('voltage sag')),
      reasons.join('\n'),
    );
    for (const why of reasons)
      assert.equal(
        KINDS.find((kind) => why.includes(kind)),
        undefined,
        why,
      );
  });
}
