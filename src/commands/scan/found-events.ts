// Found events: what the lines of all inputs report, by host; of what was counted further only the newest.

import { componentText } from '../../model/component.ts';
import type { Kind } from '../../model/kind.ts';
import type { EventInput } from '../../model/record.ts';

/** Far more than a bad year of a cluster; what comes after them is counted. */
const MOST = 400_000;
/** Each host is judged by itself, which takes 20 KB; no cluster has more, and names can be invented. */
const MOST_HOSTS = 16_384;
const SAY_LITTLE: ReadonlySet<Kind> = new Set<Kind>(['job.started', 'job.checkpoint_saved', 'job.peer_failure']);

export class FoundEvents {
  readonly #hosts = new Map<string, Map<string, EventInput>>();
  #held = 0;
  leftOut = 0;
  /** Events of hosts beyond the most. */
  ofHostsLeftOut = 0;

  add(host: string, event: EventInput): void {
    const events = this.#hosts.get(host) ?? new Map<string, EventInput>();
    if (events.size === 0 && this.#hosts.size >= MOST_HOSTS && !this.#hosts.has(host)) {
      this.ofHostsLeftOut += 1;
      return;
    }
    this.#hosts.set(host, events);
    const { key, as } = placeFor(events, event);
    if (!events.has(key)) {
      if (this.#held >= MOST) {
        this.leftOut += 1;
        return;
      }
      this.#held += 1;
    }
    events.set(key, as);
  }

  /** Any that says what broke, or how what was done ended. */
  get saysMuch(): boolean {
    return [...this.#hosts.values()].some((events) => [...events.values()].some(saysMuch));
  }

  /** With events. */
  get hosts(): readonly string[] {
    return [...this.#hosts.keys()];
  }

  /** In the order in which they happened. */
  of(hosts: readonly string[]): EventInput[] {
    const events = hosts.flatMap((host) => [...(this.#hosts.get(host)?.values() ?? [])]);
    return events.sort((a, b) => a.timeMs - b.timeMs);
  }
}

/** Not that work began or was saved, nor that a rank lost another one: these alone do not say what broke. */
export function saysMuch({ kind }: EventInput): boolean {
  return !SAY_LITTLE.has(kind);
}

/** What another log of the host reports of the same moment is an event of its own, and gets its id by the name of that log. */
function placeFor(events: ReadonlyMap<string, EventInput>, event: EventInput): { key: string; as: EventInput } {
  const key = keyOf(event);
  const held = events.get(key);
  const log = logOf(event);
  if (held === undefined || log === logOf(held)) return { key, as: event };
  const as = { ...event, discriminator: `${event.discriminator ?? ''} ${log}` };
  return { key: keyOf(as), as };
}

/** The saved log of its first line: "logs/dmesg.txt" of "logs/dmesg.txt:12". */
export function logOf({ evidence: [first] = [] }: EventInput): string {
  const place = first !== undefined && 'text' in first ? (first.place ?? '') : '';
  return place.replace(/:\d+$/, '');
}

/** What an event's id is made of, besides the host. */
function keyOf({ kind, component, source, timeMs, state, discriminator }: EventInput): string {
  // Cards of several hosts are called alike, in what a fabric says of all of them.
  const at = component?.type === 'nic' ? (component.host ?? '') : '';
  const place = component === null ? '' : `${componentText(component)}${at}`;
  return `${kind}\u0001${place}\u0001${source}\u0001${timeMs}\u0001${state ?? ''}\u0001${discriminator ?? ''}`;
}
