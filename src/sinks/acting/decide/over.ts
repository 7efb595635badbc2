// Over: whether what the daemon set about an incident may be taken back. Pure.

import type { Incident } from '../../../model/incident.ts';
import type { Verdict } from '../../../model/note.ts';
import type { ActionName } from '../schema.ts';
import type { ActingConfig } from '../settings.ts';
import { rulesFor } from './gates.ts';

export interface BackReason {
  readonly type: 'over' | 'verified' | 'called_wrong';
  readonly why: string;
}

export const BACK_TYPES: ReadonlySet<string> = new Set<BackReason['type']>(['over', 'verified', 'called_wrong']);

export interface WhatIsKnown {
  /** Null where neither memory nor log has it any more: then it is not open. */
  readonly incident: Incident | null;
  /** Of this host. */
  readonly others: readonly Incident[];
  readonly verdict: Verdict | null;
  readonly nowMs: number;
}

/** Null where it has to stay. */
export function mayBeTakenBack(
  action: ActionName,
  { incident, others, verdict, nowMs }: WhatIsKnown,
  { rules, takeBack }: Pick<ActingConfig, 'rules' | 'takeBack'>,
): BackReason | null {
  // Another fault for which the same would be done keeps it.
  const isAsked = (other: Incident): boolean => isOpen(other) && rulesFor(other, rules).some((rule) => rule.action === action); // biome-ignore format: one line
  if (others.some(isAsked)) return null;
  if (action === 'condition') return incident === null || !isOpen(incident) ? { type: 'over', why: 'the fault is over' } : null; // biome-ignore format: one line
  if (!takeBack.on || (action !== 'taint' && action !== 'slurm_drain') || incident === null) return null;
  if (verdict?.verdict === 'wrong') return { type: 'called_wrong', why: `${verdict.by} called it wrong` };
  if (incident.state !== 'resolved' || incident.mergedInto !== null) return null;
  const { stages = [], resolvedMs } = incident;
  const remedied = stages.some(({ name, outcome }) => name === 'remediated' && outcome === 'succeeded');
  const last = stages.findLast(({ name }) => name === 'verified');
  // A node that is empty shows no fault: being quiet proves nothing without a remedy.
  if (!remedied || last?.outcome !== 'succeeded' || last.endedMs === null) return null;
  const goneMs = Math.max(last.endedMs, resolvedMs ?? 0);
  if (nowMs - goneMs < takeBack.verifiedMs) return null;
  return { type: 'verified', why: `gone after the remedy, for ${Math.round((nowMs - goneMs) / 60_000)} min` };
}

function isOpen({ state, mergedInto }: Incident): boolean {
  return state === 'open' && mergedInto === null;
}
