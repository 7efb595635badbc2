// Every query of the dashboards on a real Prometheus that scrapes the real daemon: none is refused, and the main ones answer.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import { nativePath } from '../../src/native.ts';
import { DaemonProcess } from '../../src/simulator/demo/daemon-process.ts';
import { offeredSources } from '../../src/simulator/demo/readiness.ts';
import { untilReady } from '../../src/simulator/demo/watch.ts';
import { Workplace } from '../../src/simulator/demo/workplace.ts';
import { demoConfig } from '../../src/simulator/demo-config.ts';
import { startPdu } from '../../src/simulator/rack/pdu.ts';
import { Rack } from '../../src/simulator/rack/rack.ts';
import { loadScenario } from '../../src/simulator/scenario/load.ts';
import { RealClock } from '../../src/simulator/scenario-clock.ts';
import { dashboards, filled, queries } from '../deploy/dashboards.ts';
import { PROGRAM } from '../program.ts';
import { DaemonUnderTest } from './daemon-under-test.ts';
import { freePort, PrometheusUnderTest } from './prometheus-under-test.ts';

const XID_79 = 'NVRM: Xid (PCI:0000:1b:00): 79, pid=1122, name=python, GPU has fallen off the bus.';
/** What a host with two GPUs of the stand-in library and its own /proc has. */
const OF_A_HOST = [
  'Open incidents', 'GPUs that are fine', 'Hardware degraded or failed', 'Power of GPUs', 'Temperature of GPUs',
  'Clock of the multiprocessors', 'Utilisation of GPUs', 'Time slowed down', 'Processors', 'Memory', 'Memory of daemon and child', 'Processor time',
  'Age of the newest reading', 'Open: critical', 'Incidents open', 'Hardware that an open incident names', 'Opened in this time',
  'Time to the incident, 95 %', 'Events by kind', 'Faults by component', 'annotations',
]; // biome-ignore format: a list
const OF_THE_DEMO = [
  'Voltage of the feed', 'Power of supplies and outlets', 'Power of GPUs', 'Power limit of CPUs', 'Step time',
  'Faults by component', 'Events by kind', 'Incidents open',
]; // biome-ignore format: a list
const PATIENCE_MS = 90_000;
const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.close();
});
const missing =
  spawnSync('prometheus', ['--version']).error === undefined
    ? false
    : 'prometheus is not installed: apt-get install prometheus';

/** Asks everything until those of these titles were answered; what Prometheus refuses throws. */
async function untilAnswered(prometheus: PrometheusUnderTest, titles: readonly string[]): Promise<void> {
  const all = dashboards().flatMap(queries);
  assert.ok(all.length > 50);
  const waiting = new Set(titles);
  const end = performance.now() + PATIENCE_MS;
  while (waiting.size > 0) {
    for (const { where, expr } of all) {
      if ((await prometheus.results(filled(expr))) > 0) waiting.delete(where.slice(where.indexOf(': ') + 2));
    }
    if (performance.now() > end) assert.fail(`no answers for ${[...waiting].join(', ')}`);
  }
}

test('every query of the dashboards is taken, and those of a host and its GPUs are answered', {
  skip: missing,
}, async () => {
  const port = await freePort();
  const daemon = new DaemonUnderTest({ gpus: 2, extra: `prometheus: {listen: "127.0.0.1:${port}"}` });
  closing.push(daemon);
  const [prometheus] = await Promise.all([PrometheusUnderTest.start(port), daemon.start()]);
  closing.push(prometheus);
  await daemon.until('it is scraped', () => prometheus.value('up == 1'));
  daemon.kernel(XID_79);
  await untilAnswered(prometheus, OF_A_HOST);
});

test('the demo shows its rack on them: feed, supplies, job, and the incident', { skip: missing }, async () => {
  const plan = loadScenario('power-sag', 0);
  const [place, clock, port] = [new Workplace(), new RealClock(), await freePort()];
  closing.push({ close: async () => place.remove() }, { close: async () => clock.stop() });
  const library = nativePath('libnvidia-ml.so.1');
  const rack = await Rack.start({ folder: place.rack, plan, clock, library, startPdu });
  closing.push({ close: () => rack.stop() });
  const config = `${demoConfig(plan, rack.places, place.folder)}prometheus: {listen: "127.0.0.1:${port}"}\n`;
  writeFileSync(place.config, config, { mode: 0o600 });
  const daemon = new DaemonProcess(PROGRAM, place.config, place.daemonLog);
  closing.push({ close: () => daemon.stop() });
  const prometheus = await PrometheusUnderTest.start(port);
  closing.push(prometheus);
  const offered = offeredSources(plan);
  const { answered } = await untilReady(place.socket, offered, PATIENCE_MS, clock, new AbortController().signal);
  assert.ok(answered, daemon.lastLines());
  rack.play();
  await untilAnswered(prometheus, OF_THE_DEMO);
});
