// Jobs that leave less than usual: one dump of two, no configuration, a ring that went round, several dumps of a rank.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { FlightRecorderDocument } from '../../src/model/documents/flight-recorder.ts';
import { analyseFlightRecorder } from '../../src/sources/flight-recorder/dumps/analyse.ts';
import { makeCase } from './generator/cases.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-fr-odd-'));
after(() => rmSync(root, { recursive: true }));
const EPOCH_NS = 1_795_818_000_000_000_000n;

interface Entry {
  readonly group: string;
  readonly sequence: number;
  readonly done: boolean;
  readonly atMs: number;
}

/** A dump as JSON; `groups`: members by name, left out of the configuration where null. */
function dump(
  entries: readonly Entry[],
  groups: Readonly<Record<string, readonly number[] | null>>,
  status: Record<string, object> = {},
) {
  const config = Object.entries(groups).flatMap(([name, ranks]) => (ranks === null ? [] : [`"${name}":{"name":"${name}","desc":"g${name}","ranks":"[${ranks.join(', ')}]"}`])); // biome-ignore format: one line
  const rows = entries.map(
    ({ group, sequence, done, atMs }, record) =>
      `{"record_id":${record},"pg_id":${Object.keys(groups).indexOf(group)},"process_group":["${group}","g${group}"],"collective_seq_id":${sequence},` +
      `"op_id":${sequence},"profiling_name":"nccl:all_reduce","time_created_ns":${EPOCH_NS + BigInt(atMs) * 1_000_000n},"input_sizes":[[8]],` +
      `"output_sizes":[[8]],"input_dtypes":["Float"],"output_dtypes":["Float"],"state":"${done ? 'completed' : 'scheduled'}","retired":${done},` +
      '"timeout_ms":600000,"is_p2p":false}',
  );
  return `{"version":"2.9","pg_config":{${config}},"pg_status":${JSON.stringify(status)},"entries":[${rows.join()}]}`;
}

async function analysed(files: Readonly<Record<string, string | Buffer>>): Promise<FlightRecorderDocument> {
  const folder = mkdtempSync(join(root, 'job-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return analyseFlightRecorder([folder]);
}
const named = (document: FlightRecorderDocument) => [
  document.verdicts[0]?.type,
  document.culprits.map(({ rank }) => rank),
];

test('one dump of two ranks: the other is named, and not firmly', async () => {
  const entries = [1, 2, 3].map((sequence) => ({ group: '0', sequence, done: sequence < 3, atMs: sequence * 10 }));
  const document = await analysed({ rank_0: dump(entries, { 0: [0, 1] }) });
  assert.deepEqual(named(document), ['silent_rank', [1]]);
  assert.ok((document.culprits[0]?.confidence ?? 1) <= 0.6);
});

test('without a configuration the members are those that entered: the one that is behind is named', async () => {
  const files = [0, 1, 2, 3].map((rank) => {
    const last = rank === 2 ? 4 : 5;
    const entries = Array.from({ length: last }, (_, at) => ({
      group: '7',
      sequence: at + 1,
      done: at < 4,
      atMs: at * 10,
    }));
    return [`rank_${rank}`, dump(entries, { 7: null })];
  });
  assert.deepEqual(named(await analysed(Object.fromEntries(files))), ['not_joined', [2]]);
});

test('where the ring holds nothing of a group any more, its counters say who is behind', async () => {
  const groups = { 0: [0, 1, 2], 1: [0, 1, 2] };
  const busy = (from: number) =>
    Array.from({ length: 20 }, (_, at) => ({ group: '1', sequence: from + at, done: true, atMs: 500 + at }));
  const status = (enqueued: number, completed: number) => ({
    0: { last_enqueued_collective: enqueued, last_started_collective: -1, last_completed_collective: completed },
    1: { last_enqueued_collective: 119, last_started_collective: -1, last_completed_collective: 119 },
  });
  const waiting = { group: '0', sequence: 400, done: false, atMs: 600 };
  const document = await analysed({
    rank_0: dump([...busy(100), waiting], groups, status(400, 399)),
    rank_1: dump([...busy(100), waiting], groups, status(400, 399)),
    rank_2: dump(busy(100), groups, status(399, 399)),
  });
  assert.deepEqual(named(document), ['not_joined', [2]]);
});

test('of several dumps of one rank the newest counts, and the older are reported', async () => {
  const made = makeCase('not_joined', 2);
  const earlier = makeCase('not_joined', 2, 16, { tickMs: 1, dumped: () => 12 });
  const files = Object.fromEntries([
    ...made.files.map(({ name, bytes }) => [name, bytes]),
    ...earlier.files.slice(0, 4).map(({ name, bytes }) => [`old_${name}`, bytes]),
  ]);
  const document = await analysed(files);
  assert.deepEqual(named(document), ['not_joined', made.culprits]);
  const older = document.job.dumps.filter(({ rejected }) => rejected?.why.includes('older dump'));
  assert.equal(older.length, 4);
});

test('groups without a common member are judged apart: each stall names its own', async () => {
  const made = [0, 1].map((half) => {
    const ranks = [0, 1, 2, 3].map((rank) => rank + 4 * half);
    return ranks.map((rank) => {
      const last = rank === 1 || rank === 6 ? 4 : 5;
      const entries = Array.from({ length: last }, (_, at) => ({
        group: `${half}`,
        sequence: at + 1,
        done: at < 4,
        atMs: at * 10,
      }));
      return [`rank_${rank}`, dump(entries, { [half]: ranks })];
    });
  });
  const document = await analysed(Object.fromEntries(made.flat()));
  assert.deepEqual(named(document), ['not_joined', [1, 6]]);
});
