// Document fields: reads the parts of a JSON document that another process may have written, or throws Unreadable.

import { COMPONENT_TYPES, type Component } from '../component.ts';
import { isKind, type Kind } from '../kind.ts';
import { formatTime, parseTime } from '../time.ts';

/** Thrown by the readers of this file and caught by the one who reads the whole document. */
export class Unreadable extends Error {}

export type Fields = Readonly<Record<string, unknown>>;

export function fields(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Unreadable('object');
  return value as Fields; // an object that is not an array has fields of unknown type
}

export function text(value: unknown): string {
  if (typeof value !== 'string') throw new Unreadable('text');
  return value;
}

export function name(value: unknown): string {
  const read = text(value);
  if (read === '') throw new Unreadable('name');
  return read;
}

export function textOrNull(value: unknown): string | null {
  return value === undefined || value === null ? null : text(value);
}

export function number(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Unreadable('number');
  return value;
}

export function count(value: unknown): number {
  const read = number(value);
  if (!Number.isInteger(read) || read < 0) throw new Unreadable('count');
  return read;
}

export function numberOrNull(value: unknown): number | null {
  return value === undefined || value === null ? null : number(value);
}

export function oneOf<T extends string>(value: unknown, words: readonly T[]): T {
  const word = words.find((each) => each === value);
  if (word === undefined) throw new Unreadable('word');
  return word;
}

export function list<T>(value: unknown, read: (item: unknown) => T): T[] {
  if (!Array.isArray(value)) throw new Unreadable('list');
  return value.map(read);
}

/** A list that a document may leave out. */
export function listOrEmpty<T>(value: unknown, read: (item: unknown) => T): T[] {
  return value === undefined || value === null ? [] : list(value, read);
}

export function kind(value: unknown): Kind {
  if (typeof value !== 'string' || !isKind(value)) throw new Unreadable('kind');
  return value;
}

export function component(value: unknown): Component {
  const from = fields(value);
  const read: Component = { type: oneOf(from.type, COMPONENT_TYPES), id: name(from.id) };
  return {
    ...read,
    ...(from.host === undefined ? {} : { host: text(from.host) }),
    ...(from.parent === undefined ? {} : { parent: text(from.parent) }),
    ...(from.aliases === undefined ? {} : { aliases: list(from.aliases, text) }),
  };
}

export function componentOrNull(value: unknown): Component | null {
  return value === null || value === undefined ? null : component(value);
}

export function time(value: unknown): { epochMs: number; digits: number } {
  const read = typeof value === 'string' ? parseTime(value) : null;
  if (read === null) throw new Unreadable('time');
  return read;
}

export function timeMs(value: unknown): number {
  return time(value).epochMs;
}

const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 0); // RFC 3339 has years of four digits

/** Epoch ms that RFC 3339 can write; what is beyond is held at the border, NaN becomes the epoch. */
function writable(epochMs: number): number {
  return Number.isNaN(epochMs) ? 0 : Math.min(Math.max(epochMs, 0), LAST_MS);
}

/** RFC 3339 with the source's digits, for times that have one source. */
export function sourceTime(epochMs: number, digits: number): string {
  return formatTime(writable(epochMs), Math.min(Math.max(Math.trunc(digits) || 0, 0), 9));
}

/** RFC 3339 with milliseconds, or microseconds where there are any, for times that were computed. */
export function computedTime(epochMs: number): string {
  const micro = formatTime(writable(epochMs), 6);
  return micro.endsWith('000Z') ? `${micro.slice(0, -4)}Z` : micro;
}

/** What `build` reads; null where it finds something that is missing or of the wrong type. */
export function orNull<T>(build: () => T): T | null {
  try {
    return build();
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}
