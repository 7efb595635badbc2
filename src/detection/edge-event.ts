// Turns a detector's edge into an event: before → after with units, the interval that the poll gap leaves open.

import { parseComponent } from '../model/component.ts';
import type { AttributeValue, Trust } from '../model/event.ts';
import { kindInfo } from '../model/kind.ts';
import { parseSeriesKey } from '../model/reading.ts';
import type { EventInput } from '../model/record.ts';
import type { DetectorEdge } from '../native.ts';
import type { DetectionRule } from './detectors.ts';

export interface EdgeContext {
  readonly host: string;
  readonly source: string;
  readonly trust: Trust;
  readonly observedMs: number;
  /** Raw samples of a series, for the evidence and for what `alsoTell` names. */
  readonly history: (key: string, fromMs: number, toMs: number) => { timesMs: Float64Array; values: Float64Array };
}

/** Samples before the edge that are kept as evidence. */
const EVIDENCE_MS = 15_000;
const EVIDENCE_SAMPLES = 40;
/** A smaller change of the other series is not worth telling. */
const MOVED = 0.02;

/** Null when the key names no component we know. */
export function edgeEvent(rule: DetectionRule, edge: DetectorEdge, context: EdgeContext): EventInput | null {
  const { component: text, quantity } = parseSeriesKey(edge.key);
  const component = parseComponent(text);
  if (component === null) return null;
  const deeper = rule.deeper;
  const kind = deeper !== undefined && edge.extreme < deeper.below * edge.reference ? deeper.kind : rule.kind;
  const { timesMs, values } = context.history(edge.key, edge.timeMs - EVIDENCE_MS, edge.timeMs);
  return {
    kind,
    component,
    severity: kind === rule.kind && rule.severity !== undefined ? rule.severity : kindInfo(kind).severity,
    timeMs: edge.timeMs,
    interval: { earliestMs: edge.previousMs, latestMs: edge.timeMs },
    observedMs: context.observedMs,
    trust: context.trust,
    state: edge.edge,
    source: context.source,
    attributes: attributes(rule, edge, text, context),
    evidence: [{ source: context.source, series: edge.key, values: tail(timesMs, values) }],
    discriminator: `${rule.spec.name}:${quantity}`,
  };
}

function attributes(
  rule: DetectionRule,
  edge: DetectorEdge,
  component: string,
  context: EdgeContext,
): Record<string, AttributeValue> {
  const told: Record<string, AttributeValue> = { detector: rule.spec.name, quantity: rule.quantity };
  if (edge.traceparent !== undefined) told.traceparent = edge.traceparent;
  if (rule.spec.type === 'mask') {
    told.reasons = `0x${edge.value.toString(16)}`;
  } else {
    told.before = edge.edge === 'onset' ? edge.reference : edge.extreme;
    told.after = edge.value;
    told.unit = rule.unit;
    told.extreme = edge.extreme;
    if (rule.spec.type === 'drop') told.limit = rule.spec.ratio * edge.reference;
    if (rule.spec.type === 'level') told.limit = rule.spec.limit;
  }
  if (rule.alsoTell !== undefined) {
    const key = `${component}#${rule.alsoTell.quantity}`;
    // The other series is read a moment after this one in the same round: look up to now for what it became.
    const { timesMs, values } = context.history(key, edge.previousMs - EVIDENCE_MS, context.observedMs);
    const before = median(values.filter((_, i) => (timesMs[i] ?? 0) <= edge.previousMs));
    const after = values.at(-1);
    if (before !== null && after !== undefined && Math.abs(after - before) > MOVED * before) {
      told.also_quantity = rule.alsoTell.quantity;
      told.also_before = before;
      told.also_after = after;
      told.also_unit = rule.alsoTell.unit;
    }
  }
  return told;
}

function tail(timesMs: Float64Array, values: Float64Array): [number, number][] {
  const from = Math.max(0, timesMs.length - EVIDENCE_SAMPLES);
  const pairs: [number, number][] = [];
  for (let i = from; i < timesMs.length; i += 1) pairs.push([timesMs[i] ?? 0, values[i] ?? 0]);
  return pairs;
}

function median(values: Float64Array): number | null {
  if (values.length === 0) return null;
  return values.toSorted()[Math.floor(values.length / 2)] ?? null;
}
