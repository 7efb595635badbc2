// Whole line: a revision of which one line says all, known to be written again as the log has it, so that it is not parsed to be shown.

import { ACTIONS } from '../../model/action.ts';
import { impactFrom, impactToDocument } from '../../model/documents/impact.ts';
import { INCIDENT_SCHEMA } from '../../model/documents/incident.ts';
import type { Incident } from '../../model/incident.ts';
import { isKind, type Kind } from '../../model/kind.ts';
import { MADE } from '../../model/made.ts';
import { safeJson } from '../../model/safe-text.ts';
import { SEVERITIES } from '../../model/severity.ts';
import { mayHoldUrl } from '../../model/shown-json.ts';
import { parseTime } from '../../model/time.ts';
import { bareFields, COUNT, component, items, list, nameOf, orNull, SAME, word } from './line-patterns.ts';

/** What a list asks of an incident that it prints as it is. */
export interface Headline
  extends Pick<
    Incident,
    'id' | 'revision' | 'state' | 'openedMs' | 'updatedMs' | 'severity' | 'pattern' | 'mergedInto' | 'made'
  > {
  readonly root: { readonly kind: Kind };
}

const { text, number, time } = SAME;
const LISTS = items(SAME);
const PLACE = orNull(component(SAME));
const ASCII = '"[!#-[\\]-~]{1,128}"';
const named = (name: string, pattern: string): string => `(?<${name}>${pattern})`;
const braced = (of: Readonly<Record<string, string>>): string => String.raw`\{${bareFields(of)}\}`;
/** Fields in the order of `incidentToDocument`, without those that few incidents have: these are left to the reader. */
const LINE = new RegExp(
  `^\\{${[
    bareFields({
      schema: `"${INCIDENT_SCHEMA}"`,
      id: named('id', ASCII),
      host: text,
      state: named('state', word(['open', 'resolved'])),
      revision: named('revision', COUNT),
      opened_at: named('opened', time),
      updated_at: named('updated', time),
      resolved_at: named('resolved', orNull(time)),
      reopened: COUNT,
      reopened_at: orNull(time),
      title: text,
      severity: named('severity', word(SEVERITIES)),
      confidence: number,
      confidence_parts: list(LISTS.confidence_parts),
      pattern: named('pattern', orNull(ASCII)),
      root_known: '(?:true|false)',
    }),
    `(?:"confirmed":true,"would_confirm":null|"confirmed":false,"would_confirm":${text})`,
    bareFields({
      root: braced({ event_id: nameOf(text), kind: named('kind', ASCII), component: PLACE }),
      chain: list(LISTS.chain),
      '?feed_path': String.raw`\[${text}(?:,${text}){0,31}\]`,
      impact: named('impact', list(LISTS.impact)),
      action: braced({ kind: word(ACTIONS), target: PLACE, why: text }),
      alternatives: list(LISTS.alternatives),
      ruled_out: list(LISTS.ruled_out),
      evidence: list(LISTS.evidence),
      trace_id: nameOf(text),
      merged_into: named('merged', orNull(ASCII)),
      log: word(['written', 'unavailable']),
    }),
  ].join(',')}(?:,"(?<made>${MADE.join('|')})":true)?\\}$`,
);
/** A pattern goes back as far as a line is long where it fails. */
const MOST_BYTES = 16_384;
const KIND = '"kind":"';
const NOT_ASCII = /[\x7f-\xff]+/g;

/**
 * Of a line, a letter a byte, that `incidentToDocument` and `shownJson` give again byte for byte for the incident that is read of it;
 * null where that is not sure, as where GPU-hours count on.
 */
export function headlineOf(bytes: string): Headline | null {
  if (bytes.length > MOST_BYTES || mayHoldUrl(bytes)) return null;
  const found = LINE.exec(bytes)?.groups;
  if (found === undefined || !areKinds(bytes) || !isSafe(bytes)) return null;
  const { id = '', state, revision, opened = '', updated = '', resolved = '', severity = '', kind = '', made } = found;
  const rootKind = inside(kind);
  const isOpen = state === '"open"';
  const openedMs = msOf(opened);
  const updatedMs = msOf(updated);
  if (!isKind(rootKind) || !isCounted(found.impact ?? '', () => (isOpen ? null : (msOf(resolved) ?? updatedMs)))) return null; // biome-ignore format: one line
  const its = SEVERITIES.find((each) => each === inside(severity));
  const by = MADE.find((each) => each === made);
  if (openedMs === null || updatedMs === null || its === undefined) return null;
  return {
    id: inside(id),
    revision: Number(revision),
    state: isOpen ? 'open' : 'resolved',
    openedMs,
    updatedMs,
    severity: its,
    pattern: insideOrNull(found.pattern),
    mergedInto: insideOrNull(found.merged),
    root: { kind: rootKind },
    ...(by === undefined ? {} : { made: by }),
  };
}

function inside(quoted: string): string {
  return quoted.slice(1, -1);
}

function insideOrNull(quoted = 'null'): string | null {
  return quoted === 'null' ? null : inside(quoted);
}

function msOf(quoted: string): number | null {
  return parseTime(inside(quoted))?.epochMs ?? null;
}

/** Of some hundred kinds a pattern asks one by one, so they are looked up. That of the action is none, and the pattern knows it. */
function areKinds(bytes: string): boolean {
  let others = 0;
  for (let at = bytes.indexOf(KIND); at >= 0; at = bytes.indexOf(KIND, at)) {
    at += KIND.length;
    if (!isKind(bytes.slice(at, bytes.indexOf('"', at)))) others += 1;
  }
  return others === 1;
}

/** What a log has beyond ASCII is a few signs: an arrow, a degree. */
const safePieces = new Set<string>();
const MOST_PIECES = 4096;

function isSafe(bytes: string): boolean {
  for (const [piece] of bytes.matchAll(NOT_ASCII)) {
    if (safePieces.has(piece)) continue;
    const shown = Buffer.from(safeJson(Buffer.from(piece, 'latin1').toString())).toString('latin1');
    if (shown !== piece) return false;
    if (safePieces.size < MOST_PIECES) safePieces.add(Buffer.from(piece, 'latin1').toString('latin1'));
  }
  return true;
}

/** Whether GPU-hours up to a time (null: not ended) are those that it says. */
function isCounted(impact: string, upToMs: () => number | null): boolean {
  if (!impact.includes('"loss":{')) return !OF_NOTHING.test(impact);
  const asOfMs = upToMs();
  if (asOfMs === null) return false;
  const written = Buffer.from(impact, 'latin1').toString();
  const hits: readonly unknown[] = JSON.parse(written);
  return JSON.stringify(hits.map((hit) => impactToDocument(impactFrom(hit), asOfMs))) === written;
}

/** What is not written where nothing was lost, or no trace came. */
const OF_NOTHING = /"gpu_hours":[^n]|"cost":\{|"traces":\[\]/;
