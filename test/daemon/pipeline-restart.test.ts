// A daemon that ended at any moment continues its incidents: no second id for one of them, no revision published twice.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Pipeline } from '../../src/daemon/pipeline.ts';
import type { Incident } from '../../src/model/incident.ts';
import type { EventInput } from '../../src/model/record.ts';
import { native } from '../../src/native.ts';

const T0 = 1_790_000_000_000;
const KINDS = ['gpu.lost', 'gpu.memory.dbe', 'gpu.memory.contained', 'gpu.app_fault'] as const;
const GPUS = ['0000:1b:00.0', '0000:43:00.0', '0000:52:00.0', '0000:61:00.0'];
const cores: { close(): void }[] = [];
after(() => {
  for (const core of cores) core.close();
});

/** Faults of four GPUs in quick succession, some of them seen twice, with a power brake among them. */
function faults(seed: number): EventInput[] {
  let state = seed;
  const draw = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % below;
  };
  return Array.from({ length: 60 }, (_, i) => {
    const timeMs = T0 + i * 15;
    const component = { type: 'gpu', id: GPUS[draw(4)] ?? '', host: 'node-3' } as const;
    if (i === 25) return { kind: 'gpu.power_brake', component, timeMs, observedMs: timeMs, trust: 'driver', state: 'onset', source: 'gpu' }; // biome-ignore format: one event
    return { kind: KINDS[draw(4)] ?? 'gpu.lost', component, timeMs, observedMs: timeMs, trust: 'kernel', source: 'kernel-log', discriminator: i }; // biome-ignore format: one event
  });
}

/** Newest revision of each incident, after checking that no revision goes back. */
class Published {
  readonly newest = new Map<string, Incident>();
  readonly take = (incident: Incident): void => {
    const before = this.newest.get(incident.id)?.revision ?? 0;
    assert.equal(incident.revision, before + 1, `${incident.id} after revision ${before}`);
    this.newest.set(incident.id, incident);
  };
  state(state: Incident['state']): Incident[] {
    return [...this.newest.values()].filter((incident) => incident.state === state);
  }
}

function start(published: Published): Pipeline {
  const core = new (native().Core)({ historySeconds: 10, maxSeries: 16 });
  cores.push(core);
  return new Pipeline({
    host: 'node-3',
    core,
    latenessMs: 10_000,
    holdMs: 10_000,
    links: [],
    restored: published.state('open'),
    closed: published.state('resolved'),
    now: () => T0,
    onEvent: () => {},
    onIncident: published.take,
  });
}

for (const seed of [1, 46, 52, 112]) {
  test(`whenever the daemon is asked to stop, the next one has nothing to add (${seed})`, () => {
    const input = faults(seed);
    for (let cut = 1; cut < input.length; cut += 2) {
      const published = new Published();
      const first = start(published);
      for (const event of input.slice(0, cut)) first.event(event);
      first.reportWaiting();
      const before = new Set(published.newest.keys());
      const second = start(published);
      for (const event of input.slice(0, cut)) second.event(event);
      second.reportWaiting();
      assert.deepEqual(
        [...published.newest.keys()].filter((id) => !before.has(id)),
        [],
        `cut after ${cut} events`,
      );
    }
  });

  test(`whenever the daemon is killed, incidents keep their ids and count on (${seed})`, () => {
    const input = faults(seed);
    for (let cut = 1; cut < input.length; cut += 2) {
      const published = new Published();
      const first = start(published);
      for (const event of input.slice(0, cut)) first.event(event);
      const before = new Set(published.newest.keys());
      // What it was about to publish, had it lived: changes wait for up to a second. Their ids were not seen outside yet.
      const lived = new Published();
      const unharmed = start(lived);
      for (const event of input.slice(0, cut)) unharmed.event(event);
      unharmed.advance(T0 + cut * 15 + 1_000);
      const due = [...lived.newest.values()].filter(({ id }) => !before.has(id)).map(({ root }) => root.eventId);
      // The kernel log is read from its beginning again.
      const second = start(published);
      for (const event of input.slice(0, cut)) second.event(event);
      const added = [...published.newest.values()].filter(
        ({ id, root }) => !before.has(id) && !due.includes(root.eventId),
      );
      assert.deepEqual(added, [], `cut after ${cut} events`);
    }
  });
}

test('an incident that was resolved and is opened again counts on', () => {
  const published = new Published();
  const event: EventInput = { kind: 'gpu.power_brake', component: { type: 'gpu', id: '0000:1b:00.0', host: 'node-3' }, timeMs: T0, observedMs: T0, trust: 'driver', state: 'onset', source: 'gpu' }; // biome-ignore format: one event
  const first = start(published);
  first.event(event);
  first.event({ ...event, state: 'clear', timeMs: T0 + 1_000, observedMs: T0 + 1_000 });
  first.advance(T0 + 60_000);
  assert.equal(published.state('resolved').length, 1);
  start(published).event(event);
  assert.equal(published.newest.size, 1);
  assert.equal(published.state('open').length, 1);
});
