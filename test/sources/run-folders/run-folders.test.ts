// Runs that W&B and TensorBoard record become steps of their job, as they grow; damaged files are read up to the damage.

import assert from 'node:assert/strict';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import type { RunFolder } from '../../../src/identity/work/run-folders.ts';
import type { WorkView } from '../../../src/identity/work/work.ts';
import type { TextRecord } from '../../../src/model/record.ts';
import { MOST_NUMBERS, OpenStep } from '../../../src/sources/run-folders/open-step.ts';
import { maskedCrc32c } from '../../../src/sources/run-folders/read/crc32c.ts';
import { HeldBytes } from '../../../src/sources/run-folders/read/held-bytes.ts';
import { DamagedRecords, JsonLines, TfRecords, WandbRecords } from '../../../src/sources/run-folders/read/records.ts';
import { RunFoldersSource } from '../../../src/sources/run-folders/run-folders-source.ts';
import { runLine } from '../../../src/sources/run-folders/run-line.ts';
import { until } from '../../until.ts';
import { tfEvent, tfRecord, wandbFile, wandbHistory } from './run-builder.ts';

function start(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'fl-runs-'));
  t.after(() => rmSync(root, { recursive: true }));
  const lines: TextRecord[] = [];
  const source = new RunFoldersSource([{ job: 'llama', path: root }], {
    now: Date.now,
    steady: (wallMs) => wallMs,
    pollMs: 20,
  });
  t.after(() => source.stop());
  const begin = () => source.start({ samples() {}, text: (record) => void lines.push(record), event() {}, discovery() {}, failed: (error) => assert.fail(String(error)) }, new AbortController().signal); // biome-ignore format: one line
  return { root, lines, source, begin };
}

test('TensorBoard: numbers of a step that come one by one are one step, of either version, and are read on as they come', async (t) => {
  const { root, lines, begin } = start(t);
  mkdirSync(join(root, 'version_0'));
  const path = join(root, 'version_0/events.out.tfevents.1800000000.node-3.1.0');
  const now = Date.now();
  const scalars = (step: number, loss: number) => Buffer.concat([tfRecord(tfEvent(now, step, 'train/loss', loss)), tfRecord(tfEvent(now, step, 'learning_rate', 0.25, true)), tfRecord(tfEvent(now, step, 'eval/loss', 9))]); // biome-ignore format: one line
  writeFileSync(
    path,
    Buffer.concat([tfRecord(Buffer.from([0x1a, 3, 0x61, 0x62, 0x63])), scalars(10, 2.5), scalars(20, 1.5)]),
  );
  begin();
  await until(() => lines.length === 2);
  const more = scalars(30, Number.NaN);
  appendFileSync(path, more.subarray(0, 20));
  appendFileSync(path, more.subarray(20));
  await until(() => lines.at(-1)?.text.includes('step: 30') === true);
  const detection = new TextDetection('node-3');
  const decoded = lines.map((line) => detection.decode(line));
  const steps = decoded.flatMap((each) => each.steps).map(({ progress }) => [progress.iteration, progress.loss]);
  assert.deepEqual(steps.filter(([, loss]) => loss !== null), [[10, 2.5], [20, 1.5], [30, 'nan']]); // biome-ignore format: one line
  assert.deepEqual(decoded.flatMap(({ events }) => events).map(({ kind, trust }) => [kind, trust]), [['job.nan', 'tenant']]); // biome-ignore format: one line
});

test('W&B: a run that is written, over its blocks, with numbers that JSON has none for; old lines of history as well', async (t) => {
  const { root, lines, begin } = start(t);
  mkdirSync(join(root, 'wandb/offline-run-20261129_150000-abc'), { recursive: true });
  const rows = Array.from({ length: 400 }, (_, i) => wandbHistory({ _step: `${i}`, _timestamp: `${Date.now() / 1000 - 3600}`, 'train/loss': i === 399 ? 'NaN' : '2.5', lr: '0.125', note: `"${'x'.repeat(300)}"` })); // biome-ignore format: one line
  writeFileSync(join(root, 'wandb/offline-run-20261129_150000-abc/run-abc.wandb'), wandbFile(rows));
  writeFileSync(join(root, 'wandb-history.jsonl'), '{"_step": 7, "loss": NaN, "lr": 0.5}\n{"_step": 8}\nnot json\n');
  begin();
  await until(() => lines.length === 401);
  const wandb = lines.filter(({ stream }) => stream.includes('.wandb'));
  assert.equal(wandb[0]?.text, 'step: 0 | train loss: 2.5 | lr: 0.125');
  assert.equal(wandb.at(-1)?.text, 'step: 399 | train loss: nan | lr: 0.125');
  assert.ok(
    wandb.every(({ attributes }) => attributes.history === true),
    'recorded an hour ago',
  );
  assert.equal(lines.find(({ stream }) => stream.includes('jsonl'))?.text, 'step: 7 | loss: nan | lr: 0.5');
});

test('records that are damaged, cut anywhere, or lie about their length end in a word', () => {
  const tf = Buffer.concat([tfRecord(Buffer.from('one')), tfRecord(Buffer.from('two'))]);
  const reader = new TfRecords();
  assert.deepEqual([...tf].flatMap((byte) => reader.push(Buffer.from([byte]))).map(String), ['one', 'two']); // biome-ignore format: one line
  const wandb = wandbFile([Buffer.from('one'), Buffer.alloc(70_000, 'x'), Buffer.from('two')]);
  const pieces = new WandbRecords();
  const sizes: number[] = [];
  for (let at = 0; at < wandb.length; at += 997) sizes.push(...pieces.push(wandb.subarray(at, at + 997)).map(({ length }) => length)); // biome-ignore format: one line
  assert.deepEqual(sizes, [3, 70_000, 3]);
  for (const [file, make] of [[tf, () => new TfRecords()], [wandb.subarray(0, 200), () => new WandbRecords()]] as const) {
    for (let at = 0; at < Math.min(file.length, 20); at += 1) {
      const damaged = Buffer.from(file);
      damaged[at] = (damaged[at] ?? 0) ^ 0x40;
      try {
        make().push(damaged);
      } catch (error) {
        assert.ok(error instanceof DamagedRecords, String(error));
      }
    }
  } // biome-ignore format: short enough
  // RFC 3720, B.4: 32 bytes of zeros.
  const crc = 0x8a9136aa;
  assert.equal(maskedCrc32c(Buffer.alloc(32)), (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0);
});

test('records that are too long are passed over, and what all files keep of unfinished ones is bounded', () => {
  const MIB = 1024 * 1024;
  const held = new HeldBytes();
  const image = tfRecord(Buffer.alloc(3 * MIB, 1));
  const reader = new TfRecords(held);
  const found: string[] = [];
  const file = Buffer.concat([image, tfRecord(Buffer.from('after'))]);
  for (let at = 0; at < file.length; at += 262_144) {
    found.push(...reader.push(file.subarray(at, at + 262_144)).map(String));
    assert.ok(held.bytes <= MIB + 16, `${held.bytes} bytes are kept`);
  }
  assert.deepEqual([found, reader.passed], [['after'], 1]);
  assert.equal(held.bytes, 0);
  const line = new JsonLines(held);
  const long = Buffer.from(`${'x'.repeat(2 * MIB)}\n{"_step": 1}\n`);
  const lines: string[] = [];
  for (let at = 0; at < long.length; at += 262_144) lines.push(...line.push(long.subarray(at, at + 262_144)).map(String)); // biome-ignore format: one line
  assert.deepEqual([lines, line.passed], [['{"_step": 1}'], 1]);

  const most = tfRecord(Buffer.alloc(MIB));
  const unfinished = Array.from({ length: 64 }, () => new TfRecords(held));
  for (const each of unfinished) each.push(most.subarray(0, MIB));
  assert.ok(held.bytes <= 8 * MIB, `${held.bytes} bytes are kept`);
  const small = new TfRecords(held);
  const step = tfRecord(Buffer.from('a step'));
  assert.deepEqual([...small.push(step.subarray(0, 14)), ...small.push(step.subarray(14))].map(String), ['a step']);
  for (const each of unfinished) each.end();
  assert.equal(held.bytes, 0);
});

test('W&B: a record in more parts than it can have, or longer than is kept, is passed over', () => {
  const held = new HeldBytes();
  const part = (type: number, data: Buffer) => {
    const head = Buffer.alloc(7);
    head.writeUInt32LE(crc32(data, crc32(Buffer.from([type]))), 0);
    head.writeUInt16LE(data.length, 4);
    head[6] = type;
    return Buffer.concat([head, data]);
  };
  const start = wandbFile([]);
  const crumbs = [part(2, Buffer.from('a')), ...Array.from({ length: 500 }, () => part(3, Buffer.alloc(0)))];
  const reader = new WandbRecords(held);
  assert.deepEqual(reader.push(Buffer.concat([start, ...crumbs, part(4, Buffer.from('b'))])), []);
  assert.deepEqual(reader.push(part(1, Buffer.from('next'))).map(String), ['next']);
  assert.deepEqual([reader.passed, held.bytes], [1, 0]);
  const long = new WandbRecords(held);
  const file = wandbFile([Buffer.alloc(2 * 1024 * 1024), Buffer.from('next')]);
  const found: string[] = [];
  for (let at = 0; at < file.length; at += 262_144) found.push(...long.push(file.subarray(at, at + 262_144)).map(String)); // biome-ignore format: one line
  assert.deepEqual([found, long.passed, held.bytes], [['next'], 1, 0]);
});

test('a step that comes without end is one array, of as many numbers as a step can have', () => {
  const open = new OpenStep();
  for (let i = 0; i < 5000; i += 1) assert.equal(open.take({ step: 7, wallMs: i, numbers: [[`loss ${i}`, i]] }), null);
  const step = open.take({ step: 8, wallMs: null, numbers: [] });
  assert.deepEqual([step?.numbers.length, step?.numbers[0], step?.wallMs], [MOST_NUMBERS, ['loss 0', 0], 4999]);
  assert.equal(open.close()?.step, 8);
  assert.equal(open.close(), null);
});

test('names of trackers are known with their units; those that say nothing of training, or of which unit, are left out', () => {
  const line = (numbers: readonly (readonly [string, number])[]) => runLine({ step: 7, wallMs: null, numbers });
  assert.equal(line([['train/grad_norm', 0.5], ['perf/step_time', 1.5], ['timing/step_time_ms', 900], ['perf/mfu(%)', 41]]), 'step: 7 | train grad norm: 0.5 | step time: 1.5 s | step time: 900 ms | mfu: 41%'); // biome-ignore format: one line
  assert.equal(line([['gpu_mem', 12], ['epoch', 1], ['trainer/global_step', 7], ['val/loss', 2], ['accuracy', 0.5]]), null); // biome-ignore format: one line
});

test('no folder yet is waited for, and a damaged file is named', async (t) => {
  const { root, source, begin } = start(t);
  begin();
  await until(() => source.health()[0]?.status === 'absent' && source.health()[0]?.detail !== 'starting');
  writeFileSync(join(root, 'events.out.tfevents.1.x'), Buffer.alloc(64, 7));
  await until(() => source.health()[0]?.status === 'partial');
  assert.match(source.health()[0]?.detail ?? '', /tfevents.1.x: the length of the record at byte 0 is damaged/);
});

const OWN = [process.geteuid?.() ?? 0, ...(process.getgroups?.() ?? [])] as const;

function viewOf(folders: readonly RunFolder[]): WorkView {
  const work = { id: 'slurm/7', runFolders: folders };
  return { version: 1, works: [work], devices: [], conflicts: [] } as unknown as WorkView; // the fields that are looked at
}

test('a run that a process of a job writes is found without configuration, and left a while after the job', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'fl-runs-'));
  t.after(() => rmSync(root, { recursive: true }));
  const run = join(root, 'wandb/offline-run-20261129_150000-abc');
  mkdirSync(run, { recursive: true });
  const row = (i: number) => wandbHistory({ _step: `${i}`, _timestamp: `${Date.now() / 1000}`, 'train/loss': '2.5' });
  writeFileSync(join(run, 'run-abc.wandb'), wandbFile([row(1), row(2)]));
  // Another run next to it, which only a name leads to.
  mkdirSync(join(root, 'wandb/run-20261129_150000-old'));
  writeFileSync(join(root, 'wandb/run-20261129_150000-old/run-old.wandb'), wandbFile([row(7)]));
  const found = { tool: 'wandb', path: run, knownBy: 'files that a process of the job writes', namedBy: OWN } as const;
  let view = viewOf([found, { tool: 'wandb', path: root, knownBy: 'WANDB_DIR' }]);
  let nowMs = Date.now();
  const lines: TextRecord[] = [];
  const source = new RunFoldersSource([], { now: () => nowMs, steady: (ms) => ms, pollMs: 20, work: () => view });
  t.after(() => source.stop());
  source.start({ samples() {}, text: (record) => void lines.push(record), event() {}, discovery() {}, failed: (error) => assert.fail(String(error)) }, new AbortController().signal); // biome-ignore format: one line
  await until(() => lines.length === 2);
  assert.deepEqual(lines.map(({ text, attributes: { job }, trust }) => [text, job, trust]), [['step: 1 | train loss: 2.5', 'slurm/7', 'tenant'], ['step: 2 | train loss: 2.5', 'slurm/7', 'tenant']]); // biome-ignore format: one line
  view = viewOf([]);
  nowMs += 90_000;
  await until(() => source.health()[0]?.detail === 'no job records a run here');
});

test('a found run is read by the rights of the user who writes it, and by no link of others', async (t) => {
  if (OWN[0] !== 0) return t.skip('needs root, who may read what others may not');
  const root = mkdtempSync(join(tmpdir(), 'fl-runs-'));
  t.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'wandb'));
  writeFileSync(join(root, 'wandb/run-abc.wandb'), wandbFile([wandbHistory({ _step: '1', 'train/loss': '2.5' })]), { mode: 0o600 }); // biome-ignore format: one line
  const found = { tool: 'wandb', path: join(root, 'wandb'), knownBy: 'x', namedBy: [65_534, 65_534] } as const;
  const lines: TextRecord[] = [];
  const source = new RunFoldersSource([], {
    now: Date.now,
    steady: (ms) => ms,
    pollMs: 20,
    work: () => viewOf([found]),
  });
  t.after(() => source.stop());
  source.start({ samples() {}, text: (record) => void lines.push(record), event() {}, discovery() {}, failed: (error) => assert.fail(String(error)) }, new AbortController().signal); // biome-ignore format: one line
  await until(() => source.health()[0]?.detail !== 'starting');
  await until(() => source.health()[0]?.detail.includes('no job records a run here') || source.health()[0]?.status === 'partial'); // biome-ignore format: one line
  assert.deepEqual(lines, []);
});

test('a found file without end, and one of many, keep no other job from being read', async (t) => {
  if (OWN[0] !== 0) return t.skip('needs root, who may read as several users');
  const root = mkdtempSync(join(tmpdir(), 'fl-runs-'));
  t.after(() => rmSync(root, { recursive: true }));
  const folder = (name: string) => {
    const path = join(root, `wandb/run-20261129_150000-${name}`);
    mkdirSync(path, { recursive: true });
    return { tool: 'wandb', path, knownBy: 'x', namedBy: OWN } as const;
  };
  const [many, endless, other] = [folder('many'), folder('endless'), folder('other')];
  for (let i = 0; i < 40; i += 1) writeFileSync(join(many.path, `events.out.tfevents.${i}`), '');
  writeFileSync(join(endless.path, 'wandb-history.jsonl'), '');
  truncateSync(join(endless.path, 'wandb-history.jsonl'), 2 ** 40);
  writeFileSync(join(other.path, 'wandb-history.jsonl'), '{"_step": 7, "loss": 2.5, "lr": 0.5}\n');
  const of = (id: string, { namedBy, ...rest }: typeof many, user = namedBy[0]) => ({ id, runFolders: [{ ...rest, namedBy: [user, ...namedBy.slice(1)] }] });
  // Root may read as either; only the number of the user tells them apart.
  const works = [of('many', many), of('endless', endless, 1), of('other', other, 1)];
  chmodSync(root, 0o755);
  const view = { version: 1, works, devices: [], conflicts: [] } as unknown as WorkView; // the fields that are looked at
  const lines: TextRecord[] = [];
  const source = new RunFoldersSource([], { now: Date.now, steady: (ms) => ms, pollMs: 20, work: () => view });
  t.after(() => source.stop());
  source.start({ samples() {}, text: (record) => void lines.push(record), event() {}, discovery() {}, failed: (error) => assert.fail(String(error)) }, new AbortController().signal);
  await until(() => lines.length > 0);
  assert.equal(lines[0]?.attributes.job, 'other');
  assert.match(source.health()[0]?.detail ?? '', /18 files, .*24 further files left out/);
}); // biome-ignore format: one line each
