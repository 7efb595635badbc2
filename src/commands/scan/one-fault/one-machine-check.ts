// One machine check: what a BMC has of it at once, the kernel may say only once the host is up again; a memory module that failed is why.

import type { Incident } from '../../../model/incident.ts';
import { type Group, isRooted, placeOf } from './groups.ts';

/** A host that was reset by it starts within this time. */
const UP_MS = 1_200_000;

/** Groups of machine checks, and of errors of memory, of one host within the time of one start. */
export function ofOneMachineCheck(incidents: readonly Incident[]): Group[] {
  const all = incidents.filter((one) => isRooted(one) && OF_IT.has(one.root.kind));
  return [...Map.groupBy(all, placeOf).values()].flatMap((own) => {
    const checks = own.filter(({ root }) => root.kind === 'cpu.machine_check');
    const memory = own.find(({ root }) => root.kind === 'memory.ue');
    const [first] = checks;
    const lead = memory ?? first;
    if (lead === undefined) return [];
    const others = checks.filter((one) => one !== lead && Math.abs(one.openedMs - endOf(lead)) <= UP_MS);
    return others.length === 0 ? [] : [{ lead, others }];
  });
}

const OF_IT: ReadonlySet<string> = new Set(['cpu.machine_check', 'memory.ue']);

function endOf({ openedMs, events }: Incident): number {
  return Math.max(openedMs, ...events.map(({ timeMs }) => timeMs));
}
