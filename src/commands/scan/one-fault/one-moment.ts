// One moment: what two programs, or two layers of one kernel, say of one thing on one host within moments, each by a name that the other lacks.

import type { FaultEvent } from '../../../model/event.ts';
import type { Incident } from '../../../model/incident.ts';
import { type Group, isRooted, placeOf, rootOf } from './groups.ts';

/** A kernel says all of one event within this time; a log that it was pasted from may have lost the order. */
const MOMENT_MS = 10_000;
/** A kubelet writes its event within it, by a clock of whole seconds, or by an age. */
const WRITTEN_MS = 120_000;

interface Rule {
  readonly isLead: (root: FaultEvent) => boolean;
  readonly isOther: (root: FaultEvent, lead: FaultEvent) => boolean;
  readonly withinMs: number;
}

const RULES: readonly Rule[] = [
  {
    // The kernel's head of a kill, whose victim another log has.
    isLead: ({ kind, component }) => kind === 'host.oom' && component?.type === 'process',
    isOther: ({ kind, attributes }) => kind === 'host.oom' && attributes.victim !== undefined,
    withinMs: WRITTEN_MS,
  },
  {
    // A file system is shut down, or made read-only, for the errors of the device below it.
    isLead: ({ kind, attributes }) => kind === 'storage.io_error' && typeof attributes.device === 'string',
    isOther: ({ kind, attributes }, lead) =>
      kind === 'storage.readonly' && attributes.device === lead.attributes.device,
    withinMs: MOMENT_MS,
  },
  {
    // A card whose access the IOMMU refused, and what its driver says of the transfer by the name of its port.
    isLead: ({ kind, attributes }) => kind === 'pcie.uncorrected' && attributes.iommu === true,
    isOther: ({ kind, component }, { attributes: { driver } }) =>
      kind === 'nic.firmware_fault' && component !== null && typeof driver === 'string' && isOfDriver(component.id, driver), // biome-ignore format: one rule
    withinMs: MOMENT_MS,
  },
];

/** Groups of what is said of one thing, each led by what is behind it, where there is only one such thing on that host in that time. */
export function ofOneMoment(incidents: readonly Incident[]): Group[] {
  const groups = new Map<Incident, Incident[]>();
  const rooted = incidents.filter(isRooted);
  for (const { isLead, isOther, withinMs } of RULES)
    for (const one of rooted) {
      const root = rootOf(one);
      if (root === undefined || groups.has(one)) continue;
      const near = rooted.filter(
        (other) =>
          other !== one && placeOf(other) === placeOf(one) && Math.abs(other.openedMs - one.openedMs) <= withinMs,
      );
      const [lead, ...others] = near.filter((other) => {
        const behind = rootOf(other);
        return behind !== undefined && isLead(behind) && isOther(root, behind);
      });
      if (lead !== undefined && others.length === 0) groups.set(lead, [...(groups.get(lead) ?? []), one]);
    }
  return [...groups].map(([lead, others]) => ({ lead, others }));
}

/** `mlx5_0` is of `mlx5_core`. */
function isOfDriver(port: string, driver: string): boolean {
  const name = port.slice(port.lastIndexOf('/') + 1);
  const head = driver.replace(/_core$/, '');
  return head !== driver && name.startsWith(`${head}_`);
}
