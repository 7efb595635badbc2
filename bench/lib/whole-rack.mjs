// A simulated host with every source, and every sink with someone at its other end: what `daemon --all` and `harm` run next to.

import { mkdtempSync } from 'node:fs';
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

/** The rack in a folder below `folder`, the daemon's configuration, and how all of it ends. */
export async function startWholeRack(folder) {
  const plan = loadScenario('quiet', 0);
  const library = nativePath('libnvidia-ml.so.1');
  const rackFolder = mkdtempSync(join(folder, 'rack-'));
  const rack = await Rack.start({ folder: rackFolder, plan, clock: new RealClock(), library, startPdu });
  const demo = parse(demoConfig(plan, rack.places, folder));
  const gpus = plan.world.host.gpus.map(({ address }) => address);
  addWholeHost(rack.places.sys, gpus);
  const collector = await startCollector();
  const port = 20_000 + (process.pid % 20_000);
  const scrape = () =>
    fetch(`http://127.0.0.1:${port}/metrics`).then(
      (answer) => answer.text(),
      () => '',
    );
  const timer = setInterval(scrape, SCRAPE_MS);
  return {
    rack,
    config: {
      ...demo,
      roots: { ...demo.roots, proc: '/proc' },
      sources: { ...demo.sources, system: {}, pci: {}, flight_recorder: {} },
      prometheus: { listen: `127.0.0.1:${port}` },
      otlp: { endpoint: collector.endpoint },
    },
    stop: async () => {
      clearInterval(timer);
      collector.stop();
      await rack.stop();
    },
  };
}
