// faultline acting: the switch and the record, by files alone.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { allowActing, showActing, stopActing } from '../../src/commands/acting/acting.ts';
import type { CommandIo } from '../../src/commands/common/command-io.ts';

const ESCAPE = String.fromCharCode(27);

function place(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-acting-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, 'faultline.yaml');
  writeFileSync(config, `host: node-3\ndirectories: {state: ${folder}, log: ${folder}, runtime: ${folder}}\nacting: {mode: dry_run, rules: [{action: taint, kinds: [gpu.lost], hosts: ['*']}]}\n`);
  const out: string[] = [];
  const stream = { write: (text: string) => out.push(text) > 0 };
  const io = { stdout: stream, stderr: stream, now: () => Date.UTC(2026, 10, 29), timeZone: 'UTC', colour: false } as unknown as CommandIo; // of which the command uses these
  return { folder, config, io, out };
} // biome-ignore format: one line each

test('stop makes the file that the sink looks for, with who and why, and leaves one that is there; allow removes it', async (t) => {
  const { folder, config, io, out } = place(t);
  const path = join(folder, 'acting.stop');
  await stopActing({ config, by: 'anna', why: 'CHG-1' }, io);
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), { schema: 'faultline/acting-stop/1', by: 'anna', why: 'CHG-1', time: '2026-11-29T00:00:00.000Z' }); // biome-ignore format: one line
  await stopActing({ config, by: 'bob' }, io);
  assert.match(readFileSync(path, 'utf8'), /anna/);
  await allowActing({ config }, io);
  assert.equal(existsSync(path), false);
  await allowActing({ config }, io);
  assert.match(out.at(-1) ?? '', /^dry run: it is said what would be done; 1 rules/);
});

test('log shows the newest records, also where a line is damaged, and whether it is stopped', async (t) => {
  const { folder, config, io, out } = place(t);
  await showActing({ config }, io);
  const record = { time: '2026-11-29T00:00:00Z', step: 'refused', action: 'taint', target: 'host/node-3', incident_id: '7f3c41d2a0b1', type: 'breaker', why: `1 of 4 ${ESCAPE}[31m`, words: 'PATCH' }; // biome-ignore format: one line
  writeFileSync(join(folder, 'acting.jsonl'), `${JSON.stringify(record)}\n{"torn\n`);
  out.length = 0;
  await showActing({ config }, io);
  assert.match(out[0] ?? '', /^2026-11-29T00:00:00Z {2}refused {3}taint {2}host\/node-3 {2}7f3c41 {2}breaker: 1 of 4/);
  assert.equal(out.join('').includes(ESCAPE), false);
  assert.match(out[1] ?? '', /^not a record/);
});
