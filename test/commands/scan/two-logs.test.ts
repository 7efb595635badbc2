// Two logs of one host that report the same moment: both are events of their own, and one fault is counted once.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scan } from './scan-here.ts';

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
  return JSON.parse((await scan(['--json', folder])).stdout).events;
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
  assert.match((await scan([same])).stdout, /memory error \(XID 48\) {3}kernel log/);
  const twice = saved(t, { 'kern.log': [XID, XID], syslog: [XID, XID] });
  assert.match((await scan([twice])).stdout, /memory error \(XID 48\), 2 times {3}kernel log/);
});

test('lines of one second are in the order of the kernel’s own stamps, whichever of them a second log has', async (t) => {
  const at = (stamp: string, xid: string): string =>
    `Nov 29 02:00:00 gx-07 kernel: [${stamp}] NVRM: Xid (PCI:0000:1b:00): ${xid}`;
  const lines = [
    at('91341.221011', '48, pid=9, DBE (double bit error) encountered'),
    at('91341.221044', '63, pid=9, Row Remapper: New row marked for remapping, reset gpu to activate.'),
    at('91341.233112', '94, pid=9, Contained: SM (0x1). RST: No, D-RST: No'),
  ];
  const alone = (await scan([saved(t, { 'kern.log': lines })])).stdout;
  assert.match(alone, /\n1 incident out of 3 events/);
  assert.match(alone, /Root cause +uncorrectable GPU memory error on gx-07/);
  assert.match(alone, /XID 48[\s\S]*XID 63[\s\S]*XID 94/);
  assert.doesNotMatch(alone, / followed /);
  const both = (await scan([saved(t, { 'kern.log': lines, syslog: lines.slice(1) })])).stdout;
  assert.match(both, /\n1 incident out of /);
  assert.match(both, /Root cause +uncorrectable GPU memory error on gx-07/);
  assert.doesNotMatch(both, /, \d+ times/);
});

test('kernel lines of one second that have no stamp of their own are in the order in which they were written', async (t) => {
  for (const head of ['Nov 29 02:00:00 gx-07 kernel: ', '[Sun Nov 29 02:00:00 2026] '])
    for (const [first, second, root] of [
      [
        '48, pid=77, DBE (double bit error) encountered',
        '94, pid=77, Contained: SM (0x1). RST: No, D-RST: No',
        'uncorrectable',
      ],
      [
        '94, pid=77, Contained: SM (0x1). RST: No, D-RST: No',
        '48, pid=77, DBE (double bit error) encountered',
        'contained',
      ],
    ] as const) {
      const lines = [first, second].map((xid) => `${head}NVRM: Xid (PCI:0000:1b:00): ${xid}`);
      const { stdout } = await scan(['--host', 'gx-07', saved(t, { 'dmesg.log': lines })]);
      assert.match(stdout, /\n1 incident out of 2 events/);
      assert.match(stdout, new RegExp(`Root cause +${root} GPU memory error on gx-07`));
    }
});
