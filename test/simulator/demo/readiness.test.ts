// Tests of readiness: what the rack offers, and what the daemon's status says of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offeredSources, readiness } from '../../../src/simulator/demo/readiness.ts';
import { loadScenario } from '../../../src/simulator/scenario/load.ts';

const offered = offeredSources(loadScenario('power-sag', 0));
const works = (source: string) => ({ source, status: 'works', detail: '', remedy: null });

test('a rack offers what its world has', () => {
  assert.deepEqual(
    offered.map(({ label }) => label),
    ['gpu 8', 'cpu 2', 'pdu 2', 'bmc 1', 'kernel log', 'job log'],
  );
  assert.deepEqual(
    offeredSources(loadScenario('oom', 0)).map(({ source }) => source),
    ['gpu', 'cpu', 'kernel-log', 'job-log'],
  );
});

test('ready when every source works', () => {
  const sources = [...offered.map(({ source }) => works(source)), works('pdu')];
  const { ready, missing } = readiness(offered, { sources });
  assert.equal(ready.length, offered.length);
  assert.deepEqual(missing, []);
});

test('one PDU of two that does not answer keeps the source from being ready, and says why', () => {
  const bad = { source: 'pdu', status: 'failed', detail: 'pdu-b does not answer', remedy: null };
  const { missing } = readiness(offered, { sources: [...offered.map(({ source }) => works(source)), bad] });
  assert.deepEqual(
    missing.map(({ why }) => why),
    ['failed: pdu-b does not answer'],
  );
});

for (const status of [null, 7, {}, { sources: 7 }, { sources: [null, 7, {}] }]) {
  test(`nothing is ready by ${JSON.stringify(status)}`, () => {
    assert.equal(readiness(offered, status).missing.length, offered.length);
  });
}
