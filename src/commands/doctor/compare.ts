// The daemon's view as the table, what it does not read besides, and where this user sees otherwise.

import type { NameList } from '../../config/section.ts';
import type { Config } from '../../daemon/config.ts';
import { idleSources } from '../../sources/index.ts';
import { SOURCES } from '../../sources/registry.ts';
import type { SourceHealth } from '../../sources/source.ts';

/** `pdu/pdu-b` → `pdu`: devices of one source each have an entry. */
const family = ({ source }: SourceHealth): string => source.split('/', 1)[0] ?? source;

/** The table where a daemon answers: what it says, and what the configuration leaves out or it does not know of yet. */
export function daemonTable(seen: readonly SourceHealth[], config: Config): SourceHealth[] {
  const there = new Set(seen.map(family));
  const out = idleSources(config);
  const configured = SOURCES.map(({ name }) => name).filter(
    (source) => !there.has(source) && !out.some((one) => one.source === source),
  );
  const unknown = configured.map(
    (source): SourceHealth => ({
      source,
      status: 'absent',
      detail: `configured, ${NOT_READ}`,
      remedy: TAKE_UP,
    }),
  );
  return [...seen, ...notNamed(seen, config), ...unknown, ...out.filter(({ source }) => !there.has(source))];
}

const NOT_READ = 'and not read by the daemon: it runs with another configuration, or an older state of it';
const TAKE_UP = 'sudo faultline config reload; faultline config check tells which file this is';

/** What a source that runs was not made with: its health has what it was made with by name. */
function notNamed(seen: readonly SourceHealth[], config: Config): SourceHealth[] {
  return SOURCES.flatMap(({ name, ...definition }) => {
    const lines = seen.filter((one) => family(one) === name);
    const lists: readonly NameList<never>[] = 'names' in definition ? definition.names : [];
    const settings: unknown = config.sources[name];
    const ids = lists.filter(({ inHealth }) => inHealth).flatMap(({ list }) => list(settings as never)); // its own settings
    const missing = ids.filter(({ id }) => !lines.some(({ source, detail }) => `${source} ${detail}`.includes(id)));
    if (lines.length === 0 || missing.length === 0) return [];
    const detail = `${missing.map(({ id }) => id).join(', ')}: configured, ${NOT_READ}`;
    return [{ source: name, status: 'absent', detail, remedy: TAKE_UP }];
  });
}

/** One line for what this user may read less or more of than the daemon; null where it is the same. */
export function callerNote(
  table: readonly SourceHealth[],
  own: readonly SourceHealth[],
  uid: number | null,
): string | null {
  const daemon = new Map(table.map((one) => [one.source, one.status]));
  const words = own.flatMap(({ source, status }) => {
    const theirs = daemon.get(source);
    if (theirs === undefined || theirs === status || status === 'off') return [];
    if (status === 'no_permission') return [`${source} may not be read`];
    return theirs === 'no_permission' && (status === 'works' || status === 'partial') ? [`${source} can be read`] : [];
  });
  if (words.length === 0) return null;
  return `this user${uid === null ? '' : ` (uid ${uid})`} has other rights than the daemon: ${words.join(', ')}`;
}
