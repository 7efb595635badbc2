// Correlates the events of one host, in the order in which they happened, as the daemon does while they do.

import { Pipeline } from '../../daemon/pipeline.ts';
import type { Component } from '../../model/component.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import type { EventInput } from '../../model/record.ts';
import type { Link } from '../../model/topology.ts';
import { native } from '../../native.ts';

/** As the daemon's configuration has it by default. */
const LATENESS_MS = 30_000;
const HOLD_MS = 30_000;

/** Events come as they are, and no samples: detectors cost more to set up than the events of a host to correlate. */
const NO_DETECTORS = { rules: [], detectors: [] };

export interface Correlated {
  readonly events: readonly FaultEvent[];
  readonly incidents: readonly Incident[];
}

/** `links`: what is known of the host beyond its events; `untilMs`: up to when it is known that nothing else happened. */
export function correlateHost(
  host: string,
  inputs: readonly EventInput[],
  links: readonly Link[] = [],
  untilMs = 0,
): Correlated {
  const core = new (native().Core)({ historySeconds: 10, maxSeries: 16 });
  const events = new Map<string, FaultEvent>();
  const incidents = new Map<string, Incident>();
  let nowMs = inputs[0]?.timeMs ?? 0;
  const pipeline = new Pipeline({
    host,
    core,
    latenessMs: LATENESS_MS,
    holdMs: HOLD_MS,
    links,
    adviseOnWords: true,
    rules: NO_DETECTORS,
    now: () => nowMs,
    onEvent: (event) => events.set(event.id, event),
    onIncident: (incident) => incidents.set(incident.id, incident),
  });
  for (const job of jobsOf(inputs)) {
    const runs = { from: { type: 'host', id: host }, to: job, relation: 'runs', source: 'host' } as const;
    pipeline.discovery({ component: job, links: [runs] });
  }
  for (const component of gpusOnBus(inputs)) {
    const from = { type: 'host', id: component.host ?? host } as const;
    pipeline.discovery({ component, links: [{ from, to: component, relation: 'contains', source: 'host' }] });
  }
  for (const input of inputs) {
    nowMs = Math.max(nowMs, input.timeMs);
    pipeline.advance(nowMs);
    pipeline.event(input);
  }
  if (untilMs > nowMs) {
    nowMs = untilMs;
    pipeline.advance(nowMs);
  }
  pipeline.finish();
  core.close();
  return {
    events: [...events.values()],
    incidents: [...incidents.values()].filter(({ mergedInto }) => mergedInto === null),
  };
}

/** Drivers whose devices are GPUs. */
const GPU_DRIVERS: ReadonlySet<unknown> = new Set(['nvidia', 'amdgpu', 'xe']);

/**
 * GPUs whose bus reported something before a line named them: a saved log is read whole, so that what happened to the device at their
 * address happened to them.
 */
function gpusOnBus(inputs: readonly EventInput[]): Component[] {
  const onBus = new Set<string>();
  const gpus = new Map<string, Component>();
  for (const { component, attributes } of inputs) {
    if (component?.type === 'pcie') onBus.add(component.id);
    const isGpu = component?.type === 'gpu' || (component?.type === 'pcie' && GPU_DRIVERS.has(attributes?.driver));
    if (component === null || !isGpu) continue;
    const known = gpus.get(component.id)?.aliases?.length ?? -1;
    if ((component.aliases?.length ?? 0) > known) gpus.set(component.id, { ...component, type: 'gpu' });
  }
  return [...gpus.values()].filter(({ id }) => onBus.has(id));
}

/** The log of a job lies where the job ran. */
function jobsOf(inputs: readonly EventInput[]) {
  const names = new Set<string>();
  for (const { component } of inputs) {
    if (component?.type === 'job') names.add(component.id);
    if (component?.type === 'rank') names.add(component.id.slice(0, component.id.lastIndexOf('/')));
  }
  return [...names].map((id) => ({ type: 'job', id }) as const);
}
