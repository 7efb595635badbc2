// Missed: what hosts say that do not reach a service of another one — names that are not resolved, users that cannot log in, leases that are
// not renewed — as effects of the one incident of that service. By itself such a line makes none: a name may be wrong, or its host alone.

import type { Evidence, FaultEvent } from '../../model/event.ts';
import type { Impact, Incident } from '../../model/incident.ts';
import type { TextRecord } from '../../model/record.ts';
import { type Failing, failsWithout } from '../../model/served-by-unit.ts';
import { hostText } from '../../model/unnamed-host.ts';
import { type Group, joinedGroups, rootOf } from './one-fault/groups.ts';

interface Words {
  readonly what: Failing;
  readonly words: readonly string[];
  readonly pattern: RegExp;
  /** The group `who` of the pattern stands for "%", or the host. */
  readonly says: string;
}

const ALL: readonly Words[] = [
  {
    // glibc's EAI_AGAIN, curl, apt, dig, Go's resolver.
    what: 'names',
    words: [
      'in name resolution',
      'resolve host',
      'ailure resolving',
      'EAI_AGAIN',
      'no servers could be reached',
      ': server misbehaving',
    ],
    pattern:
      /Temporary failure in name resolution|Could not resolve host(?:name)?\b|Temporary failure resolving '|\bEAI_AGAIN\b|no servers could be reached|\blookup \S{1,253} on \S{1,64}: (?:server misbehaving|.{0,80}i\/o timeout)/,
    says: '%: names are not resolved',
  },
  {
    what: 'users',
    words: [
      "an't contact LDAP server",
      'retrieve authentication info',
      'Backend is offline',
      'contact any KDC for realm',
      'no available LDAP server found',
    ],
    pattern:
      /Can't contact LDAP server|cannot retrieve authentication info|^(?:\S{1,80}: )?Backend is offline|[Cc]annot contact any KDC for realm|no available LDAP server found(?!, sleeping 1 sec)/,
    says: '%: users cannot log in',
  },
  {
    // client-go's leader election.
    what: 'leases',
    words: [
      'failed to renew lease',
      'eaderelection lost',
      'eader election lost',
      'retrieving resource lock',
      'etcdserver: request timed out',
      'etcdserver: leader changed',
    ],
    pattern:
      /(?:failed to renew lease|error (?:initially )?(?:retrieving|updating) resource lock) (?:[\w.-]{1,64}\/(?<who>[\w.-]{1,64}))?|[Ll]eader ?election lost|etcdserver: (?:request timed out|leader changed)/,
    says: '% lost its lease, or waits',
  },
];

/** Of which every such line has one. */
export const MISSED_WORDS: readonly string[] = ALL.flatMap(({ words }) => words);

/** Clocks of hosts, and what waited before it was given up. */
const BEFORE_MS = 60_000;
const AFTER_MS = 6 * 3_600_000;
const MOST = 4096;

interface Said {
  readonly host: string;
  readonly who: string | null;
  readonly line: Evidence & { readonly timeMs: number };
  count: number;
  lastMs: number;
}

export class Missed {
  readonly #said = new Map<Failing, Map<string, Said>>();

  /** Only what has a time can be of an outage. */
  take({ text, source, timeMs, place }: TextRecord, host: string): void {
    if (timeMs === null) return;
    for (const { what, words, pattern } of ALL) {
      if (!words.some((word) => text.includes(word))) continue;
      const found = pattern.exec(text);
      if (found === null) continue;
      const all = this.#said.get(what) ?? new Map<string, Said>();
      this.#said.set(what, all);
      const known = all.get(host);
      if (known !== undefined) {
        known.count += 1;
        known.lastMs = Math.max(known.lastMs, timeMs);
      } else if (all.size < MOST)
        all.set(host, { host, who: found.groups?.who ?? null, count: 1, lastMs: timeMs, line: { source, timeMs, text, ...(place === undefined ? {} : { place }) } }); // biome-ignore format: one line
      return;
    }
  }

  /** With what is said of each service that is down, where one incident is of it. */
  namedIn(incidents: readonly Incident[]): Incident[] {
    let all = [...incidents];
    for (const words of ALL) {
      const [down, ...others] = all.filter((one) => serviceDown(one) === words.what);
      if (down === undefined || others.length > 0) continue;
      all = joinedGroups(all, groupOf(down, all, words)).map((one) =>
        one.id === down.id ? this.#withEffects(one, words) : one,
      );
    }
    return all;
  }

  #withEffects(incident: Incident, { what, says }: Words): Incident {
    const known = new Set(incident.impact.map(({ text }) => text));
    const said = [...(this.#said.get(what)?.values() ?? [])].filter(({ line, lastMs }) => isWithin(incident, line.timeMs) || isWithin(incident, lastMs)); // biome-ignore format: one rule
    const more = said.map(({ host, who, count }): Impact => {
      const text = says.replace('%', who ?? hostText(host)) + (count > 1 && who === null ? `, ${count} times` : '');
      return { component: { type: 'host', id: host }, quantity: `${what}_missed`, before: null, after: null, unit: '', text }; // biome-ignore format: one effect
    });
    const effects = more.filter(({ text }) => !known.has(text));
    if (effects.length === 0) return incident;
    return {
      ...incident,
      impact: [...incident.impact, ...effects],
      evidence: [...incident.evidence, ...said.map(({ line }) => line)],
    };
  }
}

/** Incidents of which the first line says the same and no more. */
function groupOf(down: Incident, all: readonly Incident[], { pattern }: Words): Group[] {
  const others = all.filter((one) => {
    const root = rootOf(one);
    if (one === down || root === undefined || !isWithin(down, root.timeMs)) return false;
    return root.evidence.some((each) => 'text' in each && pattern.test(each.text));
  });
  return others.length === 0 ? [] : [{ lead: down, others }];
}

function isWithin({ openedMs, resolvedMs }: Incident, timeMs: number): boolean {
  const endMs = Math.min(openedMs + AFTER_MS, resolvedMs === null ? Number.POSITIVE_INFINITY : resolvedMs + AFTER_MS);
  return timeMs >= openedMs - BEFORE_MS && timeMs <= endMs;
}

/** Null where the incident is of no service that others miss. */
function serviceDown(incident: Incident): Failing | null {
  const own = rootOf(incident);
  if (own === undefined) return null;
  if (own.kind === 'storage.stall') return own.attributes.program === 'etcd' ? 'leases' : null;
  if (own.kind !== 'host.degraded' && own.kind !== 'host.oom') return null;
  return incident.events.map(unitOf).find((what) => what !== null) ?? null;
}

function unitOf({ kind, attributes: { unit } }: FaultEvent): Failing | null {
  const fails = kind === 'host.degraded' && typeof unit === 'string' ? failsWithout(unit) : null;
  return fails === null || fails.isOfHost ? null : fails.what;
}
