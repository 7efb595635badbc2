// faultline doctor on a host that a test makes: which sources it finds, and its exit status.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SourceHealth } from '../../src/sources/source.ts';
import { configFile, faultline, folder } from './run-cli.ts';

function host(sources: string): string {
  const root = folder();
  writeFileSync(join(root, 'kmsg'), '6,1,1000,-;Linux version\n');
  return configFile(
    `host: node-3\nroots: {sys: ${root}}\nsources:\n  kernel_log: {path: ${join(root, 'kmsg')}}\n${sources}`,
  );
}

async function doctor(
  config: string,
): Promise<{ status: number | null; of: (source: string) => SourceHealth | undefined; first: string | null }> {
  const { status, stdout } = await faultline(['doctor', '--json', '--config', config]);
  const document = JSON.parse(stdout);
  assert.equal(document.schema, 'faultline/doctor/1');
  const sources: SourceHealth[] = document.sources;
  return { status, of: (source) => sources.find((one) => one.source === source), first: document.first };
}

test('a kernel log that can be read is enough; what is missing says why and what fixes it', async () => {
  // Jobs of this machine, those of other tests among them, would be found by their processes.
  const quiet = '  gpu: {library: /nonexistent/libnvidia-ml.so.1}\n  processes: {enabled: off}\n';
  const { status, of } = await doctor(host(quiet));
  assert.equal(status, 0);
  assert.equal(of('kernel-log')?.status, 'works');
  for (const source of ['gpu', 'cpu', 'pdu', 'job-log']) {
    assert.equal(of(source)?.status, 'absent', source);
    assert.notEqual(of(source)?.remedy, null, source);
  }
});

test('a source that is set to on and is not here fails', async () => {
  const { status, of, first } = await doctor(host('  gpu: {enabled: off}\n  cpu: {enabled: on}\n'));
  assert.equal(status, 1);
  assert.deepEqual([of('gpu')?.status, of('cpu')?.status], ['off', 'failed']);
  assert.match(first ?? '', /^cpu: /);
});

test('nothing at all ends with 1', async () => {
  const off = configFile(
    'sources: {gpu: {enabled: off}, cpu: {enabled: off}, kernel_log: {enabled: off}, system: {enabled: off}, nic: {enabled: off}, hwmon: {enabled: off}, drm: {enabled: off}, pci: {enabled: off}, inventory: {enabled: off}, processes: {enabled: off}, flight_recorder: {enabled: off}, kubernetes: {enabled: off}}',
  );
  const { status, stdout } = await faultline(['doctor', '--config', off]);
  assert.equal(status, 1);
  assert.match(stdout, /^0 of \d+ sources work\./m);
});

test('a job log of lines that no decoder understands works in part, and a daemon that is not there is shown as none', async () => {
  const log = join(folder(), 'train.log');
  writeFileSync(log, 'garbage\n'.repeat(300));
  const runtime = folder();
  const config = configFile(
    `directories: {runtime: ${runtime}}\nsources: {gpu: {enabled: off}, job_log: [{job: j, path: ${log}}]}`,
  );
  const { stdout } = await faultline(['doctor', '--config', config], { env: { COLUMNS: '500' } });
  assert.match(stdout, /job-log +in part +job j: .*, 300 lines, none recognised as progress\n +→ formats it knows: /);
  assert.match(stdout, /^daemon {2}\S/m);
});
