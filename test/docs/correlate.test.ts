// The page about correlate: its first command runs as it is written, on the files next to it, and finds what the page says.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { faultline } from '../commands/run-cli.ts';
import { codeBlocks, ROOT, read } from './markdown.ts';

const PAGE = 'docs/guide/correlate.md';
const [first = ''] = codeBlocks(read(PAGE))
  .filter(({ info }) => info === 'sh')
  .map(({ text }) => text.trim());
const words = first.replace(/^\.\/scripts\/faultline /, '').split(' ');

test('the first command is of one line, and names files of the repository', () => {
  assert.match(first, /^\.\/scripts\/faultline correlate --events docs\/guide\/correlate\/\S+ [^\n]+$/);
});

test('it finds the sag that slowed the service, and nothing of the other service', async () => {
  const { status, stdout, stderr } = await faultline(
    words.map((word) => (word.includes('/') ? `${ROOT}/${word}` : word)),
  );
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /^Root cause {2}voltage sag on pdu-a-rack-7: 103\.1 V \(limit 109\.3 V\)$/m);
  assert.match(stdout, /^Effect {6}chat p99 latency 2\d\d(?:\.\d)? → 8\d\d(?:\.\d)? ms$/m);
  assert.equal(stdout.match(/^INCIDENT /gm)?.length, 1);
  assert.doesNotMatch(stdout, /embed/);
});

test("the files serve PowerTrace's scorer as well", async () => {
  const paths = words.map((word) => (word.includes('/') ? `${ROOT}/${word}` : word));
  const { status, stdout, stderr } = await faultline([...paths, '--scorer', 'powertrace', '--output', 'json']);
  assert.equal(status, 0, stderr);
  assert.ok(JSON.parse(stdout).report.incidents.length > 0);
});

test('each test that the page names for a weakness is there', () => {
  const named = [...read(PAGE).matchAll(/`([a-z/-]+\.test\.ts)`/g)].map(([, name = '']) => name);
  const missing = named.filter(
    (name) => !existsSync(join(ROOT, name.includes('/') ? '' : 'test/commands/correlate', name)),
  );
  assert.ok(named.length > 15, `${named.length}`);
  assert.deepEqual(missing, []);
});
