// What a scan says where a file server gave up one of its clients: the client is to be looked at, and not the disks of the server.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const LINES: readonly (readonly [line: string, address: string, network: string])[] = [
  ["Lustre: work-OST0012: haven't heard from client 1f0c0a52-77aa (at 172.18.4.33@tcp1) in 227 seconds. I think it's dead, and I am evicting it. exp ffff9a3c, cur 1796028611 expire 1796028461 last 1796028384", '172.18.4.33', 'tcp1'],
  ['Lustre: work-MDT0001: A client on nid 172.18.4.34@o2ib3 was evicted due to a lock blocking callback time out: rc -107', '172.18.4.34', 'o2ib3'],
]; // biome-ignore format: a line each

for (const [line, address, network] of LINES)
  test(`${address}: its server is well`, async (t) => {
    const text = await scannedLogs(t, {
      'oss-6.log': [
        `Nov 30 08:50:11 oss-6 kernel: ${line}`,
        `Nov 30 08:51:30 oss-6 kernel: LNetError: 2201:0:(o2iblnd_cb.c:3487:kiblnd_check_conns()) Timed out RDMA with ${address}@${network} (107): c: 0, oc: 0, rc: 8`,
      ],
    });
    assert.ok(text.includes(`client ${address}@${network} given up`), text);
    assert.ok(text.includes(`Do          see whether client ${address} on ${network} is up`), text);
    assert.ok(text.includes(`sudo lctl ping ${address}@${network}`), text);
    assert.match(text, new RegExp(`Call +who runs ${address}, then who runs the file system`));
    assert.doesNotMatch(text, /iostat|slow disk/);
  });
