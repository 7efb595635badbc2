// Event: one typed, stamped, keyed observation. What sources and detection make and correlation consumes.

import type { Component } from './component.ts';
import type { Kind } from './kind.ts';
import type { Severity } from './severity.ts';
import type { Interval } from './time.ts';
import type { Whose } from './whose.ts';

/** Who could have written the observation; `tenant` is anything that a job's user could have. */
export type Trust = 'kernel' | 'driver' | 'bmc' | 'facility' | 'system' | 'tenant';

export type AttributeValue = string | number | boolean | null;
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** What was seen, verbatim text or a series; strings are hostile input and are never interpreted. */
export type Evidence =
  /** `place`: the file and line of a saved log, `path:12`, `path#section:12`, `archive!member:12`. */
  | { readonly source: string; readonly timeMs: number; readonly text: string; readonly place?: string }
  | { readonly source: string; readonly series: string; readonly values: readonly (readonly [number, number])[] };

/**
 * One event. `interval` bounds when it happened (poll gap and clock offset included); `timeMs` is the best single time
 * (the source's own where it has one), `timeDigits` the fractional digits its source had.
 */
export interface FaultEvent {
  readonly id: string;
  readonly kind: Kind;
  readonly component: Component | null;
  readonly severity: Severity;
  readonly timeMs: number;
  readonly timeDigits: number;
  readonly interval: Interval;
  readonly observedMs: number;
  readonly trust: Trust;
  readonly state: 'onset' | 'clear' | 'point';
  /** How many repeats this event represents. */
  readonly count: number;
  /** Name of the source: "gpu", "kernel-log", "pdu". */
  readonly source: string;
  readonly attributes: Attributes;
  readonly evidence: readonly Evidence[];
  /** The jobs that it hit, as they were when it happened; left out where none is known. */
  readonly whose?: readonly Whose[];
}
