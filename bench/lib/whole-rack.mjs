// A simulated host with every source that needs no cluster, and every such sink with someone at its other end: what `hour`,
// `daemon --all` and `harm` run.

import { mkdirSync, mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { parse } from 'yaml';
import { nativePath } from '../../src/native.ts';
import { demoConfig } from '../../src/simulator/demo-config.ts';
import { startPdu } from '../../src/simulator/rack/pdu.ts';
import { Rack } from '../../src/simulator/rack/rack.ts';
import { loadScenario } from '../../src/simulator/scenario/load.ts';
import { RealClock } from '../../src/simulator/scenario-clock.ts';
import { startCollector } from './otlp-nowhere.mjs';
import { addWholeHost } from './whole-host.mjs';

const SCRAPE_MS = 15_000;

/** The rack in a folder below `folder`, the daemon's configuration, what its sinks gave, and how all of it ends. */
export async function startWholeRack(folder) {
  const plan = loadScenario('quiet', 0);
  const library = nativePath('libnvidia-ml.so.1');
  const rackFolder = mkdtempSync(join(folder, 'rack-'));
  const rack = await Rack.start({ folder: rackFolder, plan, clock: new RealClock(), library, startPdu });
  const demo = parse(demoConfig(plan, rack.places, folder));
  const gpus = plan.world.host.gpus.map(({ address }) => address);
  addWholeHost(rack.places.sys, gpus);
  const runs = join(rackFolder, 'runs');
  mkdirSync(runs);
  const collector = await startCollector();
  const receiver = await startReceiver();
  const port = 20_000 + (process.pid % 20_000);
  const got = { series: 0, collector: collector.got, receiver: receiver.got };
  const scrape = () =>
    fetch(`http://127.0.0.1:${port}/metrics`)
      .then((answer) => answer.text())
      .then((text) => {
        got.series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;
      })
      .catch(() => undefined); // before its start and after its end
  const timer = setInterval(scrape, SCRAPE_MS);
  const [job] = plan.world.jobs;
  return {
    rack,
    gpus,
    got,
    config: {
      ...demo,
      roots: { ...demo.roots, proc: '/proc' },
      sources: {
        ...demo.sources,
        system: {},
        pci: {},
        inventory: {},
        flight_recorder: {},
        run_folders: job === undefined ? [] : [{ job: job.id, path: runs }],
        syslog_in: { listen: [`unix:${join(rackFolder, 'syslog.sock')}`] },
        logs_in: { listen: [`unix:${join(rackFolder, 'logs.sock')}`] },
        otlp_in: { listen: [`unix:${join(rackFolder, 'otlp.sock')}`] },
        alerts_in: { listen: [`unix:${join(rackFolder, 'alerts.sock')}`] },
      },
      prometheus: { listen: `127.0.0.1:${port}` },
      otlp: { endpoint: collector.endpoint },
      alertmanager: { urls: [receiver.url] },
      notify: { channels: [{ name: 'people', type: 'webhook', url: `${receiver.url}/people` }] },
    },
    stop: async () => {
      clearInterval(timer);
      collector.stop();
      receiver.stop();
      await rack.stop();
    },
  };
}

/** An Alertmanager and a webhook in one that take everything and keep nothing. */
async function startReceiver() {
  const got = { requests: 0 };
  const server = createServer((request, answer) => {
    got.requests += 1;
    request.resume().on('end', () => answer.setHeader('Content-Type', 'application/json').end('{}'));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, got, stop: () => server.close().closeAllConnections() };
}
