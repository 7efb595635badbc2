// The logs of one BMC: what happened before the daemon looked, and between two of its polls. A log is history that the BMC tells;
// what is the case now the poll tells, and a log entry never says otherwise.

import { cardPlace } from '../../../detection/text/report/card-place.ts';
import { isUnfit } from '../../../detection/text/report/supply-fit.ts';
import type { EventInput } from '../../../model/record.ts';
import type { Interval } from '../../../model/time.ts';
import type { RedfishClient } from '../http/client.ts';
import type { BmcRecord } from '../memory/bmc-record.ts';
import type { LogEntry } from './log-entry.ts';
import { LogReader } from './log-reader.ts';
import type { LogPlan } from './log-services.ts';
import { type KnownParts, type Meaning, meaningOf } from './meaning.ts';

/** Between two readings of a log; at once where something happened. */
const EVERY_MS = 15_000;
/** A log that takes long is read less often: at most this share of the time. */
const SHARE = 0.1;
/** Of a log that was never read before, what is older is not news and explains nothing any more. */
const LOOK_BACK_MS = 3_600_000;
/** Events of one reading. */
const MOST_EVENTS = 64;

export interface LogDeps {
  readonly host: string;
  readonly record: BmcRecord;
  readonly now: () => number;
  /** When, on our clock, the BMC's clock showed this. */
  readonly toOurs: (stampMs: number) => Interval | null;
  readonly parts: () => KnownParts;
  /** The poll sees this condition now. */
  readonly isOpen: (meaning: Meaning) => boolean;
  /** Every answer, for the clock. */
  readonly answered: (stampMs: number, sentMs: number, receivedMs: number) => void;
}

interface Log {
  readonly reader: LogReader;
  dueMs: number;
  readMs: number;
}

export class LogWatch {
  readonly #deps: LogDeps;
  #logs: Log[] = [];
  /** Keys of what was sent by the service itself: the log has it as well. */
  readonly #pushed = new Set<string>();

  constructor(deps: LogDeps) {
    this.#deps = deps;
  }

  /** After a discovery; what is known of a log that is still there stays. */
  plan(logs: readonly LogPlan[]): void {
    const before = new Map(this.#logs.map((log) => [log.reader.plan.path, log]));
    this.#logs = logs.map(
      (plan) =>
        before.get(plan.path) ?? {
          reader: new LogReader(plan, this.#deps.record.place(plan.path)),
          dueMs: 0,
          readMs: 0,
        },
    );
  }

  /** "Sel, Lclog" */
  get names(): readonly string[] {
    return this.#logs.map(({ reader }) => reader.plan.name);
  }

  /** Something happened: the logs say what, and when. */
  hurry(): void {
    for (const log of this.#logs) log.dueMs = 0;
  }

  /** Reads what is due. Rejects with RedfishError where the BMC itself fails. */
  async read(client: RedfishClient, signal: AbortSignal): Promise<EventInput[]> {
    const events: EventInput[] = [];
    for (const log of this.#logs) {
      if (signal.aborted || log.dueMs > this.#deps.now()) continue;
      const startedMs = this.#deps.now();
      const news = await log.reader.read(client);
      const endedMs = this.#deps.now();
      log.dueMs = endedMs + Math.max(EVERY_MS, (endedMs - startedMs) / SHARE);
      if (news === null) continue;
      for (const { dateMs, sentMs, receivedMs } of news.resources) {
        if (dateMs !== null) this.#deps.answered(dateMs, sentMs, receivedMs);
      }
      const place = log.reader.place;
      if (place !== null) this.#deps.record.read(log.reader.plan.path, place);
      const sinceMs = news.first ? endedMs - LOOK_BACK_MS : Number.NEGATIVE_INFINITY;
      const afterMs = log.readMs === 0 ? null : log.readMs;
      log.readMs = startedMs;
      events.push(...this.#events(news.entries, { name: log.reader.plan.name, afterMs, sinceMs }));
    }
    return events;
  }

  /** What the service sent of its own accord. */
  sent(entries: readonly LogEntry[], name: string): EventInput[] {
    return this.#events(entries, { name, afterMs: null, sinceMs: this.#deps.now() - LOOK_BACK_MS });
  }

  #events(
    entries: readonly LogEntry[],
    { name, afterMs, sinceMs }: { name: string; afterMs: number | null; sinceMs: number },
  ): EventInput[] {
    const nowMs = this.#deps.now();
    const meant = entries.flatMap((entry) => {
      const meaning = meaningOf(entry, this.#deps.host, this.#deps.parts());
      if (meaning === null) return [];
      const interval = this.#when(entry, afterMs, nowMs);
      return interval === null || interval.latestMs < sinceMs ? [] : [{ entry, meaning, interval }];
    });
    const fresh = meant.filter(({ entry, meaning }) => this.#isFirst(entry, meaning));
    return fresh.slice(-MOST_EVENTS).flatMap((one, i, all) => {
      const { meaning, entry, interval } = one;
      const closed = all.slice(i + 1).some((later) => isEndOf(later.meaning, meaning));
      const begun = all.slice(0, i).some((earlier) => isEndOf(meaning, earlier.meaning));
      const open = this.#deps.isOpen(meaning);
      // An end whose beginning was not read, or that the poll does not see: the poll says when it ends.
      if (meaning.edge === 'clear' && (!begun || open)) return [];
      // Over by now, by the poll's word or by the log's own: a moment, unless the log tells both ends of it.
      const state = meaning.edge === 'onset' && !open && !closed ? 'point' : meaning.edge;
      return [this.#event(entry, meaning, interval, name, state, nowMs)];
    });
  }

  /** Null where neither the BMC's clock nor the readings around it say when. */
  #when({ createdMs }: LogEntry, afterMs: number | null, nowMs: number): Interval | null {
    const ours = createdMs === null ? null : this.#deps.toOurs(createdMs);
    if (ours !== null) {
      const latestMs = Math.min(ours.latestMs, nowMs);
      return { earliestMs: Math.min(ours.earliestMs, latestMs), latestMs };
    }
    return afterMs === null ? null : { earliestMs: afterMs, latestMs: nowMs };
  }

  /** The same entry is in several logs of some services, and is sent as well. */
  #isFirst({ createdMs, text }: LogEntry, { kind, edge, component }: Meaning): boolean {
    const key = `${kind} ${edge} ${component.id} ${createdMs ?? text}`;
    if (this.#pushed.has(key)) return false;
    this.#pushed.add(key);
    if (this.#pushed.size > 4 * MOST_EVENTS) this.#pushed.delete(this.#pushed.values().next().value ?? '');
    return true;
  }

  #event(
    entry: LogEntry,
    { kind, severity, component, named }: Meaning,
    interval: Interval,
    log: string,
    state: 'onset' | 'clear' | 'point',
    observedMs: number,
  ): EventInput {
    const timeMs = interval.latestMs;
    const id = entry.messageId === null ? '' : ` (${entry.messageId})`;
    return {
      kind,
      ...(severity === undefined ? {} : { severity }),
      state,
      component,
      timeMs,
      interval,
      observedMs,
      trust: 'bmc',
      source: 'bmc',
      evidence: [{ source: 'bmc', timeMs, text: `${log}: ${entry.text}${id}` }],
      attributes: {
        log,
        message_id: entry.messageId,
        ...(entry.id === '' ? {} : { entry: entry.id }),
        ...(named === null ? {} : { part: named }),
        ...(kind.startsWith('pcie.') ? cardPlace(entry.text) : {}),
        ...(kind === 'psu.failure' && isUnfit(`${entry.text} ${entry.messageId ?? ''}`) ? { mismatch: true } : {}),
      },
      discriminator: `${log} ${entry.key}`,
    };
  }
}

function isEndOf(later: Meaning, earlier: Meaning): boolean {
  return (
    later.edge === 'clear' &&
    earlier.edge === 'onset' &&
    later.kind === earlier.kind &&
    later.component.id === earlier.component.id &&
    later.component.type === earlier.component.type
  );
}
