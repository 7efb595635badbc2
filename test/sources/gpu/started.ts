// A GPU source that was started without a library, and what it emits when a test hands it notices.

import { after } from 'node:test';
import { HostGpus } from '../../../src/identity/host-gpus.ts';
import type { Discovery, EventInput } from '../../../src/model/record.ts';
import { native } from '../../../src/native.ts';
import { GpuSource } from '../../../src/sources/gpu/gpu-source.ts';

export const GPU = 'gpu/0000:1b:00.0';
const core = new (native().Core)({ historySeconds: 10, maxSeries: 10 });
after(() => core.close());

export function started() {
  const config = { enabled: 'auto', library: '/nowhere/libnvidia-ml.so.1', poll: true, intervalMs: 500, burstIntervalMs: 100, callDeadlineMs: 2_000 } as const; // biome-ignore format: one thing
  const gpus = new HostGpus();
  const source = new GpuSource(config, 'node-3', core, gpus);
  const events: EventInput[] = [];
  const discoveries: Discovery[] = [];
  source.start({
    samples: () => {},
    text: () => {},
    event: (event) => events.push(event),
    discovery: (discovery) => discoveries.push(discovery),
  });
  after(() => source.stop());
  return { source, gpus, events, discoveries, core };
}
