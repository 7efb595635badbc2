// A large file of traces, read a piece at a time: the same records, places in the file and refusals as of one that is read whole.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readInPieces } from '../../../src/commands/correlate/read-in-pieces.ts';
import { readRecords } from '../../../src/commands/correlate/read-records.ts';

const folder = mkdtempSync(join(tmpdir(), 'pieces-'));
after(() => rmSync(folder, { recursive: true }));
const MANY = 20_000;
const point = (index: number): Record<string, unknown> => ({
  service_name: `svc-${index % 3}`,
  timestamp: new Date(Date.UTC(2024, 0, 15) + index * 1000).toISOString(),
  p50_latency_ms: index,
  p95_latency_ms: 2.5,
  p99_latency_ms: 3,
  error_rate_percent: 0,
  throughput_rps: 1,
  // What may be taken for an end of a record.
  note: { braces: '}, {"x": "}', 'ü}': [{}, { deep: {} }] },
});
const points = Array.from({ length: MANY }, (_, index) => point(index));

function written(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
const events = written('events.json', JSON.stringify({ events: [{ id: 'e', timestamp: '2024-01-15T00:00:00Z', source: 'ups', type: 'ups_transfer', severity: 'low', device_id: 'ups', raw_message: 'x' }] })); // biome-ignore format: one line
const topology = written('topology.json', JSON.stringify({ mappings: [{ physical_device_id: 'ups' }] }));

/** What is read of these traces, and what was said of them. */
function read(traces: string) {
  const lines: string[] = [];
  const { services } = readRecords({ events, traces, topology }, (line) => lines.push(line));
  return { services, lines: lines.map((line) => line.replaceAll(folder, '')) };
}

test('in pieces: records in order, whatever is in them, and what is behind the list', () => {
  for (const [name, text] of [
    ['tight', JSON.stringify({ service_metrics: points, spans: [{ a: 1 }], other: '}, ]' })],
    ['wide', JSON.stringify({ service_metrics: points, spans: [{ a: 1 }], other: '}, ]' }, null, 2)],
  ] as const) {
    const seen: unknown[] = [];
    let pieces = 0;
    const rest = readInPieces(written(name, text), 'service_metrics', (records) => {
      seen.push(...records);
      pieces += 1;
    });
    assert.ok(pieces > 5 && Array.isArray(rest?.service_metrics), name);
    assert.deepEqual([...seen, ...rest.service_metrics], points);
    assert.deepEqual({ ...rest, service_metrics: [] }, { service_metrics: [], spans: [{ a: 1 }], other: '}, ]' });
  }
});

test('what is not of this form, or not JSON, is left to whoever reads it whole', () => {
  const whole = JSON.stringify({ service_metrics: points });
  const inPieces = (name: string, text: string) => readInPieces(written(name, text), 'service_metrics', () => {});
  assert.equal(inPieces('later', `{"a": 1, ${whole.slice(1)}`), null);
  assert.equal(inPieces('twice', `${whole.slice(0, -1)}, "service_metrics": []}`), null);
  assert.equal(inPieces('cut', whole.slice(0, -5)), null);
  assert.equal(inPieces('more', `${whole}]`), null);
  assert.equal(inPieces('nan', whole.replace('"p95_latency_ms":2.5,', '"p95_latency_ms":NaN,')), null);
  assert.equal(inPieces('broken', whole.replace('"throughput_rps":1,', '"throughput_rps":1;')), null);
});

test('a record that cannot be used has its place in the file, and the others are the same as of a file that is read whole', () => {
  const bad = points.map((each, index) => (index % 7000 === 6999 ? { ...each, timestamp: 'noon' } : each));
  const large = read(written('bad.json', JSON.stringify({ service_metrics: bad })));
  const whole = read(written('bad.json', JSON.stringify({ first: 1, service_metrics: bad })));
  assert.deepEqual(large, whole);
  assert.deepEqual(
    large.lines.map((line) => /service_metrics\[\d+\]/.exec(line)?.[0]),
    ['service_metrics[6999]', 'service_metrics[13999]'],
  );
  assert.equal(large.services.length, 3);
  assert.deepEqual(
    large.services.map(({ at }) => at.length).reduce((sum, count) => sum + count),
    MANY - 2,
  );
});

test('a number that Python writes as NaN is read as one in a large file too', () => {
  const text = JSON.stringify({ service_metrics: points }).replace('"p95_latency_ms":2.5,', '"p95_latency_ms":NaN,');
  const { services, lines } = read(written('nan.json', text));
  assert.deepEqual(lines, []);
  assert.ok(Number.isNaN(services[0]?.p95[0]));
});

test('readings in any order come out in order of time', () => {
  const { services } = read(written('back.json', JSON.stringify({ service_metrics: points.toReversed() })));
  for (const { at, p50 } of services) {
    assert.ok(at.every((time, index) => index === 0 || time >= (at[index - 1] ?? time)));
    assert.ok(p50.every((value, index) => index === 0 || value > (p50[index - 1] ?? value)));
  }
});
