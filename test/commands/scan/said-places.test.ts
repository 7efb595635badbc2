// Where something is, as the lines say it in other words than an address: a rank and host before a traceback, a field, a pod.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scan } from './scan-here.ts';
import { scannedLogs } from './scanned.ts';

const scanned = (t: TestContext, name: string, lines: readonly string[]): Promise<string> =>
  scannedLogs(t, { [name]: lines });

const ECC = 'RuntimeError: CUDA error: uncorrectable ECC error encountered';

test('the line before a traceback says of which rank and host it is', async (t) => {
  const text = await scanned(t, 'finetune.log', [
    'INFO:__main__:2026-11-30 07:40:31 step=110 loss=1.91 tokens/s=41188',
    'ERROR:__main__:2026-11-30 07:40:44 rank 3 on gx-12 failed',
    'Traceback (most recent call last):',
    '  File "ft.py", line 88, in train_step',
    '    out = model(**batch)',
    ECC,
  ]);
  assert.match(text, /uncorrectable GPU ECC error on the GPU of rank 3 \(gx-12\)/);
  assert.match(text, /Call +who runs gx-12\n/);
  assert.doesNotMatch(text, /no line names the host/);
});

test('fields of a logger name the host and the rank, also below another field', async (t) => {
  const object = {
    text: `2026-11-30 07:50:01.001 | ERROR | ft:step:88 - step failed\n${ECC}\n`,
    record: {
      message: 'step failed',
      extra: { local_rank: 2, host: 'gx-13' },
      time: { repr: '2026-11-30 07:50:01.001000+00:00', timestamp: 1_796_025_001.001 },
    },
  };
  const text = await scanned(t, 'ft.jsonl', [JSON.stringify(object)]);
  assert.match(text, /on the GPU of local rank 2/);
  assert.match(text, /Call +who runs gx-13\n/);
});

test('what is of a pod is named by its pod, and no log is called a host', async (t) => {
  const text = await scanned(t, 'events.txt', [
    'NAMESPACE      LAST SEEN   TYPE      REASON        OBJECT                             MESSAGE',
    'ml             4m          Warning   FailedMount   pod/trainer-2                      MountVolume.SetUp failed for volume "data" : mount failed: exit status 32',
    "gpu-operator   3m          Warning   Unhealthy     pod/nvidia-driver-daemonset-x1     Startup probe failed: NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
  ]);
  assert.match(text, /Root cause +container does not start on pod ml\/trainer-2: MountVolume/);
  assert.match(text, /GPU driver not loaded on the node of pod gpu-operator\/nvidia-driver-daemonset-x1/);
  assert.match(text, /Call +who runs the node of pod gpu-operator\/nvidia-driver-daemonset-x1\n/);
  assert.doesNotMatch(text.replace(/no line names the host of events\.txt/, ''), /events\.txt (?!\()|log:events/);
});

test('a table of one machine is of the host that its file is called after, and a log of a job is not', async (t) => {
  const head = 'timestamp, index, pci.bus_id, temperature.gpu, clocks_event_reasons.hw_thermal_slowdown';
  const row = '2026/11/30 05:20:41.112, 0, 00000000:18:00.0, 91, Active';
  assert.match(await scanned(t, 'gx-40-gpus.csv', [head, row]), /Call +who runs gx-40\n/);
  const job = '2026-11-30 05:20:40 step=110 loss=1.91 tokens/s=41188';
  assert.doesNotMatch(await scanned(t, 'llama-70.log', [head, row, job, job.replace('110', '120')]), /llama-70 gpu/);
});

test('where the driver of a host sees no GPU the host is what is named, and nvidia-smi said it', async (t) => {
  const text = await scanned(t, 'nvidia-smi-gx-92.txt', ['No devices were found']);
  assert.match(text, /Root cause +no GPU seen on gx-92\n/);
  assert.match(text, /Now +on gx-92, lspci -d 10de: shows/);
  assert.doesNotMatch(text, /words of a job|could have written|does not name/);
});

test('a GPU that DCGM numbers is tested by that number, next to the one that lspci names by its address', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-scan-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const table = [
    '+---------------------------+------------------------------------------------+',
    '| Diagnostic                | Result                                         |',
    '+===========================+================================================+',
    '| PCIe                      | Fail - GPU: 3                                  |',
    '| Warning                   | GPU 3 Error running pcie test: 6.21 GB/s below |',
    '+---------------------------+------------------------------------------------+',
  ];
  const link = [
    'ab:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)',
    '\tCapabilities: [60] Express (v2) Endpoint, MSI 00',
    '\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported',
    '\t\tLnkSta:\tSpeed 16GT/s (downgraded), Width x4 (downgraded)',
  ];
  writeFileSync(join(folder, 'dcgmi-diag.txt'), `${table.join('\n')}\n`);
  writeFileSync(join(folder, 'lspci-gx-54.txt'), `${link.join('\n')}\n`);
  const text = (await scan([folder])).stdout.replace(/\n +/g, ' ');
  assert.match(text, /Then +once nothing runs on gx-54, .*then run sudo dcgmi diag -r 3 -i 3; where it fails again/);
  assert.match(
    text,
    /Next to it +PCIe link below its width or speed on gx-54 gpu 0000:ab:00\.0, .* the same GPU where nvidia-smi -i 3/,
  );
});

test('JSON has the host and the target that the text says to act on, not those of the log', async (t) => {
  const logs = {
    'login-1-messages': ['Nov 30 07:40:01 login-1 systemd[1]: Started Session 12 of User alice.'],
    'login-1-finetune.log': [
      'INFO:__main__:2026-11-30 07:40:31 step=110 loss=1.91 tokens/s=41188',
      'ERROR:__main__:2026-11-30 07:40:44 rank 3 on gx-12 failed',
      'Traceback (most recent call last):',
      '  File "ft.py", line 88, in train_step',
      '    out = model(**batch)',
      ECC,
    ],
  };
  const { incidents } = JSON.parse(await scannedLogs(t, logs, '--json'));
  const [{ host, advice }] = incidents;
  assert.deepEqual([host, advice.host, advice.hosts], ['gx-12', 'gx-12', ['gx-12']]);
  assert.match(await scannedLogs(t, logs), /Call +who runs gx-12\n/);
});

test('where no line names a host the advice in JSON names none', async (t) => {
  const line = '[Mon Nov 30 08:00:00 2026] NVRM: Xid (PCI:0000:9b:00): 79, pid=1, GPU has fallen off the bus.';
  const { incidents } = JSON.parse(await scannedLogs(t, { 'dmesg.txt': [line] }, '--json'));
  assert.deepEqual(
    [incidents[0].host, incidents[0].advice.host, incidents[0].advice.hosts],
    ['log:dmesg.txt', null, []],
  );
});
