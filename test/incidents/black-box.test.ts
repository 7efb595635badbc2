import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BlackBox, type BlackBoxOptions } from '../../src/incidents/black-box.ts';
import type { Work } from '../../src/model/work.ts';
import { folder, names, until } from './log/folder.ts';
import { incident, T0 } from './sample.ts';

const ID = '7f3c41d2a0b1';
const KEYS = [
  'pdu_phase/pdu-b-rack-14/1#voltage',
  'gpu/0000:1b:00.0#power',
  'gpu/0000:ff:00.0#power',
  'job/x#step_time',
];

/** A core whose every series has a sample each `stepMs` from ten minutes before the incident to five after. */
function core(stepMs: number, keys = KEYS) {
  return {
    seriesKeys: () => keys,
    history: (_key: string, fromMs: number, toMs: number) => {
      const times: number[] = [];
      for (let at = T0 - 600_000; at <= T0 + 300_000; at += stepMs) if (at >= fromMs && at <= toMs) times.push(at);
      return {
        timesMs: Float64Array.from(times),
        values: Float64Array.from(times, (at) => (at === T0 ? 999 : 100.123456789)),
      };
    },
  };
}

function box(
  directory: string,
  of = core(1000),
  more: Partial<BlackBoxOptions> = {},
): { box: BlackBox; troubles: string[] } {
  const troubles: string[] = [];
  const onTrouble = (code: string, detail: string): void => void troubles.push(`${code} ${detail}`);
  const now = (): number => T0 + 1000;
  return { box: new BlackBox(of, { directory, maxBytes: 1 << 30, maxAgeMs: 1e15, onTrouble, now, ...more }), troubles };
}

interface Row {
  readonly time: string;
  readonly key: string;
  readonly value: number;
}

function read(path: string | null): Row[] {
  const [header, ...rows] = readFileSync(path ?? '', 'utf8')
    .trimEnd()
    .split('\n');
  assert.equal(header, 'time,component,quantity,value');
  return rows.map((row) => {
    const [time = '', component, quantity, value] = row.split(',');
    return { time, key: `${component}#${quantity}`, value: Number(value) };
  });
}

const keysOf = (rows: readonly Row[]): string[] => [...new Set(rows.map(({ key }) => key))];

test('each snapshot is reported as work, and each that is not saved with its reason', async (t) => {
  const directory = join(folder(t), 'log');
  const reported: Work[] = [];
  const onWork = (work: Work): void => void reported.push(work);
  await box(directory, core(1000), { onWork }).box.save(incident(ID));
  await box(directory, core(1000, []), { onWork }).box.save(incident(ID));
  const file = join(folder(t), 'file');
  writeFileSync(file, '');
  const { box: blackBox, troubles } = box(join(file, 'log'), core(1000), { onWork });
  await blackBox.save(incident(ID));
  assert.deepEqual(
    reported.map(({ name, skipped, error }) => [name, skipped, error]),
    [
      ['BlackBox/Save', undefined, undefined],
      ['BlackBox/Save', 'no samples of its components are kept', undefined],
      ['BlackBox/Save', reported[2]?.error, reported[2]?.error],
    ],
  );
  assert.match(String(reported[2]?.skipped), /ENOTDIR/);
  assert.match(troubles.join(), /FL3110 .*ENOTDIR/);
});

test('the window around the opening is saved for the chain’s components and the jobs', async (t) => {
  const directory = join(folder(t), 'log');
  const { box: blackBox } = box(directory);
  const path = await blackBox.save(incident(ID));
  assert.equal(path, join(directory, `${ID}.samples.csv`));
  const rows = read(path);
  assert.deepEqual(keysOf(rows), [KEYS[0], KEYS[1], KEYS[3]]);
  for (const key of keysOf(rows)) {
    const own = rows.filter((row) => row.key === key);
    assert.equal(own.length, 121);
    assert.deepEqual([own[0]?.time, own[120]?.time], ['2026-11-27T14:31:00.000Z', '2026-11-27T14:33:00.000Z']);
    assert.deepEqual([own[0]?.value, own[60]?.value], [100.1235, 999]);
  }
  assert.equal(statSync(path ?? '').mode & 0o777, 0o640);
  assert.deepEqual(names(directory), [`${ID}.samples.csv`]);
});

test('a snapshot stays under its cap and keeps the peak', async (t) => {
  const keys = Array.from({ length: 100 }, (_, index) => `job/j${index}#power`);
  const { box: blackBox } = box(folder(t), core(20, keys));
  const path = await blackBox.save(incident(ID));
  assert.ok(statSync(path ?? '').size <= 4 * 1024 * 1024);
  const rows = read(path);
  assert.equal(keysOf(rows).length, 100);
  for (const key of keysOf(rows)) {
    const own = rows.filter((row) => row.key === key);
    assert.ok(own.length < 1000 && own.some(({ value }) => value === 999), key);
  }
});

test('what is still waiting for its minute is saved when the daemon stops', async (t) => {
  const directory = folder(t);
  const { box: blackBox } = box(directory);
  const path = await blackBox.take(incident(ID));
  assert.ok(path !== null);
  writeFileSync(path, 'gone');
  await blackBox.close();
  assert.equal(keysOf(read(path)).length, 3);
});

test('a name that a user wrote cannot break a row', async (t) => {
  const hostile = 'job/a,"b"\n=1#step_time';
  const { box: blackBox } = box(folder(t), core(60_000, [hostile]));
  const path = await blackBox.save(incident(ID));
  const [, row] = readFileSync(path ?? '', 'utf8').split('\n');
  assert.equal(row, '2026-11-27T14:31:00.000Z,"job/a,""b"" =1",step_time,100.1235');
});

test('it is taken when the incident opens and once more when the window is complete, with the chain known by then', async (t) => {
  const directory = folder(t);
  let now = T0 + 1000;
  const keys = ['gpu/0000:1b:00.0#power', 'gpu/0000:ff:00.0#power'];
  const late = { ...core(1000, keys) };
  const { box: blackBox } = box(directory, late, { now: () => now, afterMs: 1050 });
  const opened = incident(ID);
  assert.ok((await blackBox.take(opened)) !== null);
  const [link] = opened.chain;
  assert.ok(link);
  const added = { ...link, component: { type: 'gpu', id: '0000:ff:00.0' } } as const;
  now = T0 + 1001;
  assert.equal(await blackBox.take(incident(ID, { revision: 2, chain: [...opened.chain, added] })), null);
  const path = join(directory, `${ID}.samples.csv`);
  const keep = setInterval(() => undefined, 10); // the black box's own timer holds no process
  await until(() => keysOf(read(path)).length === 2);
  clearInterval(keep);
  await blackBox.close();
  assert.equal(await blackBox.take(incident(ID, { revision: 3 })), null);
});

test('where the rings hold nothing, nothing is saved and nothing is wrong', async (t) => {
  const directory = folder(t);
  const { box: blackBox, troubles } = box(directory, core(1000, []));
  assert.equal(await blackBox.save(incident(ID)), null);
  assert.deepEqual([names(directory), troubles], [[], []]);
});

test('it never throws: a core, a disk or an id that will not do is reported', async (t) => {
  const directory = folder(t);
  writeFileSync(join(directory, 'file'), '');
  const broken = {
    seriesKeys: () => KEYS,
    history: () => {
      throw new Error('closed');
    },
  };
  const cases = [box(directory, broken), box(join(directory, 'file', 'x')), box(directory)] as const;
  assert.equal(await cases[0].box.save(incident(ID)), null);
  assert.equal(await cases[1].box.save(incident(ID)), null);
  assert.equal(await cases[2].box.save(incident('../../etc/passwd')), null);
  for (const { troubles } of cases) assert.match(troubles.join(), /^FL3110 the samples around incident /);
  assert.deepEqual(names(directory), ['file']);
});

test('a link in the snapshot’s place is replaced, not followed', async (t) => {
  const directory = folder(t);
  const victim = join(directory, 'victim');
  writeFileSync(victim, 'keep me');
  for (const name of [`${ID}.samples.csv`, `${ID}.samples.csv.new`]) symlinkSync(victim, join(directory, name));
  const { box: blackBox } = box(directory);
  await blackBox.save(incident(ID));
  assert.equal(readFileSync(victim, 'utf8'), 'keep me');
  assert.equal(keysOf(read(join(directory, `${ID}.samples.csv`))).length, 3);
});

test('the folder stays under its caps: what is old, then what is oldest, goes; other files stay', async (t) => {
  const directory = folder(t);
  mkdirSync(directory, { recursive: true });
  const write = (name: string, ageMs: number): void => {
    writeFileSync(join(directory, name), Buffer.alloc(10_000));
    utimesSync(join(directory, name), T0 / 1000, (T0 - ageMs) / 1000);
  };
  write('aaaa.samples.csv', 1_000);
  write('bbbb.samples.csv', 2_000);
  write('cccc.samples.csv', 3_000);
  write('dddd.samples.csv', 500_000);
  write('eeee.samples.json', 500_000);
  write('incidents.jsonl', 500_000);
  // As a crash while one was written leaves it: it counts for nothing and goes, however new.
  write('ffff.samples.csv.new', 500);
  const { box: blackBox } = box(directory, core(1000), { maxBytes: 50_000, maxAgeMs: 100_000 });
  const path = await blackBox.save(incident(ID));
  assert.ok(path !== null && existsSync(path));
  assert.deepEqual(names(directory), [`${ID}.samples.csv`, 'aaaa.samples.csv', 'bbbb.samples.csv', 'incidents.jsonl']);
});

test('the age of files is measured by the clock that they are stamped by, where that is another one', async (t) => {
  const directory = folder(t);
  mkdirSync(directory, { recursive: true });
  for (const [name, ageMs] of [
    ['aaaa', 1_000],
    ['bbbb', 500_000],
  ] as const) {
    writeFileSync(join(directory, `${name}.samples.csv`), '');
    utimesSync(join(directory, `${name}.samples.csv`), T0 / 1000, (T0 - ageMs) / 1000);
  }
  const limits = { maxBytes: 1 << 30, maxAgeMs: 100_000 };
  const { box: blackBox } = box(directory, core(1000), { ...limits, now: () => T0 + 1e12, fileNow: () => T0 });
  await blackBox.save(incident(ID));
  assert.deepEqual(names(directory), [`${ID}.samples.csv`, 'aaaa.samples.csv']);
});
