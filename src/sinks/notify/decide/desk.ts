// Desk: what each channel is to be sent of an incident now: nothing, its beginning, a change, its end. Reads no clock, sends nothing.

import { backOffMs } from '../../../helpers/back-off.ts';
import { remember } from '../../../helpers/remember.ts';
import type { Incident } from '../../../model/incident.ts';
import { compareSeverity, maxSeverity } from '../../../model/severity.ts';
import type { SinkContext } from '../../define-sink.ts';
import type { Digest, What } from '../notification.ts';
import type { NotifyConfig, Route } from '../settings.ts';
import type { Budget } from './budget.ts';
import { heardBefore, keyOf } from './key.ts';
import { localTimes, within } from './local-time.ts';
import { changeText } from './reason.ts';
import { groupOf, routesOf } from './routing.ts';
import type { Sent, SentBook } from './sent-book.ts';
import { type View, viewOf } from './view.ts';

/** One thing that is to be sent. */
export interface Decided {
  readonly channel: string;
  readonly what: What;
  readonly key: string;
  readonly conversation: string;
  readonly group: string | null;
  readonly reason: string | null;
  /** Null of what is not about one incident. */
  readonly incident: Incident | null;
  readonly digest: Digest | null;
}

export interface DeskOptions extends Pick<SinkContext, 'host' | 'silenced' | 'said'> {
  readonly config: NotifyConfig;
  readonly book: SentBook;
  readonly budget: Budget;
  /** Something was held back: for the log. */
  readonly onHeld: (incident: Incident, channel: string, why: string) => void;
}

const MOST_OPEN = 2048;
/** Changes of one incident are sent at most this often, each later than the one before; a severity that is worse than ever at once. */
const REVISE_MS = 60_000;
const LONGEST_REVISE_MS = 4 * 3_600_000;

export class Desk {
  readonly #options: DeskOptions;
  readonly #local: ReturnType<typeof localTimes>;
  readonly #open = new Map<string, View>();

  constructor(options: DeskOptions) {
    this.#options = options;
    this.#local = localTimes(options.config.timeZone);
  }

  /** An open incident of an earlier run: what channels have heard of it continues; what they have not stays history. */
  restore(incident: Incident): void {
    const { book, config } = this.#options;
    if (incident.state === 'open' && book.has(incident.id))
      remember(this.#open, incident.id, viewOf(incident, config.labels), MOST_OPEN);
  }

  /** A revision of an incident. */
  take(incident: Incident, nowMs: number): Decided[] {
    const view = viewOf(incident, this.#options.config.labels);
    if (view.over) this.#open.delete(incident.id);
    const decided = this.#all(view, nowMs);
    if (!view.over && this.#options.book.has(incident.id)) remember(this.#open, incident.id, view, MOST_OPEN);
    return decided;
  }

  /** What time alone brings: ends of quiet hours and silences, changes that waited, repeats, escalations, digests. */
  due(nowMs: number): Decided[] {
    const decided: Decided[] = [];
    for (const view of [...this.#open.values()]) {
      decided.push(...this.#all(view, nowMs), ...this.#acknowledged(view, nowMs), ...this.#inTime(view, nowMs));
    }
    decided.push(...this.#digests(nowMs));
    return decided;
  }

  #all(view: View, nowMs: number): Decided[] {
    const { book, config } = this.#options;
    const routes = routesOf(view, config.routes);
    const channels = new Set([...book.of(view.incident.id).keys(), ...routes.keys()]);
    return [...channels].flatMap((channel) => this.#one(view, channel, routes.get(channel) ?? null, nowMs));
  }

  #one(view: View, channel: string, route: Route | null, nowMs: number): Decided[] {
    const before = this.#options.book.of(view.incident.id).get(channel);
    if (before === undefined || before.state === 'held')
      return this.#first(view, channel, route, before ?? null, nowMs);
    if (before.state === 'resolved')
      return view.over ? [] : this.#first(view, channel, route ?? ANY_ROUTE, before, nowMs, 'opened again');
    if (view.over) return this.#end(view, channel, before, nowMs);
    if (view.headline === before.headline || this.#isQuiet(view, channel, route, nowMs)) return [];
    const worse = compareSeverity(view.severity, before.worst) > 0;
    const waitMs = backOffMs(REVISE_MS, before.count - 1, LONGEST_REVISE_MS);
    if (!worse && nowMs - before.lastMs < waitMs) return [];
    return [this.#send(view, channel, 'revised', changeText(view, before), before, nowMs)];
  }

  /** It was not heard of, or is open again. */
  #first(
    view: View,
    channel: string,
    route: Route | null,
    before: Sent | null,
    nowMs: number,
    reason: string | null = null,
  ): Decided[] {
    if (route === null) return [];
    const held = before?.state === 'held' ? before : null;
    if (held !== null && view.over) {
      if (held.why !== null) this.#hold(view, channel, held, held.why, nowMs, false);
      return [];
    }
    if (held?.why === LIMIT && compareSeverity(view.severity, held.severity) <= 0) return [];
    const group = groupOf(view, route);
    const [joined] = group === null ? [] : this.#options.book.open(channel, (sent) => sent.group === group);
    const why = this.#whyNot(view, channel, route, joined === undefined, nowMs);
    if (why !== null) {
      const isNew = held?.why !== why;
      if (isNew) this.#hold(view, channel, before, why, nowMs, true);
      return isNew && why === LIMIT ? this.#limitReached(channel, nowMs) : [];
    }
    this.#options.budget.release(channel, view.incident.id);
    const conversation =
      joined?.[1].conversation ?? before?.conversation ?? `${this.#options.host}/${view.incident.id}`;
    const known = { ...(before ?? NOT_SENT), conversation, group };
    const what = view.over ? 'resolved' : joined === undefined ? 'opened' : 'revised';
    return [
      this.#send(view, channel, what, reason ?? (joined === undefined ? null : 'more of the same'), known, nowMs),
    ];
  }

  #end(view: View, channel: string, before: Sent, nowMs: number): Decided[] {
    const { conversation } = before;
    const others = this.#options.book.open(channel, (sent) => sent.conversation === conversation);
    const left = others.filter(([id]) => id !== view.incident.id).length;
    const what = left === 0 ? 'resolved' : 'revised';
    return [this.#send(view, channel, what, left === 0 ? null : `one is over, ${left} still open`, before, nowMs)];
  }

  #acknowledged(view: View, nowMs: number): Decided[] {
    const { book, said } = this.#options;
    const { acknowledged } = said(view.incident.id);
    if (acknowledged === null) return [];
    const open = [...book.of(view.incident.id)].filter(([, sent]) => sent.state === 'open' && !sent.acknowledged);
    const reason = `by ${acknowledged.by}${acknowledged.note === null ? '' : `: ${acknowledged.note}`}`;
    return open.map(([channel, sent]) =>
      this.#send(view, channel, 'acknowledged', reason, { ...sent, acknowledged: true }, nowMs),
    );
  }

  /** Repeats and escalations. */
  #inTime(view: View, nowMs: number): Decided[] {
    const { book, config } = this.#options;
    const decided: Decided[] = [];
    for (const [channel, route] of routesOf(view, config.routes)) {
      const sent = book.of(view.incident.id).get(channel);
      if (sent?.state !== 'open' || sent.acknowledged) continue;
      if (route.repeatMs !== null && nowMs - sent.lastMs >= route.repeatMs) {
        const why = this.#whyNot(view, channel, route, true, nowMs);
        if (why === null) decided.push(this.#send(view, channel, 'repeated', null, sent, nowMs));
        else if (why === LIMIT) book.set(view.incident.id, channel, { ...sent, lastMs: nowMs });
      }
      const { escalate } = route;
      if (escalate === null || nowMs - sent.firstMs < escalate.afterMs || this.#isQuiet(view, channel, route, nowMs))
        continue;
      for (const next of escalate.to) decided.push(...this.#escalate(view, next, sent, nowMs));
    }
    return decided;
  }

  #escalate(view: View, channel: string, from: Sent, nowMs: number): Decided[] {
    const { book, budget } = this.#options;
    if (book.of(view.incident.id).has(channel)) return [];
    const known = { ...NOT_SENT, conversation: from.conversation, group: from.group };
    if (budget.take(channel, this.#local(nowMs).day))
      return [this.#send(view, channel, 'escalated', null, known, nowMs)];
    this.#hold(view, channel, null, LIMIT, nowMs, true);
    return this.#limitReached(channel, nowMs);
  }

  /** Why it is not sent now; null where it is. `counts`: it begins a conversation, or asks for attention again. */
  #whyNot(view: View, channel: string, route: Route, counts: boolean, nowMs: number): string | null {
    const { budget } = this.#options;
    const silence = this.#options.silenced(view.labels);
    if (silence !== null) return `silence ${silence.id} by ${silence.by}`;
    if (this.#isQuiet(view, channel, route, nowMs)) return 'quiet hours';
    return !counts || budget.take(channel, this.#local(nowMs).day) ? null : LIMIT;
  }

  #isQuiet(view: View, _channel: string, route: Route | null, nowMs: number): boolean {
    if (route === null) return false;
    if (route.quiet === null) return this.#options.silenced(view.labels) !== null;
    const { fromMinute, toMinute, except } = route.quiet;
    const quiet = compareSeverity(view.severity, except) < 0 && within(this.#local(nowMs).minute, fromMinute, toMinute);
    return quiet || this.#options.silenced(view.labels) !== null;
  }

  #send(view: View, channel: string, what: What, reason: string | null, before: Sent, nowMs: number): Decided {
    const { incident, severity, kind, headline, over } = view;
    const { conversation, group, count, acknowledged } = before;
    this.#options.book.set(incident.id, channel, {
      state: over ? 'resolved' : 'open',
      conversation,
      group,
      count: count + 1,
      severity,
      worst: maxSeverity(severity, before.count === 0 || what === 'opened' ? severity : before.worst),
      kind,
      headline,
      hashes: heardBefore(view, what, before),
      firstMs: before.firstMs === 0 || what === 'opened' ? nowMs : before.firstMs,
      lastMs: nowMs,
      acknowledged: what === 'opened' ? false : acknowledged,
      why: null,
    });
    return {
      channel,
      what,
      key: keyOf(view, channel, what, before),
      conversation,
      group,
      reason,
      incident,
      digest: null,
    };
  }

  #hold(view: View, channel: string, before: Sent | null, why: string, nowMs: number, isNew: boolean): void {
    const { book, budget, onHeld, host } = this.#options;
    const { incident, severity, kind, headline, over } = view;
    const { day } = this.#local(nowMs);
    const state = over ? 'resolved' : 'open';
    budget.hold(channel, day, incident.id, {
      short: incident.id.slice(0, 6),
      title: incident.title.slice(0, 200),
      severity,
      state,
      why,
    });
    if (!isNew) return;
    const known = before ?? { ...NOT_SENT, conversation: `${host}/${incident.id}` };
    book.set(incident.id, channel, { ...known, state: 'held', severity, kind, headline, lastMs: nowMs, why });
    onHeld(incident, channel, why);
  }

  #limitReached(channel: string, nowMs: number): Decided[] {
    const { budget, config } = this.#options;
    const { day } = this.#local(nowMs);
    if (!budget.limitIsNews(channel, day)) return [];
    return [this.#about(channel, 'held', budget.sinceOf(channel, day), budget.digestOf(channel, config.digestMinute))];
  }

  #digests(nowMs: number): Decided[] {
    const { day, minute } = this.#local(nowMs);
    const { budget, config } = this.#options;
    return budget
      .digests(day, minute, config.digestMinute)
      .map(([channel, since, digest]) => this.#about(channel, 'digest', since, digest));
  }

  #about(channel: string, what: 'held' | 'digest', since: string, digest: Digest): Decided {
    const { host } = this.#options;
    const conversation = `${host}/held-${channel}-${since}`;
    return {
      channel,
      what,
      key: `${what}-${host}-${channel}-${since}`,
      conversation,
      group: null,
      reason: null,
      incident: null,
      digest,
    };
  }
}

const LIMIT = 'the limit of a day';

const ANY_ROUTE: Route = {
  to: [],
  severity: 'info',
  matchers: [],
  minConfidence: 0,
  groupBy: [],
  repeatMs: null,
  quiet: null,
  escalate: null,
};

const NOT_SENT: Sent = {
  state: 'held',
  conversation: '',
  group: null,
  count: 0,
  severity: 'info',
  worst: 'info',
  kind: '',
  headline: '',
  hashes: [],
  firstMs: 0,
  lastMs: 0,
  acknowledged: false,
  why: null,
};
