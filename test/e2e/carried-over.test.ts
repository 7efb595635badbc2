// Carried over: the real daemon is killed between faults that come hours apart, and counts them all the same.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DaemonUnderTest, exitOf, type Json } from './daemon-under-test.ts';

interface Repeats {
  readonly devices: { readonly device: string; readonly happenings: { time_ms: number; pid: number }[] }[];
}

test('the third process on one SM of a GPU is hardware, with the daemon killed after each; a damaged file is named', async (t) => {
  const daemon = new DaemonUnderTest({ extra: 'correlation: {lateness: 1s, hold: 5s}\n' });
  t.after(() => daemon.close());
  const path = join(daemon.folder, 'state', 'repeats.json');
  const repeats = (): Repeats => JSON.parse(readFileSync(path, 'utf8')) as Repeats; // the daemon's own file
  const pids = (): number[] => (existsSync(path) ? (repeats().devices[0]?.happenings ?? []).map(({ pid }) => pid) : []);
  const faults = [101, 102, 103];
  for (const [i, pid] of faults.entries()) {
    const child = await daemon.start();
    daemon.kernel(`NVRM: Xid (PCI:0000:9b:00): 13, pid=${pid}, name=train, Graphics SM Warp Exception on (GPC 3, TPC 1, SM 0): Out Of Range Address`); // biome-ignore format: one line
    await daemon.until('the fault is noted', () => pids().includes(pid));
    if (i === 2) break;
    child.kill('SIGKILL');
    await exitOf(child);
    // So long ago that it is not a program that is started again and again.
    const left = repeats();
    for (const one of left.devices[0]?.happenings ?? []) one.time_ms -= 2 * 3_600_000;
    writeFileSync(path, JSON.stringify(left));
  }
  const action = await daemon.until('the GPU is to be inspected', () =>
    daemon
      .logged('incident')
      .map((incident) => incident.action as Json) // the incident's document
      .find(({ kind }) => kind === 'inspect_hardware'),
  );
  assert.match(String(action.why), /gpc 3, tpc 1, sm 0 under 3 processes/);
  assert.deepEqual([...new Set(pids())], faults);
  for (const { file, unwritten, damaged } of stateFiles(await daemon.status()))
    assert.deepEqual([unwritten, damaged], [null, null], String(file));

  const [child] = daemon.children();
  child?.kill('SIGKILL');
  await daemon.until('it is gone', () => daemon.children().length === 0);
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, 90));
  await daemon.start();
  const damaged = stateFiles(await daemon.status()).filter((file) => file.damaged !== null);
  assert.deepEqual(damaged.map(({ file }) => file), ['repeats.json']); // biome-ignore format: one line
  const { stdout } = await daemon.command('doctor', '--config', join(daemon.folder, 'faultline.yaml'));
  assert.match(
    stdout.replace(/\s+/g, ' '),
    /what earlier runs remembered is lost \(FL1209\): .*repeats\.json is damaged/,
  );
  assert.match(daemon.stderr, /FL1209 repeats\.json cannot be used/);
});

function stateFiles(status: Json | null): Json[] {
  const { files } = (status?.state ?? {}) as { files?: Json[] }; // contracts' status
  assert.ok(files !== undefined && files.length === 6);
  return files;
}
