// Fixtures: small event lists with a known right answer, and what is needed to run them.

import { Correlator } from '../../src/correlation/correlator.ts';
import type { CorrelatorOptions } from '../../src/correlation/correlator-options.ts';
import { refresh } from '../../src/correlation/graph/neighbours.ts';
import { TopologyIndex } from '../../src/correlation/topology/topology-index.ts';
import { WindowStore } from '../../src/correlation/window/window-store.ts';
import { type Component, parseComponent } from '../../src/model/component.ts';
import type { FaultEvent } from '../../src/model/event.ts';
import type { Explanation } from '../../src/model/explanation.ts';
import type { Kind } from '../../src/model/kind.ts';
import { makeEvent } from '../../src/model/make-event.ts';
import type { EventInput } from '../../src/model/record.ts';
import type { Link, Relation } from '../../src/model/topology.ts';

export const HOST = 'node-3';
export const T0 = Date.UTC(2026, 10, 27, 14, 32, 0);
export const LATENESS = 30_000;
export const HOLD = 60_000;
/** The longest that a change of an incident that was reported before waits. */
export const PAUSE = 1_000;

export function component(text: string): Component {
  const found = parseComponent(text);
  if (found === null) throw new Error(`no component: ${text}`);
  return found;
}

export const GPUS = ['1b', '29', '45', '5d', '9b', 'ad', 'c1', 'df'].map((bus) => `gpu/0000:${bus}:00.0`);

export type Given = Partial<Omit<EventInput, 'component'>> & { readonly wide?: readonly [number, number] };

/** An event `s` seconds after T0; `wide` is its interval in seconds after T0. */
export function event(s: number, kind: Kind, at: string | null, given: Given = {}): FaultEvent {
  const { wide, ...rest } = given;
  const timeMs = T0 + s * 1000;
  const interval = wide && { earliestMs: T0 + wide[0] * 1000, latestMs: T0 + wide[1] * 1000 };
  return makeEvent(HOST, {
    kind,
    component: at === null ? null : component(at),
    timeMs,
    observedMs: Math.max(timeMs, interval?.latestMs ?? 0) + 50,
    trust: 'driver',
    source: 'gpu',
    ...(interval && { interval }),
    ...rest,
  });
}

export function link(from: string, to: string, relation: Relation): Link {
  return { from: component(from), to: component(to), relation, source: 'configuration' };
}

export const HOST_LINKS: readonly Link[] = GPUS.map((gpu) => link('host/node-3', gpu, 'contains'));
export const FEED_LINKS: readonly Link[] = [
  link('pdu_outlet/pdu-b-rack-14/7', 'psu/node-3/1', 'feeds'),
  link('psu/node-3/1', 'host/node-3', 'feeds'),
];

export function correlator(links: readonly Link[] = [], options: Partial<CorrelatorOptions> = {}): Correlator {
  const made = new Correlator({ host: HOST, latenessMs: LATENESS, holdMs: HOLD, ...options });
  for (const one of [...HOST_LINKS, ...links]) made.link(one);
  return made;
}

/** Last word on each cluster, oldest first; merged ones are left out. */
export class Reported {
  readonly all: Explanation[] = [];
  readonly #last = new Map<string, Explanation>();

  take(explanations: readonly Explanation[]): this {
    for (const explanation of explanations) {
      this.all.push(explanation);
      this.#last.set(explanation.firstEventId, explanation);
    }
    return this;
  }

  get last(): Explanation[] {
    return [...this.#last.values()].filter(({ mergedInto }) => mergedInto === null);
  }

  get merged(): Explanation[] {
    return [...this.#last.values()].filter(({ mergedInto }) => mergedInto !== null);
  }

  only(): Explanation {
    const [first, ...rest] = this.last;
    if (first === undefined || rest.length > 0) {
      throw new Error(
        `not one cluster: ${this.last.map(({ title, root }) => `${title} [${root.kind}]`).join('; ') || 'none'}`,
      );
    }
    return first;
  }

  of(kind: Kind): Explanation {
    const found = this.last.find(({ root }) => root.kind === kind);
    if (found === undefined) throw new Error(`no ${kind} among ${this.last.map(({ root }) => root.kind).join(', ')}`);
    return found;
  }
}

/** All that is reported these events, once nothing waits any more. */
export function run(made: Correlator, events: readonly FaultEvent[]): Reported {
  const reported = new Reported();
  for (const one of events) reported.take(made.observe(one));
  const newest = Math.max(...events.map(({ timeMs, observedMs }) => Math.min(timeMs, observedMs)));
  reported.take(made.advance(newest + PAUSE));
  return reported.take(made.publishWaiting(true));
}

const drop = { quantity: 'step time', before: 0.412, after: 0.897, unit: 's' };

/** A phase sags, CPU and GPUs are slowed, the step takes twice as long. */
export const POWER_CHAIN: readonly FaultEvent[] = [
  event(1.2, 'power.voltage_sag', 'pdu_phase/pdu-b-rack-14/1', {
    state: 'onset',
    wide: [-0.8, 1.2],
    trust: 'facility',
    source: 'pdu',
    attributes: { quantity: 'voltage', before: 121.4, after: 108.2, unit: 'V' },
  }),
  event(0.6, 'cpu.power_cap', 'cpu/node-3/0', { state: 'onset', wide: [0.1, 0.6], trust: 'kernel', source: 'cpu' }),
  ...GPUS.map((gpu, i) => event(0.9 + i / 100, 'gpu.power_brake', gpu, { state: 'onset', wide: [0.4, 0.9 + i / 100] })),
  ...GPUS.map((gpu) => event(3.7, 'gpu.thermal_throttle', gpu, { state: 'onset', wide: [3.2, 3.7] })),
  ...GPUS.map((gpu) => event(5.2, 'gpu.power_limit_changed', gpu, { state: 'onset', wide: [4.7, 5.2] })),
  event(8.8, 'job.throughput_drop', 'job/llama-70b', {
    state: 'onset',
    wide: [7, 8.8],
    trust: 'tenant',
    source: 'job-log',
    attributes: drop,
  }),
];

export const THROUGHPUT_DROP = drop;

export function lost(s: number, gpu: string, given: Given = {}): FaultEvent {
  return event(s, 'gpu.lost', gpu, { trust: 'kernel', source: 'kernel-log', attributes: { xid: 79 }, ...given });
}

/** XID 48, 171, 63 and 154 on one GPU; its rank aborts; the other rank's collective times out ten minutes later. */
export const GOLDEN: readonly FaultEvent[] = (() => {
  const kernel = { trust: 'kernel', source: 'kernel-log' } as const;
  const job = { trust: 'tenant', source: 'job-log' } as const;
  const gpu = GPUS[1] ?? '';
  return [
    event(0, 'gpu.memory.dbe', gpu, { ...kernel, attributes: { xid: 48 }, discriminator: 1 }),
    event(0, 'gpu.memory.dbe', gpu, { ...kernel, attributes: { xid: 171 }, discriminator: 2 }),
    event(0, 'gpu.memory.dbe', gpu, { ...kernel, attributes: { xid: 48 }, count: 8, discriminator: 3 }),
    event(0, 'gpu.memory.row_remap_pending', gpu, { ...kernel, attributes: { xid: 63 } }),
    event(0, 'gpu.recovery_action', gpu, { ...kernel, attributes: { xid: 154, recovery_action: '0x4' } }),
    event(0.945, 'job.rank_crashed', 'rank/ddp/1', job),
    event(600.718, 'job.collective_timeout', 'rank/ddp/0', { ...job, wide: [0.646, 600.718] }),
    event(631, 'job.rank_killed', 'rank/ddp/0', job),
  ];
})();

/** Conditions of these events with the edges between them, without a correlator around them; `take` adds one more. */
export function conditionsOf(events: readonly FaultEvent[], maxConditions = 4096, maxPerKind = 256) {
  const topology = new TopologyIndex(HOST);
  for (const one of HOST_LINKS) topology.link(one);
  const store = new WindowStore({ holdMs: () => 30_000, maxConditions, maxPerKind });
  const past = () => ({ withConsequence: 0, without: 0 });
  const context = { topology, nowMs: T0 + 10_000, latenessMs: LATENESS, past, recheckAt: () => {} };
  const take = (one: FaultEvent) => {
    const added = store.add(one, one.component && topology.placeOf(one.component), false);
    if (added === null) throw new Error('no room');
    if (one.component !== null) topology.retain(one.component);
    refresh(added.condition, store, context);
    return added.condition;
  };
  return { store, context, take, conditions: events.map(take) };
}
