// Gates: why an action that a rule allows is not done about an incident, as far as the incident and this host say. Pure.

import type { Action } from '../../../model/action.ts';
import type { Incident } from '../../../model/incident.ts';
import { compareSeverity } from '../../../model/severity.ts';
import { OWN_SOURCE, type Stage, type StageName } from '../../../model/stage.ts';
import type { ActionName } from '../schema.ts';
import type { ActingConfig, ActingRule } from '../settings.ts';

/** `later`: it may be done once that is over. */
export interface Refusal {
  readonly type: string;
  readonly why: string;
  readonly later: boolean;
}

const NODE: readonly Action[] = [
  'reset_gpu',
  'drain_reset_gpu',
  'reset_nic',
  'reboot_node',
  'power_cycle_node',
  'drain_node',
  'inspect_hardware',
  'replace_part',
  'contact_vendor',
];
/** The advice of the incident by which the action makes sense. */
const ADVICE: { readonly [A in ActionName]: readonly Action[] } = {
  condition: NODE,
  taint: NODE,
  slurm_drain: NODE,
  gpu_reset: ['reset_gpu', 'drain_reset_gpu'],
  reboot: ['reboot_node'],
};
/** These end what runs on the node: it must be empty. */
const TAKES_OUT: ReadonlySet<ActionName> = new Set<ActionName>(['taint', 'slurm_drain']);
const NEEDS_EMPTY: ReadonlySet<ActionName> = new Set<ActionName>(['gpu_reset', 'reboot']);

/** Rules that fit the kind of the root and the host, one for each action. */
export function rulesFor(incident: Incident, rules: readonly ActingRule[]): readonly ActingRule[] {
  const fit = rules.filter(({ kinds, hosts }) => fits(kinds, incident.root.kind) && fits(hosts, incident.host));
  return fit.filter(({ action }, at) => fit.findIndex((rule) => rule.action === action) === at);
}

export function fits(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => {
    const parts = pattern.split('*');
    const [first = '', ...rest] = parts;
    if (rest.length === 0) return pattern === name;
    if (!name.startsWith(first)) return false;
    let at = first.length;
    for (const [i, part] of rest.entries()) {
      const last = i === rest.length - 1;
      const found = last ? name.length - part.length : name.indexOf(part, at);
      if (found < at || (last && !name.endsWith(part))) return false;
      at = found + part.length;
    }
    return true;
  });
}

/** Null where nothing about the incident speaks against it. */
export function refusalOf(
  incident: Incident,
  action: ActionName,
  { minConfidence }: Pick<ActingConfig, 'minConfidence'>,
): Refusal | null {
  const no = (type: string, why: string, later = false): Refusal => ({ type, why, later });
  const { root, events, confidence, severity } = incident;
  if (incident.made !== undefined) return no('made_up', `it is ${incident.made}`);
  if (incident.mergedInto !== null) return no('merged', `it is a part of ${incident.mergedInto}`);
  if (incident.state !== 'open') return no('over', 'the fault is over');
  if (!incident.rootKnown) return no('root_unknown', 'its root cause is not known', true);
  if (incident.unconfirmed !== null) return no('unconfirmed', `a user could have written all that says so; ${incident.unconfirmed} would confirm it`, true); // biome-ignore format: one line
  const first = events.find(({ id }) => id === root.eventId);
  if (first === undefined || first.trust === 'tenant') return no('trust', 'its root was reported by what a user can write', true); // biome-ignore format: one line
  if (incident.log !== 'written') return no('log', 'the incident log is not written', true);
  if (compareSeverity(severity, 'error') < 0) return no('severity', `it is a ${severity}`, true);
  if (confidence < minConfidence) return no('confidence', `${percent(confidence)} sure, and ${percent(minConfidence)} is asked for`, true); // biome-ignore format: one line
  if (!isHere(incident)) return no('elsewhere', 'its root is not on this host');
  if (!ADVICE[action].includes(incident.action.kind)) return no('advice', `the advice is ${incident.action.kind}`, true); // biome-ignore format: one line
  if (action === 'gpu_reset' && uuidOf(incident) === null) return no('device', 'the GPU has no UUID that is known');
  if (TAKES_OUT.has(action) && isOut(incident)) return no('already', 'it is out of service already', true);
  if (NEEDS_EMPTY.has(action) && !isEmpty(incident)) return no('not_empty', 'work is on the node, or it is not out of service', true); // biome-ignore format: one line
  return null;
}

const percent = (share: number): string => `${Math.floor(share * 100)} %`;

function isHere({ root: { component }, host }: Incident): boolean {
  if (component === null) return false;
  return component.type === 'host' ? component.id === host : component.host === host || component.parent === `host/${host}`; // biome-ignore format: one line
}

/** Stages of this name that count, in order. */
function did({ stages = [] }: Incident, name: StageName): readonly Stage[] {
  return stages.filter(
    (stage) => stage.name === name && (stage.outcome === 'succeeded' || stage.outcome === 'skipped'),
  );
}

/** Others took it out of service, and did not put it back since. */
function isOut(incident: Incident): boolean {
  const outMs = did(incident, 'quarantined').findLast(({ outcome, source }) => outcome === 'succeeded' && source !== OWN_SOURCE)?.beganMs; // biome-ignore format: one chain
  const backMs = did(incident, 'returned').at(-1)?.beganMs ?? Number.NEGATIVE_INFINITY;
  return outMs !== undefined && backMs < outMs;
}

/** It was taken out of service, its last work was seen to leave, and it was not put back since. */
function isEmpty(incident: Incident): boolean {
  const outMs = did(incident, 'quarantined').find(({ outcome }) => outcome === 'succeeded')?.beganMs;
  const emptyMs = did(incident, 'drained').at(-1)?.endedMs;
  const backMs = did(incident, 'returned').at(-1)?.beganMs ?? Number.NEGATIVE_INFINITY;
  return outMs !== undefined && emptyMs != null && backMs < outMs;
}

const UUID = /^GPU-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Of the GPU to reset: that of the advice, else the root. */
export function uuidOf({ action, root }: Incident): string | null {
  for (const component of [action.target, root.component]) {
    if (component?.type !== 'gpu') continue;
    const uuid = [component.id, ...(component.aliases ?? [])].find((name) => UUID.test(name));
    if (uuid !== undefined) return uuid;
  }
  return null;
}
