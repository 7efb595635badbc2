// Other panic: a kernel that says what it stopped for was not stopped by a fault of another kind.

import type { Facts } from '../../window/facts.ts';
import type { Doubting } from './doubt.ts';

/** By the words after "Kernel panic - not syncing" (kernel: mce_panic(), watchdog_timer_fn(), hung_task.c): what alone it speaks of. */
const SPEAKS_OF: readonly (readonly [words: RegExp, kinds: RegExp, of: string])[] = [
  [/machine check|\bmce\b/i, /^(?:cpu|memory|pcie)\./, 'a machine check'],
  [/soft ?lockup|hard lockup|hung_task|rcu stall/i, /^(?:host|driver|gpu|storage|net|nic)\./, 'what hung'],
];
const OTHERS = 0.05;

export const otherPanic: Doubting = (cause, effect) => {
  const reason = reasonOf(effect);
  const spoken = SPEAKS_OF.find(([words]) => words.test(reason));
  if (spoken === undefined || spoken[1].test(cause.kind)) return null;
  return { code: 'other_panic', factor: OTHERS, why: `the panic speaks of ${spoken[2]}` };
};

function reasonOf({ events }: Facts): string {
  const said = events.find(({ attributes }) => typeof attributes.reason === 'string');
  return String(said?.attributes.reason ?? '');
}
