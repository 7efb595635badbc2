// Device actions: of what happened to one device, what must be done in the end; the gravest decides.

import { ACTIONS, type Action } from '../../../model/action.ts';
import type { FaultEvent } from '../../../model/event.ts';
import { KINDS, kindInfo } from '../../../model/kind.ts';
import { compareSeverity } from '../../../model/severity.ts';
import type { Cluster, Condition } from '../../belief/condition.ts';
import { isExplaining, isSymptom } from '../../graph/kind-roles.ts';
import { isOtherDevice, pciDevice } from '../../topology/place.ts';
import { onlyTenant } from '../../window/facts.ts';

/** What is done to a device itself, from the least to what includes all before it. What is done around it has no place here. */
const GRAVER: readonly Action[] = [
  'none',
  'debug_app',
  'restart_app',
  'reset_gpu',
  'reset_nic',
  'drain_reset_gpu',
  'reboot_node',
  'power_cycle_node',
  'inspect_hardware',
  'contact_vendor',
  'replace_part',
];

/** By index of the kind, how grave what is done about it is; most members of a chain ask for nothing graver. */
const graveness = Int8Array.from(KINDS, (kind) => GRAVER.indexOf(kindInfo(kind).action));

export function isGraver(action: Action, than: Action): boolean {
  return GRAVER.includes(than) && GRAVER.indexOf(action) > GRAVER.indexOf(than);
}

/**
 * What happened to the same device as a consequence of this, no less severe, and asks for more: a part that must be
 * replaced is not repaired by the reset that its error asks for. Null where nothing did.
 */
export function gravestOn(root: Condition, members: Cluster['members'], action: Action): Condition | null {
  let gravest: Condition | null = null;
  let most = GRAVER.indexOf(action);
  if (most < 0) return null;
  for (const { condition } of members) {
    const { kind, severity } = condition;
    const grave = gravenessOf(condition);
    if (grave <= most || condition === root || isSymptom(kind) || isExplaining(kind) || onlyTenant(condition)) continue;
    if (compareSeverity(severity, root.severity) < 0 || !isSameDevice(root, condition)) continue;
    gravest = condition;
    most = grave;
  }
  return gravest;
}

/** By what its gravest event asks for where that names an action of its own. */
function gravenessOf(condition: Condition): number {
  const asked = askedBy(condition);
  return asked === null ? (graveness[condition.kindIndex] ?? -1) : GRAVER.indexOf(asked);
}

/** Null where none of its events names an action. */
export function askedBy({ events, latest }: Pick<Condition, 'events' | 'latest'>): Action | null {
  let asked: Action | null = null;
  for (const event of events) asked = graverOf(asked, event);
  return latest === null ? asked : graverOf(asked, latest);
}

function graverOf(asked: Action | null, { attributes }: FaultEvent): Action | null {
  const { action: named } = attributes;
  if (named === undefined) return asked;
  const action = ACTIONS.find((one) => one === named && one !== 'none');
  return action !== undefined && (asked === null || isGraver(action, asked)) ? action : asked;
}

function isSameDevice({ component: a }: Condition, { component: b }: Condition): boolean {
  if (a === null || b === null || pciDevice(a) === null || pciDevice(b) === null) return false;
  return !isOtherDevice(a, b);
}
