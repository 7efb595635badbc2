// What a device plugin logs of a GPU's XID, and that it takes the GPU out: one fault of that GPU.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { scan } from './scan-here.ts';
import { scannedLogs } from './scanned.ts';

for (const [xid, kind] of [
  [79, 'gpu.lost'],
  [69, 'gpu.app_fault'],
] as const)
  test(`XID ${xid} and the GPU marked for it are one incident`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'faultline-scan-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(
      join(folder, 'plugin.log'),
      [
        `I1128 11:02:10.120121       1 health.go:181] XidCriticalError: Xid=${xid} on Device=GPU-1d0b; marking device as unhealthy.`,
        "I1128 11:02:10.120122       1 server.go:242] 'nvidia.com/gpu' device marked unhealthy: GPU-1d0b",
        '',
      ].join('\n'),
    );
    const { incidents } = JSON.parse((await scan(['--json', folder])).stdout);
    assert.deepEqual(
      incidents.map(({ root }: { root: { kind: string; component: { id: string } } }) => [
        root.kind,
        root.component.id,
      ]),
      [[kind, 'GPU-1d0b']],
    );
  });

test('all devices at once are the end of their plugin, not of a GPU', async (t) => {
  const text = await scannedLogs(t, {
    'kubelet.log': [
      'Nov 29 21:02:12 gx-33 kubelet[2207]: I1129 21:02:12.111021    2207 manager.go:278] "Mark all resources Unhealthy for resource" resourceName="nvidia.com/gpu"',
    ],
  });
  assert.match(text, /gx-33 all devices unhealthy: their device plugin ended/);
  assert.match(text, /Now +kubectl get pods -A -o wide \| grep -i plugin says whether the device plugin of gx-33/);
});

test('events of a quiet cluster are read, though none of them is a fault', async (t) => {
  const text = await scannedLogs(t, {
    'events.txt': [
      'LAST SEEN   TYPE     REASON      OBJECT         MESSAGE',
      '12m         Normal   Scheduled   pod/web-1      Successfully assigned web/web-1 to gx-33',
      '11m         Normal   Started     pod/web-1      Started container web',
    ],
  });
  assert.match(text, /No incident: nothing worth an event/);
});
