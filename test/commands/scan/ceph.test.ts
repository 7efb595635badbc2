// What a scan says of the health of a Ceph cluster: an OSD that is down is not a stall.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { scan } from './scan-here.ts';
import { scannedLogs } from './scanned.ts';

const CHECKS = [
  ['1 osds down (OSD_DOWN)', 'Ceph OSD down', 'ceph osd tree down'],
  [
    'Reduced data availability: 12 pgs inactive, 12 pgs down (PG_AVAILABILITY)',
    'Ceph placement groups not available',
    'ceph pg dump_stuck inactive',
  ],
] as const;

test('a check of Ceph that failed is called by what it found, with the commands that name it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-ceph-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [check, title, command] of CHECKS) {
    const file = join(folder, 'ceph.log');
    writeFileSync(
      file,
      `2026-11-30T04:30:00.000112+0000 mon.a (mon.0) 1123 : cluster [WRN] Health check failed: ${check}\n`,
    );
    const { stdout, stderr } = await scan(['--host', 'mon-a', file]);
    const text = stdout.replace(/\n +/g, ' ');
    assert.ok(text.includes(`Root cause  ${title} on mon-a`), text + stderr);
    assert.ok(text.includes(command), text);
    assert.doesNotMatch(text, /osdmon-a|osdthat/, 'no unit is called after the host');
    assert.doesNotMatch(text, /storage stalled|iostat|\/proc\/mounts/);
  }
});

const at = (minute: number, text: string): string =>
  `2026-11-30T04:${String(minute).padStart(2, '0')}:00.000112+0000 mon.stor-01 (mon.0) ${minute} : cluster ${text}\n`;

test('a check that failed is over when its own end is said, not by that of another', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-ceph-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'ceph.log');
  const began = [
    at(0, '[WRN] Health check failed: 12 osds down (OSD_DOWN)'),
    at(1, '[WRN] Health check failed: Reduced data availability: 4 pgs inactive (PG_AVAILABILITY)'),
    at(2, '[WRN] Health check failed: Degraded data redundancy: 9/90 objects degraded, 4 pgs degraded (PG_DEGRADED)'),
    at(3, '[INF] Health check cleared: PG_AVAILABILITY (was: Reduced data availability: 4 pgs inactive)'),
  ];
  writeFileSync(file, began.join(''));
  const still = (await scan([file])).stdout;
  assert.match(still, /^1 incident out of/m, still);
  assert.match(still, /Root cause {2}Ceph OSD down on stor-01\n[\s\S]*Do {10}find out why the OSD is down/);
  writeFileSync(file, [...began, at(9, '[INF] Health check cleared: OSD_DOWN (was: 12 osds down)')].join(''));
  const over = (await scan([file])).stdout;
  assert.match(over, /Do {10}nothing now, it is over since 04:09:00 UTC; where it comes back: find out why/, over);
});

test('the host whose OSDs are down is the one to look at, where the details of the check name one', async (t) => {
  const detail = (hosts: readonly string[]): string[] => [
    'HEALTH_WARN 4 osds down',
    '[WRN] OSD_DOWN: 4 osds down',
    ...hosts.map((host, i) => `    osd.${i + 3} (root=hdd,rack=r2,host=${host}) is down`),
  ];
  const one = await scannedLogs(t, { 'health.txt': detail(['store-4', 'store-4']) });
  assert.match(one, /Do {10}see whether store-4 is up, whose OSDs are down/);
  assert.match(one, /Now {9}ping -c 3 store-4; ssh store-4 uptime/);
  assert.match(one, /Call {8}who runs store-4, then who runs the Ceph cluster\n/);
  const two = await scannedLogs(t, { 'health.txt': detail(['store-4', 'store-5']) });
  assert.match(two, /Do {10}find out why the OSD is down/);
});
