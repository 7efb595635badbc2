// What a scan says of the health of a Ceph cluster: an OSD that is down is not a stall.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { faultline } from '../run-cli.ts';

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
    const { stdout, stderr } = await faultline(['scan', '--host', 'mon-a', file]);
    const text = stdout.replace(/\n +/g, ' ');
    assert.ok(text.includes(`Root cause  ${title} on mon-a`), text + stderr);
    assert.ok(text.includes(command), text);
    assert.doesNotMatch(text, /storage stalled|iostat|\/proc\/mounts/);
  }
});
