// What a scan says of the event log of a BMC, and of the time of lines of PyTorch's own logger.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { faultline } from '../run-cli.ts';

function saved(t: TestContext, files: Readonly<Record<string, readonly string[]>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-scan-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, lines] of Object.entries(files)) writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
  return folder;
}

test('the supply that failed is named, on the host that the path names', async (t) => {
  const folder = saved(t, {
    'ipmi-sel-gx-09.txt': [
      '   2 | 11/29/2026 | 13:00:02 | Power Supply #0x54 | Failure detected | Asserted',
      '   3 | 11/29/2026 | 13:00:02 | Power Unit #0x40 | Redundancy Lost | Asserted',
    ],
  });
  const { stdout } = await faultline(['scan', folder]);
  assert.match(stdout, /Root cause {2}power supply failed on gx-09 psu #0x54\n/);
  assert.match(stdout, /Do {10}replace gx-09 psu #0x54 /);
  assert.match(stdout, /power supply redundancy lost/);
  assert.match(stdout, /Evidence {7}2 items \(ipmi-sel 2\)/);
  assert.match(stdout, /times without a zone are read as UTC/);
});

test("a timeout is of the time that PyTorch's logger wrote, and the link that broke before it is the root", async (t) => {
  const folder = saved(t, {
    'train-llama.log': [
      '[2026-11-29 13:04:00] iteration 4200 | loss 2.31',
      '[rank7]:[E1129 13:15:51.100 ProcessGroupNCCL.cpp:629] [Rank 7] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=8812, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600019 milliseconds before timing out.',
    ],
    'dmesg-gx-07.txt': ['[Sun Nov 29 13:05:44 2026] mlx5_core 0000:c1:00.0 ens3f0np0: Link down'],
  });
  const { stdout } = await faultline(['scan', '--json', folder]);
  const { incidents } = JSON.parse(stdout);
  assert.deepEqual(
    incidents.map((incident: { root: { kind: string } | null }) => incident.root?.kind),
    ['nic.port_down'],
  );
});
