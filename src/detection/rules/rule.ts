// Rule: a detector, and the event that its edges become.

import type { Kind } from '../../model/kind.ts';
import type { Severity } from '../../model/severity.ts';
import type { DetectorGuard, DetectorSpec } from '../../native.ts';

/** The event is graver than usual where another quantity of the component is so at that moment. */
export interface Grade {
  readonly only: DetectorGuard;
  readonly severity: Severity;
}

/** A detector with the event that its edges become. */
export interface DetectionRule {
  readonly spec: DetectorSpec;
  readonly kind: Kind;
  /** Overrides the kind's default severity. */
  readonly severity?: Severity;
  /** What the numbers of the edge are, for people: quantity and unit. */
  readonly quantity: string;
  readonly unit: string;
  /** Where the thresholds come from. */
  readonly source: string;
  /** Quantity of the same component whose fall the event also reports, for example the clock under a power brake. */
  readonly alsoTell?: { readonly quantity: string; readonly unit: string };
  /** Where the value falls under this share of the reference the event is of this kind instead. */
  readonly deeper?: { readonly below: number; readonly kind: Kind };
  /** Quantities of the same component whose newest values the event reports too. */
  readonly with?: readonly string[];
  readonly grades?: readonly Grade[];
  /** The event is graver than usual while an event of this kind lasts at the same component. */
  readonly graverDuring?: { readonly kind: Kind; readonly severity: Severity };
  /** Each value is a mean over the time since the one before: what it shows may have begun while the last one was measured. */
  readonly mean?: boolean;
  /** What was seen is over at once, or lasts until something ends it: the detector's own clear says nothing. */
  readonly point?: boolean;
  /** Attribute that carries the bare value, for those who act on it. */
  readonly tells?: string;
  /** Before is what the value is held against, after the value: of `against` as a ratio, where the ratio says little to people. */
  readonly tellsBoth?: boolean;
  /** Attributes that every such event carries. */
  readonly attributes?: Readonly<Record<string, string>>;
}
