// Same disk: df of a host that nothing names shows full what another log could not write to. Both are looks at one file system.

import { fullPath } from '../../incidents/report/full-disk.ts';
import type { EventInput } from '../../model/record.ts';
import type { HostOfLogs } from './host-names.ts';

/** Those that stand in for such a df are of the only other host that wrote below what it shows full. `eventsOf`: by what a host was found as. */
export function ofSameDisk(
  hosts: readonly HostOfLogs[],
  eventsOf: (labels: readonly string[]) => readonly EventInput[],
): readonly HostOfLogs[] {
  const mounts = new Map<HostOfLogs, readonly string[]>();
  const written = new Map<HostOfLogs, readonly string[]>();
  for (const host of hosts) {
    const full = eventsOf(host.foundAs).filter(({ kind }) => kind === 'host.disk_full');
    const shown = full.flatMap(({ attributes = {} }) =>
      typeof attributes.mount === 'string' ? [attributes.mount] : [],
    );
    if (shown.length === 0)
      written.set(
        host,
        full.flatMap(({ attributes = {} }) => fullPath(attributes) ?? []),
      );
    else if (host.isCalledAfterLog) mounts.set(host, shown);
  }
  const joined = new Map<HostOfLogs, HostOfLogs[]>();
  for (const [df, shown] of mounts) {
    const [only, ...others] = [...written].filter(([, paths]) => paths.some((path) => shown.some((mount) => isBelow(path, mount)))); // biome-ignore format: one rule
    if (only !== undefined && others.length === 0) joined.set(only[0], [...(joined.get(only[0]) ?? []), df]);
  }
  const gone = new Set([...joined.values()].flat());
  return hosts.flatMap((host) => {
    if (gone.has(host)) return [];
    const more = joined.get(host) ?? [];
    return [more.length === 0 ? host : { ...host, foundAs: [host, ...more].flatMap(({ foundAs }) => foundAs) }];
  });
}

/** The root holds every path, which says nothing. */
function isBelow(path: string, mount: string): boolean {
  return mount !== '/' && (path === mount || path.startsWith(`${mount}/`));
}
