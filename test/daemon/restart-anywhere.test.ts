// A restart anywhere: what is wrong on a host is reported the same with a daemon that started again in between. Which faults are
// one incident may differ: what follows from a cause that was resolved before the restart names it in an incident of its own.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { RepeatBook } from '../../src/correlation/repeats/repeat-book.ts';
import { PastEvents } from '../../src/correlation/window/past-events.ts';
import { Pipeline } from '../../src/daemon/pipeline.ts';
import { type Component, componentText, parseComponent } from '../../src/model/component.ts';
import { eventFromDocument, eventToDocument } from '../../src/model/documents/event.ts';
import { incidentFromDocument, wholeIncidentToDocument } from '../../src/model/documents/incident.ts';
import type { FaultEvent } from '../../src/model/event.ts';
import type { Incident } from '../../src/model/incident.ts';
import type { Kind } from '../../src/model/kind.ts';
import type { EventInput } from '../../src/model/record.ts';
import { type NativeCore, native } from '../../src/native.ts';
import { runs } from '../runs.ts';

const T0 = 1_790_000_000_000;
const LATENESS_MS = 10_000;
/** As in `src/daemon/start.ts`. */
const STALE_MS = 600_000;
/** What a fault brought about there depends on which faults are one incident. */
const WORK: ReadonlySet<string> = new Set(['job', 'rank', 'process']);
const cores: NativeCore[] = [];
after(() => {
  for (const core of cores) core.close();
});

/** Written once, by the kernel or a program: no source reports them again. */
const POINTS: readonly (readonly [Kind, string, EventInput['trust']])[] = [
  ['gpu.lost', 'gpu/0000:1b:00.0', 'kernel'],
  ['gpu.memory.dbe', 'gpu/0000:43:00.0', 'kernel'],
  ['gpu.app_fault', 'gpu/0000:43:00.0', 'kernel'],
  ['gpu.reset', 'gpu/0000:1b:00.0', 'driver'],
  ['driver.reloaded', 'host/node-3', 'kernel'],
  ['nic.link_flap', 'nic/0000:40:00.0', 'kernel'],
  ['host.oom', 'process/4711', 'kernel'],
  ['job.rank_crashed', 'rank/ddp/0', 'tenant'],
  ['job.collective_timeout', 'rank/ddp/1', 'tenant'],
];
/** Polled: reported again by a daemon that starts while they last. */
const STATES: readonly (readonly [Kind, string, EventInput['trust']])[] = [
  ['gpu.missing', 'gpu/0000:1b:00.0', 'kernel'],
  ['gpu.thermal_throttle', 'gpu/0000:43:00.0', 'driver'],
  ['psu.input_lost', 'psu/node-3/1', 'bmc'],
  ['psu.redundancy_lost', 'host/node-3', 'bmc'],
  ['nic.port_down', 'nic/0000:40:00.0', 'kernel'],
  ['job.throughput_drop', 'job/ddp', 'tenant'],
];

interface Step {
  readonly atMs: number;
  readonly of: readonly [Kind, string, EventInput['trust']];
  readonly state: 'point' | 'onset' | 'clear';
  readonly pid: number;
}

function chance(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
}

/** A quarter of an hour of them, and everything that lasts ends in the end. */
function story(seed: number): Step[] {
  const draw = chance(seed);
  const lasting = new Map<number, boolean>();
  const steps: Step[] = [];
  let atMs = 1_000;
  for (let i = 0; i < 14; i += 1) {
    atMs += 500 + draw(i % 3 === 0 ? 150_000 : 12_000);
    if (draw(2) === 0)
      steps.push({
        atMs,
        of: POINTS[draw(POINTS.length)] ?? ['gpu.lost', '?', 'kernel'],
        state: 'point',
        pid: 100 + i,
      });
    else {
      const which = draw(STATES.length);
      const was = lasting.get(which) === true;
      lasting.set(which, !was);
      steps.push({ atMs, of: STATES[which] ?? ['gpu.missing', '?', 'kernel'], state: was ? 'clear' : 'onset', pid: 0 });
    }
  }
  for (const [which, lasts] of lasting) {
    atMs += 1_000;
    if (lasts) steps.push({ atMs, of: STATES[which] ?? ['gpu.missing', '?', 'kernel'], state: 'clear', pid: 0 });
  }
  return steps;
}

const place = (text: string): Component => parseComponent(text) ?? assert.fail(text);

class World {
  readonly log = new Map<string, Incident>();
  nowMs = T0;
  readonly #heard = new Set<string>();
  /** When incidents of an earlier run without a sign of life are given up. */
  #staleMs = Number.POSITIVE_INFINITY;
  #repeats = new RepeatBook();
  #past = new PastEvents(LATENESS_MS);
  #pipeline = this.#start([], [], []);

  #start(plans: readonly FaultEvent[], causes: readonly FaultEvent[], incidents: readonly Incident[]): Pipeline {
    const core = new (native().Core)({ historySeconds: 10, maxSeries: 16 });
    cores.push(core);
    return new Pipeline({
      host: 'node-3',
      core,
      latenessMs: LATENESS_MS,
      holdMs: LATENESS_MS,
      links: [
        { from: place('host/node-3'), to: place('gpu/0000:1b:00.0'), relation: 'contains', source: 'host' },
        { from: place('host/node-3'), to: place('gpu/0000:43:00.0'), relation: 'contains', source: 'host' },
        { from: place('gpu/0000:1b:00.0'), to: place('rank/ddp/0'), relation: 'runs', source: 'host' },
        { from: place('gpu/0000:43:00.0'), to: place('rank/ddp/1'), relation: 'runs', source: 'host' },
      ],
      restored: incidents.filter(({ state }) => state === 'open'),
      closed: incidents.filter(({ state }) => state !== 'open'),
      plans,
      causes,
      repeats: this.#repeats,
      pastEvents: this.#past,
      now: () => this.nowMs,
      onEvent: () => {},
      onIncident: (incident) => this.#publish(incident),
    });
  }

  until(toMs: number, stepMs = 1_000): void {
    for (; this.nowMs < T0 + toMs; this.nowMs = Math.min(this.nowMs + stepMs, T0 + toMs)) {
      this.#pipeline.advance(this.nowMs);
      if (this.nowMs < this.#staleMs) continue;
      this.#staleMs = Number.POSITIVE_INFINITY;
      this.#pipeline.resolveStale(this.nowMs);
    }
    this.#pipeline.advance(this.nowMs);
  }

  take({ of: [kind, at, trust], state, pid }: Step): void {
    const attributes = pid === 0 ? {} : { pid, gpc: 1, tpc: 2, sm: 0 };
    const source = trust === 'tenant' ? 'job-log' : trust;
    this.#pipeline.event({ kind, component: place(at), timeMs: this.nowMs, observedMs: this.nowMs, trust, state, source, attributes }); // biome-ignore format: one event
  }

  /** Stopped, and started again from what is on disk; what lasts is found again. */
  restart(lasting: readonly Step[]): void {
    this.#pipeline.reportWaiting();
    const plans = onDisk(this.#pipeline.remembered());
    const causes = onDisk(this.#pipeline.rememberedCauses());
    const incidents = [...this.log.values()]
      .filter(({ mergedInto }) => mergedInto === null)
      .map((one) => incidentFromDocument(reread(wholeIncidentToDocument(one))) ?? assert.fail(one.id));
    const [repeats, past] = [new RepeatBook(), new PastEvents(LATENESS_MS)];
    repeats.restore(reread(this.#repeats.document()), (timeMs) => timeMs); // biome-ignore format: one call
    past.restore(reread(this.#past.document()), (timeMs) => timeMs); // biome-ignore format: one call
    [this.#repeats, this.#past] = [repeats, past];
    this.#pipeline = this.#start(plans, causes, incidents);
    this.#staleMs = this.nowMs + STALE_MS;
    for (const step of lasting) this.take(step);
  }

  #publish(incident: Incident): void {
    this.log.set(incident.id, incident);
    if (incident.severity === 'info') return;
    for (const { component } of incident.chain)
      if (component !== null && !WORK.has(component.type)) this.#heard.add(componentText(component));
  }

  /** What an operator heard of: each place of a fault, and what is still open in the end. */
  answers(): string[] {
    const open = [...this.log.values()].filter(({ mergedInto, state }) => mergedInto === null && state === 'open');
    return [...[...this.#heard].sort(), ...open.map(({ title }) => `open: ${title}`)];
  }
}

function onDisk(events: readonly FaultEvent[]): FaultEvent[] {
  return events.flatMap((event) => eventFromDocument(reread(eventToDocument(event, 'node-3'))) ?? []);
}

function reread<T extends object>(document: T): Record<string, unknown> & T {
  return JSON.parse(JSON.stringify(document));
}

function play(steps: readonly Step[], cut: number | null): string[] {
  const world = new World();
  const lasting = new Map<string, Step>();
  steps.forEach((step, i) => {
    world.until(step.atMs);
    world.take(step);
    // A reader of a job's log that begins again takes its steps as they are for usual.
    if (step.state === 'onset' && step.of[2] !== 'tenant') lasting.set(step.of[0], step);
    if (step.state === 'clear') lasting.delete(step.of[0]);
    if (i === cut) world.restart([...lasting.values()]);
  });
  world.until((steps.at(-1)?.atMs ?? 0) + 120_000);
  world.until((steps.at(-1)?.atMs ?? 0) + 2 * 86_400_000, 600_000);
  return world.answers();
}

test('any events, and a restart after any of them: no device is lost, none is made up, nothing stays open', () => {
  // 29 and 32: an incident of an earlier run that was over already, and of which a new sign of life came.
  for (const seed of [29, 32, ...Array.from({ length: runs(4, 300) }, (_, i) => i + 1)]) {
    const steps = story(seed);
    const without = play(steps, null);
    assert.ok(!without.some((one) => one.startsWith('open')));
    for (let cut = seed % 3; cut < steps.length; cut += 3)
      assert.deepEqual(play(steps, cut), without, `seed ${seed}, after ${cut}`);
  }
});
