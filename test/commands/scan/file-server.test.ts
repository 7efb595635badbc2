// What a scan says to type where a client waits for a file server: on the client, with the server's address and service.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const CASES: Readonly<Record<string, { readonly log: string; readonly line: string; readonly says: readonly string[] }>> = {
  'BeeGFS in the kernel log': {
    log: 'kern.log',
    line: '2026-11-29T08:10:02+00:00 cn-31 kernel: beegfs: tar(7210): Messaging (RPC): Receive failed from beegfs-meta bee-m2 [ID: 9] @ 172.20.1.9:8005 (recv result: -104)',
    says: ['Do look after beegfs-meta on bee-m2', 'Now on cn-31, nc -zv 172.20.1.9 8005; beegfs-ctl --listtargets --nodetype=meta --state', 'on bee-m2, systemctl status beegfs-meta', 'Call who runs the file system'],
  },
  "BeeGFS in its client's own log": {
    log: 'beegfs-client-cn-31.log',
    line: '(2) Nov29 08:10:02 tar(7210) [writefile (communication)] >> Receive failed from: beegfs-storage bee-s4 [ID: 4] @ 172.20.1.4:8003',
    says: ['beegfs-storage bee-s4 [ID: 4] does not answer', 'nc -zv 172.20.1.4 8003; beegfs-ctl --listtargets --nodetype=storage --state', 'on bee-s4, systemctl status beegfs-storage'],
  },
  'SMB': {
    log: 'kern.log',
    line: '2026-11-29T08:10:02+00:00 cn-31 kernel: CIFS: VFS: \\\\share-1 has not responded in 180 seconds. Reconnecting...',
    says: ['Now on cn-31, ping -c 3 share-1; nc -zv share-1 445'],
  },
  'a target of Lustre whose server no line names': {
    log: 'lfs-cn-31.txt',
    line: 'work-OST001c-osc-ffff8f21: check error: Resource temporarily unavailable (11)',
    says: ['look after the file server of work-OST001c', 'sudo lctl get_param -n osc.work-OST001c-*.import', 'Call who runs the file system'],
  },
  'a metadata server of Ceph': {
    log: 'kern.log',
    line: '2026-11-29T08:10:02+00:00 cn-31 kernel: ceph: mds0 hung',
    says: ['Do see whether mds.0 of Ceph is up', 'ceph fs status names its host', 'Call who runs the Ceph cluster'],
  },
}; // biome-ignore format: a case a line

for (const [name, { log, line, says }] of Object.entries(CASES))
  test(name, async (t) => {
    const text = (await scannedLogs(t, { [log]: [line] })).replaceAll(/\s+/g, ' ');
    for (const part of says) assert.ok(text.includes(part), `${part}\n${text}`);
  });

test('what a terminal showed of lfs is of the host of its prompt', async (t) => {
  const text = await scannedLogs(t, {
    'paste.txt': ['[ops@cn-77 ~]$ lfs check osts', 'work-OST001c-osc-ffff8f21: check error: Cannot send after transport endpoint shutdown (108)'], // biome-ignore format: one log
  });
  assert.match(text, /storage stalled on cn-77: work-OST001c does not answer/);
});

test('the name of a server that has the sign of a placeholder in it is said whole', async (t) => {
  const line =
    "[Mon Nov 23 09:03:20 2026] LustreError: 15c-8: MGC10.40.0.2@o2ib: The configuration from log 'scratch-client' failed (-5). This may be the result of communication errors between this node and the MGS, a bad configuration, or other errors. See the syslog for more information.";
  const text = await scannedLogs(t, { 'dmesg-gx-3.txt': [line] });
  assert.match(text, /Do +look after the file server MGC10\.40\.0\.2@o2ib: its service/);
});
