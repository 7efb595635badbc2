// Turns what a source or decoder knows into a finished event: defaults of its kind, its id, its host.

import type { Attributes, AttributeValue, Evidence, FaultEvent } from './event.ts';
import { eventId } from './identity.ts';
import { kindInfo } from './kind.ts';
import type { EventInput } from './record.ts';
import { redactUrls } from './redact.ts';
import { safeText } from './safe-text.ts';
import { formatTime } from './time.ts';

/** A clock that runs ahead by less is an ordinary clock. */
const AHEAD_MS = 5_000;

/**
 * A time that lies after the moment at which it was observed is not a valid time: a hostile stamp, or a clock far off. What we
 * know then is that it was seen; the stamp is kept as an attribute.
 */
function inTime(input: EventInput): EventInput {
  if (input.timeMs <= input.observedMs + AHEAD_MS) return input;
  const { observedMs } = input;
  const attributes = { ...input.attributes, stamped_at: stampText(input) };
  return { ...input, timeMs: observedMs, interval: { earliestMs: observedMs, latestMs: observedMs }, attributes };
}

/** Date's own range, ECMAScript 21.4.1.1. */
const LAST_MS = 8.64e15;

function stampText({ timeMs, timeDigits }: EventInput): string {
  return Math.abs(timeMs) < LAST_MS ? formatTime(timeMs, timeDigits ?? 3) : String(timeMs);
}

/** Where others' words enter: what reads titles and attributes later, here or behind an exporter, is never misled by them. */
function safeAttributes(attributes: Attributes): Attributes {
  const unsafe = (value: AttributeValue): boolean => typeof value === 'string' && safe(value) !== value;
  if (!Object.values(attributes).some(unsafe)) return attributes;
  const entries = Object.entries(attributes);
  return Object.fromEntries(entries.map(([key, value]) => [key, typeof value === 'string' ? safe(value) : value]));
}

function safeEvidence(evidence: readonly Evidence[]): readonly Evidence[] {
  const unsafe = (seen: Evidence): boolean => 'text' in seen && safe(seen.text) !== seen.text;
  if (!evidence.some(unsafe)) return evidence;
  return evidence.map((seen) => ('text' in seen ? { ...seen, text: safe(seen.text) } : seen));
}

function safe(text: string): string {
  return safeText(redactUrls(text));
}

export function makeEvent(host: string, given: EventInput): FaultEvent {
  const input = inTime(given);
  const state = input.state ?? 'point';
  return {
    id: eventId(host, { ...input, state }, input.discriminator),
    kind: input.kind,
    component: input.component,
    severity: input.severity ?? kindInfo(input.kind).severity,
    timeMs: input.timeMs,
    timeDigits: input.timeDigits ?? 3,
    interval: input.interval ?? { earliestMs: input.timeMs, latestMs: input.timeMs },
    observedMs: input.observedMs,
    trust: input.trust,
    state,
    count: input.count ?? 1,
    source: input.source,
    attributes: safeAttributes(input.attributes ?? {}),
    evidence: safeEvidence(input.evidence ?? []),
  };
}
