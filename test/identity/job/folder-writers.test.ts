// Whose dumps: those of the user of the ranks here are their job's; another user's neither join nor accuse it.

import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Writers } from '../../../src/identity/job/folder-writers.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { nativePath } from '../../../src/native.ts';
import { FlightRecorderSource } from '../../../src/sources/flight-recorder/flight-recorder-source.ts';
import { makeCase } from '../../native-fr/generator/cases.ts';
import { until } from '../../until.ts';
import { knowing, lookingAt } from '../knowing.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-whose-'));
chmodSync(root, 0o755);
after(() => rmSync(root, { recursive: true }));
const [ALICE, EVE] = [1001, 1002];
const rank = (user: number, job: string | null, number: number) =>
  ({ namedBy: [user], job, rank: number, pid: 100 + number }) as const;

test('each user of a shared folder has a job of its own, and keeps it when its ranks are gone', () => {
  const writers = new Writers(false);
  assert.equal(writers.of(ALICE, 0), null);
  for (const one of [rank(ALICE, '7', 0), rank(ALICE, '7', 1), rank(EVE, '8', 0)]) writers.runs(one, 0);
  assert.deepEqual(writers.of(ALICE, 0), { job: '7', ranks: new Set([0, 1]), stranger: false });
  assert.deepEqual(writers.of(EVE, 0), { job: '8', ranks: new Set([0]), stranger: false });
  assert.deepEqual(writers.of(1003, 0), { job: null, ranks: new Set(), stranger: true });
  assert.equal(writers.of(0, 0), null);
  writers.noneRuns();
  assert.deepEqual(writers.of(ALICE, 0), { job: '7', ranks: new Set([0, 1]), stranger: false });
  assert.deepEqual(writers.of(ALICE, 1_800_001), { job: '7', ranks: new Set(), stranger: false });
  assert.equal(writers.of(1003, 0)?.stranger, true);
  writers.runs(rank(ALICE, '9', 0), 0);
  assert.equal(writers.of(ALICE, 0)?.job, '9');
});

test('a rank that died is one of this host until the job is started again', () => {
  const writers = new Writers(false);
  const ranks = () => [...(writers.of(ALICE, 20_000)?.ranks ?? [])];
  for (const number of [0, 1]) writers.runs(rank(ALICE, '7', number), 0);
  writers.noneRuns();
  writers.runs(rank(ALICE, '7', 0), 10_000);
  assert.deepEqual(ranks(), [0, 1]);
  writers.noneRuns();
  writers.runs({ ...rank(ALICE, '7', 2), pid: 300 }, 20_000);
  assert.deepEqual(ranks(), [2]);
});

test("the user `nobody` is root where a file server maps root to it, and root's dumps are the folder's", () => {
  for (const [squashes, stranger] of [
    [true, false],
    [false, true],
  ] as const) {
    const writers = new Writers(squashes);
    writers.runs(rank(0, '7', 0), 0);
    assert.equal(writers.of(65_534, 0)?.stranger, stranger);
    assert.equal(writers.of(0, 0)?.job, '7');
  }
});

test('the configured name goes to the users whose ranks run here, and to no other', () => {
  const writers = new Writers(false);
  writers.job = 'llama';
  assert.equal(writers.of(EVE, 0), null);
  writers.runs(rank(ALICE, '7', 0), 0);
  assert.equal(writers.of(ALICE, 0)?.job, 'llama');
  assert.equal(writers.of(EVE, 0)?.stranger, true);
});

/** Who can write the dumps here: root gives them away. */
const WRITER = process.getuid?.() || EVE;

/** Dumps of `dumpsOf`, in a folder that everybody may write, into which the ranks of `ranksOf` dump. */
async function eventsOf(
  dumpsOf: number,
  ranksOf: readonly (readonly [user: number, rank: number])[],
): Promise<EventInput[]> {
  const folder = mkdtempSync(join(root, 'shared-'));
  chmodSync(folder, 0o1777);
  const proc = mkdtempSync(join(root, 'proc-'));
  const sameMounts = (at: string): void => {
    mkdirSync(join(proc, at, 'ns'), { recursive: true });
    symlinkSync('mnt:[1]', join(proc, at, 'ns', 'mnt'));
  };
  sameMounts('self');
  for (const [index, [user, number]] of ranksOf.entries()) {
    const at = join(proc, `${100 + index}`);
    sameMounts(`${100 + index}`);
    const lines = [`RANK=${number}`, 'WORLD_SIZE=16', 'SLURM_JOB_ID=981', `TORCH_FR_DUMP_TEMP_FILE=${folder}/rank_`];
    writeFileSync(join(at, 'environ'), `${lines.join('\0')}\0`);
    writeFileSync(join(at, 'status'), `Uid:\t${user}\t${user}\t${user}\t${user}\nGid:\t${user}\t${user}\n`);
  }
  for (const [rank, { bytes }] of makeCase('not_joined', 1).files.entries()) {
    const path = join(folder, `rank_${rank}`);
    writeFileSync(path, bytes);
    if (process.getuid?.() === 0) chownSync(path, dumpsOf, dumpsOf);
  }
  const config = { enabled: 'on', intervalMs: 5, processes: true, trigger: false, folders: [{ path: folder, pattern: '*', job: null }] } as const; // biome-ignore format: one line
  const events: EventInput[] = [];
  const source = new FlightRecorderSource(config, {
    host: 'node-3',
    now: Date.now,
    program: nativePath('faultline-fr'),
    identity: lookingAt(knowing([]), proc),
    standard: [],
    graceMs: 0,
  });
  const emit = { samples() {}, text() {}, event: (event: EventInput) => events.push(event), discovery() {} };
  source.start(emit, new AbortController().signal);
  await until(() => events.length > 0, { seen: () => source.health() });
  await source.stop();
  return events;
}

const jobsOf = (events: readonly EventInput[]) => new Set(events.map(({ component }) => component?.id.split('/')[0]));

test("dumps of a user without a rank here are not those of another user's job", async () => {
  const events = await eventsOf(WRITER, [0, 1, 2, 3].map((rank) => [ALICE, rank])); // biome-ignore format: one line
  const [job] = jobsOf(events);
  assert.equal(jobsOf(events).size, 1);
  assert.match(String(job), new RegExp(`^shared-.*-uid-${WRITER}$`));
  assert.ok(events.every(({ component }) => component?.type === 'job'));
});

test("dumps of a user whose ranks claim another user's job are not those of that job", async () => {
  const events = await eventsOf(WRITER, [[ALICE, 0], [ALICE, 1], [WRITER, 2], [WRITER, 3]]); // biome-ignore format: one line
  assert.deepEqual([...jobsOf(events)], [`981-uid-${WRITER}`]);
});

test('dumps of the user of the ranks are those of their job', async () => {
  const events = await eventsOf(WRITER, [[WRITER, 0], [WRITER, 1]]); // biome-ignore format: one line
  assert.deepEqual([...jobsOf(events)], ['981']);
  assert.ok(events.some(({ component }) => component?.type === 'rank'));
});
