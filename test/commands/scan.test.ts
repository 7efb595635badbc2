// faultline scan, as its process prints it.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { faultline } from './run-cli.ts';

const LOST = [
  'Feb 14 05:03:41 node-a kernel: NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off the bus.',
  'Feb 14 05:03:41 node-a kernel: NVRM: GPU 0000:9b:00.0: GPU has fallen off the bus.',
  'Feb 14 05:03:42 node-b kernel: NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.',
].join('\n');

function saved(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-scan-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'messages.txt');
  writeFileSync(path, text);
  return path;
}

test('a log of two hosts gives an incident of each, by contract', async (t) => {
  const { status, stdout, stderr } = await faultline(['scan', '--json', saved(t, LOST)]);
  assert.equal(status, 0, stderr);
  const { schema, inputs, incidents, events, progress, readings } = JSON.parse(stdout);
  assert.equal(schema, 'faultline/scan/1');
  assert.deepEqual(inputs.map(({ format, lines, undated_lines: undated }: Record<string, unknown>) => [format, lines, undated]), [['syslog_rfc3164', 3, 0]]); // biome-ignore format: one line
  const found = incidents.map((incident: { host: string; root: { kind: string; component: { id: string } } }) => [
    incident.host,
    incident.root.kind,
    incident.root.component.id,
  ]);
  assert.deepEqual(found.sort(), [
    ['node-a', 'gpu.lost', '0000:9b:00.0'],
    ['node-b', 'gpu.lost', '0000:3b:00.0'],
  ]);
  assert.ok(events.length >= 2);
  assert.deepEqual([progress, readings], [[], []]);
});

test('what is found can decide the exit status', async (t) => {
  const path = saved(t, LOST);
  assert.equal((await faultline(['scan', '--fail-on', 'critical', path])).status, 1);
  const calm = saved(t, 'Feb 14 05:03:41 node-a kernel: EXT4-fs (md127p3): re-mounted r/w. Quota mode: none.\n');
  assert.equal((await faultline(['scan', '--fail-on', 'info', calm])).status, 0);
});

test('text says who broke and what to do', async (t) => {
  const { stdout } = await faultline(['scan', saved(t, LOST)]);
  assert.match(stdout, /INCIDENT [0-9a-f]{6} +critical/);
  assert.match(stdout, /Do +reboot node-a/);
});
