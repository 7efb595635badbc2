// Document types: the shapes of `faultline/event/1` and `faultline/incident/1` as users script against them.

import type { Action } from '../action.ts';
import type { Component } from '../component.ts';
import type { Attributes, FaultEvent, Trust } from '../event.ts';
import type { Alternative, ConfidencePart, Impact, Incident, RuledOut } from '../incident.ts';
import type { Kind } from '../kind.ts';
import type { Severity } from '../severity.ts';

export const EVENT_SCHEMA = 'faultline/event/1';
export const INCIDENT_SCHEMA = 'faultline/incident/1';

export type EvidenceDocument =
  | { readonly source: string; readonly time: string; readonly text: string }
  | {
      readonly source: string;
      readonly series: string;
      /** Pairs of RFC 3339 time and SI value. */
      readonly values: readonly (readonly [string, number | null])[];
    };

/** `faultline/event/1`. Times are RFC 3339 UTC, quantities SI, absent is null. */
export interface EventDocument {
  readonly schema: typeof EVENT_SCHEMA;
  readonly id: string;
  readonly host: string;
  readonly kind: Kind;
  readonly component: Component | null;
  readonly severity: Severity;
  readonly time: string;
  readonly time_earliest: string;
  readonly time_latest: string;
  readonly observed_at: string;
  readonly trust: Trust;
  readonly state: FaultEvent['state'];
  readonly count: number;
  readonly source: string;
  readonly attributes: Attributes;
  readonly evidence: readonly EvidenceDocument[];
}

interface RootDocument {
  readonly event_id: string;
  readonly kind: Kind;
  readonly component: Component | null;
}

export interface ChainLinkDocument extends RootDocument {
  readonly severity: Severity;
  readonly time: string;
  readonly time_earliest: string;
  readonly time_latest: string;
  readonly caused_by: readonly string[];
  readonly lag_ms: number | null;
  readonly confidence: number;
  readonly order_unknown: boolean;
}

export interface ImpactDocument extends Omit<Impact, 'loss'> {
  readonly loss: {
    readonly gpus: number;
    readonly share: number;
    readonly from: string;
    /** Null while it lasts. */
    readonly to: string | null;
    /** What incidents that opened earlier count of the same job or device: GPUs × share; empty for nothing. */
    readonly counted_under: readonly {
      readonly incident: string;
      readonly gpus: number;
      readonly from: string;
      readonly to: string | null;
    }[];
  } | null;
  /** Up to `to`, the end of the incident or `updated_at`, whichever is first, less what is counted under other incidents. */
  readonly gpu_hours: number | null;
  /** Null where no rate is configured. */
  readonly cost: { readonly amount: number; readonly currency: string; readonly per_gpu_hour: number } | null;
}

/** `faultline/incident/1`. `events` is there only where the events of the chain do not stand beside the document. */
export interface IncidentDocument {
  readonly schema: typeof INCIDENT_SCHEMA;
  readonly id: string;
  readonly host: string;
  readonly state: Incident['state'];
  readonly revision: number;
  readonly opened_at: string;
  readonly updated_at: string;
  readonly resolved_at: string | null;
  /** How often it was opened again after it had been resolved, and when last. */
  readonly reopened: number;
  readonly reopened_at: string | null;
  readonly title: string;
  readonly severity: Severity;
  readonly confidence: number;
  readonly confidence_parts: readonly ConfidencePart[];
  readonly pattern: string | null;
  readonly root_known: boolean;
  /** False where a user of the host could have written all that says so; `would_confirm` is then what would confirm it. */
  readonly confirmed: boolean;
  readonly would_confirm: string | null;
  readonly root: RootDocument;
  readonly chain: readonly ChainLinkDocument[];
  readonly impact: readonly ImpactDocument[];
  readonly action: { readonly kind: Action; readonly target: Component | null; readonly why: string };
  readonly alternatives: readonly Alternative[];
  readonly ruled_out: readonly RuledOut[];
  readonly evidence: readonly EvidenceDocument[];
  readonly trace_id: string;
  readonly merged_into: string | null;
  readonly log: Incident['log'];
  /** One of them is there where nothing real is behind it: put in on request, or seen in a simulated rack. */
  readonly injected?: true;
  readonly simulated?: true;
  readonly events?: readonly EventDocument[];
}
