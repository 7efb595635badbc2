// Two logs of one host that report the same moment: both are events of their own, and one fault is counted once.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { faultline } from '../run-cli.ts';

interface Scanned {
  readonly events: readonly { id: string; evidence: readonly { text: string; place: string }[] }[];
}

function saved(t: TestContext, files: Readonly<Record<string, readonly string[]>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-scan-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, lines] of Object.entries(files)) writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
  return folder;
}

async function eventsOf(folder: string): Promise<Scanned['events']> {
  return JSON.parse((await faultline(['scan', '--json', folder])).stdout).events;
}

const KILLED = (pid: number, name: string): string =>
  `Nov 29 02:00:00 gx-07 kernel: Out of memory: Killed process ${pid} (${name}) total-vm:9000000kB, anon-rss:8000000kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:900kB oom_score_adj:0`;

test('what two logs of a host report of one second, both in their first line, is two events', async (t) => {
  const events = await eventsOf(saved(t, { 'a.log': [KILLED(11, 'python')], 'b.log': [KILLED(12, 'ray')] }));
  const lines = events.map(({ evidence: [first] }) => /\((\w+)\)/.exec(first?.text ?? '')?.[1]);
  assert.deepEqual(lines.sort(), ['python', 'ray']);
  assert.equal(new Set(events.map(({ id }) => id)).size, 2);
});

const XID = 'Nov 29 02:00:00 gx-07 kernel: NVRM: Xid (PCI:0000:1b:00): 48, pid=0, DBE (double bit error)';

test('one line that two logs have is kept from both, and counted once; two of them in a log are two', async (t) => {
  const same = saved(t, { 'kern.log': [XID], syslog: [XID] });
  assert.deepEqual((await eventsOf(same)).map(({ evidence: [first] }) => first?.place.replace(/^.*\//, '')).sort(), [
    'kern.log:1',
    'syslog:1',
  ]);
  assert.match((await faultline(['scan', same])).stdout, /memory error \(XID 48\) {3}kernel log/);
  const twice = saved(t, { 'kern.log': [XID, XID], syslog: [XID, XID] });
  assert.match((await faultline(['scan', twice])).stdout, /memory error \(XID 48\), 2 times {3}kernel log/);
});
