// The catalogue of file servers: each row reads its example, no other row does, and only the whole line counts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import catalog from '#catalog/file-servers.json' with { type: 'json' };
import { serverRow } from '../../src/detection/text/kernel/file-server-rows.ts';
import { decodeLines } from '../detection/text/lines.ts';

const SERVERS: readonly string[] = ['beegfs-storage storage02 [ID: 3]', 'beegfs-storage stor03 [ID: 3]', 'beegfs-storage stor03 [ID: 3]', 'beegfs-meta meta02 [ID: 2]', 'beegfs-meta meta02 [ID: 2]', 'beegfs-storage stor03 [ID: 3]', 'beegfs-storage stor03 [ID: 3]', 'beegfs-mgmtd', 'beegfs-mgmtd', 'beegfs target 12', 'gpfs quorum nodes', 'gpfs nsd01', 'gpfs train.example.com', 'gpfs fs1', 'gpfs daemon', 'gpfs fs1', 'gpfs fs1', 'gpfs fs1', 'gpfs daemon', 'gpfs quorum nodes', 'gpfs', 'gpfs 192.0.2.109', 'gpfs gx-04', 'gpfs gx-04', 'gpfs nsd03', 'gpfs gx-04', 'gpfs nsd03', 'gpfs nsd03', 'gpfs mlx5_0']; // biome-ignore format: in the order of the rows

test('each row reads its example, and says where it comes from', () => {
  assert.match(catalog.version, /^\d{4}\.\d{2}\.\d+$/);
  assert.equal(catalog.rows.length, SERVERS.length);
  for (const [i, { example, kind, source }] of catalog.rows.entries()) {
    const [event, ...others] = decodeLines([example]);
    assert.deepEqual(others, [], example);
    assert.deepEqual([event?.kind, event?.attributes?.server, event?.state], [kind, SERVERS[i], undefined], example);
    assert.equal(event?.component?.id, 'node-1', 'of the host that waits for it');
    assert.ok(source.length > 8, example);
  }
});

test('words of a row within other words are not a row', () => {
  for (const { example } of catalog.rows) {
    assert.equal(serverRow(`x ${example}`), null);
    assert.equal(serverRow(`${example} and more`), null);
  }
});

test('a connection that a node closes in order says nothing', () => {
  assert.deepEqual(decodeLines(['mmfs: [N] Close connection to 10.10.1.3 nsd01 <c0n2> (Node shutting down)']), []);
});
