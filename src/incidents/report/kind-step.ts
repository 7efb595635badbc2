// Kind step: what a kind's own entry in the catalogue says of what to do, where the words of its action in general are not right for it.

import type { Incident } from '../../model/incident.ts';
import { type Kind, kindEntry, kindInfo } from '../../model/kind.ts';

/** In the placeholders of a step. Null: as for the action in general. */
export interface KindStep {
  readonly does: string | null;
  readonly now: string | null;
  readonly call: string | null;
}

export const OWNER = 'who runs the job';
export const HOST = 'who runs @';
export const HANDS = 'who may touch the hardware of @';
export const FACILITY = 'the facility: who runs the power of the site';
const CALLS: Readonly<Record<string, string>> = {
  owner: OWNER,
  host: HOST,
  hands: HANDS,
  facility: FACILITY,
  host_facility: `${HOST}, then ${FACILITY}`,
  storage: 'who runs that storage cluster',
  scheduler: 'who runs the scheduler of that job',
};

/** Of an incident whose action is the usual one of its root; null where another is asked for, or its kind says nothing. */
export function kindStep({ root, action }: Pick<Incident, 'root' | 'action'>): KindStep | null {
  return action.kind === kindInfo(root.kind).action ? stepOfKind(root.kind) : null;
}

export function stepOfKind(kind: Kind): KindStep | null {
  const { do: does = null, first_step: now = null, call } = kindEntry(kind);
  if (does === null && now === null && call === undefined) return null;
  return { does, now, call: call === undefined ? null : (CALLS[call] ?? null) };
}
