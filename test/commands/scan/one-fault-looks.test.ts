// What was printed of a fault later, or said of it by its clients and by the next start, is of that fault.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scan } from './scan-here.ts';
import { type Logs, scannedLogs } from './scanned.ts';

const SAVED_MS = Date.UTC(2026, 11, 1);

const kern = (time: string, host: string, text: string): string => `Nov 20 ${time} ${host} kernel: ${text}`;
const lustre = (target: string, at: string): string =>
  `Lustre: ${target}-osc-ffff9a: Connection to ${target} (at ${at}@o2ib) was lost; in progress operations using this service will wait for recovery to complete`;

async function incidentsOf(t: TestContext, logs: Logs): Promise<{ count: number; text: string }> {
  const text = await scannedLogs(t, logs);
  return { count: text.match(/^INCIDENT/gm)?.length ?? 0, text };
}

test('a list of sensors without a time shows the fan that the log of the BMC has; another fan is another fault', async (t) => {
  const logs = (fan: string): Logs => ({
    'sel.txt': ['1 | 11/20/2026 | 03:40:22 | Fan FAN7 | Lower Critical going low | Asserted'],
    'sensor.txt': [
      `${fan}             | 0.000      | RPM        | nr    | 300.000   | 500.000   | 700.000   | 25300.000 | 25400.000 | 25500.000`,
    ],
  });
  const { count, text } = await incidentsOf(t, logs('FAN7'));
  assert.equal(count, 1, text);
  assert.match(text, /seen (?:[\d-]+ )?03:40:22\n/);
  // Files of different minutes: when a list was saved is not when its lines were written.
  const folder = mkdtempSync(join(tmpdir(), 'faultline-looks-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [at, [name, lines]] of Object.entries(logs('FAN7')).entries()) {
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
    utimesSync(join(folder, name), new Date(SAVED_MS + at * 60_000), new Date(SAVED_MS + at * 60_000));
  }
  assert.match((await scan([folder])).stdout, /seen 2026-11-20 03:40:22\n/);
  const apart = await incidentsOf(t, logs('FAN2'));
  assert.equal(apart.count, 2, apart.text);
});

test('the log of a job without a time that lost a peer is of the only link that went down', async (t) => {
  const { count, text } = await incidentsOf(t, {
    'gx-3.log': [
      kern('01:12:10', 'gx-3', 'mlx5_core 0000:5e:00.0 ibp94s0: Link down'),
      kern('01:12:19', 'gx-3', 'mlx5_core 0000:5e:00.0 ibp94s0: Link up'),
    ],
    'nccl-job.log': [
      'gx-2:2211:2290 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer 10.9.9.13<41112> with status=12 opcode=0 len=0 vendor err 129 (Send)',
    ],
  });
  assert.equal(count, 1, text);
  assert.match(text, /Root cause +NIC port down on gx-3 ibp94s0/);
});

test('what hangs on a client while its server is gone is of the server', async (t) => {
  const { count, text } = await incidentsOf(t, {
    'oss.log': [
      kern('02:14:38', 'oss3', 'sd 0:0:5:0: [sdk] tag#1 FAILED Result: hostbyte=DID_NO_CONNECT driverbyte=DRIVER_OK'),
      kern(
        '02:14:40',
        'oss3',
        'LustreError: 12211:0:(ofd_obd.c:1210:ofd_create()) work-OST0012: unable to precreate: rc = -30',
      ),
    ],
    'a.log': [
      kern('02:14:52', 'gx-1', lustre('work-OST0012', '10.12.0.33')),
      kern('02:14:54', 'gx-1', lustre('work-OST0013', '10.12.0.33')),
      kern('02:19:10', 'gx-1', 'INFO: task python3:81221 blocked for more than 120 seconds.'),
    ],
  });
  assert.equal(count, 1, text);
  assert.match(text, /Root cause +storage I\/O error on oss3 disk sdk\n/);
});

test('a machine check that the BMC has at once and the kernel after its start is one', async (t) => {
  const { count, text } = await incidentsOf(t, {
    'gx-9-sel.txt': ['4 | 11/20/2026 | 06:01:09 | Processor CPU2_Status | IERR | Asserted'],
    'gx-9-kern.log': [
      kern('06:06:04', 'gx-9', 'mce: [Hardware Error]: CPU 64: Machine Check: 0 Bank 3: be00000000800400'),
    ],
  });
  assert.equal(count, 1, text);
});

test('an epilog that fails on a host whose disk failed is of that disk', async (t) => {
  const { count, text } = await incidentsOf(t, {
    'gx-4.log': [
      kern('00:58:10', 'gx-4', 'ata1.00: failed command: READ FPDMA QUEUED'),
      kern('00:58:11', 'gx-4', 'blk_update_request: I/O error, dev sda, sector 2048 op 0x0:(READ)'),
      kern('00:58:20', 'gx-4', 'EXT4-fs (sda2): Remounting filesystem read-only'),
    ],
    'slurmctld.log': [
      '[2026-11-20T01:02:00.000] update_node: node gx-4 reason set to: Epilog error',
      '[2026-11-20T01:02:00.000] update_node: node gx-4 state set to DRAINED',
    ],
  });
  assert.equal(count, 1, text);
});
