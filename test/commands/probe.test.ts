// faultline probe gpu, cpu and kernel: the real readers on a stand-in library, a tree and a file.

import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ReadingsDocument } from '../../src/model/documents/readings.ts';
import { nativePath } from '../../src/native.ts';
import { configFile, faultline, folder } from './run-cli.ts';

async function probe(target: string, config: string): Promise<ReadingsDocument> {
  const { status, stdout, stderr } = await faultline(['probe', target, '--json', '--config', configFile(config)]);
  assert.deepEqual([status, stderr], [0, '']);
  return JSON.parse(stdout);
}

function value(document: ReadingsDocument, component: string, quantity: string): number | null | undefined {
  return document.readings.find((reading) => reading.component === component && reading.quantity === quantity)?.value;
}

function stateValue(document: ReadingsDocument, component: string, name: string): string | undefined {
  return document.states.find((state) => state.component === component && state.name === name)?.value;
}

test('gpu reads every device once, in SI units, and names the event reasons', async () => {
  const root = folder();
  const library = join(root, 'libnvidia-ml.so.1');
  copyFileSync(nativePath('libnvidia-ml.so.1'), library);
  writeFileSync(
    join(root, 'nvml.control'),
    'devices 2\ndriver 580.95.05\ngpu.0.pci 0000:9b:00.0\ngpu.0.power_mw 512500\ngpu.0.power_limit_mw 700000\ngpu.0.reasons 0x84\n',
  );
  const document = await probe('gpu', `sources: {gpu: {library: ${library}}}`);
  const gpu = 'gpu/0000:9b:00.0';
  assert.deepEqual([document.schema, document.target], ['faultline/readings/1', library]);
  assert.deepEqual(document.identity, {
    vendor: 'NVIDIA',
    model: 'NVIDIA H100 80GB HBM3',
    serial: null,
    firmware: '580.95.05',
  });
  const components = new Set(document.readings.map(({ component }) => component));
  assert.equal([...components].filter((component) => component.startsWith('gpu/')).length, 2);
  assert.equal([...components].filter((component) => component.startsWith('nvlink/0000:9b:00.0/')).length, 18);
  assert.deepEqual([value(document, gpu, 'power'), value(document, gpu, 'power_limit')], [512.5, 700]);
  assert.equal(document.readings.find(({ quantity }) => quantity === 'power')?.unit, 'W');
  assert.equal(stateValue(document, gpu, 'clock_event_reasons'), '0x84 (power cap, power brake)');
  assert.equal(stateValue(document, gpu, 'performance_state'), 'P0');
  assert.equal(stateValue(document, gpu, 'capability.power'), 'works');
  assert.ok(document.readings.every(({ unit }) => /^[A-Za-z1/]+$/.test(unit)));
  assert.deepEqual(document.warnings, []);
});

test('gpu for people: readings first, then what equal GPUs can report, once', async () => {
  const root = folder();
  const library = join(root, 'libnvidia-ml.so.1');
  copyFileSync(nativePath('libnvidia-ml.so.1'), library);
  writeFileSync(join(root, 'nvml.control'), 'devices 2\ndriver 580.95.05\n');
  const { stdout, status } = await faultline([
    'probe',
    'gpu',
    '--config',
    configFile(`sources: {gpu: {library: ${library}}}`),
  ]);
  assert.equal(status, 0);
  const [readings = '', table = ''] = stdout.split('\nwhat 2 GPUs can report\n');
  assert.doesNotMatch(readings, /capability/);
  assert.equal(table.match(/^ {2}power +works$/gm)?.length, 1);
});

test('cpu reads packages of a powercap tree and the model of cpuinfo', async () => {
  const root = folder();
  const zone = join(root, 'class/powercap/intel-rapl:0');
  mkdirSync(zone, { recursive: true });
  const files = {
    name: 'package-0',
    energy_uj: '1000000',
    max_energy_range_uj: '262143328850',
    constraint_0_name: 'long_term',
    constraint_0_power_limit_uw: '280000000',
    enabled: '1',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(zone, name), `${text}\n`);
  writeFileSync(
    join(root, 'cpuinfo'),
    'processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) 8480+\n',
  );
  const document = await probe('cpu', `host: node-3\nroots: {sys: ${root}, proc: ${root}}`);
  assert.equal(document.identity.model, 'Intel(R) Xeon(R) 8480+');
  assert.equal(value(document, 'cpu/node-3/0', 'power_limit'), 280);
});

test('cpu without a package says why', async () => {
  const config = configFile(`roots: {sys: ${folder()}}`);
  const { status, stdout, stderr } = await faultline(['probe', 'cpu', '--config', config]);
  assert.deepEqual([status, stdout], [1, '']);
  assert.match(stderr, /^FL1222 [^\n]+modprobe[^\n]+\n$/);
});

test('kernel tells how far the log reaches, and the faults that the kernel itself wrote there', async () => {
  const path = join(folder(), 'kmsg');
  writeFileSync(
    path,
    [
      '5,10,1000000,-;Linux version 6.8.0',
      "3,11,2000000,-;NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
      "11,12,3000000,-;NVRM: Xid (PCI:0000:1b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
      '6,13,4000000,-;last\n',
    ].join('\n'),
  );
  const document = await probe('kernel', `host: node-3\nsources: {kernel_log: {path: ${path}}}`);
  assert.equal(value(document, 'host/node-3', 'records'), 4);
  assert.equal(value(document, 'host/node-3', 'last_sequence'), 13);
  assert.match(stateValue(document, 'gpu/0000:9b:00.0', 'gpu.lost') ?? '', /^\d{4}-.*Z XID 79$/);
  assert.equal(stateValue(document, 'gpu/0000:1b:00.0', 'gpu.lost'), undefined); // facility 1: a program wrote it
});

test('kernel without a log, or without the right to it, says which', async (t) => {
  const none = await faultline([
    'probe',
    'kernel',
    '--config',
    configFile('sources: {kernel_log: {path: /nonexistent/kmsg}}'),
  ]);
  assert.equal(none.status, 1);
  assert.match(none.stderr, /^FL1223 \/nonexistent\/kmsg cannot be read \(ENOENT\)/);
  if (process.getuid?.() === 0) return t.diagnostic('root may read everything: only the missing file was tried');
  const path = join(folder(), 'kmsg');
  writeFileSync(path, '');
  chmodSync(path, 0);
  const refused = await faultline([
    'probe',
    'kernel',
    '--config',
    configFile(`sources: {kernel_log: {path: ${path}}}`),
  ]);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /^FL1223 .* may not be read/);
});

test('without --json it is a table', async () => {
  const path = join(folder(), 'kmsg');
  writeFileSync(path, '5,10,1000000,-;Linux\n');
  const { status, stdout } = await faultline([
    'probe',
    'kernel',
    '--config',
    configFile(`host: n\nsources: {kernel_log: {path: ${path}}}`),
  ]);
  assert.equal(status, 0);
  assert.match(stdout, /^host\/n {2}records +1$/m);
});
