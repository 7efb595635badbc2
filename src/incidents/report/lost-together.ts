// Lost together: several GPUs of one host that fell off the bus at once have something before them in common, which is to be found first.

import type { Incident } from '../../model/incident.ts';
import { HANDS } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** Two by chance in one second is not to be expected, nor three in a minute, as the cause graph has it. */
const TWO_WITHIN_MS = 1000;
const MORE_WITHIN_MS = 60_000;

/** How many of one host, the root among them; null where it is about one, or about anything else. */
export function lostTogether({ root, events }: Pick<Incident, 'root' | 'events'>): number | null {
  const first = events.find(({ id }) => id === root.eventId);
  if (root.kind !== 'gpu.lost' || first?.component?.type !== 'gpu') return null;
  const host = first.component.host;
  const within = (ms: number): number => {
    const near = events.flatMap(({ kind, component, timeMs }) =>
      kind === root.kind &&
      component?.type === 'gpu' &&
      component.host === host &&
      Math.abs(timeMs - first.timeMs) <= ms
        ? [component.id]
        : [],
    );
    return new Set(near).size;
  };
  const count = within(MORE_WITHIN_MS);
  return count >= 3 || within(TWO_WITHIN_MS) >= 2 ? count : null;
}

/** Behind the name of the first: `, and 3 more GPUs at once`; empty of one. */
export function moreLost(incident: Pick<Incident, 'root' | 'events'>): string {
  const count = lostTogether(incident);
  return count === null
    ? ''
    : `, and ${count - 1} more ${count === 2 ? 'GPU' : 'GPUs'} at once: what they share is not seen`;
}

/** Null where one alone is lost, or it is to be looked at in another way. */
export function sharedByLost(incident: Incident): Special | null {
  const { kind } = incident.action;
  const count =
    kind === 'reboot_node' || kind === 'inspect_hardware' || kind === 'replace_part' ? lostTogether(incident) : null;
  if (count === null) return null;
  return {
    does: `find what the ${count} GPUs of @ that were lost at once share, before it is rebooted`,
    now: 'DRAIN; SAVEsee on @ what they share: a PCIe switch or its port (lspci -tv), a supply or the baseboard (sudo ipmitool sel elist; the BMC shows power and temperature of it at TIME); once nothing runs on @, reboot it. Where they are lost again, open a case for what they share, not for one GPU',
    call: HANDS,
  };
}
