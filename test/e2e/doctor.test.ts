// doctor next to the running daemon: the table is the daemon's own view, whoever asks; the rights of whoever asks are a note.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFileSync, chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import type { SourceHealth } from '../../src/sources/source.ts';
import { PROGRAM } from '../program.ts';
import { DaemonUnderTest, type Json } from './daemon-under-test.ts';

const closing: { close(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const one of closing.splice(0).reverse()) await one.close();
});

interface Doctor {
  readonly view: string;
  readonly sources: readonly SourceHealth[];
  readonly sinks: readonly { sink: string; status: string }[];
  readonly caller_note: string | null;
}

async function doctor(daemon: DaemonUnderTest, as: string[] = []): Promise<{ document: Doctor; text: string }> {
  const config = join(daemon.folder, 'faultline.yaml');
  const run = (words: string[]) =>
    new Promise<string>((resolve) => {
      const [command = '', ...rest] = [...as, process.execPath, PROGRAM, 'doctor', '--config', config, ...words];
      const child = spawn(command, rest, {
        env: { PATH: process.env.PATH, HOME: daemon.folder, COLUMNS: '200', LC_ALL: 'C.UTF-8' },
      });
      let out = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
      child.once('close', () => resolve(out));
    });
  const [text, json] = await Promise.all([run([]), run(['--json'])]);
  return { text, document: JSON.parse(json) };
}

const statusOf = (sources: readonly SourceHealth[]) => sources.map(({ source, status }) => `${source} ${status}`);

test('sources and sinks are as the daemon says; a user with fewer rights gets the same table and a note', async () => {
  // A server that takes connections and never answers: what is sent there does not arrive.
  const silent = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  closing.push({ close: () => void silent.close() });
  const address = silent.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const daemon = new DaemonUnderTest({
    gpus: 1,
    // Tests next to this one have jobs of their own, which come and go.
    extra: `  processes: {enabled: off}\n  flight_recorder: {enabled: off}\notlp: {endpoint: "http://127.0.0.1:${port}", metrics: {interval: 1s}}`,
  });
  closing.push(daemon);
  chmodSync(daemon.kernelLog, 0o600);
  await daemon.start();
  const status = await daemon.until('the GPU is read and an export has failed', async () => {
    const seen = await daemon.status();
    const works = ((seen?.sources ?? []) as SourceHealth[]).some(
      ({ source, status: is }) => source === 'gpu' && is === 'works',
    );
    return works && ((seen?.sinks ?? []) as Json[]).some(({ status: is }) => is === 'failing') ? seen : undefined;
  });
  const said = statusOf(status.sources as SourceHealth[]); // the daemon's status
  const own = await doctor(daemon);
  assert.equal(own.document.view, 'daemon');
  assert.deepEqual(statusOf(own.document.sources).slice(0, said.length), said);
  assert.deepEqual(own.document.sinks.map(({ sink, status: is }) => [sink, is]), [['otlp', 'failing']]); // biome-ignore format: pairs
  assert.equal(own.document.caller_note, null);
  assert.match(own.text, /^daemon {2}runs since .*; as this user\. The table is what it sees$/m);
  assert.match(own.text, /^sends to\n {2}otlp +failing +/m);

  if (process.geteuid?.() !== 0) return;
  // In the daemon's group and nothing else: may ask, and may not read the kernel log.
  chmodSync(daemon.folder, 0o755);
  const other = await doctor(daemon, ['setpriv', '--reuid=65534', '--regid=0', '--clear-groups', '--inh-caps=-all']);
  assert.equal(other.document.view, 'daemon');
  assert.deepEqual(statusOf(other.document.sources), statusOf(own.document.sources));
  assert.match(
    other.document.caller_note ?? '',
    /^this user \(uid 65534\) has other rights than the daemon: .*kernel-log may not be read/,
  );
  assert.match(other.text, /^ {2}note: this user \(uid 65534\)/m);
});

test('a job log of which the daemon understands no line is in part, there and here; one that it understands counts steps', async () => {
  const daemon = new DaemonUnderTest({ gpus: 1 });
  closing.push(daemon);
  const config = join(daemon.folder, 'faultline.yaml');
  const logs = ['a', 'b'].map((job) => join(daemon.folder, `${job}.log`));
  for (const log of logs) writeFileSync(log, '');
  appendFileSync(config, `  job_log: [{job: a, path: "${logs[0]}"}, {job: b, path: "${logs[1]}"}]\n`);
  await daemon.start();
  appendFileSync(logs[0] ?? '', 'lorem ipsum\n'.repeat(30));
  for (let step = 1; step < 6; step += 1) appendFileSync(logs[1] ?? '', `step: ${step}  loss: 4.2  tps: 7,282\n`);
  const logHealth = async () => (((await daemon.status())?.sources ?? []) as SourceHealth[]).filter(({ source }) => source === 'job-log'); // biome-ignore format: short
  const [none, some] = await daemon.until('both are read', async () => {
    const health = await logHealth();
    return health.some(({ status }) => status === 'partial') && health[1]?.detail.includes('progress')
      ? health
      : undefined;
  });
  assert.match(none?.detail ?? '', /^job a: .* 30 lines, none recognised as progress$/);
  assert.deepEqual([some?.status, /5 of them progress/.test(some?.detail ?? '')], ['works', true]);
  const { document } = await doctor(daemon);
  assert.deepEqual(document.sources.filter(({ source }) => source === 'job-log').map(({ status }) => status), ['partial', 'works']); // biome-ignore format: pairs
});

test('what is configured since the daemon was started is reported as such, not as read', async () => {
  const daemon = new DaemonUnderTest({ gpus: 1, foundLogs: true });
  closing.push(daemon);
  await daemon.start();
  appendFileSync(
    join(daemon.folder, 'faultline.yaml'),
    `  job_log: [{job: late, path: "${daemon.folder}/late.log"}]\n`,
  );
  const { document } = await doctor(daemon);
  const late = document.sources.find(({ source, detail }) => source === 'job-log' && detail.startsWith('late:'));
  assert.deepEqual([late?.status, late?.remedy?.startsWith('sudo faultline config reload')], ['absent', true]);
  assert.match(late?.detail ?? '', /not read by the daemon/);
});
