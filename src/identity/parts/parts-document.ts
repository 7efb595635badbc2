// Parts document: what inventory.json of the state folder may say; whatever it says instead, the answer is a document or null.

import { isPartType, type KnownPart } from './part.ts';

/** A port that was up once. */
export interface KnownPort {
  readonly port: string;
  /** Epoch ms; null while it is up. */
  readonly downSinceMs: number | null;
  /** bit/s of its link, the fastest of late; null where it is not known. */
  readonly rate: number | null;
  /** Since when it is slower, epoch ms; null where it is not. */
  readonly slowerSinceMs: number | null;
}

export interface PartsDocument {
  /** Which machine the parts are of; null where it does not say. */
  readonly machine: string | null;
  /** When it was written, epoch ms. */
  readonly seenMs: number;
  readonly parts: readonly KnownPart[];
  readonly ports: readonly KnownPort[];
}

export const PARTS_SCHEMA = 'faultline/inventory/1';
const LONGEST_TEXT = 256;

/** Of a file of the schema. A part or port that is not valid is left out. */
export function readPartsDocument(document: Readonly<Record<string, unknown>>): PartsDocument | null {
  const { machine, seen_ms: seenMs, parts, ports } = document;
  if (!Array.isArray(parts) || !Array.isArray(ports)) return null;
  if (!isTime(seenMs)) return null;
  return {
    machine: textOrNull(machine),
    seenMs,
    parts: parts.map(partFrom).filter((part) => part !== null),
    ports: ports.map(portFrom).filter((port) => port !== null),
  };
}

function partFrom(value: unknown): KnownPart | null {
  if (typeof value !== 'object' || value === null) return null;
  const { type, slot, serial, model, firstSeenMs, missingSinceMs } = value as Record<string, unknown>; // as above
  const where = textOrNull(slot);
  if (!isPartType(type) || where === null || !isTime(firstSeenMs)) return null;
  if (missingSinceMs !== null && !isTime(missingSinceMs)) return null;
  return { type, slot: where, serial: textOrNull(serial), model: textOrNull(model), firstSeenMs, missingSinceMs };
}

function portFrom(value: unknown): KnownPort | null {
  if (typeof value !== 'object' || value === null) return null;
  const { port, downSinceMs, rate, slowerSinceMs } = value as Record<string, unknown>; // as above
  const name = textOrNull(port);
  if (name === null || (downSinceMs !== null && !isTime(downSinceMs))) return null;
  // Earlier versions wrote neither of these.
  const bitPerSecond = isTime(rate) && rate > 0 ? rate : null;
  const since = bitPerSecond !== null && isTime(slowerSinceMs) ? slowerSinceMs : null;
  return { port: name, downSinceMs, rate: bitPerSecond, slowerSinceMs: since };
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_TEXT ? value : null;
}
