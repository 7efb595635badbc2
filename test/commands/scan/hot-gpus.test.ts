// A GPU that the table of nvidia-smi shows hot makes no incident, for the table says nothing of a slowdown, and no all-clear.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scan } from './scan-here.ts';

function table(temperature: number): string {
  const gpu = (index: number, address: string, rest: string): string[] => [
    `|   ${index}  NVIDIA H100 80GB HBM3          On  |   00000000:${address}:00.0 Off |                    0 |`,
    rest,
    '|                                         |                        |             Disabled |',
    '+-----------------------------------------+------------------------+----------------------+',
  ];
  return [
    'Sat Nov 28 16:08:12 2026',
    '+-----------------------------------------------------------------------------------------+',
    '| NVIDIA-SMI 550.90.07              Driver Version: 550.90.07      CUDA Version: 12.4     |',
    '|=========================================+========================+======================|',
    ...gpu(0, '1B', '| N/A   62C    P0            610W /  700W |   71234MiB /  81559MiB |    100%      Default |'),
    ...gpu(
      1,
      '43',
      `| N/A   ${temperature}C    P0            210W /  700W |   71234MiB /  81559MiB |    100%      Default |`,
    ),
  ].join('\n');
}

async function scanned(t: TestContext, text: string): Promise<string> {
  const path = mkdtempSync(join(tmpdir(), 'faultline-hot-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  writeFileSync(join(path, 'smi.txt'), `${text}\n`);
  const { stdout, status, stderr } = await scan([join(path, 'smi.txt')]);
  assert.equal(status, 0, stderr);
  return stdout;
}

test('it is named with its readings and what to ask', async (t) => {
  const text = await scanned(t, table(93));
  assert.match(text, /No incident: nothing worth an event\.\nTo be looked at: gpu 0000:43:00\.0 is hot \(93 °C, 210 of 700 W, 100 % busy\), and most likely slows itself down: gpu 0000:1b:00\.0, as busy, draws 610 W at 62 °C\. First, on its host, nvidia-smi -q -d TEMPERATURE,PERFORMANCE \(.*\. Call who runs its host\.\n$/); // biome-ignore format: one text
  assert.equal(text.match(/To be looked at/g)?.length, 1);
});

test('of one that draws as much as the others nothing but its heat is said', async (t) => {
  const text = await scanned(t, table(93).replace('210W', '590W'));
  assert.match(
    text,
    /is hot \(93 °C, 590 of 700 W, 100 % busy\), and GPUs slow down from 87 .* no line says: on its host, nvidia-smi -q/,
  );
  assert.doesNotMatch(text, /most likely/);
});

test('below what any of them slows down at nothing is said', async (t) => {
  assert.match(await scanned(t, table(86)), /No incident: nothing worth an event\.\n$/);
});

function query(time: string, active: boolean): string {
  const state = active ? 'Active' : 'Not Active';
  return [
    '==============NVSMI LOG==============',
    `Timestamp                                 : ${time}`,
    'Driver Version                            : 550.90.07',
    'Attached GPUs                             : 1',
    'GPU 00000000:43:00.0',
    '    Clocks Event Reasons',
    `        HW Slowdown                       : ${state}`,
    `            HW Thermal Slowdown           : ${state}`,
    `        SW Thermal Slowdown               : ${state}`,
    '    Temperature',
    `        GPU Current Temp                  : ${active ? 91 : 62} C`,
  ].join('\n');
}

test('a state that a report shows is not over by the end of it, nor by a second report of the same or of another state', async (t) => {
  const [first, soon, late] = ['16:08:12', '16:09:12', '16:14:12'].map((time) => `Sat Nov 28 ${time} 2026`);
  const one = query(first ?? '', true);
  for (const text of [
    one,
    `${one}\n${query(soon ?? '', true)}`,
    `${one}\n${query(late ?? '', true)}`,
    `${one}\n${query(late ?? '', false)}`,
  ]) {
    const said = await scanned(t, text);
    assert.match(said, /Do +check the cooling of gpu 0000:43:00\.0 /);
    assert.match(said, /\nNow .*[\s\S]*\nCall /);
    assert.match(said, /thermal slowdown: at 91 °C/);
    assert.doesNotMatch(said, /over after|nothing followed; look/);
  }
});

test('what a report says more of is an incident, and said once', async (t) => {
  const text = await scanned(
    t,
    [
      '==============NVSMI LOG==============',
      'Timestamp                                 : Sat Nov 28 16:08:12 2026',
      'Driver Version                            : 550.90.07',
      'Attached GPUs                             : 1',
      'GPU 00000000:43:00.0',
      '    Clocks Event Reasons',
      '        HW Slowdown                       : Active',
      '            HW Thermal Slowdown           : Active',
      '    Temperature',
      '        GPU Current Temp                  : 91 C',
    ].join('\n'),
  );
  assert.match(text, /Root cause +GPU thermal slowdown/);
  assert.doesNotMatch(text, /To be looked at/);
});

test('of a table of rocm-smi it is named by AMD’s number, with what AMD’s tools say further', async (t) => {
  const row = (index: number, temperature: string): string =>
    `${index}       2     0x74a1,   28851  ${temperature}°C     701.0W    NPS1, SPX, 0        1200Mhz  1300Mhz  0%   auto  750.0W  92%    100%  `;
  const title = '============ ROCm System Management Interface ============';
  const text = (await scanned(t, [title, row(0, '104.0'), row(1, '61.0')].join('\n'))).replace(/\n +/g, ' ');
  assert.match(text, /gpu 0 is hot \(104 °C, 701 of 750 W, 100 % busy\).*amd-smi metric --temperature --violation/);
  assert.doesNotMatch(text, /gpu 1 is hot|nvidia-smi/);
});

test('of which host it is the name of its file says, and GPUs of one address on two hosts are two', async (t) => {
  const path = mkdtempSync(join(tmpdir(), 'faultline-hot-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  for (const host of ['gx-31', 'gx-32']) writeFileSync(join(path, `${host}-nvidia-smi.txt`), `${table(93)}\n`);
  const { stdout } = await scan([path]);
  const text = stdout.replace(/\s+/g, ' ');
  for (const host of ['gx-31', 'gx-32']) assert.match(text, new RegExp(`${host} gpu 0000:43:00\\.0 is hot \\(93 °C`));
});

test('a GPU whose rows say that it is lost is an incident', async (t) => {
  const second = '|ERR!  ERR! ERR!             ERR!  / ERR! |         GPU is lost    |     ERR!        ERR! |';
  const lost = table(50).replace(/\| N\/A {3}50C.*/, second);
  const path = mkdtempSync(join(tmpdir(), 'faultline-lost-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  writeFileSync(join(path, 'gx-33-nvidia-smi.txt'), `${lost}\n`);
  const { stdout } = await scan([path]);
  assert.match(stdout, /Root cause {2}GPU fell off the bus on gx-33 gpu 0000:43:00\.0/);
  assert.match(stdout, /^Call +who runs gx-33/m);
});
