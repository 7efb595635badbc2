// Budget: how many new notifications each channel had today, and what was held back; both survive a restart.

import type { StateDocument } from '../../../helpers/files/state-file.ts';
import { remember } from '../../../helpers/remember.ts';
import { SEVERITIES } from '../../../model/severity.ts';
import type { Digest, HeldBack } from '../notification.ts';

const MOST_LISTED = 25;
const MOST_CHANNELS = 64;

interface Page {
  /** Day that it counts for. */
  day: string;
  count: number;
  /** It was said that the limit is reached. */
  said: boolean;
}

interface Held {
  /** Day of the first: names its conversation. */
  readonly since: string;
  count: number;
  /** By incident. */
  readonly listed: Map<string, HeldBack>;
}

export class Budget {
  readonly #limit: number;
  readonly #pages = new Map<string, Page>();
  readonly #held = new Map<string, Held>();
  /** Day of the last digest. */
  #digestDay: string;

  constructor(limit: number, today: string) {
    this.#limit = limit;
    this.#digestDay = today;
  }

  /** Counts one where there is room for it. */
  take(channel: string, day: string): boolean {
    const page = this.#page(channel, day);
    if (page.count >= this.#limit) return false;
    page.count += 1;
    return true;
  }

  /** True once a day: its limit is reached, and that was not said yet. */
  limitIsNews(channel: string, day: string): boolean {
    const page = this.#page(channel, day);
    if (page.said) return false;
    page.said = true;
    return true;
  }

  hold(channel: string, day: string, incidentId: string, back: HeldBack): void {
    const held = this.#held.get(channel) ?? { since: day, count: 0, listed: new Map() };
    this.#held.set(channel, held);
    if (held.listed.has(incidentId)) held.listed.set(incidentId, back);
    else {
      held.count += 1;
      if (held.listed.size < MOST_LISTED) held.listed.set(incidentId, back);
    }
  }

  /** It was sent after all. */
  release(channel: string, incidentId: string): void {
    const held = this.#held.get(channel);
    if (held?.listed.delete(incidentId) === true) held.count -= 1;
  }

  /** What a channel was not sent, once a day; none where nothing was held back. */
  digests(
    day: string,
    minute: number,
    digestMinute: number,
  ): readonly (readonly [channel: string, since: string, digest: Digest])[] {
    if (day === this.#digestDay || minute < digestMinute) return [];
    this.#digestDay = day;
    const all = [...this.#held].filter(([, { count }]) => count > 0);
    const made = all.map(([channel, held]) => [channel, held.since, this.digestOf(channel, digestMinute)] as const);
    this.#held.clear();
    return made;
  }

  digestOf(channel: string, digestMinute: number): Digest {
    const held = this.#held.get(channel);
    const listed = [...(held?.listed.values() ?? [])];
    const count = held?.count ?? 0;
    const two = (number: number) => String(number).padStart(2, '0');
    const at = `${two(Math.floor(digestMinute / 60))}:${two(digestMinute % 60)}`;
    return { count, listed, more: count - listed.length, limit: this.#limit, at };
  }

  sinceOf(channel: string, day: string): string {
    return this.#held.get(channel)?.since ?? day;
  }

  document(): StateDocument {
    const held = [...this.#held].map(([channel, { since, count, listed }]) => ({
      channel,
      since,
      count,
      listed: [...listed],
    }));
    return { digest_day: this.#digestDay, pages: [...this.#pages], held };
  }

  /** False where it makes no sense. */
  restore({ digest_day: digestDay, pages, held }: StateDocument): boolean {
    if (typeof digestDay !== 'string' || !Array.isArray(pages) || !Array.isArray(held)) return false;
    this.#digestDay = digestDay;
    for (const [channel, page] of pages as [string, Page][]) {
      // checked in the next line
      if (typeof channel !== 'string' || typeof page?.day !== 'string' || !Number.isFinite(page.count)) return false;
      this.#pages.set(channel, { day: page.day, count: page.count, said: page.said === true });
    }
    for (const { channel, since, count, listed } of held as {
      channel: string;
      since: string;
      count: number;
      listed: [string, HeldBack][];
    }[]) {
      if (typeof channel !== 'string' || typeof since !== 'string' || !Number.isFinite(count) || !Array.isArray(listed))
        return false;
      const good = listed.filter(([id, back]) => typeof id === 'string' && isHeldBack(back));
      this.#held.set(channel, { since, count, listed: new Map(good.slice(0, MOST_LISTED)) });
    }
    return true;
  }

  #page(channel: string, day: string): Page {
    const known = this.#pages.get(channel);
    if (known?.day === day) return known;
    const page = { day, count: 0, said: false };
    remember(this.#pages, channel, page, MOST_CHANNELS);
    return page;
  }
}

function isHeldBack(value: unknown): value is HeldBack {
  if (typeof value !== 'object' || value === null) return false;
  const { short, title, severity, why } = value as Partial<HeldBack>; // fields of unknown type
  return [short, title, why].every((text) => typeof text === 'string') && SEVERITIES.some((word) => word === severity);
}
