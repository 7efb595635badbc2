// Silent host: one that does not answer is looked at before its power is taken, and several at once are hardly all dead.

import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { HOST } from './kind-step.ts';
import type { Special } from './special-step.ts';

const BMC = 'ipmitool -I lanplus -H BMC -U USER -f PASSFILE';
const LOOK = `ping -c 3 @; ssh @ uptime; ${BMC} chassis power status`;
const MOST = 8;
const LONGEST = 253;

/** Of an incident whose root is that hosts do not answer; null for any other. */
export function silentHost(incident: Incident): Special | null {
  const { root, action, unconfirmed, rootKnown } = incident;
  if (root.kind !== 'host.down' || action.target?.type !== 'host' || !rootKnown) return null;
  const hosts = silentHosts(incident);
  if (hosts.length > 1) return ofSeveral(hosts);
  // A list that names too many is about the cluster as well.
  if (/[[,]/.test(action.target.id)) return ofSeveral([plain(action.target.id, LONGEST)]);
  if (unconfirmed === null && action.kind === 'power_cycle_node') return CONFIRMED;
  return isOfRay(incident) ? OF_RAY : ONLY_WORDS;
}

const CONFIRMED: Special = {
  does: 'see whether % is up; power it off and on only where it is dead',
  now: `${LOOK}: where it is up, its daemon or the network to it failed. Where it is dead: DRAIN; SAVEtake its power away through its BMC, which a reboot does not: ${BMC} chassis power cycle`,
  call: HOST,
};

/** What a job's log says may have been the job's own trouble: nothing on the host is touched for it. */
const ONLY_WORDS: Special = {
  does: 'see whether % is up',
  now: `${LOOK}: where it is up, its daemon or the network to it failed. Where it is dead, let no new work onto it, and save the event log of its BMC (${BMC} sel elist > sel.txt)`,
  call: HOST,
};

/** Ray marks a node dead that its raylet alone left. */
function isOfRay({ root, events }: Incident): boolean {
  const own = events.find(({ id }) => id === root.eventId);
  return own?.evidence.some((each) => 'text' in each && /\braylet\b/.test(each.text)) === true;
}

const OF_RAY: Special = {
  does: ONLY_WORDS.does,
  now: `${LOOK}. Where it is up, its raylet ended: there, tail -n 50 /tmp/ray/session_latest/logs/raylet.out; sudo dmesg -T | grep -i "out of memory". Where it is dead, let no new work onto it, and save the event log of its BMC (${BMC} sel elist > sel.txt)`,
  call: HOST,
};

function ofSeveral(hosts: readonly string[]): Special {
  const more = hosts.length > MOST ? ` and ${hosts.length - MOST} more` : '';
  return {
    does: `see first what lost ${hosts.slice(0, MOST).join(', ')}${more} at once: the network to them, their power, or the daemon that asks them`,
    now: `try one of them: ${LOOK}. Where it is up, see the switch before them and the one that asks (Slurm: scontrol ping, the log of slurmctld); power none of them off before`,
    call: 'who runs the network of these hosts; then who runs them',
  };
}

/** Each once, in the order of their events. */
function silentHosts({ events }: Incident): string[] {
  const ids = events.flatMap(({ kind, component }) =>
    kind === 'host.down' && component?.type === 'host' ? [plain(component.id, LONGEST)] : [],
  );
  return [...new Set(ids)];
}
