// Drain: how no new work comes onto a host, in the words of what places work there, or in those of the two that most sites have.

import { groupPlace } from '../../identity/work/group-place.ts';
import type { Incident } from '../../model/incident.ts';
import { isStorageHost, spareText } from './storage-host.ts';
import { isTakenOut, type OfDrain } from './taken-out.ts';

/** A name that does nothing but name where it is pasted into a shell. */
export const NAME = /^[\w][\w.-]*$/;

/** None of them ends what runs. `@` is the host, `WHY` a word of the reason. */
const COMMANDS: ReadonlyMap<string, string> = new Map([
  ['slurm', 'scontrol update nodename=@ state=drain reason="faultline WHY"'],
  ['kubernetes', 'kubectl cordon @'],
  ['pbs', 'pbsnodes -o @'],
  ['lsf', 'badmin hclose @'],
  ['flux', 'flux resource drain @ "faultline WHY"'],
]);
const USUAL = ['slurm', 'kubernetes'];
const CALLED: Readonly<Record<string, string>> = { slurm: 'Slurm', kubernetes: 'Kubernetes' };

/** `why`: an id, to be found again by. */
export function drainText(
  incident: Pick<Incident, 'whose' | 'host' | 'root'> & OfDrain,
  host: string,
  why: string,
): string {
  if (isTakenOut(incident, host)) return `${host} takes no new work already`;
  const plain = `let no new work onto ${host}`;
  // What stands for a name, or is none, is in no command: HOST says what belongs there.
  const name = NAME.test(host) ? host : 'HOST';
  const command = (manager: string): string =>
    (COMMANDS.get(manager) ?? '').replace('@', () => name).replace('WHY', () => why);
  const known = managersOf(incident);
  const first = [...COMMANDS.keys()].find((manager) => known.has(manager));
  if (first !== undefined) return name === host ? command(first) : `${plain} (${command(first)})`;
  if (isStorageHost(incident)) return spareText(host);
  return `${plain} (${USUAL.map((each) => `${CALLED[each]}: ${command(each)}`).join('; ')})`;
}

/** Whose own words are of what places work there. */
const SPOKEN_BY: ReadonlyMap<string, string> = new Map([
  ['slurm', 'slurm'],
  ['slurmctld', 'slurm'],
  ['slurmd', 'slurm'],
  ['kubectl', 'kubernetes'],
  ['kubernetes', 'kubernetes'],
]);

/** What Slurm writes into the log of a job, and what it calls that log. */
const OF_SLURM = /^(?:\d{1,6}: {1,2})?(?:srun|slurmstepd): /;
const LOG_OF_SLURM = /(?:^|\/)slurm-\d{1,10}(?:_\d{1,7})?\.(?:out|err):\d+$/;

/** By the jobs that identity knows there, else by what the lines themselves name. */
function managersOf({ whose = [], events }: Pick<Incident, 'whose' | 'events'>): ReadonlySet<string> {
  // On the words of a job alone a host is looked at first, and its step says both.
  const isSeen = events.some(({ trust }) => trust !== 'tenant');
  const known = new Set<string>(whose.flatMap(({ manager }) => (manager === null ? [] : [manager])));
  for (const {
    source,
    attributes: { memcg, pod, program },
    evidence,
  } of events) {
    const manager = SPOKEN_BY.get(source) ?? SPOKEN_BY.get(String(program));
    if (manager !== undefined) known.add(manager);
    if (typeof pod === 'string' && pod !== '') known.add('kubernetes');
    if (isSeen && evidence.some((each) => 'text' in each && (OF_SLURM.test(each.text) || LOG_OF_SLURM.test(each.place ?? '')))) known.add('slurm'); // biome-ignore format: one line
    if (typeof memcg !== 'string') continue;
    const { batch, pod: uid } = groupPlace(`0::${memcg}`);
    if (batch !== null) known.add(batch.manager);
    if (uid !== null) known.add('kubernetes');
  }
  return known;
}
