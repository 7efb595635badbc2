import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSamples } from '../../src/incidents/read-samples.ts';
import { samplesCsv } from '../../src/incidents/samples-csv.ts';
import { gpu, incident, link, SAG, T0 } from './sample.ts';

test('what the black box wrote is read again, names with commas and quotes too', async () => {
  const keys = ['pdu_phase/pdu-b-rack-14/1#voltage', 'job/a,"b"#step_time'];
  const core = {
    seriesKeys: () => keys,
    history: (key: string) => ({
      timesMs: Float64Array.of(T0, T0 + 500),
      values: Float64Array.of(key === keys[0] ? 121.4 : -1e-7, 3),
    }),
  };
  const text = await samplesCsv(core, incident('abcd', { chain: [link(SAG)] }), T0, T0 + 1000);
  assert.deepEqual(readSamples(text ?? ''), [
    { component: 'pdu_phase/pdu-b-rack-14/1', quantity: 'voltage', timesMs: [T0, T0 + 500], values: [121.4, 3] },
    { component: 'job/a,"b"', quantity: 'step_time', timesMs: [T0, T0 + 500], values: [-1e-7, 3] },
  ]);
});

test('rows that are damaged are left out, and any other text has none', () => {
  const head = 'time,component,quantity,value\n';
  const good = `2026-11-27T14:32:00.000Z,${gpu(0).type}/x,power,5\n`;
  assert.equal(
    readSamples(`${head}garbage\n,,,\n2026-11-27T14:32:00.000Z,gpu/x,power,NaN\n2026,gpu/x,power,\n${good}"torn`)
      .length,
    1,
  );
  assert.deepEqual(readSamples('garbage'), []);
  assert.deepEqual(readSamples(''), []);
});
