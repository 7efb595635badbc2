// Saved logs of BMCs: what `curl` wrote of a Redfish log service: entries, collections of them, events, one document or several; and what
// the tools of BMCs write.

import { evidenceText } from '../../../detection/text/evidence.ts';
import { cardPlace } from '../../../detection/text/report/card-place.ts';
import { isUnfit } from '../../../detection/text/report/supply-fit.ts';
import type { EventInput } from '../../../model/record.ts';
import { fanComponent, supplyComponent } from '../components.ts';
import { parseBody } from '../decode/json.ts';
import { dbusBody, dbusObjects, isDbusLog } from './dbus-log.ts';
import { decodeEntry, type LogEntry } from './log-entry.ts';
import { type KnownParts, type Meaning, meaningOf } from './meaning.ts';
import { isWrittenLog, writtenBodies } from './written-log.ts';

/** What its events say they come from. */
const SOURCE = 'redfish-log';
/** No service keeps more than some thousand entries of about a kilobyte. */
export const MOST_SAVED = 16 << 20;
/** Of one text; what comes after them is counted. */
const MOST_ENTRIES = 20_000;
/** Longer objects are collections. */
const MOST_ENTRY = 65_536;

/** The command that printed it may be above; of a document that was cut, the list may be all that is left. */
const BEGINS =
  /^\ufeff?(?:[^\n{}"]{1,240}\n)?\s{0,64}(?:"(?:Events|Members)"\s{0,8}:\s{0,64})?(?:\[\s{0,64}){0,2}\{\s{0,64}"/;
const NAMED = /"(?:MessageId|EntryType|SensorType|EntryCode|OriginOfCondition)"\s{0,8}:/;
const DATED = /"(?:Created|EventTimestamp)"\s{0,8}:/;

/** Whether the head of a text may be one: other JSON has keys of other names. */
export function isSavedLog(head: string): boolean {
  return (BEGINS.test(head) && ((NAMED.test(head) && DATED.test(head)) || isDbusLog(head))) || isWrittenLog(head);
}

export interface SavedEntry extends LogEntry {
  readonly createdMs: number;
}

export interface SavedEntries {
  readonly entries: readonly SavedEntry[];
  /** Entries beyond the most. */
  readonly leftOut: number;
}

/**
 * Entries that have a time, each once, in the order of the text. A text that was cut gives those that are whole; one that is mostly
 * something else none: who may write one line into a log must not make all others unread.
 */
export function savedEntries(text: string): SavedEntries {
  const entries = new Map<string, SavedEntry>();
  const seen = { outside: 0, alone: 0 };
  let leftOut = 0;
  let dated = 0;
  for (const body of bodiesIn(text, seen)) {
    const entry = decodeEntry(body, null);
    const createdMs = entry?.createdMs ?? null;
    if (entry === null || createdMs === null) continue;
    dated += 1;
    if (entries.size < MOST_ENTRIES) entries.set(`${entry.key} ${entry.text}`, { ...entry, createdMs });
    else leftOut += 1;
  }
  if (seen.outside > MOST_OUTSIDE || seen.alone > 2 * dated) return { entries: [], leftOut: 0 };
  return { entries: [...entries.values()], leftOut };
}

/** What the entries report, in the order of time. An end is reported only where its beginning is in the same text. */
export function savedLogEvents(
  entries: readonly SavedEntry[],
  { host, name }: { readonly host: string; readonly name: string },
): EventInput[] {
  const open = new Set<string>();
  return entries
    .toSorted((a, b) => a.createdMs - b.createdMs)
    .flatMap((entry) => {
      const meant = meaningOf(entry, host, NO_PARTS);
      if (meant === null) return [];
      const meaning = placed(meant, entry, host);
      const { kind, edge, component } = meaning;
      const key = `${kind} ${component.type} ${component.id}`;
      if (edge === 'clear' && !open.delete(key)) return [];
      if (edge === 'onset') open.add(key);
      return [eventOf(entry, meaning, name)];
    });
}

/** The list of its parts was not saved with it: a part is called by the number that the entry gives it. */
const NO_PARTS: KnownParts = { supplies: [], fans: [] };

/** "/redfish/v1/Chassis/1/PowerSubsystem/PowerSupplies/Bay2": the part by the link to it, where its words have no number. */
const LINKED = /\/(?:PowerSupplies|Fans)\/([\w.-]{1,32})\/?$/;

function placed(meaning: Meaning, { origin }: LogEntry, host: string): Meaning {
  const { kind, named, component } = meaning;
  const isSupply = kind === 'psu.input_lost' || kind === 'psu.failure';
  if (component.type !== 'host' || !(isSupply || kind === 'host.fan_failure')) return meaning;
  const slot = named ?? LINKED.exec(origin ?? '')?.[1];
  if (slot === undefined) return meaning;
  return { ...meaning, component: isSupply ? supplyComponent(host, slot) : fanComponent(host, slot) };
}

function eventOf(entry: SavedEntry, { kind, edge, severity, component }: Meaning, name: string): EventInput {
  const timeMs = entry.createdMs;
  const id = entry.messageId === null ? '' : ` (${entry.messageId})`;
  return {
    kind,
    ...(edge === 'clear' ? { state: edge } : {}),
    ...(severity === undefined ? {} : { severity }),
    component,
    timeMs,
    timeDigits: 0,
    // However much later it was saved.
    observedMs: timeMs,
    trust: 'system',
    source: SOURCE,
    evidence: [{ source: SOURCE, timeMs, text: evidenceText(`${entry.text}${id}`) }],
    attributes: {
      message_id: entry.messageId,
      ...(entry.id === '' ? {} : { entry: entry.id }),
      ...(kind.startsWith('pcie.') ? cardPlace(entry.text) : {}),
      ...(kind === 'psu.failure' && isUnfit(`${entry.text} ${entry.messageId ?? ''}`) ? { mismatch: true } : {}),
    },
    discriminator: `${name} ${entry.key}`,
  };
}

/** What speaks against a log of a BMC. */
interface Seen {
  /** Characters of no document. */
  outside: number;
  /** Documents. */
  alone: number;
}

function bodiesIn(text: string, seen: Seen): Iterable<unknown> {
  if (!BEGINS.test(text)) return writtenBodies(text);
  return isDbusLog(text.slice(0, MOST_ENTRY)) ? dbusBodies(text, seen) : documentsIn(text, seen);
}

function* dbusBodies(text: string, seen: Seen): Generator<unknown> {
  const begins = dbusObjects(text);
  for (const [i, from] of begins.entries()) {
    // An entry ends before the next begins.
    const part = text.slice(from, Math.min(begins[i + 1] ?? text.length, from + MOST_ENTRY));
    const [first] = objectsIn(part, { outside: 0, alone: 0 });
    if (first !== undefined) yield dbusBody(parseBody(part.slice(0, first[1])));
  }
  // Counts what is outside of documents.
  for (const _ of objectsIn(text, seen));
}

function* documentsIn(text: string, seen: Seen): Generator<unknown> {
  for (const [from, to] of objectsIn(text, seen)) if (to - from <= MOST_ENTRY) yield parseBody(text.slice(from, to));
}

/**
 * Where objects are that may be entries: documents of the text, and what lists in them hold, as `Members` and `Events` do. A document
 * that is a collection has no message of its own, so that both can be asked. Linear, and of no depth that matters: three levels count.
 */
function* objectsIn(text: string, seen: Seen): Generator<readonly [from: number, to: number]> {
  // Openers, the outermost first; beyond a few levels only their number counts.
  const open: { readonly list: boolean; readonly from: number }[] = [];
  let deeper = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') at = endOfText(text, at + 1);
    else if (sign === '{' || sign === '[') {
      if (open.length < MOST_LEVELS) open.push({ list: sign === '[', from: at });
      else deeper += 1;
    } else if (sign === '}' || sign === ']') {
      if (deeper > 0) {
        deeper -= 1;
        continue;
      }
      const opener = open.pop();
      if (opener === undefined || opener.list) continue;
      if (open.length === 0) seen.alone += 1;
      if (mayBeEntry(open)) yield [opener.from, at + 1];
    } else if (open.length === 0 && !BETWEEN.test(text[at] ?? '')) seen.outside += 1;
  }
}

/** Between documents; a prompt or a name of a file may be there, too. */
const BETWEEN = /[\s,\ufeff]/;
const MOST_OUTSIDE = 4096;

/** "{}", "[{}]", "{ Members: [{}] }", "[{ Members: [{}] }]". */
const MOST_LEVELS = 5;

function mayBeEntry(around: readonly { readonly list: boolean }[]): boolean {
  return around.length === 0 || (around.at(-1)?.list === true && around.length < MOST_LEVELS);
}

/** Where the closing quote is, or the end. */
function endOfText(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '\\') at += 1;
    else if (sign === '"') return at;
  }
  return text.length;
}
