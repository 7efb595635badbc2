// Act: something done to this host or a part of it after a fault, read from an event that a source reported.

import type { Component } from '../../model/component.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Kind } from '../../model/kind.ts';
import { type Outcome, OWN_NAME, type StageAction, type StageError, type StageName } from '../../model/stage.ts';

export interface Act {
  readonly id: string;
  readonly name: StageName;
  readonly action: StageAction;
  readonly component: Component | null;
  readonly by: string | null;
  readonly source: string;
  readonly beganMs: number;
  readonly endedMs: number | null;
  readonly outcome: Outcome;
  readonly reason: string | null;
  readonly error: StageError | null;
  /** Of one that was observed: its event, and the kind of that. */
  readonly eventId: string | null;
  readonly kind: Kind | null;
  /** The only incident that it is for; null where that is to be found out. */
  readonly incidentId: string | null;
}

const REMEDIES: { readonly [K in Kind]?: StageAction } = {
  'gpu.reset': 'gpu_reset',
  'host.rebooted': 'reboot',
  'driver.reloaded': 'driver_reload',
  'firmware.updated': 'firmware_update',
  'host.part_changed': 'replace_part',
};
/** Whoever takes a pod away does it to empty the node, or for something else: only these words are of the first. */
const EMPTIES: ReadonlySet<Kind> = new Set<Kind>(['pod.evicted', 'pod.removed']);

/** Null where the event is of something else, or of a user of the host. */
export function actOf(event: FaultEvent): Act | null {
  if (event.trust === 'tenant') return null;
  const { kind, state, component } = event;
  const remedy = REMEDIES[kind];
  if (remedy !== undefined)
    return act(event, 'remediated', remedy, state === 'onset' ? { endedMs: null, outcome: 'in_progress' } : {});
  if (EMPTIES.has(kind)) return act(event, 'drained', 'evict');
  if (component?.type !== 'host') return null;
  if (kind === 'host.emptied') return act(event, 'drained', 'drain');
  if (kind === 'host.resumed') return act(event, 'returned', 'resume');
  if (kind !== 'host.drained') return null;
  const how = howDrained(event);
  if (state !== 'clear') return act(event, 'quarantined', how);
  return act(event, 'returned', how === 'cordon' ? 'uncordon' : how === 'taint' ? 'untaint' : 'resume');
}

/** The same condition for its onset and its clear. */
export function conditionOfAct({ component, kind, action }: Act): string {
  return `${component?.type}/${component?.id} ${kind} ${action}`;
}

function howDrained({ source, attributes: { what, program } }: FaultEvent): StageAction {
  if (source === 'slurm' || program === 'slurmctld') return 'drain';
  return what === 'unschedulable' ? 'cordon' : 'taint';
}

function act(event: FaultEvent, name: StageName, action: StageAction, more: Partial<Act> = {}): Act {
  const { id, state, component, source, timeMs, interval, kind, attributes } = event;
  const beganMs = Math.min(timeMs, Math.max(interval.earliestMs, 0));
  const { set_by: by, reason, what, pod } = attributes;
  const words = [what, reason, pod].filter((word): word is string => typeof word === 'string' && word !== '');
  return {
    id: `${id} ${state}`,
    name,
    action,
    component,
    by: typeof by === 'string' ? by : null,
    source,
    beganMs: name === 'remediated' ? beganMs : timeMs,
    endedMs: timeMs,
    outcome: 'succeeded',
    reason: words.length === 0 ? null : words.join(': ').slice(0, MOST_REASON),
    error: null,
    eventId: id,
    kind,
    incidentId: null,
    ...more,
  };
}

const MOST_REASON = 300;

/** It is this daemon's own doing, seen again by a source. */
export function isOwn({ by, reason }: Act): boolean {
  return by === OWN_NAME || (reason ?? '').startsWith(`${OWN_NAME}:`) || (reason ?? '').startsWith(`${OWN_NAME}.`);
}
