// Rule row: a detector as the catalogues write it, made into a rule.

import type { Kind } from '../../model/kind.ts';
import type { Severity } from '../../model/severity.ts';
import type { DetectorGuard, DetectorSpec } from '../../native.ts';
import type { DetectionRule } from './rule.ts';

interface GuardRow {
  readonly quantity: string;
  readonly against?: string;
  readonly when: string;
  readonly limit?: number;
  readonly max_age_ms?: number;
  readonly otherwise?: string;
  readonly unknown?: string;
}

/** A row of catalog/detectors.json, gpu-detectors.json or nic.json; which of the numbers it has depends on its type. */
export interface RuleRow {
  readonly name: string;
  readonly quantity: string;
  readonly type: string;
  readonly kind: string;
  readonly label: string;
  readonly source: string;
  readonly unit?: string;
  readonly severity?: string;
  readonly when?: string;
  readonly bits?: number;
  readonly without?: number;
  readonly per_second?: number;
  readonly window_ms?: number;
  readonly horizon_ms?: number;
  readonly clear_dwell_ms?: number;
  readonly ratio?: number;
  readonly clear_ratio?: number;
  readonly min_samples?: number;
  readonly min_peers?: number;
  readonly grouped?: boolean;
  readonly dwell_samples?: number;
  readonly follows?: boolean;
  readonly limit?: number;
  readonly clear?: number;
  readonly dwell_ms?: number;
  readonly against?: { readonly quantity: string; readonly as: string; readonly max_age_ms?: number };
  readonly only?: readonly GuardRow[];
  readonly also_tell?: { readonly quantity: string; readonly unit: string };
  readonly deeper?: { readonly below: number; readonly kind: string };
  readonly grades?: readonly (GuardRow & { readonly severity: string })[];
  readonly graver_during?: { readonly kind: string; readonly severity: string };
  readonly mean?: boolean;
  readonly point?: boolean;
  readonly with?: readonly string[];
  readonly tells?: string;
  readonly tells_both?: boolean;
  readonly attributes?: Readonly<Record<string, string>>;
}

function guardOf(row: GuardRow): DetectorGuard {
  return {
    quantity: row.quantity,
    when: row.when === 'absent' ? 'absent' : side(row.when),
    otherwise: row.otherwise === 'hold' ? 'hold' : 'clear',
    ...(row.against === undefined ? {} : { against: row.against }),
    ...(row.limit === undefined ? {} : { limit: row.limit }),
    ...(row.max_age_ms === undefined ? {} : { maxAgeMs: row.max_age_ms }),
    ...(row.unknown === 'holds' ? { unknown: 'holds' as const } : {}),
  };
}

function side(text: string | undefined): 'above' | 'below' {
  return text === 'above' ? 'above' : 'below';
}

function specOf(row: RuleRow, componentType: string): DetectorSpec {
  const { against, only } = row;
  const base = {
    name: row.name,
    select: { componentType, quantity: row.quantity },
    ...(against === undefined
      ? {}
      : {
          against: {
            quantity: against.quantity,
            as: against.as === 'ratio' ? ('ratio' as const) : ('difference' as const),
            ...(against.max_age_ms === undefined ? {} : { maxAgeMs: against.max_age_ms }),
          },
        }),
    ...(only === undefined ? {} : { only: only.map(guardOf) }),
  };
  const when = side(row.when);
  const { limit = 0, clear = 0, ratio = 0, window_ms: windowMs = 0, min_samples: minSamples = 1 } = row;
  const dwell = { dwellMs: row.dwell_ms ?? 0, clearDwellMs: row.clear_dwell_ms ?? 0 };
  switch (row.type) {
    case 'level':
      return { ...base, type: 'level', when, limit, clear, ...dwell };
    case 'mask': {
      const without = row.without === undefined ? {} : { without: row.without };
      return { ...base, type: 'mask', bits: row.bits ?? 0, ...without, ...dwell };
    }
    case 'rate':
      return { ...base, type: 'rate', perSecond: row.per_second ?? 0, windowMs, clearDwellMs: dwell.clearDwellMs };
    case 'drop': {
      const { clear_ratio: clearRatio = 0, dwell_samples: dwellSamples = 1 } = row;
      const follows = row.follows === undefined ? {} : { follows: row.follows };
      return { ...base, type: 'drop', when, ratio, clearRatio, windowMs, minSamples, dwellSamples, ...follows };
    }
    case 'trend':
      return { ...base, type: 'trend', when, limit, horizonMs: row.horizon_ms ?? 0, windowMs, minSamples };
    case 'peers': {
      const grouped = row.grouped === undefined ? {} : { grouped: row.grouped };
      return { ...base, type: 'peers', when, ratio, minPeers: row.min_peers ?? 1, ...grouped, ...dwell };
    }
    default:
      throw new Error(`the catalogue's detector ${row.name} is of the unknown type ${row.type}`);
  }
}

/** The rule of a row for one component type. Words of closed lists are held against them in test/detection/rule-row.test.ts. */
export function ruleOf(row: RuleRow, componentType: string, name = row.name): DetectionRule {
  const { deeper, grades, graver_during: during } = row;
  return {
    spec: specOf({ ...row, name }, componentType),
    kind: row.kind as Kind, // tested, as said above
    ...(row.severity === undefined ? {} : { severity: row.severity as Severity }), // likewise
    quantity: row.label,
    unit: row.unit ?? (row.type === 'rate' ? '1/s' : ''),
    source: row.source,
    ...(row.also_tell === undefined ? {} : { alsoTell: row.also_tell }),
    ...(deeper === undefined ? {} : { deeper: { below: deeper.below, kind: deeper.kind as Kind } }), // likewise
    ...(grades === undefined
      ? {}
      : { grades: grades.map((one) => ({ only: guardOf(one), severity: one.severity as Severity })) }), // likewise
    ...(during === undefined
      ? {}
      : { graverDuring: { kind: during.kind as Kind, severity: during.severity as Severity } }), // likewise
    ...(row.mean === true ? { mean: true } : {}),
    ...(row.point === true ? { point: true } : {}),
    ...(row.with === undefined ? {} : { with: row.with }),
    ...(row.tells === undefined ? {} : { tells: row.tells }),
    ...(row.tells_both === true ? { tellsBoth: true } : {}),
    ...(row.attributes === undefined ? {} : { attributes: row.attributes }),
  };
}
