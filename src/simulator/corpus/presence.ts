// Whether the daemon of a run is there, by the changes in force.

import type { PlannedChange } from '../scenario/planned-change.ts';

/** here; stalled: its process does not run, what waits for it is read afterwards; gone: what happens meanwhile is lost. */
export type Presence = 'here' | 'stalled' | 'gone';

export function presenceOf(changes: readonly PlannedChange[]): Presence {
  if (changes.some(({ type }) => type === 'agent_restart' || type === 'reboot')) return 'gone';
  return changes.some(({ type }) => type === 'agent_gap') ? 'stalled' : 'here';
}
