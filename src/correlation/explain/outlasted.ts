// Outlasted: the planned or declared condition that explained the root as long as such a plan does, and explains it no longer.

import type { Outlasted } from '../../model/incident.ts';
import { kindEntry } from '../../model/kind.ts';
import type { Condition } from '../belief/condition.ts';
import { byOnset } from '../window/facts.ts';
import { nameOf } from './plain-names.ts';

/** The last of several; null where the root follows from no plan. */
export function outlastedBy(root: Condition): Condition | null {
  let last: Condition | null = null;
  for (const { cause, outlasted } of root.causes.all)
    if (outlasted && (last === null || byOnset(cause, last) > 0)) last = cause;
  return last;
}

export function outlastedOf(root: Condition): Outlasted | null {
  const plan = outlastedBy(root);
  if (plan === null) return null;
  const { first, kind, component } = plan;
  return { eventId: first.id, kind, component, timeMs: first.timeMs };
}

/** "did not come back from the reboot of node-3"; the device is named where it is another one. */
export function outlastedText(root: Condition, host: string): string | null {
  const plan = outlastedBy(root);
  const what = plan === null ? undefined : kindEntry(plan.kind).explains_for?.as;
  if (plan === null || what === undefined) return null;
  const of = plan.text === root.text ? '' : ` of ${nameOf(plan.component, host)}`;
  return `did not come back from ${what}${of}`;
}
