// A saved log that a user wrote in a daemon's or the kernel's form is believed as far as its file shows who could have written it.

import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scan } from './scan-here.ts';

interface Said {
  readonly root: { readonly kind: string };
  readonly severity: string;
  readonly confidence: number;
  readonly confirmed: boolean;
  readonly action: { readonly kind: string };
  readonly confidence_parts: readonly { readonly code: string }[];
}

async function scanned(t: TestContext, lines: readonly string[], mode = 0o600): Promise<readonly Said[]> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-forged-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'out.txt');
  writeFileSync(path, `${lines.join('\n')}\n`);
  chmodSync(path, mode);
  const { stdout, stderr, status } = await scan([path, '--json']);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout).incidents;
}

const DOWN = '[2026-11-30T08:00:00.123] error: Nodes gx-12 not responding, setting DOWN';
const DAEMONS: Readonly<Record<string, string>> = {
  slurmctld: DOWN,
  'fabric manager':
    '[Nov 30 2026 08:00:00] [ERROR] [tid 4411] detected NVSwitch fatal error 20034 on fid 0 on NVSwitch pci bus id 00000000:86:00.0 physical id 1 port 61',
  kubectl: `NAME    STATUS     ROLES    AGE   VERSION
gx-12   NotReady   <none>   90d   v1.31.4`,
};
const XID = '[  123.456789] NVRM: Xid (PCI:0000:17:00): 79, pid=0, GPU has fallen off the bus.';

test('a daemon’s form alone takes no power, and is held to what the log says', async (t) => {
  for (const [daemon, text] of Object.entries(DAEMONS)) {
    const [incident] = await scanned(t, [text]);
    assert.ok(incident !== undefined, daemon);
    assert.ok(incident.confidence <= 0.7, `${daemon}: ${incident.confidence}`);
    assert.notEqual(incident.action.kind, 'power_cycle_node', daemon);
  }
  const [down] = await scanned(t, [DOWN]);
  assert.ok(down?.confidence_parts.some(({ code }) => code === 'as_logged'));
});

test('a second witness that is not of that form confirms it', async (t) => {
  const panic = 'Nov 30 07:59:58 gx-12 kernel: Kernel panic - not syncing: Fatal hardware error!';
  const incidents = await scanned(t, [panic, ...Array(3).fill('Nov 30 07:59:58 gx-12 kernel: Call Trace:'), DOWN]);
  assert.ok(incidents.some(({ root, confidence }) => root.kind === 'host.panic' && confidence > 0.7));
});

test('the kernel’s stamps between lines of a program are the program’s as likely', async (t) => {
  const [alone] = await scanned(t, [XID]);
  const [between] = await scanned(t, ['epoch 1 step 3 loss 2.1', 'loading shard 4', XID, 'epoch 1 step 4 loss 2.0']);
  assert.ok((alone?.confidence ?? 0) > 0.7 && alone?.confirmed);
  assert.ok((between?.confidence ?? 1) <= 0.7, String(between?.confidence));
});

test('what every user may write is unconfirmed in whatever form', async (t) => {
  for (const text of [...Object.values(DAEMONS), XID]) {
    const [incident] = await scanned(t, [text], 0o666);
    assert.ok(incident !== undefined, text);
    assert.equal(incident.confirmed, false, text);
    assert.ok(incident.confidence <= 0.6 && incident.severity !== 'critical', text);
    assert.notEqual(incident.action.kind, 'power_cycle_node', text);
  }
});
