// Tests of the demo command's usage: what is wrong is said with status 2, and nothing is left behind.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PROGRAM } from '../program.ts';

const temporary = mkdtempSync(join(tmpdir(), 'faultline-demo-usage-'));
after(() => rmSync(temporary, { recursive: true }));

function demo(...words: string[]): Promise<{ status: unknown; out: string; err: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, TMPDIR: temporary };
    execFile(process.execPath, [PROGRAM, 'demo', ...words], { env }, (error, out, err) =>
      resolve({ status: error?.code ?? 0, out, err }),
    );
  });
}

const wrong: readonly [string, string[], RegExp][] = [
  ['a scenario that is not shipped', ['--scenario', 'power-sagg'], /FL5103/],
  ['a file that is not there', ['--scenario', './nowhere.yaml'], /nowhere\.yaml: does not exist.*FL5104/],
  ['a file that never ends', ['--scenario', '/dev/zero'], /\/dev\/zero: is not a regular file, but a device.*FL5104/],
  ['a seed that is not a number', ['--seed', 'x'], /FL5111 --seed x is not a seed/],
  ['a negative seed', ['--seed=-1'], /FL5111/],
];

for (const [name, words, message] of wrong) {
  test(`refuses ${name}`, async () => {
    const { status, out, err } = await demo(...words);
    assert.equal(status, 2);
    assert.equal(out, '');
    assert.match(err, message);
    assert.deepEqual(readdirSync(temporary), []);
  });
}

test('a mistake in a scenario file is reported with file, line and column', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline scenario '));
  const file = join(folder, 'mine.yaml');
  writeFileSync(
    file,
    'name: mine\ntitle: Mine\nduration: soon\nworld: { hosts: [{ name: a }] }\ntimeline: []\ntruth: { incidents: [] }\n',
  );
  const { status, err } = await demo('--scenario', file);
  rmSync(folder, { recursive: true });
  assert.equal(status, 2);
  assert.ok(err.includes(`${file}:3:11: duration must be a duration like 8s or 412ms, not soon [FL5101]`), err);
});
