// Watchdogs: what a kernel's watchdog reports once may be over: an RCU stall or a soft lockup that ended, a card whose driver reset it. First it is seen whether it lasts.

import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { HOST } from './kind-step.ts';
import type { Special } from './special-step.ts';

const LONGEST = 32;
/** A name that a shell takes as it is. */
const PORT = /^[A-Za-z0-9][\w.-]{0,15}$/;

/** Null where the root is none of them, or it hangs for good. */
export function ofWatchdog({ root, events }: Incident): Special | null {
  const {
    what,
    interface: port,
    transmit_queue: queue,
  } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  if (root.kind === 'host.soft_lockup' && what === 'rcu_stall') {
    const hangs = events.some(({ kind, attributes }) => kind === root.kind && attributes.what !== 'rcu_stall');
    return hangs ? null : stall(events);
  }
  if (root.kind === 'host.soft_lockup' && what === undefined) return lockup(events);
  if (root.kind !== 'nic.command_timeout' || queue === undefined || typeof port !== 'string' || !PORT.test(port))
    return null;
  return {
    does: `see whether ${port} of @ sends again; reset it only where it does not`,
    now: `on @, ip -s link show ${port}; sudo dmesg -T | grep ${port}: its driver resets it by itself. Where it comes again: DRAIN; once nothing runs on @, unload and load its driver from the console of its BMC, for a login over this card ends with it`,
    call: HOST,
  };
}

/** A CPU that a task held for half a minute lets go most often; one that takes no interrupts, or a panic, does not. */
function lockup(events: Incident['events']): Special | null {
  const isWorse = events.some(({ kind, attributes: { what } }) => what === 'hard_lockup' || ENDS.has(kind));
  const reported = events.reduce(
    (sum, { attributes: { stuck_s: s }, count }) => sum + (s === undefined ? 0 : count),
    0,
  );
  if (isWorse || reported >= OFTEN) return null;
  return {
    does: 'see whether a CPU of % still hangs, and reboot it where it does',
    now: `DRAIN; on @, sudo dmesg -T | grep -A30 'soft lockup' shows which CPU, and in what; a virtual machine that was not given its CPUs looks the same. Where it continues, once nothing runs on @, SAVEreboot it: sudo systemctl reboot`,
    call: HOST,
  };
}

/** The watchdog reports again every 20 s or so; what it has reported so often does not let go. */
const OFTEN = 5;
const ENDS: ReadonlySet<string> = new Set(['host.panic', 'host.kernel_oops', 'host.down']);

function stall(events: Incident['events']): Special {
  const ports = events.flatMap(({ kind, attributes: { interface: port } }) =>
    kind === 'nic.command_timeout' && typeof port === 'string' ? [plain(port, LONGEST)] : [],
  );
  const also =
    ports.length === 0 ? '' : `, and whether ${[...new Set(ports)].join(', ')}, which stopped sending, sends again`;
  return {
    does: `see whether a CPU of % still stalls${also}`,
    now: `on @, sudo dmesg -T | grep -A30 'rcu.*stall' shows which CPU, and what ran on it; a virtual machine that was not given its CPUs looks the same. Where it comes again: DRAIN; once nothing runs on @, SAVEreboot it`,
    call: HOST,
  };
}
