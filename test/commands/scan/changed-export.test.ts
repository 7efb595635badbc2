// What a scan says where an NFS server gives a client other files or no locks: the server is to be looked at, and no disk of the client.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

for (const [said, title] of [
  ['server vault-2.lan error: fileid changed', 'vault-2.lan gave another file than before'],
  ['vault-2.lan: lost 31 locks', 'vault-2.lan lost 31 locks'],
] as const)
  test(said, async (t) => {
    const text = await scannedLogs(t, { 'kern.log': [`Nov 29 21:40:08 hx-31 kernel: NFS: ${said}`] });
    assert.ok(text.includes(`storage I/O error on hx-31: ${title}`), text);
    assert.match(text, /Do +look after file server vault-2\.lan/);
    assert.match(text, /Now +on hx-31, grep vault-2\.lan \/proc\/mounts/);
    assert.match(text, /Call +who runs vault-2\.lan, then who runs jobs on hx-31\n/);
    assert.doesNotMatch(text, /smartctl|swapped/);
  });
