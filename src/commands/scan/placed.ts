// Placed: an event of a job's log with the hosts that the lines of this log name for it, where these say.

import { type JobHosts, rankOf } from '../../detection/text/job/job-hosts.ts';
import { silentRanks } from '../../incidents/report/silent-rank.ts';
import type { Attributes } from '../../model/event.ts';
import { rankHostsText } from '../../model/rank-hosts.ts';
import type { EventInput } from '../../model/record.ts';

/** More hosts than these are counted. */
const MOST = 8;

/**
 * `named_host`: the one that the log names for its rank, its line or all of it; `possible_hosts`: those of the job, where it names several
 * and none for it. Of ranks that waited `world_size`: how many there are, and `rank_hosts`: where each runs, as the log says.
 */
export function placed(event: EventInput, hosts: JobHosts | undefined): EventInput {
  if (hosts === undefined || event.source !== 'job-log') return event;
  const more = { ...(event.kind === WAITED ? peersOf(hosts) : {}), ...placeOf(event, hosts) };
  return Object.keys(more).length === 0 ? event : { ...event, attributes: { ...event.attributes, ...more } };
}

const WAITED = 'job.collective_timeout';
const NODE_FAILED = 'job.node_failed';

function placeOf(event: EventInput, hosts: JobHosts): Attributes {
  const host = hosts.of(event);
  // The node that writes that another one failed is alive.
  const isOther = event.kind === NODE_FAILED;
  if (host !== null && !isOther) return { named_host: host };
  const all = isOther ? hosts.hosts.filter((each) => each !== host) : hosts.hosts;
  if (all.length < (isOther ? 1 : 2)) return {};
  const more = all.length > MOST ? ` and ${all.length - MOST} more` : '';
  return { possible_hosts: all.slice(0, MOST).join(', ') + more };
}

/** The only host of the few ranks that no line says waited, where the others of the job did; null where no line says. */
export function hostWaitedFor(events: readonly EventInput[], hosts: JobHosts): string | null {
  if (hosts.hosts.length < 2) return null;
  const first = events.find(
    ({ kind, source, component }) => kind === WAITED && source === 'job-log' && component?.type === 'rank',
  );
  if (first === undefined) return null;
  const said = events.map((event) => ({ ...event, attributes: placed(event, hosts).attributes ?? {} }));
  const silent = silentRanks({ root: first, events: said });
  return silent?.isFew === true ? silent.host : null;
}

/** As many GPUs as most hosts have. */
const OF_ONE_HOST = 8;

/** Whether the job is of more ranks than a host has GPUs, so that what its log is called after is hardly the host of each. */
export function isWide(events: readonly EventInput[], { ranks }: JobHosts): boolean {
  return (ranks ?? 0) > OF_ONE_HOST || events.some((event) => rankIn(event) >= OF_ONE_HOST);
}

function rankIn({ component, attributes = {} }: EventInput): number {
  return Math.max(rankOf(component) ?? 0, typeof attributes.rank === 'number' ? attributes.rank : 0);
}

/** The same for all ranks of a log. */
const peers = new WeakMap<JobHosts, Attributes>();

function peersOf(hosts: JobHosts): Attributes {
  const known = peers.get(hosts);
  if (known !== undefined) return known;
  const places = rankHostsText(hosts.rankHosts);
  const size = hosts.ranks === null ? {} : { world_size: hosts.ranks };
  const made = { ...size, ...(places === '' ? {} : { rank_hosts: places }) };
  peers.set(hosts, made);
  return made;
}
