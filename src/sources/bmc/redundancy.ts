// Whether a redundancy group has what it needs, by its own word and by the supplies that are there. Pure.

import type { Redundancy, Supply } from './decode/parts.ts';

/** States in which a supply, or the group itself, carries nothing however well it is. */
const OUT: readonly (string | null)[] = ['Absent', 'Disabled', 'UnavailableOffline'];

export function works({ state, health, line }: Supply): boolean {
  return !OUT.includes(state) && health !== 'Critical' && line !== 'LossOfInput' && line !== 'OutOfRange';
}

/** True: less than there should be. Null: the BMC does not tell. */
export function isLost({ health, state }: Redundancy): boolean | null {
  if (OUT.includes(state)) return true;
  return health === null ? null : health !== 'OK';
}

/**
 * "full (N+m, 1 needed, 2 of 2 work)". Full is only what has all that belong to it: an empty bay is none of them where the
 * group lists its supplies without it.
 */
export function redundancyWord(group: Redundancy, supplies: readonly Supply[], onlyGroup: boolean): string {
  const { mode, needed, state, listed, supported } = group;
  const lost = isLost(group);
  // Which supplies belong to which of several groups is not known here.
  const working = onlyGroup && supplies.length > 0 ? supplies.filter(works).length : null;
  const all = listed ?? (supplies.length > 0 ? Math.min(supplies.length, supported ?? supplies.length) : null);
  const short = working !== null && all !== null && working < all;
  const none = short && needed !== null && working <= needed;
  const word = lost === true || none ? 'lost' : short ? 'reduced' : lost === null ? 'unknown' : 'full';
  const shown = [
    mode,
    OUT.includes(state) ? `state ${state}` : null,
    needed === null ? null : `${needed} needed`,
    working === null || all === null ? null : `${Math.min(working, all)} of ${all} work`,
  ].filter((part) => part !== null);
  return shown.length === 0 ? word : `${word} (${shown.join(', ')})`;
}
