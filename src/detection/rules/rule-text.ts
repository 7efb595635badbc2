// Rule text: what a rule watches and when it speaks, in one line each, for `config print --detectors` and the reference.

import { kindInfo } from '../../model/kind.ts';
import type { DetectorGuard, DetectorSpec } from '../../native.ts';
import type { DetectionRule } from './rule.ts';

/** One rule as the command and the reference page show it. */
export interface RuleLine {
  readonly name: string;
  readonly type: string;
  readonly watches: string;
  readonly condition: string;
  readonly event: string;
  readonly source: string;
}

function span(ms: number): string {
  if (ms >= 60_000 && ms % 60_000 === 0) return `${ms / 60_000} min`;
  return ms >= 1000 ? `${ms / 1000} s` : `${ms} ms`;
}

const hex = (bits: number): string => `0x${bits.toString(16)}`;
const dwell = (ms: number): string => (ms === 0 ? '' : ` for ${span(ms)}`);
const compare = (when: 'above' | 'below'): string => (when === 'above' ? '>' : '<');

function conditionOf(spec: DetectorSpec): string {
  switch (spec.type) {
    case 'level': {
      const back = spec.when === 'above' ? '≤' : '≥';
      const clear = `${back} ${spec.clear}${dwell(spec.clearDwellMs)}`;
      return `${compare(spec.when)} ${spec.limit}${dwell(spec.dwellMs)}; over ${clear}`;
    }
    case 'mask': {
      const without = spec.without === undefined ? '' : ` without ${hex(spec.without)}`;
      const clear = spec.clearDwellMs === 0 ? 'without' : `after ${span(spec.clearDwellMs)} without`;
      return `any of ${hex(spec.bits)}${without}${dwell(spec.dwellMs)}; over ${clear}`;
    }
    case 'rate':
      return `≥ ${spec.perSecond}/s over ${span(spec.windowMs)}; over after ${span(spec.clearDwellMs)} under it`;
    case 'drop': {
      const samples = spec.dwellSamples === 1 ? '' : ` in ${spec.dwellSamples} samples`;
      const median = `the ${spec.follows === true ? 'moving ' : ''}median of ${span(spec.windowMs)}`;
      return `${compare(spec.when)} ${spec.ratio} × ${median}${samples}; over within ${spec.clearRatio} ×`;
    }
    case 'trend':
      return `a line through ${span(spec.windowMs)} meets ${spec.limit} within ${span(spec.horizonMs)}; over when it does not within twice that`;
    case 'peers': {
      const whom = spec.grouped === true ? 'its peers' : 'all others';
      return `more than ${spec.ratio} × the median ${spec.when} that of ${whom} (at least ${spec.minPeers})${dwell(spec.dwellMs)}; over after ${span(spec.clearDwellMs)} within`;
    }
  }
}

function guardText({ quantity, against, when, limit, unknown }: DetectorGuard): string {
  const what = against === undefined ? quantity : `${quantity} / ${against}`;
  if (when === 'absent') return `without ${what}`;
  return `${what} ${compare(when)} ${limit ?? 0}${unknown === 'holds' ? ' or unknown' : ''}`;
}

export function ruleLine(rule: DetectionRule): RuleLine {
  const { spec, kind, severity, deeper, grades } = rule;
  const { componentType, quantity } = spec.select;
  const { against, only } = spec;
  const sign = against?.as === 'ratio' ? '/' : '−';
  const series = against === undefined ? quantity : `${quantity} ${sign} ${against.quantity}`;
  const while_ = only === undefined || only.length === 0 ? '' : `; only ${only.map(guardText).join(', ')}`;
  const event = [
    `${kind} (${severity ?? kindInfo(kind).severity})`,
    ...(grades ?? []).map((grade) => `${grade.severity} with ${guardText(grade.only)}`),
    ...(rule.graverDuring === undefined ? [] : [`${rule.graverDuring.severity} during ${rule.graverDuring.kind}`]),
    ...(deeper === undefined ? [] : [`under ${deeper.below} × ${deeper.kind}`]),
    ...(rule.point === true ? ['a point'] : []),
  ].join('; ');
  return {
    name: spec.name,
    type: spec.type,
    watches: `${series} of ${componentType}`,
    condition: `${conditionOf(spec)}${while_}`,
    event,
    source: rule.source,
  };
}

/** The whole set as text: a line for what and when, one for the event, one for where the thresholds come from. */
export function rulesText(rules: readonly DetectionRule[]): string {
  return rules
    .map(ruleLine)
    .map(
      ({ name, type, watches, condition, event, source }) =>
        `${name}  ${type}\n  ${watches}: ${condition}\n  → ${event}\n  source: ${source}\n`,
    )
    .join('\n');
}
