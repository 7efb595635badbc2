// Silent ranks: of a collective that timed out, the ranks that no line says waited in it: the others wait for them.

import { indexText } from '../../model/component-name.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { hostOfRanks } from '../../model/rank-hosts.ts';

/** Of two ranks one that is silent may as well be slow to write its log. */
const MIN_REPORTS = 3;
/** GPUs, and so ranks, of most hosts: ranks that end one short of that lack their last one. */
const OF_A_NODE = 8;
/** The process group of all ranks. */
const WORLD_GROUP = '0';
const LONGEST = 128;
const WAITED = 'job.collective_timeout';

export interface SilentRanks {
  readonly ranks: readonly number[];
  /** The only host that they run on; null where no line says. */
  readonly host: string | null;
  /** Of how many ranks the job is, as its log says. */
  readonly world: number | null;
  /** Fewer than those that waited: a log of one host alone lacks the ranks of all others. */
  readonly isFew: boolean;
  /** The last rank that the log names or lacks. */
  readonly last: number;
}

/** What of an incident says who waited. */
interface Waiting {
  readonly root: Pick<Incident['root'], 'kind' | 'component'>;
  readonly events: readonly Said[];
}

type Said = Pick<FaultEvent, 'kind' | 'component' | 'attributes'>;

/** Null where it is not about one collective, or no number says which ranks are silent. */
export function silentRanks(incident: Waiting): SilentRanks | null {
  const waited = waitedIn(incident);
  if (waited === null) return null;
  const { ranks, reports } = waited;
  const world = worldOf(reports, ranks);
  const silent = world === null ? oneMissing(ranks) : rest(ranks, world);
  if (silent.length === 0) return null;
  const places = reports.map(({ attributes }) => attributes.rank_hosts).find((each) => typeof each === 'string');
  const last = Math.max(...ranks, ...silent);
  return { ranks: silent, host: hostOfRanks(places, silent), world, isFew: silent.length < ranks.size, last };
}

/** The same where the collective is not the root but what followed from it; null where it is the root, whose headline says it. */
export function silentBehind({ root, events }: Pick<Incident, 'root' | 'events'>): SilentRanks | null {
  if (root.kind === WAITED) return null;
  const first = events.find(({ kind, component }) => kind === WAITED && component?.type === 'rank');
  if (first === undefined) return null;
  const silent = silentRanks({ root: { kind: WAITED, component: first.component }, events });
  return silent?.isFew === true ? silent : null;
}

/** `nothing from rank 2 of 4 on gx-10`: for a headline. */
export function silentText({ ranks, host, world, isFew }: SilentRanks): string {
  const of = world === null ? '' : ` of ${world}`;
  const where = host === null ? '' : ` on ${plain(host, LONGEST)}`;
  return `${isFew ? 'nothing' : 'this log has nothing'} from rank ${indexText(ranks.map(String))}${of}${where}`;
}

/** `rank 2`, `rank 2 on gx-10`: where to look first; null where the log may simply not have the others. */
export function lookFirst({ ranks, host, isFew }: SilentRanks): string | null {
  if (!isFew) return null;
  return `rank ${indexText(ranks.map(String))}${host === null ? '' : ` on ${plain(host, LONGEST)}`}`;
}

/** ` (at 8 a host GPU 3 of host 2; hosts: sacct -Xj 77120 -o NodeList%99)`: how to find the host of ranks that no line places; empty where nothing helps. */
export function whereToFind({ ranks, host, last }: SilentRanks, { root }: Pick<Waiting, 'root'>): string {
  if (host !== null) return '';
  const [, job] = /^(\d{1,10})\//.exec(root.component?.id ?? '') ?? [];
  const nodes = new Set(ranks.map((rank) => Math.floor(rank / OF_A_NODE)));
  const [node = 0, ...others] = nodes;
  const [rank = 0, ...more] = ranks;
  const gpu = more.length === 0 ? `GPU ${rank % OF_A_NODE} of ` : '';
  const usual = last < OF_A_NODE || others.length > 0 ? [] : [`at ${OF_A_NODE} a host ${gpu}host ${node + 1}`];
  const known = [...usual, ...(job === undefined ? [] : [`hosts: sacct -Xj ${job} -o NodeList%99`])];
  return known.length === 0 ? '' : ` (${known.join('; ')})`;
}

/** The ranks that say anything of their end, and the reports of the one collective; null where several timed out, or it has no number. */
function waitedIn({ root, events }: Waiting): { ranks: ReadonlySet<number>; reports: readonly Said[] } | null {
  if (root.kind !== WAITED || root.component === null) return null;
  const job = partsOf(root.component.id)?.job;
  const ranks = new Set<number>();
  const collectives = new Set<string>();
  // Not every line names it.
  const groups = new Set<unknown>();
  const reports: Said[] = [];
  for (const event of events) {
    const { kind, component, attributes } = event;
    const parts = component?.type === 'rank' ? partsOf(component.id) : null;
    if (parts === null || parts.job !== job) continue;
    // Whatever else a rank says of its end, it is not silent.
    ranks.add(parts.rank);
    if (kind !== root.kind) continue;
    const { process_group: group, sequence, operation } = attributes;
    // The line that its process then ends with does not say in which.
    if (typeof sequence !== 'number') continue;
    collectives.add(`${sequence} ${operation}`);
    if (group !== undefined) groups.add(group);
    reports.push(event);
  }
  return collectives.size === 1 && groups.size < 2 ? { ranks, reports } : null;
}

/** Of a group of some ranks the number of all says nothing; of ranks that the number does not have, neither. */
function worldOf(reports: readonly Said[], ranks: ReadonlySet<number>): number | null {
  const sizes = new Set(reports.map(({ attributes }) => attributes.world_size));
  const groups = reports.map(({ attributes }) => attributes.process_group);
  const [size] = sizes;
  if (sizes.size !== 1 || typeof size !== 'number' || size <= Math.max(...ranks) || ranks.size < 2) return null;
  return groups.every((group) => group === undefined || String(group) === WORLD_GROUP) ? size : null;
}

function rest(ranks: ReadonlySet<number>, world: number): number[] {
  return Array.from({ length: world }, (_, rank) => rank).filter((rank) => !ranks.has(rank));
}

/**
 * One number between them, the first where they begin at 1, the last of a host of eight; ranks of which every other is in the group miss
 * more. None where it is not plain.
 */
function oneMissing(ranks: ReadonlySet<number>): number[] {
  if (ranks.size < MIN_REPORTS) return [];
  const first = Math.min(...ranks);
  const last = Math.max(...ranks);
  if (last - first === ranks.size) {
    let silent = first;
    while (ranks.has(silent)) silent += 1;
    return [silent];
  }
  if (last - first !== ranks.size - 1) return [];
  if (first === 1) return [0];
  return first % OF_A_NODE === 0 && ranks.size % OF_A_NODE === OF_A_NODE - 1 ? [last + 1] : [];
}

function partsOf(id: string): { job: string; rank: number } | null {
  const [, job, rank] = /^(.*)\/(\d{1,9})$/.exec(id) ?? [];
  return job === undefined ? null : { job, rank: Number(rank) };
}
