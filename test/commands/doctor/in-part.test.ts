// What doctor calls "in part" or "not here" though something answers: what people rely on is not read.

import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nativePath } from '../../../src/native.ts';
import { SimulatedBmc } from '../../../src/simulator/bmc/simulated-bmc.ts';
import { SimulatedPdu } from '../../../src/simulator/pdu-agent/simulated-pdu.ts';
import { type DumpState, dumpHealth } from '../../../src/sources/flight-recorder/health.ts';
import { isKernelForm } from '../../../src/sources/kernel-log/file-form.ts';
import type { SourceHealth } from '../../../src/sources/source.ts';
import { configFile, faultline, folder } from '../run-cli.ts';

const root = folder();
const closing: { close(): Promise<void> }[] = [];
after(() => Promise.all(closing.map((one) => one.close())));

/** A host on which everything answers and nothing tells what is asked of it. */
async function poorHost(): Promise<string> {
  const pdu = await SimulatedPdu.start({ model: { outlets: 4, banks: 2, voltageV: -1 } });
  const bmc = await SimulatedBmc.start({ supplies: 0, user: 'faultline', password: 'secret' });
  closing.push(pdu, bmc);
  const nvml = join(root, 'nvml');
  mkdirSync(nvml);
  writeFileSync(join(nvml, 'nvml.control'), 'devices 0\n');
  symlinkSync(nativePath('libnvidia-ml.so.1'), join(nvml, 'libnvidia-ml.so.1'));
  const zone = join(root, 'class', 'powercap', 'intel-rapl:0');
  mkdirSync(zone, { recursive: true });
  const files = { name: 'package-0', enabled: 1, max_energy_range_uj: 262143328850, constraint_0_name: 'long_term', constraint_0_power_limit_uw: 280000000 }; // biome-ignore format: one table
  for (const [name, text] of Object.entries(files)) writeFileSync(join(zone, name), `${text}\n`);
  writeFileSync(join(zone, 'energy_uj'), 'not supported\n');
  const syslog = join(root, 'kern.log');
  writeFileSync(syslog, 'Nov 28 18:00:01 node-3 kernel: [  12.5] NVRM: Xid (PCI:0000:9b:00): 79, x\n'.repeat(20));
  const log = join(root, 'train.log');
  writeFileSync(log, 'lorem ipsum\n'.repeat(50));
  writeFileSync(join(root, 'password'), `secret\n`, { mode: 0o600 });
  return configFile(`host: node-3
directories: {runtime: ${join(root, 'run')}}
roots: {sys: ${root}, proc: ${join(root, 'proc')}}
sources:
  gpu: {library: ${nvml}/libnvidia-ml.so.1}
  kernel_log: {path: ${syslog}}
  pdu: [{name: pdu-b, host: 127.0.0.1, port: ${pdu.port}, community: public, interval: 500ms}]
  bmc: [{host: node-3, url: "${bmc.url}", user: faultline, password_file: ${join(root, 'password')}, insecure: true, interval: 1s}]
  job_log: [{job: llama, path: ${log}}]
  flight_recorder: {enabled: off}
  kubernetes: {enabled: off}
`);
}

test('each says what is missing and the line that changes it; nothing of it counts as working', async () => {
  const { stdout, stderr } = await faultline(['doctor', '--json', '--config', await poorHost()]);
  assert.equal(stderr.replaceAll(/^warning: .*\n/gm, ''), '');
  const { sources, view } = JSON.parse(stdout) as { sources: SourceHealth[]; view: string };
  assert.equal(view, 'caller');
  const of = (name: string) => sources.find(({ source }) => source === name || source.startsWith(`${name}/`));
  const expected: [string, SourceHealth['status'], RegExp][] = [
    ['pdu', 'partial', /it shows no voltage, so that no sag is seen/],
    ['bmc', 'partial', /it shows no power supply/],
    ['gpu', 'absent', /^FL2116 the vendor library answers and shows no GPU/],
    ['cpu', 'partial', /^limits are read, energy is not, so that no power is known: .*energy_uj/],
    ['kernel-log', 'failed', /^FL2207 none of the last lines of .*kern\.log is in the form of \/dev\/kmsg/],
    ['job-log', 'partial', /50 lines, none recognised as progress/],
  ];
  for (const [name, status, detail] of expected) {
    const health = of(name);
    assert.equal(health?.status, status, `${name}: ${health?.detail}`);
    assert.match(health?.detail ?? '', detail);
    assert.ok((health?.remedy ?? '').length > 10, name);
  }
});

test('a job that runs with the recorder off is named, with what to start it with', () => {
  const state: DumpState = { looked: true, folders: 1, files: 4, ranks: 8, refused: 0, hanging: [], analyses: 0, unreadable: [], left: null, failure: null, kept: '', conflicts: [], off: ['llama'] }; // biome-ignore format: one state
  const { status, detail, remedy } = dumpHealth(state);
  assert.equal(status, 'partial');
  assert.match(detail, /job llama runs with the recorder off/);
  assert.match(remedy ?? '', /TORCH_FR_BUFFER_SIZE=/);
  assert.equal(dumpHealth({ ...state, off: [] }).status, 'works');
  const none = { ...state, files: 0, ranks: 0 };
  assert.match(dumpHealth({ ...none, refused: 1 }).detail, /; 1 process of another user may not be looked at/);
  assert.match(dumpHealth({ ...none, refused: 2 }).detail, /; 2 processes of other users may not be looked at/);
});

test('a file in the form of the kernel log is one, whatever else is in it; so is one that cannot be judged', async () => {
  const path = join(root, 'form');
  const forms: [string, boolean][] = [
    ['', true],
    ['6,1,1000,-;Linux version\n', true],
    ['6,1,1000,-;Linux version\n SUBSYSTEM=pci\n', true],
    ['garbage\n30,4,1000,c,caller=T1;hello\ngarbage\n', true],
    ['Nov 28 18:00:01 node kernel: [1.0] text; more\n', false],
    ['2026-11-28T18:00:01+00:00 node kernel: 6,1,1000,-;x\n', false],
    ['a line without an end', true],
    [`${'x'.repeat(70_000)}\n6,1,1,-;y\n`, true],
  ];
  for (const [text, form] of forms) {
    writeFileSync(path, text);
    assert.equal(await isKernelForm(path), form, JSON.stringify(text.slice(0, 60)));
  }
  assert.equal(await isKernelForm('/dev/null'), true);
  assert.equal(await isKernelForm(join(root, 'nowhere')), true);
});
