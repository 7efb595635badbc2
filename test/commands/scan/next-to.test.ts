// A slow job and a hot GPU of one folder: said of each other where only a name or a time keeps them apart, and joined by --host.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scan } from './scan-here.ts';
import { scannedLogs } from './scanned.ts';

const START = Date.parse('2026-11-28T16:00:00Z');

function stamp(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

/** Steps of 412 ms, ten a line, and of 736 ms from the 31st line on. */
function slowJob(): string[] {
  let timeMs = START;
  return Array.from({ length: 60 }, (_, i) => {
    const ms = i < 30 ? 412 : 736;
    timeMs += ms * 10;
    return ` [${stamp(timeMs)}] iteration ${450 + i * 10}/  500000 | consumed samples: 46080000 | elapsed time per iteration (ms): ${ms}.0 | learning rate: 1.5E-04 | global batch size: 1024 | lm loss: 2.0E+00 |`;
  });
}

function hotGpu(time: string): string[] {
  return [
    '==============NVSMI LOG==============',
    '',
    `Timestamp                                 : ${time}`,
    'Driver Version                            : 550.90.07',
    'CUDA Version                              : 12.4',
    '',
    'Attached GPUs                             : 1',
    'GPU 00000000:43:00.0',
    '    Product Name                          : NVIDIA H100 80GB HBM3',
    '    GPU UUID                              : GPU-11aa22bb-0000-1111-2222-333344446666',
    '    Clocks Event Reasons',
    '        HW Slowdown                       : Active',
    '            HW Thermal Slowdown           : Active',
    '        SW Thermal Slowdown               : Active',
    '    Temperature',
    '        GPU Current Temp                  : 91 C',
    '    Clocks',
    '        SM                                : 705 MHz',
    '',
  ];
}

const LATER = hotGpu('Sat Nov 28 16:08:12 2026');

function folder(t: TestContext, files: Readonly<Record<string, readonly string[]>>): string {
  const path = mkdtempSync(join(tmpdir(), 'faultline-next-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, lines] of Object.entries(files)) writeFileSync(join(path, name), `${lines.join('\n')}\n`);
  return path;
}

async function scanned(...args: readonly string[]): Promise<string> {
  const { stdout, status, stderr } = await scan([...args]);
  assert.equal(status, 0, stderr);
  return stdout.replace(/\n +/g, ' ');
}

test('of one folder without a host each is said in the report of the other, with how to join them', async (t) => {
  const path = folder(t, { 'slurm-51002.out': slowJob(), 'nvidia-smi-q.txt': LATER });
  const text = await scanned(path);
  assert.match(text, /Next to it +GPU thermal slowdown on gpu 0000:43:00\.0: at 91 °C \(host not named, log nvidia-smi-q\.txt\), seen 16:08:12, \d min \d+ s later \([0-9a-f]{6}\)\. Of one host\? No line says; if so, this scan with --host NAME joins them/); // biome-ignore format: one text
  assert.match(
    text,
    /Next to it +job 51002 step time .* \(host not named, log slurm-51002\.out\), seen .* before \([0-9a-f]{6}\), perhaps for this\./,
  );
  const { stdout } = await scan(['--json', path]);
  const { next_to: nextTo, incidents } = JSON.parse(stdout) as {
    next_to: { incident: string }[];
    incidents: { id: string }[];
  };
  assert.equal(nextTo.length, 2);
  assert.deepEqual(new Set(nextTo.map(({ incident }) => incident)), new Set(incidents.map(({ id }) => id)));
});

test('--host names the host where no log does, and a report that was written later says so', async (t) => {
  const path = folder(t, { 'slurm-51002.out': slowJob(), 'nvidia-smi-q.txt': LATER });
  const text = await scanned('--host', 'gx-07', path);
  assert.match(text, /no line names a host: all is of gx-07, as --host says/);
  assert.match(
    text,
    /Next to it +GPU thermal slowdown on gx-07 gpu 0000:43:00\.0: at 91 °C, seen .* Its report says what was so when it was written/,
  );
});

test('what was seen before joins into one incident under the name that was given', async (t) => {
  const path = folder(t, { 'slurm-51002.out': slowJob(), 'nvidia-smi-q.txt': hotGpu('Sat Nov 28 16:02:09 2026') });
  assert.match(await scanned(path), /\n2 incidents out of/);
  const joined = await scanned('--host', 'gx-07', path);
  assert.match(joined, /\n1 incident out of/);
  assert.match(joined, /Effect +job 51002 step time/);
  assert.match(joined, / thermal slowdown: at 91 °C +nvidia-smi /, 'what one report says in four lines is one event');
  assert.doesNotMatch(joined, /Next to it/);
});

test('where a host is named, --host is of that alone, and what is of two named hosts is not put side by side', async (t) => {
  const named = folder(t, { 'slurm-51002.out': slowJob(), 'nvidia-smi-q-gx-07.txt': LATER });
  const other = await scan(['--host', 'gx-09', named]);
  assert.equal(other.status, 1);
  assert.match(other.stdout, /Nothing was judged: no line is of the --host asked for; the logs are of gx-07/);
  const apart = folder(t, {
    'nvidia-smi-q-gx-07.txt': LATER,
    'kern-gx-09.txt': ['Nov 28 16:00:00 gx-09 kernel: NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off the bus.'],
  });
  assert.doesNotMatch(await scanned(apart), /Next to it/);
});

test('nothing is said of what is further apart than an hour', async (t) => {
  const path = folder(t, { 'slurm-51002.out': slowJob(), 'nvidia-smi-q.txt': hotGpu('Sat Nov 28 18:08:12 2026') });
  assert.doesNotMatch(await scanned(path), /Next to it/);
});

test('a program that faults moments after the GPU of a peer was lost is said to be perhaps its consequence', async (t) => {
  const path = folder(t, {
    'gx-01.log': [
      'Nov 29 02:31:07 gx-01 kernel: [99120.1] NVRM: Xid (PCI:0000:3b:00): 31, pid=3311, name=python, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f3a_10000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ',
    ],
    'gx-02.log': [
      "Nov 29 02:31:05 gx-02 kernel: [88120.1] NVRM: Xid (PCI:0000:86:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
    ],
    'slurm-90700.out': [
      'gx-01: [2026-11-29 02:30:50] iteration      120/  5000 | consumed samples:  61440 | elapsed time per iteration (ms): 5102.2 | lm loss: 2.311E+00 |',
      'gx-01: [2026-11-29 02:30:55] iteration      121/  5000 | consumed samples:  61952 | elapsed time per iteration (ms): 5102.2 | lm loss: 2.311E+00 |',
      'gx-02: [rank9]: RuntimeError: CUDA error: unspecified launch failure',
      'srun: error: gx-02: task 9: Exited with exit code 1',
    ],
  });
  const text = await scanned(path);
  assert.match(
    text,
    /Next to it +GPU fell off the bus on gx-02 gpu 0000:86:00\.0, .* see to that GPU first: this may be its consequence/,
  );
  assert.match(
    text,
    /Now +see whether process 3311 was a rank of job 90700, which \w{6} ended: .* [Ww]here it is not, send the lines/s,
  );
});

test("two faults of the same seconds that no line ties are said in each other's report", async (t) => {
  const at = (time: string, what: string) => [`Nov 29 ${time} cn-40 kernel: ${what}`];
  const disk = 'EXT4-fs (sdb1): Remounting filesystem read-only';
  const gpu = 'NVRM: Xid (PCI:0000:5e:00): 79, pid=<unknown>, name=<unknown>, GPU has fallen off the bus.';
  const near = await scannedLogs(t, { 'kern.log': [...at('04:00:01', disk), ...at('04:00:04', gpu)] });
  assert.match(
    near,
    /Next to it +GPU fell off the bus on cn-40 gpu 0000:5e:00\.0, seen 04:00:04, 3 s later \(\w{6}\): perhaps of one cause/,
  );
  assert.match(near, /Next to it +file system .*, seen 04:00:01, 3 s before \(\w{6}\): perhaps of one cause/);
  const far = await scannedLogs(t, { 'kern.log': [...at('04:00:01', disk), ...at('04:09:04', gpu)] });
  assert.doesNotMatch(far, /Next to it/);
});
