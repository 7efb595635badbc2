// One job: that a program of it ended is what any of its faults looks like; what its own lines name in the same seconds is why.

import type { Incident } from '../../../model/incident.ts';
import { type Group, isRooted } from './groups.ts';

/** A program that fails prints its traceback at once. */
const AT_ONCE_MS = 10_000;

/** Groups of the end of a job, with the only other fault that its lines name then. */
export function ofOneJob(incidents: readonly Incident[]): Group[] {
  const faults = incidents.filter((one) => isRooted(one) && jobOf(one) !== null);
  return faults.flatMap((end) => {
    if (end.root.kind !== 'job.rank_crashed' || end.root.component?.type !== 'job') return [];
    const [lead, ...others] = faults.filter(
      (one) =>
        one !== end &&
        one.root.kind !== 'job.rank_crashed' &&
        jobOf(one) === jobOf(end) &&
        Math.abs(one.openedMs - end.openedMs) <= AT_ONCE_MS,
    );
    return lead === undefined || others.length > 0 ? [] : [{ lead, others: [end] }];
  });
}

function jobOf({ root: { component } }: Incident): string | null {
  return component?.type === 'job' ? component.id : null;
}
