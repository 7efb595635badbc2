// GPFS health: mmhealth's components one by one, each with its own part to see to and the right person to call.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const HEAD = [
  'Node name:      hx-6.site',
  'Node status:    FAILED',
  'Component      Status        Status Change     Reasons & Notices',
];
const FINE = 'GPFS           HEALTHY       9 days ago        -';

const ROWS: readonly (readonly [row: string, says: RegExp])[] = [
  ['GPFS           FAILED        3 min. ago        quorum_down', /Do +see why GPFS is down on hx-6\.site, then start it/],
  ['FILESYSTEM     FAILED        3 min. ago        stale_mount(home2)', /Do +see why GPFS home2 does not work on hx-6\.site, then mount it again .*mmmount home2/s],
  ['DISK           DEGRADED      3 min. ago        disk_down(nsd33)', /Do +see what disk nsd33 of GPFS has .*mmlsnsd -X -d nsd33/s],
  ['NETWORK        FAILED        3 min. ago        ib_rdma_link_down(mlx5_2/1)', /Root cause +NIC port down on hx-6\.site nic mlx5_2/],
  ['NETWORK        DEGRADED      3 min. ago        bond_degraded(bond0)', /Do +see the network of hx-6\.site that GPFS uses: bond_degraded/],
  ['NATIVE_RAID    DEGRADED      3 min. ago        gnr_pdisk_replaceable(e1d2s04)', /Do +see to e1d2s04 of the storage server hx-6\.site/],
  ['FILESYSMGR     DEGRADED      3 min. ago        some_event_to_come(x)', /mmhealth event show some_event_to_come/],
]; // biome-ignore format: one row a line

for (const [row, says] of ROWS)
  test(row.replace(/ +/g, ' '), async (t) => {
    const lines = row.startsWith('GPFS') ? [...HEAD, row] : [...HEAD, FINE, row];
    const text = await scannedLogs(t, { 'mmhealth.txt': lines });
    assert.equal(text.match(/^INCIDENT/gm)?.length, 1, text);
    assert.match(text, says);
  });

test('a way to the file system that fails with its daemon does not hide the daemon', async (t) => {
  const text = await scannedLogs(t, {
    'mmhealth.txt': [
      ...HEAD,
      'NETWORK        DEGRADED      3 min. ago        no_rx_errors(eth0)',
      'GPFS           FAILED        3 min. ago        gpfs_down',
    ],
  });
  assert.match(text, /Do +see why GPFS is down on hx-6\.site/);
});
