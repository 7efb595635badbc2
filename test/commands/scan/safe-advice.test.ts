// What a report tells to do harms nothing that still works: power and resets wait for an idle host, and no part is touched that is not there.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { faultline } from '../run-cli.ts';

/** The text of the report in lines that are not broken. */
async function scanned(t: TestContext, name: string, lines: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-safe-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
  const { stdout, stderr, status } = await faultline(['scan', join(folder, name)]);
  assert.equal(status, 0, stderr);
  return stdout.replace(/\n +/g, ' ');
}

test('for one GPU that does not start the host is rebooted once it is empty, and its power comes last', async (t) => {
  const text = await scanned(t, 'dmesg-gx-72.txt', [
    '[Mon Nov 30 08:00:00 2026] NVRM: GPU 0000:c8:00.0: RmInitAdapter failed! (0x62:0x40:2393)',
  ]);
  assert.match(text, /Do +reboot the host of gx-72 gpu 0000:c8:00\.0 once nothing runs there; take its power away only/);
  assert.match(text, /Now .*once nothing runs on gx-72, save .*reboot it: sudo systemctl reboot\. Where .*power cycle/);
});

test('a GPU that nvidia-smi cannot reach is missing, and the host is rebooted once it is empty', async (t) => {
  const line = 'Unable to determine the device handle for GPU0000:9B:00.0: Unknown Error';
  const text = await scanned(t, 'nvidia-smi.txt', [line]);
  assert.match(text, /Root cause +GPU missing on gpu 0000:9b:00\.0/);
  assert.match(text, /once nothing runs on .*sudo systemctl reboot/);
  assert.doesNotMatch(text, /chassis power cycle/);
});

test('a row remap that waits for a reset ends no work', async (t) => {
  const xid =
    "Nov 30 08:05:00 gx-73 kernel: NVRM: Xid (PCI:0000:cb:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x00000000051c1b00) marked for remapping, reset gpu to activate.";
  const asked = [
    '==============NVSMI LOG==============',
    'Timestamp                                 : Mon Nov 30 08:40:41 2026',
    'GPU 00000000:18:00.0',
    '    Remapped Rows',
    '        Uncorrectable Error               : 3',
    '        Pending                           : Yes',
  ];
  for (const text of [await scanned(t, 'messages', [xid]), await scanned(t, 'smi-gx-81.txt', asked)]) {
    assert.match(text, /Do +reset gx-\d\d gpu [\da-f:.]+ once it is idle: what runs on it may continue/);
    assert.match(text, /Now +end nothing: .*once nothing runs on gx-\d\d gpu .*--gpu-reset/);
    assert.doesNotMatch(text, /end what runs/);
  }
});

test('inactive NVLinks have no cable: kernel log, fabric manager, a reset of all GPUs, then a case', async (t) => {
  const links = (down: number): string[] =>
    [0, 1, 2].map((link) => `\t Link ${link}: ${link === down ? '<inactive>' : '26.562 GB/s'}`);
  const gpu = (index: number): string =>
    `GPU ${index}: NVIDIA H100 80GB HBM3 (UUID: GPU-aaaaaaaa-0000-0000-0000-00000000000${index})`;
  const text = await scanned(t, 'nvlink.txt', [gpu(0), ...links(1), gpu(1), ...links(-1)]);
  assert.match(text, /Do +check the NVLinks of the host of nvlink\.txt/);
  assert.match(text, /Now .*xid\|sxid.*nvidia-fabricmanager.*once nothing runs on .*--gpu-reset\).*open a case/);
  assert.doesNotMatch(text, /transceiver|optics/);
});
