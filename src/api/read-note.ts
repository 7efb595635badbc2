// Read note: what an operator says over the socket, parsed once into a note that cannot be wrong; every text is bounded.

import { COMPONENT_TYPES, type Component, canonicalPciAddress, parseComponent } from '../model/component.ts';
import { makeNote } from '../model/documents/note.ts';
import { isKind, type Kind } from '../model/kind.ts';
import {
  type BundleNote,
  LONGEST_BUNDLE_MS,
  LONGEST_FILE_NAME,
  LONGEST_MAINTENANCE_MS,
  LONGEST_NAME,
  LONGEST_NOTE,
  type Note,
  STANDARD_MAINTENANCE_MS,
} from '../model/note.ts';
import { plain } from '../model/plain.ts';
import { ApiError } from './api-error.ts';
import { readSilence } from './read-silence.ts';

type Fields = Readonly<Record<string, unknown>>;

const KEYS = {
  ack: ['kind', 'by', 'note', 'incident_id'],
  verdict: ['kind', 'by', 'note', 'incident_id', 'verdict', 'root_kind'],
  bundle: ['kind', 'by', 'note', 'incident_id', 'file', 'bytes', 'sha256', 'took_ms', 'error'],
  maintenance: ['kind', 'by', 'note', 'component', 'state', 'for_ms'],
  silence: ['kind', 'by', 'note', 'state', 'matchers', 'from', 'for_ms', 'silence_id'],
} as const;
const LONGEST_COMPONENT = 256;
const SHORTEST_MAINTENANCE_MS = 1000;
const BY_PCI_ADDRESS: ReadonlySet<Component['type']> = new Set(['gpu', 'nic', 'nvswitch', 'pcie']);
/** Nothing that a terminal obeys or hides; a note is one line. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}]/u;

/** Throws FL3402 with what is wrong and how to write it. */
export function readNote(body: unknown, host: string, nowMs: number): Note {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw wrong('a note must be an object');
  const from = body as Fields; // an object that is not an array has fields of unknown type
  const kind = word(from.kind, 'kind', ['ack', 'verdict', 'bundle', 'maintenance', 'silence']);
  const known: readonly string[] = KEYS[kind];
  for (const key of Object.keys(from)) {
    if (!known.includes(key)) throw wrong(`${key.slice(0, LONGEST_NAME)} is not known. Known: ${known.join(', ')}`);
  }
  const by = text(from.by, 'by', LONGEST_NAME);
  const note = from.note === undefined || from.note === null ? null : text(from.note, 'note', LONGEST_NOTE);
  const base = { host, atMs: nowMs, by, note };
  switch (kind) {
    case 'ack':
      return makeNote({ ...base, kind, incidentId: incidentId(from) });
    case 'verdict': {
      const verdict = word(from.verdict, 'verdict', ['right', 'wrong']);
      const really = rootKind(from.root_kind);
      if (verdict === 'right' && really !== null) {
        throw wrong('root_kind says what it was where the verdict is wrong; leave it out where it is right');
      }
      return makeNote({ ...base, kind, incidentId: incidentId(from), verdict, rootKind: really });
    }
    case 'bundle':
      return makeNote({ ...base, kind, incidentId: incidentId(from), ...outcome(from) });
    case 'maintenance': {
      const state = word(from.state, 'state', ['start', 'end']);
      const untilMs = state === 'start' ? until(from.for_ms, nowMs) : null;
      return makeNote({ ...base, kind, state, component: component(from.component, host), untilMs });
    }
    case 'silence':
      return makeNote({ ...base, kind, ...readSilence(from, note, nowMs) });
  }
}

function wrong(what: string): ApiError {
  return new ApiError(400, 'FL3402', what);
}

/** A text of ours as a note takes it. */
export function oneNoteLine(value: string, longest = LONGEST_NOTE): string {
  return plain(value, longest).trim();
}

function text(value: unknown, key: string, longest: number): string {
  const given = typeof value === 'string' ? value.trim() : '';
  if (given === '' || given.length > longest || UNPRINTABLE.test(given)) {
    throw wrong(`${key} must be one line of 1 to ${longest} characters that can be printed`);
  }
  return given;
}

function word<const W extends readonly string[]>(value: unknown, key: string, words: W): W[number] {
  const found = words.find((each) => each === value);
  if (found === undefined) throw wrong(`${key} must be ${words.join(' or ')}`);
  return found;
}

function incidentId(from: Fields): string {
  const id = from.incident_id;
  if (typeof id !== 'string' || !/^[0-9a-f]{12}$/.test(id)) {
    throw wrong('incident_id must be the 12 hex digits that faultline incidents --json shows');
  }
  return id;
}

/** Of a bundle: made with size and hash, or not made with the reason. */
function outcome(from: Fields): Pick<BundleNote, 'file' | 'bytes' | 'sha256' | 'tookMs' | 'error'> {
  const error = from.error === undefined || from.error === null ? null : text(from.error, 'error', LONGEST_NOTE);
  const file = text(from.file, 'file', LONGEST_FILE_NAME);
  const tookMs = whole(from.took_ms, 'took_ms', LONGEST_BUNDLE_MS);
  if (error !== null) return { file, bytes: null, sha256: null, tookMs, error };
  const { sha256 } = from;
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) throw wrong('sha256 must be 64 hex digits');
  return { file, bytes: whole(from.bytes, 'bytes', Number.MAX_SAFE_INTEGER), sha256, tookMs, error };
}

function whole(value: unknown, key: string, most: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most) return value;
  throw wrong(`${key} must be a whole number from 0 to ${most}`);
}

function rootKind(value: unknown): Kind | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || !isKind(value)) {
    throw wrong('root_kind must be a kind of docs/reference/kinds.md, for example gpu.lost');
  }
  return value;
}

/** The host itself where none is given. */
function component(value: unknown, host: string): Component {
  if (value === undefined || value === null) return { type: 'host', id: host };
  const given = text(value, 'component', LONGEST_COMPONENT);
  const parsed = parseComponent(given);
  if (parsed === null) {
    throw wrong(`component must be written type/id, for example psu/${host}/1. Types: ${COMPONENT_TYPES.join(', ')}`);
  }
  if (!BY_PCI_ADDRESS.has(parsed.type)) return parsed;
  const id = canonicalPciAddress(parsed.id);
  if (id === null) throw wrong(`a ${parsed.type} is named by its PCI address, for example ${parsed.type}/0000:9b:00.0`);
  return { type: parsed.type, id };
}

function until(value: unknown, nowMs: number): number {
  if (value === undefined || value === null) return nowMs + STANDARD_MAINTENANCE_MS;
  if (
    typeof value !== 'number' ||
    !Number.isInteger(value) ||
    value < SHORTEST_MAINTENANCE_MS ||
    value > LONGEST_MAINTENANCE_MS
  ) {
    throw wrong(`for_ms must be a whole number from ${SHORTEST_MAINTENANCE_MS} to ${LONGEST_MAINTENANCE_MS}`);
  }
  return nowMs + value;
}
