// What a scan says of the event log of a BMC, and of the time of lines of PyTorch's own logger.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scan } from './scan-here.ts';

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
  const { stdout } = await scan([folder]);
  assert.match(stdout, /Root cause {2}power supply failed on gx-09 psu #0x54\n/);
  assert.match(stdout, /Do {10}replace gx-09 psu #0x54, /);
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
  const { stdout } = await scan(['--json', folder]);
  const { incidents } = JSON.parse(stdout);
  assert.deepEqual(
    incidents.map((incident: { root: { kind: string } | null }) => incident.root?.kind),
    ['nic.port_down'],
  );
});

test('a saved Redfish log is read whole, each entry on its own time, of the host in the name', async (t) => {
  const entry = { Created: '2026-11-29T13:00:02+01:00', Id: '3', EntryType: 'Oem', MessageId: 'IDRAC.2.8.PSU0001' };
  const lines = JSON.stringify({ Members: [{ ...entry, Message: 'Power supply 2 failed.' }] }, null, 2).split('\n');
  const folder = saved(t, { 'sel-gx-09.json': lines });
  const { stdout } = await scan(['--json', folder]);
  const { events, inputs, incidents } = JSON.parse(stdout);
  assert.equal(inputs[0].format, 'redfish_log');
  assert.deepEqual(
    events.map(({ kind, time, component }: Event) => [kind, time, component.type, component.id]),
    [['psu.failure', '2026-11-29T12:00:02Z', 'psu', 'gx-09/2']],
  );
  assert.equal(incidents.length, 1);
});

interface Event {
  readonly kind: string;
  readonly time: string;
  readonly component: { readonly type: string; readonly id: string };
}

test('a test of dcgmi that failed is said by its name and by the GPU that dcgmi counts, with its own lines', async (t) => {
  const folder = saved(t, {
    'dcgmi-diag.txt': [
      '+---------------------------+------------------------------------------------+',
      '| Diagnostic                | Result                                         |',
      '+===========================+================================================+',
      '|-----  Integration  -------+------------------------------------------------|',
      '| PCIe                      | Fail - GPU: 5                                  |',
      '| Warning                   | GPU 5 Detected 120 PCIe replays for GPU 5, wh  |',
      '|                           | ich is above the maximum of 8                  |',
      '+---------------------------+------------------------------------------------+',
    ],
  });
  const { stdout } = await scan([folder]);
  assert.match(stdout, /Root cause {2}GPU 5 \(DCGM\) failed the PCIe test/);
  assert.match(stdout, /Detected 120 PCIe replays/);
  assert.doesNotMatch(stdout, /does not name \(|without a name yet/);
});

test('what a program wrote goes by its name, and lines of its own log are quoted as they stand', async (t) => {
  const folder = saved(t, {
    'fabricmanager.log': [
      '[Nov 29 2026 04:00:00] [INFO] [tid 2201] Connected to 1 node.',
      '[Nov 29 2026 04:02:11] [ERROR] [tid 2201] detected NVSwitch fatal error 22013 on fid 0 on NVSwitch pci bus id 00000000:C4:00.0 physical id 3 port 28',
    ],
    'dmesg-gx-31.txt': [
      '[Sun Nov 29 04:02:11 2026] nvidia-nvswitch3: SXid (PCI:0000:c4:00.0): 22013, Fatal, Link 28 AUX/Minion Link DLREQ interrupt',
    ],
    syslog: ['Nov 29 05:02:11 gx-31 apcupsd[811]: Power failure.'],
  });
  const { stdout } = await scan([folder]);
  assert.match(stdout, /"detected NVSwitch fatal error 22013|"nvidia-nvswitch3: SXid/);
  assert.doesNotMatch(stdout, /"nv-fabricmanager: /);
  assert.match(stdout, /Evidence {7}2 items \((?:nv-fabricmanager 1, kernel log 1|kernel log 1, nv-fabricmanager 1)\)/);
  assert.match(stdout, /fatal NVSwitch error: SXid 22013, link(?: {3}| +28)/, 'reported by both, and one');
  assert.match(stdout, /UPS on battery {3}apcupsd\n/);
  assert.match(stdout, /Evidence {7}1 item \(apcupsd 1\)/);
});
