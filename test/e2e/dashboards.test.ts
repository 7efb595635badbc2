// Every query of the dashboards on a real Prometheus that scrapes the real daemon: none is refused, and the main ones answer.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { afterEach, test } from 'node:test';
import { dashboards, filled, queries } from '../deploy/dashboards.ts';
import { DaemonUnderTest } from './daemon-under-test.ts';
import { freePort, PrometheusUnderTest } from './prometheus-under-test.ts';

const XID_79 = 'NVRM: Xid (PCI:0000:1b:00): 79, pid=1122, name=python, GPU has fallen off the bus.';
/** What this host has: two GPUs of the stand-in library and its own /proc; no PDU, BMC or job. */
const ANSWERED = [
  'Open incidents', 'GPUs that are fine', 'Hardware degraded or failed', 'Power of GPUs', 'Temperature of GPUs',
  'Clock of the multiprocessors', 'Utilisation of GPUs', 'Time slowed down', 'Processors', 'Memory', 'Memory of daemon and child', 'Processor time',
  'Age of the newest reading', 'Open: critical', 'Incidents open', 'Hardware that an open incident names', 'Opened in this time',
  'Time to the incident, 95 %', 'Events by kind', 'Faults by component',
]; // biome-ignore format: a list
const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.close();
});
const missing =
  spawnSync('prometheus', ['--version']).error === undefined
    ? false
    : 'prometheus is not installed: apt-get install prometheus';

test('every query of the dashboards is taken, and those of what is there are answered', { skip: missing }, async () => {
  const port = await freePort();
  const daemon = new DaemonUnderTest({ gpus: 2, extra: `prometheus: {listen: "127.0.0.1:${port}"}` });
  closing.push(daemon);
  await daemon.start();
  const prometheus = await PrometheusUnderTest.start(port);
  closing.push(prometheus);
  await daemon.until('it is scraped', () => prometheus.value('up == 1'));
  daemon.kernel(XID_79);
  const all = dashboards().flatMap(queries);
  const waiting = new Set(ANSWERED);
  await daemon
    .until(`there are answers for ${[...waiting]}`, async () => {
      for (const { where, expr } of all) {
        const title = where.slice(where.indexOf(': ') + 2);
        if ((await prometheus.results(filled(expr))) > 0) waiting.delete(title);
      }
      return waiting.size === 0;
    })
    .catch((error: unknown) => assert.fail(`${[...waiting]}: ${error}`));
  assert.ok(all.length > 50);
});
