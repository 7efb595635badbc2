// Note: what operators record — that an incident is looked after, whether it was right, that work is planned.

import type { Component } from './component.ts';
import type { Kind } from './kind.ts';
import type { Matcher } from './matcher.ts';

interface NoteBase {
  readonly id: string;
  readonly host: string;
  readonly atMs: number;
  /** Who says it, by their own word: the socket does not show which user is behind a connection. */
  readonly by: string;
  readonly note: string | null;
}

export interface Ack extends NoteBase {
  readonly kind: 'ack';
  readonly incidentId: string;
}

export interface Verdict extends NoteBase {
  readonly kind: 'verdict';
  readonly incidentId: string;
  readonly verdict: 'right' | 'wrong';
  /** What it was really, where the person knows. */
  readonly rootKind: Kind | null;
}

/** What came of a bundle for the vendor. */
export interface BundleNote extends NoteBase {
  readonly kind: 'bundle';
  readonly incidentId: string;
  /** Its name without a folder. */
  readonly file: string;
  /** Null where it was not made. */
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly tookMs: number;
  /** Why it was not made; null where it was. */
  readonly error: string | null;
}

export interface Maintenance extends NoteBase {
  readonly kind: 'maintenance';
  readonly state: 'start' | 'end';
  readonly component: Component;
  /** When it ends by itself, ms; null of an end, and of a start that a release before this one wrote. */
  readonly untilMs: number | null;
}

/** What operators do not want to hear of, though it is watched and kept. */
export interface Silence extends NoteBase {
  readonly kind: 'silence';
  readonly state: 'start' | 'end';
  /** All of them must hold; none of an end. */
  readonly matchers: readonly Matcher[];
  /** When it begins, ms, where that is not when it was said. */
  readonly fromMs: number | null;
  /** When it ends by itself, ms; null of an end. */
  readonly untilMs: number | null;
  /** Of an end: the id of its start. */
  readonly silenceId: string | null;
}

export type Note = Ack | Verdict | BundleNote | Maintenance | Silence;

/** Notes that are about one incident. */
export type OnIncident = Ack | Verdict | BundleNote;

export function isOnIncident(note: Note): note is OnIncident {
  return note.kind === 'ack' || note.kind === 'verdict' || note.kind === 'bundle';
}

/** The newest of each that was said about one incident. */
export interface Said {
  readonly acknowledged: Ack | null;
  readonly verdict: Verdict | null;
  /** The newest bundle for the vendor; left out where none was made. */
  readonly bundle?: BundleNote;
}

export const NOTHING_SAID: Said = { acknowledged: null, verdict: null };

/** Longest name of a bundle's file, and the time that making one can take. */
export const LONGEST_FILE_NAME = 255;
export const LONGEST_BUNDLE_MS = 86_400_000;
/** Characters of a name and of a note; what is longer is refused where it is said. */
export const LONGEST_NAME = 64;
export const LONGEST_NOTE = 500;
/** Silences that may be in force at once, and conditions of one. */
export const MOST_SILENCES = 64;
export const MOST_MATCHERS = 8;
/** A maintenance without an end would hide what breaks weeks later. */
export const STANDARD_MAINTENANCE_MS = 4 * 3_600_000;
/** Longest maintenance that can be declared ahead. */
export const LONGEST_MAINTENANCE_MS = 30 * 86_400_000;
