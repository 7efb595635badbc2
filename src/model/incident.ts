// Incident: one root, its chain of consequences, how sure, what else was considered, what it hit, what to do.

import type { Action } from './action.ts';
import type { Component } from './component.ts';
import type { ConfidencePart } from './confidence.ts';
import type { Evidence, FaultEvent } from './event.ts';
import type { Kind } from './kind.ts';
import type { Made } from './made.ts';
import type { Severity } from './severity.ts';
import type { Stage } from './stage.ts';
import type { Interval } from './time.ts';
import type { Whose } from './whose.ts';

export interface ChainLink {
  readonly eventId: string;
  readonly kind: Kind;
  readonly component: Component | null;
  readonly severity: Severity;
  readonly timeMs: number;
  readonly timeDigits: number;
  readonly interval: Interval;
  /** Event ids of direct causes; empty for the root. */
  readonly causedBy: readonly string[];
  /** From the direct cause to this link by best single times; null for the root or where order cannot be known. */
  readonly lagMs: number | null;
  readonly confidence: number;
  /** Set where the clocks leave open whether cause or effect came first. */
  readonly orderUnknown: boolean;
}

/** What a GPU-hour costs where the incident happened. */
export interface GpuHourRate {
  readonly amount: number;
  /** ISO 4217. */
  readonly currency: string;
}

/** GPUs of the same job or device that do nothing under an incident that opened earlier, which counts them. */
export interface CountedElsewhere {
  readonly incidentId: string;
  /** GPUs × share of their work. */
  readonly gpus: number;
  readonly fromMs: number;
  /** Null while it lasts. */
  readonly toMs: number | null;
}

/** GPUs that did not do their work, and since when: what GPU-hours are counted from. */
export interface Loss {
  /** GPUs of this host. */
  readonly gpus: number;
  /** Share of their work that is lost, 0 to 1. */
  readonly share: number;
  readonly fromMs: number;
  /** Null while it lasts. */
  readonly toMs: number | null;
  readonly rate: GpuHourRate | null;
  /** Left out where no other incident counts anything of it. */
  readonly elsewhere?: readonly CountedElsewhere[];
}

export interface Impact {
  readonly component: Component;
  /** "step_time", "throughput", "lost" ... */
  readonly quantity: string;
  readonly before: number | null;
  readonly after: number | null;
  readonly unit: string;
  readonly text: string;
  /** Left out where it is not known how many GPUs are meant, or how much of their work. */
  readonly loss?: Loss;
  /** Of a service: the traces of its slowest or failed requests, worst first; left out where none came. */
  readonly traces?: readonly WorkTrace[];
}

/** A span of another program's trace, by its ids in hex. */
export interface WorkTrace {
  readonly traceId: string;
  readonly spanId: string;
}

export interface Alternative {
  readonly root: { readonly kind: Kind; readonly component: Component | null };
  readonly confidence: number;
  readonly why: string;
}

/** Something that was looked for and not found, or found and rejected. */
export interface RuledOut {
  readonly what: string;
  readonly why: string;
}

/** Something planned or declared that explains such an effect for its usual time only, and the effect was still there then. */
export interface Outlasted {
  readonly eventId: string;
  readonly kind: Kind;
  readonly component: Component | null;
  readonly timeMs: number;
}

export interface Incident {
  readonly id: string;
  readonly host: string;
  readonly state: 'open' | 'resolved';
  readonly revision: number;
  readonly openedMs: number;
  readonly updatedMs: number;
  readonly resolvedMs: number | null;
  /** How often it was opened again after it had been resolved, and when last; null where it never was. */
  readonly reopened: number;
  readonly reopenedMs: number | null;
  readonly title: string;
  readonly severity: Severity;
  /** 0 to 1, the sum of the parts. */
  readonly confidence: number;
  readonly confidenceParts: readonly ConfidencePart[];
  readonly pattern: string | null;
  /** False when no root cause is known yet: `root` is then the event that opened the incident. */
  readonly rootKnown: boolean;
  /** What would confirm it, where a user of the host could have written all that says so; null where it is confirmed. */
  readonly unconfirmed: string | null;
  readonly root: { readonly eventId: string; readonly kind: Kind; readonly component: Component | null };
  /** What the root did not come back from; left out where it follows from nothing planned. */
  readonly outlasted?: Outlasted;
  readonly chain: readonly ChainLink[];
  /** Stations from the root to the first device that it reached, each `type/id`; left out where all of it is in one place. */
  readonly feedPath?: readonly string[];
  readonly impact: readonly Impact[];
  readonly action: { readonly kind: Action; readonly target: Component | null; readonly why: string };
  readonly alternatives: readonly Alternative[];
  readonly ruledOut: readonly RuledOut[];
  readonly evidence: readonly Evidence[];
  /** The events of the chain, root first, as they were at this revision. */
  readonly events: readonly FaultEvent[];
  /** The jobs that it hit, as they were when that happened; left out where none is known. */
  readonly whose?: readonly Whose[];
  /** What was done about it, in order; left out where nothing was. */
  readonly stages?: readonly Stage[];
  readonly mergedInto: string | null;
  /** Left out where it is real. */
  readonly made?: Made;
  readonly traceId: string;
  /** Set by the log writer: "unavailable" when the incident could not be written in time. */
  readonly log: 'written' | 'unavailable';
}
