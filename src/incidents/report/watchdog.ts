// Watchdog: a server that its own watchdog ended hung before: why is found on its hosts, or the next time while it still hangs.

import type { Incident } from '../../model/incident.ts';
import { OWNER } from './kind-step.ts';

/** Null where no watchdog of a server says that it made no step. */
export function endedByWatchdog({ root, events }: Incident): { readonly now: string; readonly call: string } | null {
  const event = events.find(({ id }) => id === root.eventId);
  if (root.kind !== 'job.hang' || event?.attributes.message !== 'Watchdog timeout') return null;
  return {
    now: 'on its hosts, sudo dmesg -T | grep -iE "xid|mlx5|blocked for more" at TIME and before: a GPU or link that failed hangs it as often as its program does. Where there is nothing, start it again with a longer watchdog, and as soon as it hangs py-spy dump --pid PID of each rank',
    call: OWNER,
  };
}
