// Same job: the log of slurmd names no host, but the job that failed there; the log of slurmctld next to it says on which node that ran.

import { dirname } from 'node:path';
import type { EventInput } from '../../model/record.ts';
import { logOf } from './found-events.ts';
import type { HostOfLogs } from './host-names.ts';

/** A daemon of a node and the one that it reports to say the same of one moment. */
const SAME_MS = 60_000;

export interface NodeOfJob {
  of(job: string): string | null;
}

/** Logs of slurmd that stand for a host of their own are of the node that slurmctld names. `eventsOf`: by what a host was found as. */
export function ofSameJob(
  hosts: readonly HostOfLogs[],
  eventsOf: (labels: readonly string[]) => readonly EventInput[],
  nodes: NodeOfJob,
): readonly HostOfLogs[] {
  const unnamed = hosts.filter(({ isCalledAfterLog }) => isCalledAfterLog);
  if (unnamed.length === 0) return hosts;
  const named = hosts.filter(({ isCalledAfterLog }) => !isCalledAfterLog);
  const byName = new Map(named.map((host) => [host.name, host]));
  const result = new Map<string, HostOfLogs>(named.map((host) => [host.name, host]));
  const moved = new Set<HostOfLogs>();
  for (const host of unnamed) {
    const said = eventsOf(host.foundAs).filter(({ attributes = {} }) => attributes.program === 'slurmd');
    const name = said.length === 0 ? null : (byJob(said, nodes) ?? bySameMoment(said, byName, eventsOf));
    if (name === null) continue;
    moved.add(host);
    const same = result.get(name) ?? [...result.values()].find((each) => shortOf(each.name) === shortOf(name));
    if (same === undefined) result.set(name, { name, foundAs: host.foundAs, isCalledAfterLog: false });
    else result.set(same.name, { ...same, foundAs: [...same.foundAs, ...host.foundAs] });
  }
  return [...result.values(), ...unnamed.filter((host) => !moved.has(host))];
}

function byJob(said: readonly EventInput[], nodes: NodeOfJob): string | null {
  const jobs = new Set(said.flatMap(({ attributes: { job } = {} }) => (typeof job === 'string' ? [job] : [])));
  const [only, ...others] = new Set([...jobs].flatMap((job) => nodes.of(job) ?? []));
  return only !== undefined && others.length === 0 ? only : null;
}

/** Without a number: the only node of which slurmctld, in the same folder, says the same kind of thing within a minute. */
function bySameMoment(
  said: readonly EventInput[],
  named: ReadonlyMap<string, HostOfLogs>,
  eventsOf: (labels: readonly string[]) => readonly EventInput[],
): string | null {
  const folders = new Set(said.map((event) => dirname(logOf(event))));
  const near = [...named.values()].filter(({ foundAs }) =>
    eventsOf(foundAs).some(
      (event) =>
        event.attributes?.program === 'slurmctld' &&
        folders.has(dirname(logOf(event))) &&
        said.some(({ kind, timeMs }) => kind === event.kind && Math.abs(timeMs - event.timeMs) <= SAME_MS),
    ),
  );
  const [only, ...others] = near;
  return only !== undefined && others.length === 0 ? only.name : null;
}

const shortOf = (host: string): string => host.split('.', 1)[0] ?? host;
