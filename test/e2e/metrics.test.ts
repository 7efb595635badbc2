// /metrics of the real daemon: checked by promtool, scraped by a real Prometheus, and not there at all while it is off.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { DaemonUnderTest } from './daemon-under-test.ts';
import { freePort, PrometheusUnderTest } from './prometheus-under-test.ts';

const XID_79 = 'NVRM: Xid (PCI:0000:1b:00): 79, pid=1122, name=python, GPU has fallen off the bus.';
const OPENMETRICS = 'application/openmetrics-text;version=1.0.0';
const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.close();
});

async function daemonWithMetrics(): Promise<{ daemon: DaemonUnderTest; url: string; port: number }> {
  const port = await freePort();
  const daemon = new DaemonUnderTest({
    gpus: 2,
    extra: `prometheus: {listen: "127.0.0.1:${port}", dcgm_names: true}`,
  });
  closing.push(daemon);
  await daemon.start();
  const url = `http://127.0.0.1:${port}`;
  await daemon.until('the GPUs are in /metrics', async () => (await scrape(url)).includes('\nhw_power_watts{'));
  return { daemon, url, port };
}

async function scrape(url: string, accept = 'text/plain'): Promise<string> {
  const answer = await fetch(`${url}/metrics`, { headers: { accept } });
  assert.equal(answer.status, 200);
  return await answer.text();
}

/** What promtool finds wrong; dcgm-exporter's own names break its rules and are meant to. */
function lint(text: string): string[] {
  const { error, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  if (error !== undefined) throw error;
  return `${stdout}\n${stderr}`.split('\n').filter((line) => line !== '' && !line.startsWith('DCGM_FI_'));
}

const missing = (tool: string): string | false =>
  spawnSync(tool, ['--version']).error === undefined ? false : `${tool} is not installed: apt-get install prometheus`;

test('promtool finds nothing wrong with a live /metrics', { skip: missing('promtool') }, async () => {
  const { daemon, url } = await daemonWithMetrics();
  daemon.kernel(XID_79);
  await daemon.until('the incident is counted', async () =>
    (await scrape(url)).includes('faultline_incidents_open{severity="critical"} 1'),
  );
  const text = await scrape(url);
  assert.deepEqual(lint(text), []);
  assert.notDeepEqual(lint('broken{ 1\n'), [], 'promtool would tell');
  assert.match(text, /^faultline_events_total\{kind="gpu\.lost",severity="critical"\} 1$/m);
  assert.match(text, /^DCGM_FI_DEV_POWER_USAGE\{gpu="0",UUID="GPU-[^"]+",pci_bus_id="00000000:1B:00\.0",.*\} \d/m);
  assert.match(text, /^DCGM_FI_DEV_XID_ERRORS\{gpu="0",.*err_code="79",.*\} 79$/m);
  assert.match(text, /^process_memory_usage_bytes\{process_role="gpu"\} [1-9]/m);
  assert.match(text, /^faultline_detection_duration_seconds_count\{stage="incident"\} 1$/m);
});

test('a series vanishes when its device does', async () => {
  const { daemon, url } = await daemonWithMetrics();
  // What was read once only might be slow: it is waited for much longer.
  const energy = async () => /^hw_energy_joules_total\{hw_id="0000:43.*$/m.exec(await scrape(url))?.[0];
  const first = await energy();
  await daemon.until('the GPU was read again', async () => (await energy()) !== first);
  daemon.control('devices 2\ngpu.1.error 15\n');
  await daemon.until('the lost GPU has no power any more', async () => {
    const text = await scrape(url);
    return text.includes('hw_power_watts{hw_id="0000:1b') && !text.includes('hw_power_watts{hw_id="0000:43');
  });
});

test('the socket gives the same metrics, health and readiness as TCP', async () => {
  const { daemon } = await daemonWithMetrics();
  const socketPath = join(daemon.folder, 'run', 'faultline.sock');
  const ask = (path: string) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const outgoing = request({ socketPath, path, headers: { accept: OPENMETRICS } }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          body += part;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
  const metrics = await ask('/metrics');
  assert.equal(metrics.status, 200);
  assert.match(metrics.body, /^# TYPE hw_energy_joules counter\n# UNIT hw_energy_joules joules$/m);
  assert.ok(metrics.body.endsWith('# EOF\n'));
  assert.equal((await ask('/healthz')).status, 200);
  assert.equal((await ask('/readyz')).status, 200);
});

test('a real Prometheus scrapes it and answers from it', { skip: missing('prometheus') }, async () => {
  const { daemon, port } = await daemonWithMetrics();
  const prometheus = await PrometheusUnderTest.start(port);
  closing.push(prometheus);
  const one = (expression: string) =>
    daemon.until(`Prometheus knows ${expression}`, () => prometheus.value(expression));
  assert.equal(await one('up{job="faultline"}'), 1);
  assert.equal(await one('count(hw_power_watts{hw_type="gpu"})'), 2);
  assert.ok((await one('sum(DCGM_FI_DEV_POWER_USAGE) == sum(hw_power_watts)')) > 0);
  assert.ok((await one('rate(hw_energy_joules_total{hw_id="0000:1b:00.0"}[10s])')) > 0);
  assert.equal(await one('target_info{service_name="faultline"}'), 1);
  daemon.kernel(XID_79);
  assert.equal(await one('faultline_incidents_open{severity="critical"} == 1'), 1);
  assert.ok((await one('histogram_quantile(0.9, faultline_detection_duration_seconds_bucket{stage="incident"})')) > 0);
  const { lastError, health } = await prometheus.target();
  assert.deepEqual({ lastError, health }, { lastError: '', health: 'up' });
});

test('not ready with the reason while the log cannot be written', async () => {
  const { daemon, url } = await daemonWithMetrics();
  rmSync(daemon.log, { recursive: true, force: true });
  writeFileSync(daemon.log, 'in the way');
  daemon.kernel(XID_79);
  const answer = await daemon.until('it is not ready', async () => {
    const response = await fetch(`${url}/readyz`);
    return response.status === 503 ? ((await response.json()) as { reasons: string[] }) : null; // the document of /readyz
  });
  assert.match(answer.reasons.join(), /log/);
  assert.equal((await fetch(`${url}/healthz`)).status, 200, 'alive all the same');
});

test('off costs nothing: no TCP socket, and /metrics says how to turn it on', async () => {
  const daemon = new DaemonUnderTest({ gpus: 1 });
  closing.push(daemon);
  const child = await daemon.start();
  await assert.rejects(daemon.get('/metrics'), /FL3303 .*prometheus/);
  const folder = `/proc/${child.pid}/fd`;
  const inodes = readdirSync(folder).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(join(folder, fd)))?.[1] ?? [];
    } catch {
      return []; // closed since
    }
  });
  const tcp = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/${child.pid}/net/${name}`, 'utf8').split('\n'));
  assert.deepEqual(
    tcp.filter((line) => inodes.includes(line.trim().split(/\s+/)[9] ?? '-')),
    [],
  );
});

test('a listener taken by someone else does not keep the daemon from its work', async () => {
  const port = await freePort();
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(port, '127.0.0.1', resolve));
  const daemon = new DaemonUnderTest({ gpus: 1, extra: `prometheus: {listen: "127.0.0.1:${port}"}` });
  closing.push(daemon, { close: () => new Promise((resolve) => holder.close(() => resolve())) });
  await daemon.start();
  await daemon.until('it is reported', () => daemon.stderr.includes('FL3302'));
  daemon.kernel(XID_79);
  await daemon.until('the incident is on disk', () => daemon.logged('incident').length > 0);
});
