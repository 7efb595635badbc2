// Only host: what a tool printed of the machine that it ran on, without its name, is of the only host that the other logs of its folder name.

import { dirname } from 'node:path';
import type { EventInput } from '../../model/record.ts';
import { logOfHost } from '../../model/unnamed-host.ts';
import type { HostOfLogs, Unnamed } from './host-names.ts';
import { shortOf } from './one-fault/groups.ts';

export interface NamedInLogs {
  /** Logs whose lines do not say which host wrote them, by what stands for it. */
  readonly unnamed: ReadonlyMap<string, Unnamed>;
  /** In which logs lines name a host that writes them, by the host. */
  readonly namedIn: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Where a folder names several hosts, or none, none is guessed. */
export function ofOnlyHost(
  hosts: readonly HostOfLogs[],
  { unnamed, namedIn }: NamedInLogs,
  eventsOf: (labels: readonly string[]) => readonly EventInput[],
): readonly HostOfLogs[] {
  const switches = new Set(hosts.flatMap(({ name, foundAs }) => (isSwitch(eventsOf(foundAs)) ? [shortOf(name)] : [])));
  const named = new Map<string, Set<string>>();
  const add = (path: string, host: string): void => {
    const folder = dirname(path);
    const known = named.get(folder) ?? new Set();
    if (logOfHost(host) === null && !switches.has(shortOf(host))) named.set(folder, known.add(shortOf(host)));
  };
  for (const [host, paths] of namedIn) for (const path of paths) add(path, host);
  for (const { path, mentions = [], ranOn = [], says, terminal } of unnamed.values())
    for (const host of [...mentions, ...ranOn, says ?? [], terminal ?? []].flat()) add(path, host);
  for (const { name, namedByPath = [] } of hosts) for (const path of namedByPath) add(path, name);

  const added = new Map<string, HostOfLogs>();
  const more = new Map<HostOfLogs, { readonly labels: string[]; readonly paths: string[] }>();
  const gone = new Set<HostOfLogs>();
  for (const host of hosts) {
    const logs = host.foundAs.map((label) => unnamed.get(label));
    if (!host.isCalledAfterLog || logs.some((log) => log?.ofMachine !== true)) continue;
    const [folder, ...others] = new Set(logs.flatMap((log) => (log === undefined ? [] : [dirname(log.path)])));
    const [only, ...rivals] = named.get(folder ?? '') ?? [];
    if (only === undefined || others.length > 0 || rivals.length > 0) continue;
    const of = hosts.find((each) => !each.isCalledAfterLog && shortOf(each.name) === only) ??
      added.get(only) ?? { name: only, foundAs: [], isCalledAfterLog: false };
    added.set(only, of);
    const had = more.get(of) ?? { labels: [], paths: [] };
    had.labels.push(...host.foundAs);
    had.paths.push(...logs.flatMap((log) => log?.path ?? []));
    more.set(of, had);
    gone.add(host);
  }
  return [...new Set([...hosts, ...added.values()])].flatMap((host) => {
    if (gone.has(host)) return [];
    const { labels = [], paths = [] } = more.get(host) ?? {};
    if (labels.length === 0) return [host];
    return [{ ...host, foundAs: [...host.foundAs, ...labels], saidBeside: paths }];
  });
}

/** All that it reports is of its own ports and parts: no host's tools run there. */
function isSwitch(events: readonly EventInput[]): boolean {
  return events.length > 0 && events.every(({ attributes = {} }) => attributes.side === 'switch');
}
