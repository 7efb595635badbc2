// A changed configuration in the running daemon: a job is added, an incident stays open, and what is wrong changes nothing.

import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { DaemonUnderTest, exitOf, type Json } from './daemon-under-test.ts';
import { freePort } from './prometheus-under-test.ts';

const XID_79 = 'NVRM: Xid (PCI:0000:9b:00): 79, pid=1122, name=python, GPU has fallen off the bus.';
const all: DaemonUnderTest[] = [];
afterEach(async () => {
  for (const daemon of all.splice(0)) await daemon.close();
});

/** Its configuration file, and how to change it; `records`: it writes a recording, which has the times of correlation once. */
function daemonWithFile(records = true) {
  const daemon = new DaemonUnderTest();
  all.push(daemon);
  const file = join(daemon.folder, 'faultline.yaml');
  const whole = readFileSync(file, 'utf8');
  const written = records ? whole : whole.replace(/^record:.*\n/m, '');
  writeFileSync(file, written);
  return { daemon, file, write: (more: string) => writeFileSync(file, `${written}${more}`) };
}

const reads = (status: Json | null, path: string): boolean => JSON.stringify(status?.sources).includes(path);

test('a job that was added is followed, and the open incident stays open under its id', async (t) => {
  const { daemon, file, write } = daemonWithFile();
  const child = await daemon.start();
  daemon.kernel(XID_79);
  const incident = await daemon.until('the incident', () => daemon.logged('incident').at(-1));
  const jobs = ['llama', 'eval'].map((job) => ({ job, path: join(daemon.folder, `${job}.log`) }));
  for (const { path } of jobs) writeFileSync(path, '');
  const entries = jobs.map(({ job, path }) => `    - {job: ${job}, path: "${path}"}`);
  write(`  job_log:\n${entries[0]}\n`);
  const first = await daemon.command('config', 'reload', '--config', file);
  assert.equal(first.status, 0, first.stderr);
  assert.match(first.stdout, /started: job-log/);
  await daemon.until('the first log', async () => reads(await daemon.status(), 'llama.log'));
  write(`  job_log:\n${entries.join('\n')}\n`);
  child.kill('SIGHUP');
  await daemon.until('the second log', async () => reads(await daemon.status(), 'eval.log'));
  assert.ok(reads(await daemon.status(), 'llama.log'));
  // What was in the log when it is first looked at is not news, and when that is nothing shows: it is said until it is heard.
  const fault =
    '[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.94 GiB is free.\n';
  const saying = setInterval(() => appendFileSync(jobs[1]?.path ?? '', fault), 2000);
  t.after(() => clearInterval(saying));
  await daemon.until('a fault of the new job', () =>
    daemon.logged('incident').some(({ root }) => JSON.stringify(root).includes('eval')),
  );
  clearInterval(saying);
  const open = (await daemon.get('/v1/incidents')).incidents as Json[]; // contracts' incidents
  const same = open.find(({ id }) => id === incident.id);
  assert.ok(same !== undefined && same.state !== 'resolved');
  write('');
  const last = await daemon.command('config', 'reload', '--config', file);
  assert.match(last.stdout, /stopped: job-log/);
  assert.ok(!reads(await daemon.status(), 'eval.log'));
  child.kill('SIGTERM');
  assert.equal((await exitOf(child)).code, 0);
});

test('a file that is wrong changes nothing and is named by line; what needs a restart is named', async () => {
  const { daemon, file, write } = daemonWithFile();
  const child = await daemon.start();
  write('  gpuu: {enabled: off}\n');
  child.kill('SIGHUP');
  const line = await daemon.until('the reason', () => /"FL1211 [^"]*/.exec(daemon.stderr)?.[0]);
  assert.match(line, /faultline\.yaml:\d+:\d+/);
  assert.notEqual((await daemon.command('config', 'reload', '--config', file)).status, 0);
  write('correlation: {hold: 45s}\nlog_level: debug\n');
  const { stdout, status, stderr } = await daemon.command('config', 'reload', '--config', file);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /in force: log_level/);
  assert.match(stdout, /counts from the next start on: correlation\.hold\. Run: systemctl restart faultline/);
  write(`correlation: {hold: 45s}\nincidents: {max_files: 3}\nimpact: {gpu_hour_rate: 2}\n`);
  const again = await daemon.command('config', 'reload', '--config', file, '--json');
  assert.equal(again.status, 0, again.stderr);
  const { needs_restart: keys, taken } = JSON.parse(again.stdout);
  assert.deepEqual(
    [keys.sort(), taken.sort()],
    [
      ['correlation.hold', 'incidents.max_files'],
      ['impact', 'log_level'],
    ],
  );
});

test('times of correlation and links that are there no more count at once, and open incidents stay open', async () => {
  const { daemon, file, write } = daemonWithFile(false);
  const child = await daemon.start();
  daemon.kernel(XID_79);
  const incident = await daemon.until('the incident', () => daemon.logged('incident').at(-1));
  const reload = async (more: string): Promise<string> => {
    write(more);
    const { stdout, status, stderr } = await daemon.command('config', 'reload', '--config', file);
    assert.equal(status, 0, stderr);
    return stdout;
  };
  const feed = 'topology:\n  feeds: [{from: pdu_outlet/pdu-b/7, to: psu/node-3/1}]\n';
  assert.match(await reload(`correlation: {hold: 45s}\n${feed}`), /in force: topology, correlation\n/);
  const last = await reload('correlation: {hold: 50s}\n');
  assert.match(last, /in force: topology, correlation\n/);
  assert.doesNotMatch(last, /next start/);
  const open = (await daemon.get('/v1/incidents')).incidents as Json[]; // contracts' incidents
  assert.ok(open.some(({ id, state }) => id === incident.id && state !== 'resolved'));
  child.kill('SIGTERM');
  assert.equal((await exitOf(child)).code, 0);
});

test('exports begin, change and end in the running daemon, with the incidents that are open', async () => {
  const { daemon, file, write } = daemonWithFile();
  const child = await daemon.start();
  daemon.kernel(XID_79);
  await daemon.until('the incident', () => daemon.logged('incident').at(-1));
  const reload = async (more: string): Promise<string> => {
    write(more);
    const { stdout, status, stderr } = await daemon.command('config', 'reload', '--config', file);
    assert.equal(status, 0, stderr);
    return stdout;
  };
  const scraped = (port: number) => fetch(`http://127.0.0.1:${port}/metrics`).then((reply) => reply.text(), () => null); // biome-ignore format: one call
  const [first, second] = [await freePort(), await freePort()];
  assert.match(await reload(`prometheus: {listen: "127.0.0.1:${first}"}\n`), /in force: prometheus/);
  const text = await daemon.until('the metrics', () => scraped(first));
  assert.match(text, /faultline_incidents_open[^\n]* 1\n/);
  const { port, close, hits } = await receiver();
  try {
    const otlp = `otlp: {endpoint: "http://127.0.0.1:${port}", protocol: http/protobuf, metrics: {interval: 1s}}\n`;
    assert.match(await reload(`prometheus: {listen: "127.0.0.1:${second}"}\n${otlp}`), /in force: otlp, prometheus/);
    await daemon.until('the metrics at another port', () => scraped(second));
    assert.equal(await scraped(first), null);
    await daemon.until('something at the collector', () => hits.has('/v1/metrics'));
    assert.match(await reload(''), /in force: otlp, prometheus/);
    assert.equal(await scraped(second), null);
  } finally {
    close();
  }
  child.kill('SIGTERM');
  assert.equal((await exitOf(child)).code, 0);
});

/** Takes whatever is posted; the paths that were. */
async function receiver(): Promise<{ port: number; close: () => void; hits: ReadonlySet<string> }> {
  const hits = new Set<string>();
  const server = createServer((request, response) => {
    hits.add(request.url ?? '');
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { port: (server.address() as AddressInfo).port, close, hits };
}
