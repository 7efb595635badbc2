// What a device plugin logs of a GPU's XID, and that it takes the GPU out: one fault of that GPU.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { faultline } from '../run-cli.ts';

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
    const { incidents } = JSON.parse((await faultline(['scan', '--json', folder])).stdout);
    assert.deepEqual(
      incidents.map(({ root }: { root: { kind: string; component: { id: string } } }) => [
        root.kind,
        root.component.id,
      ]),
      [[kind, 'GPU-1d0b']],
    );
  });
