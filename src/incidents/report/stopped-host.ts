// Stopped host: after a kernel panic nothing runs on a host any more, so that nothing is run there; its BMC is asked, and what the panic left is saved once it is up.

import type { Action } from '../../model/action.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { HOST } from './kind-step.ts';
import type { Special } from './special-step.ts';

const BMC = 'ipmitool -I lanplus -H BMC -U USER -f PASSFILE';
const LONGEST = 253;
const OF_THE_HOST: ReadonlySet<Action> = new Set(['reboot_node', 'power_cycle_node', 'drain_node']);
/** What needs the host to run. */
const ON_THE_HOST: ReadonlySet<Action> = new Set(['inspect_hardware', 'reset_gpu', 'drain_reset_gpu', 'reset_nic', 'free_space', 'check_config']); // biome-ignore format: one line

/** The host that panicked and did not start again since; null where none did. */
export function stoppedHost({ events }: Pick<Incident, 'events'>): string | null {
  const panic = events.findLast(({ kind, component }) => kind === 'host.panic' && component?.type === 'host');
  const name = panic?.component?.id;
  if (panic === undefined || name === undefined) return null;
  const isUp = events.some(({ kind, component, timeMs }) => kind === 'host.rebooted' && component?.id === name && timeMs >= panic.timeMs); // biome-ignore format: one rule
  return isUp ? null : plain(name, LONGEST);
}

/** Null where no host stopped, or what is to be done is not about it as a whole. */
export function ofStoppedHost(incident: Incident): Special | null {
  const host = stoppedTarget(incident, OF_THE_HOST);
  if (host === null) return null;
  return {
    does: 'bring @ up through its BMC: its kernel stopped',
    now: `${BMC} chassis power status; DRAIN; where @ did not start again by itself, ${BMC} chassis power cycle. Once it is up, save what the panic left (sudo ls /var/crash /sys/fs/pstore) before it is lost`,
    call: HOST,
  };
}

/** What comes before a step that is done on a host which stopped; empty before any other. */
export function onceUp(incident: Incident): string {
  const host = stoppedTarget(incident, ON_THE_HOST);
  return host === null
    ? ''
    : `@ stopped: ${BMC} chassis power status, then chassis power cycle; once it is up, save /var/crash and /sys/fs/pstore; then `;
}

function stoppedTarget(incident: Incident, actions: ReadonlySet<Action>): string | null {
  const { kind, target } = incident.action;
  const host = stoppedHost(incident);
  if (host === null || target === null || !actions.has(kind)) return null;
  return (target.type === 'host' ? target.id : target.host) === host ? host : null;
}
