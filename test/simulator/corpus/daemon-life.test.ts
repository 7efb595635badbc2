// The daemon of an accuracy run: what a restart takes up of open incidents and plans, and what it reports of a reboot.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultEvent } from '../../../src/model/event.ts';
import type { Incident } from '../../../src/model/incident.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { DaemonLife } from '../../../src/simulator/corpus/daemon-life.ts';
import type { PlannedChange } from '../../../src/simulator/scenario/planned-change.ts';
import { ManualClock } from '../../../src/simulator/scenario-clock.ts';

const T0 = Date.UTC(2026, 10, 28, 12, 0, 0);
const RESTART: PlannedChange = { type: 'agent_restart' };
const GPU = { type: 'gpu', id: '0000:1b:00.0', host: 'node-1' } as const;

function begun(t: { after(done: () => void): void }) {
  const clock = new ManualClock();
  const incidents = new Map<string, Incident>();
  const events: FaultEvent[] = [];
  const now = () => T0 + clock.now();
  const life = new DaemonLife(
    {
      host: 'node-1',
      latenessMs: 1000,
      holdMs: 1000,
      links: [],
      recorder: null,
      now,
      onEvent: (event) => events.push(event),
      onDiscovery: () => undefined,
      onIncident: (incident) => incidents.set(incident.id, incident),
    },
    clock,
    T0,
    () => [...incidents.values()],
  );
  t.after(() => life.close());
  const lost = (): EventInput => ({
    kind: 'gpu.lost',
    component: GPU,
    timeMs: now(),
    interval: { earliestMs: now(), latestMs: now() },
    observedMs: now(),
    trust: 'kernel',
    state: 'onset',
    source: 'kernel-log',
    discriminator: 1,
  });
  const pass = async (ms: number) => {
    await clock.run(clock.now() + ms);
    life.pipeline.advance(now());
  };
  return { life, incidents, events, lost, pass };
}

test('a restart is another process that takes up the open incident under its id', async (t) => {
  const { life, incidents, lost, pass } = begun(t);
  life.pipeline.event(lost());
  await pass(5000);
  const [before] = [...incidents.keys()];
  const first = life.pipeline;
  life.begin(RESTART);
  assert.equal(life.end(RESTART), true);
  assert.notEqual(life.pipeline, first);
  life.pipeline.event({ ...lost(), discriminator: 2 });
  await pass(5000);
  assert.deepEqual([...incidents.values()].filter(({ mergedInto }) => mergedInto === null).map(({ id }) => id), [before]); // biome-ignore format: one line
});

test('only a restart and a reboot are another process', async (t) => {
  const { life } = begun(t);
  const first = life.pipeline;
  for (const change of [{ type: 'agent_gap' }, { type: 'gpu_lost', gpus: [0] }] as PlannedChange[])
    assert.equal(life.end(change), false);
  assert.equal(life.pipeline, first);
});

test('a reboot is reported once the daemon runs again, with when the host was seen last and how it went', async (t) => {
  const { life, events, pass } = begun(t);
  const reboot: PlannedChange = { type: 'reboot', orderly: false };
  life.begin(reboot);
  await pass(180_000);
  assert.equal(life.end(reboot), true);
  life.rebooted(reboot);
  const [event] = events.filter(({ kind }) => kind === 'host.rebooted');
  assert.equal(event?.attributes.reason, 'abrupt');
  assert.ok(event && event.interval.earliestMs >= T0 && event.interval.latestMs <= T0 + 180_000);
  life.rebooted(RESTART);
  assert.equal(events.filter(({ kind }) => kind === 'host.rebooted').length, 1);
});
