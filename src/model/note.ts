// Note: what operators record — that an incident is looked after, whether it was right, that work is planned.

import type { Component } from './component.ts';
import type { Kind } from './kind.ts';

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

export interface Maintenance extends NoteBase {
  readonly kind: 'maintenance';
  readonly state: 'start' | 'end';
  readonly component: Component;
  /** When it ends by itself, ms; null of an end, and of a start that a release before this one wrote. */
  readonly untilMs: number | null;
}

export type Note = Ack | Verdict | Maintenance;

/** The newest of each that was said about one incident. */
export interface Said {
  readonly acknowledged: Ack | null;
  readonly verdict: Verdict | null;
}

export const NOTHING_SAID: Said = { acknowledged: null, verdict: null };

/** Characters of a name and of a note; what is longer is refused where it is said. */
export const LONGEST_NAME = 64;
export const LONGEST_NOTE = 500;
/** A maintenance without an end would hide what breaks weeks later. */
export const STANDARD_MAINTENANCE_MS = 4 * 3_600_000;
/** Longest maintenance that can be declared ahead. */
export const LONGEST_MAINTENANCE_MS = 30 * 86_400_000;
