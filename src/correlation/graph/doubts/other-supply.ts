// Other supply: what a supply no longer carries went over for what happened to that one, not for what happened to another.

import type { Doubting } from './doubt.ts';

const OTHER = 0.1;

export const otherSupply: Doubting = (cause, effect) => {
  const [one, two] = [cause.component, effect.component];
  if (one?.type !== 'psu' || two?.type !== 'psu' || one.id === two.id) return null;
  // Seen in the loads themselves: whose load went, and who took it.
  if (typeof effect.first.attributes.taken_by !== 'string') return null;
  return { code: 'other_supply', factor: OTHER, why: `the load that went is that of ${two.id}, not of ${one.id}` };
};
