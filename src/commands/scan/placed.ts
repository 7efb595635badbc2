// Placed: an event of a job's log with the hosts that the lines of this log name for it, where these say.

import type { JobHosts } from '../../detection/text/job/job-hosts.ts';
import type { EventInput } from '../../model/record.ts';

/** More hosts than these are counted. */
const MOST = 8;

/** `named_host`: the one that the log names for its rank, its line or all of it; `possible_hosts`: those of the job, where it names several and none for it. */
export function placed(event: EventInput, hosts: JobHosts | undefined): EventInput {
  if (hosts === undefined || event.source !== 'job-log') return event;
  const host = hosts.of(event);
  if (host !== null) return { ...event, attributes: { ...event.attributes, named_host: host } };
  const all = hosts.hosts;
  if (all.length < 2) return event;
  const more = all.length > MOST ? ` and ${all.length - MOST} more` : '';
  const possible = all.slice(0, MOST).join(', ') + more;
  return { ...event, attributes: { ...event.attributes, possible_hosts: possible } };
}
