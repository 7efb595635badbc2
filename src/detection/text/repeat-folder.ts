// RepeatFolder: equal events close together become one event with a rising count; bounded, driven by event time alone.

import { componentText } from '../../model/component.ts';
import type { Evidence } from '../../model/event.ts';
import { kindInfo } from '../../model/kind.ts';
import type { EventInput } from '../../model/record.ts';
import { maxSeverity } from '../../model/severity.ts';
import { foldPolicy } from './fold-policy.ts';

const MAX_KEYS = 1024;
/** One event covers ten minutes at most, then the storm is reported again. */
const MAX_SPAN_MS = 600_000;
const UPDATE_MS = 1000;
/** Repeats over less than this are one moment: when the last one came says nothing more. */
const MOMENT_MS = 10_000;
/** Further wordings kept as evidence. */
const MAX_EVIDENCE = 4;
const MAX_PARTS = 256;
const MAX_SAID_BY = 64;

interface Folded {
  readonly key: string;
  event: EventInput;
  firstMs: number;
  lastMs: number;
  emittedMs: number;
  /** Lines already kept as evidence, digits masked. */
  readonly wordings: string[];
  /** Parts of the component that it happened in. */
  readonly parts: Set<string>;
  /** Those that say it. */
  readonly saidBy: Set<string>;
  /** Lines of each half, where one happening is reported in two. */
  readonly halves: { with: number; without: number };
}

export class RepeatFolder {
  /** In order of last use, oldest first. */
  readonly #folded = new Map<string, Folded>();
  readonly #pending = new Set<Folded>();
  /** The last one begun of each kind at each place. */
  readonly #newest = new Map<string, Folded>();
  #settledMs = Number.NEGATIVE_INFINITY;

  /**
   * What is to be reported now: the event itself when it is the first of its kind, the first one again with a higher count
   * (same id) at most once a second when it is a repeat, and what other keys have waited to report.
   */
  fold(event: EventInput): EventInput[] {
    const reported = Math.abs(event.timeMs - this.#settledMs) >= UPDATE_MS ? this.settle(event.timeMs) : [];
    this.#forgetOpposite(event, reported);
    const { key, known } = this.#knownAs(event);
    this.#folded.delete(key);
    if (known === undefined || !repeats(known, event)) {
      if (known !== undefined) this.#reportLast(known, reported);
      const begun = first(event, key);
      this.#folded.set(key, begun);
      this.#newest.set(placeKey(event), begun);
      this.#evict(reported);
      reported.push(event);
      return reported;
    }
    this.#folded.set(key, known);
    if (!merge(known, event)) return reported;
    this.#pending.add(known);
    if (known.lastMs - known.emittedMs >= UPDATE_MS) reported.push(this.#report(known, known.lastMs));
    return reported;
  }

  /** What is down again after it was up does not repeat the first time. */
  #forgetOpposite(event: EventInput, reported: EventInput[]): void {
    if (event.state === undefined) return;
    const key = foldKey({ ...event, state: event.state === 'clear' ? 'onset' : 'clear' });
    const before = this.#folded.get(key);
    if (before === undefined || event.timeMs < before.lastMs) return;
    this.#folded.delete(key);
    this.#reportLast(before, reported);
  }

  /** The event that this one repeats, or adds facts to: of the same fault, though its first line may not have named the process. */
  #knownAs(event: EventInput): { readonly key: string; readonly known: Folded | undefined } {
    const key = foldKey(event);
    const known = this.#folded.get(key);
    if (known !== undefined) return { key, known };
    const newest = this.#newest.get(placeKey(event));
    // Of a GPU that no line names it is not known that it is the same one.
    if (newest === undefined || event.component === null || this.#folded.get(newest.key) !== newest)
      return { key, known };
    return completes(newest.event, event) && repeats(newest, event)
      ? { key: newest.key, known: newest }
      : { key, known };
  }

  /** Events whose count rose and was not reported within the second before `nowMs` (event time). */
  settle(nowMs: number): EventInput[] {
    this.#settledMs = nowMs;
    const due = [...this.#pending].filter((folded) => Math.abs(nowMs - folded.emittedMs) >= UPDATE_MS);
    return due.map((folded) => this.#report(folded, nowMs));
  }

  /** Whether anything waits to be reported; nothing needs a timer while this is false. */
  get waiting(): boolean {
    return this.#pending.size > 0;
  }

  #report(folded: Folded, nowMs: number): EventInput {
    this.#pending.delete(folded);
    folded.emittedMs = nowMs;
    return folded.event;
  }

  #reportLast(folded: Folded, reported: EventInput[]): void {
    if (this.#pending.delete(folded)) reported.push(folded.event);
  }

  #evict(reported: EventInput[]): void {
    if (this.#folded.size <= MAX_KEYS) return;
    for (const [key, oldest] of this.#folded) {
      this.#folded.delete(key);
      const place = placeKey(oldest.event);
      if (this.#newest.get(place) === oldest) this.#newest.delete(place);
      this.#reportLast(oldest, reported);
      return;
    }
  }
}

function first(event: EventInput, key: string): Folded {
  const { timeMs } = event;
  const parts = new Set(partOf(event));
  const halves = { with: 0, without: 0 };
  const saidBy = new Set<string>();
  const folded = { key, event, firstMs: timeMs, lastMs: timeMs, emittedMs: timeMs, wordings: wordings(event), parts, saidBy, halves }; // biome-ignore format: one record
  hear(folded, event);
  adds(folded, event);
  return folded;
}

function repeats(known: Folded, event: EventInput): boolean {
  const { windowMs, spanMs = MAX_SPAN_MS } = foldPolicy(event.kind);
  const late = event.timeMs - known.lastMs;
  return late <= windowMs && late >= -windowMs && event.timeMs - known.firstMs <= spanMs;
}

/** Same event, same id (kind, component, source, first time, first position stay), more of it; false when nothing is new. */
function merge(known: Folded, event: EventInput): boolean {
  known.lastMs = Math.max(known.lastMs, event.timeMs);
  const before = known.event;
  // "Channel stopped", "at this place of the memory": of the fault before it, not one more.
  const follows = isConsequence(event) && !isConsequence(before);
  const more = foldPolicy(event.kind).counts && !follows ? adds(known, event) : 0;
  const counts = more > 0;
  for (const part of partOf(event)) if (known.parts.size < MAX_PARTS) known.parts.add(part);
  hear(known, event);
  const added = Object.keys((follows ? factsOf(event) : event.attributes) ?? {}).some(
    (name) => !(name in (before.attributes ?? {})),
  );
  const severity = maxSeverity(severityOf(before), severityOf(event));
  const ended = endOf(event);
  const turned = ended !== null && ended.is !== ended.name in (before.attributes ?? {});
  if (!counts && !added && !turned && severity === severityOf(before)) return false;
  known.event = {
    ...before,
    severity,
    count: (before.count ?? 1) + more,
    attributes: {
      ...(follows ? factsOf(event) : event.attributes),
      ...(ended === null || ended.is ? before.attributes : withoutEnd(before.attributes, ended.name)),
      ...(ended?.is === true ? { [`${ended.name}_ms`]: event.timeMs } : {}),
      ...(known.parts.size > 1 ? { units: known.parts.size } : {}),
      ...(known.saidBy.size > 1 ? { said_by: [...known.saidBy].join(', ') } : {}),
      ...(counts && known.lastMs - known.firstMs >= MOMENT_MS ? { last_ms: known.lastMs } : {}),
    },
    evidence: [...(before.evidence ?? []), ...newWordings(known, event)],
  };
  return true;
}

function hear({ saidBy }: Folded, event: EventInput): void {
  const who = foldPolicy(event.kind).saidBy?.(event) ?? null;
  if (who !== null && saidBy.size < MAX_SAID_BY) saidBy.add(Buffer.from(who).toString());
}

/** How many happenings more there are with this line. */
function adds({ halves }: Folded, event: EventInput): number {
  const { half } = foldPolicy(event.kind);
  const count = event.count ?? 1;
  if (half === undefined) return count;
  const before = Math.max(halves.with, halves.without);
  if (event.attributes?.[half] === undefined) halves.without += count;
  else halves.with += count;
  return Math.max(halves.with, halves.without) - before;
}

/** Whether this line says that it is over; null of a kind whose lines never do. */
function endOf({ kind, attributes }: EventInput): { readonly name: string; readonly is: boolean } | null {
  const { end: name } = foldPolicy(kind);
  return name === undefined ? null : { name, is: attributes?.[name] !== undefined };
}

function withoutEnd(attributes: EventInput['attributes'], name: string): EventInput['attributes'] {
  const { [name]: _was, [`${name}_ms`]: _when, ...others } = attributes ?? {};
  return others;
}

function isConsequence({ attributes }: EventInput): boolean {
  return attributes?.consequence === true;
}

/** Without what the catalogue says of its number: that of the fault before it says more. */
function factsOf({ attributes }: EventInput): EventInput['attributes'] {
  const { consequence: _is, action: _advice, note: _note, mnemonic: _name, class: _of, ...facts } = attributes ?? {};
  return facts;
}

/** Whether the one is of the fault that the other began: it follows from it, or only one of the two names the process. */
function completes(begun: EventInput, event: EventInput): boolean {
  const [was, is] = [begun.attributes ?? {}, event.attributes ?? {}];
  const { keys } = foldPolicy(event.kind);
  if (!keys.includes('xid') || was.xid === undefined || is.xid === undefined || isConsequence(begun)) return false;
  const open = ['pid', ...(isConsequence(event) ? ['xid'] : [])];
  const unknown = was.pid === undefined || is.pid === undefined;
  return keys.every((name) => was[name] === is[name] || (open.includes(name) && (name !== 'pid' || unknown)));
}

function severityOf(event: EventInput) {
  return event.severity ?? kindInfo(event.kind).severity;
}

function newWordings(known: Folded, event: EventInput): readonly Evidence[] {
  if (known.wordings.length >= MAX_EVIDENCE) return [];
  const fresh = wordings(event).filter((wording) => !known.wordings.includes(wording));
  known.wordings.push(...fresh);
  return fresh.length > 0 ? (event.evidence ?? []) : [];
}

/** Digits and hexadecimal words masked, so that only a new wording counts as new evidence. */
function wordings(event: EventInput): string[] {
  return (event.evidence ?? []).flatMap((evidence) => ('text' in evidence ? [mask(evidence.text)] : []));
}

function mask(text: string): string {
  return text.replace(/0x[0-9a-fA-F_]+|\b[0-9a-f]{6,16}\b|\d+/g, '#');
}

/** Nothing where the event names no part. */
function partOf({ kind, attributes }: EventInput): string[] {
  const names = foldPolicy(kind).parts ?? [];
  if (names.length === 0 || names.some((name) => attributes?.[name] === undefined)) return [];
  return [names.map((name) => String(attributes?.[name])).join(' ')];
}

function foldKey(event: EventInput): string {
  // Of another trust it is not a repeat: a user's line neither adds to what the kernel reported nor stands for it.
  const parts: string[] = [event.source, event.trust, event.kind, event.state ?? 'point'];
  if (event.component !== null) parts.push(componentText(event.component));
  else parts.push('', ...wordings(event));
  for (const name of foldPolicy(event.kind).keys) parts.push(String(event.attributes?.[name] ?? ''));
  return parts.join('\u0001');
}

function placeKey({ source, trust, kind, component }: EventInput): string {
  return `${source}\u0001${trust}\u0001${kind}\u0001${component === null ? '' : componentText(component)}`;
}
