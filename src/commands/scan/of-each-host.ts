// Of each host: the events of all logs by the host that they are of. What the logs and tools of a fabric say of cards is of the hosts that
// these sit in, which call them all alike; what a job's log says of its other hosts stays with the job.

import type { EventInput } from '../../model/record.ts';
import type { HostOfLogs } from './host-names.ts';

/** By the host's name, in the order of the logs. `eventsOf`: of a host, with the names that it goes by. */
export function ofEachHost(
  hosts: readonly HostOfLogs[],
  eventsOf: (host: HostOfLogs) => readonly EventInput[],
): Map<string, EventInput[]> {
  const all = new Map<string, EventInput[]>(hosts.map(({ name }) => [name, []]));
  const byShort = new Map(hosts.map(({ name }) => [shortOf(name), name]));
  for (const host of hosts)
    for (const event of eventsOf(host)) {
      const other = cardOf(event, host);
      const name = other === null ? host.name : (byShort.get(shortOf(other)) ?? other);
      const events = all.get(name);
      if (events === undefined) all.set(name, [event]);
      else events.push(event);
    }
  return all;
}

/** The other host that a card sits in, of which a tool or the log of a fabric says something; null where it is its own, or a job's log says so. */
function cardOf({ component, attributes = {} }: EventInput, { name, foundAs }: HostOfLogs): string | null {
  const isFabrics = attributes.program === 'opensm' || OF_FABRICS.test(String(attributes.tool ?? ''));
  const at = isFabrics && component?.type === 'nic' ? component.host : undefined;
  return at === undefined || shortOf(at) === shortOf(name) || foundAs.includes(at) ? null : at;
}

const OF_FABRICS = /^(?:ibqueryerrors|iblinkinfo|ibdiagnet)\b/;

function shortOf(name: string): string {
  return /^\d+(?:\.\d+){3}$/.test(name) ? name : (name.split('.', 1)[0] ?? name);
}
