// Guard: whether another quantity of a component is so; the same question that native code asks for each sample.

import type { DetectorGuard } from '../../native.ts';

/** `newest` gives the newest value of a quantity, undefined where there is none. */
export function meets(guard: DetectorGuard, newest: (quantity: string) => number | undefined): boolean {
  const own = newest(guard.quantity);
  const other = guard.against === undefined ? 1 : newest(guard.against);
  const value = own === undefined || other === undefined || other === 0 ? undefined : own / other;
  if (guard.when === 'absent') return value === undefined;
  if (value === undefined) return guard.unknown === 'holds';
  const limit = guard.limit ?? 0;
  return guard.when === 'above' ? value > limit : value < limit;
}
