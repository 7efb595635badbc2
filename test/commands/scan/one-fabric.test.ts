// One fabric: joins that the subnet manager refuses are one incident over the hosts, of its configuration and of no cable.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const join = (host: string, at: string, status = -22): string =>
  `Nov 28 07:${at} ${host} kernel: [99.1] ib0: multicast join failed for ff12:401b:8001:0000:0000:0000:ffff:ffff, status ${status}`;
const HOSTS = {
  'fx-1/kern.log': [join('fx-1', '10:02'), join('fx-1', '12:20')],
  'fx-2/kern.log': [join('fx-2', '10:02'), join('fx-2', '12:20')],
};
const SM = '[7F12A4D1] 0x01 ->';

function incidents(text: string): number {
  return text.match(/^INCIDENT/gm)?.length ?? 0;
}

test('joins that are refused on several hosts are one incident: the subnet manager, no cable and no drain', async (t) => {
  const text = await scannedLogs(t, HOSTS);
  assert.equal(incidents(text), 1, text);
  assert.match(text, /Root cause +the subnet manager refuses: joins refused on fx-1 and fx-2, partition 0x8001/);
  assert.match(text, /Call +who runs the InfiniBand fabric/);
  assert.doesNotMatch(text, /state=drain|kubectl cordon|reseat|optics/);
});

test('what the subnet manager says of its partitions is the root, with the line', async (t) => {
  for (const parse of ['/etc/opensm/partitions.conf:9: unrecognized partition flag', 'line 9: no such definition']) {
    const text = await scannedLogs(t, {
      ...HOSTS,
      'opensm.log': [
        `Nov 28 07:09:50 110031 ${SM} PARSE ERROR: ${parse}`,
        `Nov 28 07:09:50 110055 ${SM} osm_prtn_make_partitions: Partition configuration was not fully processed`,
      ],
    });
    assert.equal(incidents(text), 1, text);
    assert.match(text, /Root cause +opensm did not take line 9 of its partitions: joins refused on fx-1 and fx-2/);
    assert.match(text, /Do +correct the partition configuration of the subnet manager/);
    assert.doesNotMatch(text, /state=drain|kubectl cordon|reseat/);
  }
});

test('a join without an answer is of the link, as before, and warnings of its configuration are none', async (t) => {
  const text = await scannedLogs(t, { 'fx-1/kern.log': [join('fx-1', '10:02', -110)] });
  assert.match(text, /NIC link degraded on fx-1 nic ib0/);
  const quiet = await scannedLogs(t, {
    'opensm.log': [`Nov 28 07:09:50 110031 ${SM} PARSE WARN: /etc/opensm/partitions.conf:9: will use default`],
  });
  assert.match(quiet, /No incident/);
});

test('ports that ibdiagnet calls by their numbers alone have errors, too', async (t) => {
  const line =
    '-E- Sfc6a1c0300b00580/Nfc6a1c0300b00580/P1/17/1 - "symbol_error_counter" increased during the run (difference value=2711,difference allowed threshold=1)';
  const text = await scannedLogs(t, { 'ibdiagnet2.log': [line] });
  assert.match(text, /NIC link degraded on port Sfc6a1c0300b00580\/Nfc6a1c0300b00580\/P1\/17\/1/);
  assert.match(text, /Now +see what is at its other end/);
});
