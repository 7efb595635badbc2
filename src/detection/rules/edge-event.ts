// Turns a detector's edge into an event: before → after with units, the interval that the poll gap leaves open.

import { upperMedian } from '../../helpers/median.ts';
import { type Component, parseComponent } from '../../model/component.ts';
import type { AttributeValue, Trust } from '../../model/event.ts';
import { kindInfo } from '../../model/kind.ts';
import { parseSeriesKey, seriesKey } from '../../model/reading.ts';
import type { EventInput } from '../../model/record.ts';
import { maxSeverity, type Severity } from '../../model/severity.ts';
import type { DetectorEdge } from '../../native.ts';
import { slowdownNames } from './clock-reasons.ts';
import { meets } from './guard.ts';
import type { DetectionRule } from './rule.ts';

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
/** How far back the newest value of another quantity may lie: slow ones are read once a minute. */
const COMPANION_MS = 300_000;
/** What lasted for less when it was reported is news anyhow. */
const LASTED_MS = 10_000;
/** A smaller change of the other series is not worth telling. */
const MOVED = 0.02;

/** Null when the key names no component we know, and for the end of what is reported as a point. */
export function edgeEvent(rule: DetectionRule, edge: DetectorEdge, context: EdgeContext): EventInput | null {
  const { component: text, quantity } = parseSeriesKey(edge.key);
  const component = placed(parseComponent(text), context.host);
  if (component === null || (rule.point === true && edge.edge === 'clear')) return null;
  const deeper = rule.deeper;
  const kind = deeper !== undefined && edge.extreme < deeper.below * edge.reference ? deeper.kind : rule.kind;
  const { timesMs, values } = context.history(edge.key, edge.timeMs - EVIDENCE_MS, edge.timeMs);
  return {
    kind,
    component,
    severity: severityOf(rule, kind, text, edge, context),
    timeMs: edge.timeMs,
    interval: {
      earliestMs: beganAfter(rule, edge),
      latestMs: edge.timeMs,
    },
    observedMs: context.observedMs,
    trust: context.trust,
    state: rule.point === true ? 'point' : edge.edge,
    source: context.source,
    attributes: attributes(rule, edge, text, context),
    evidence: [{ source: context.source, series: edge.key, values: tail(timesMs, values) }],
    discriminator: `${rule.spec.name}:${quantity}`,
  };
}

/** A rate over minutes is beyond its limit long after it began to grow, and a mean is of the time since the reading before. */
function beganAfter({ mean = false, spec }: DetectionRule, { edge, previousMs, timeMs }: DetectorEdge): number {
  if (!mean) return previousMs;
  return spec.type === 'rate' && edge === 'onset' ? timeMs - spec.windowMs : 2 * previousMs - timeMs;
}

/** The part of a GPU names the GPU, a rank its job. */
function placed(component: Component | null, host: string): Component | null {
  if (component?.type === 'rank')
    return { ...component, host, parent: `job/${component.id.slice(0, component.id.lastIndexOf('/'))}` };
  if (component === null || (component.type !== 'nvlink' && component.type !== 'gpu_instance')) return component;
  const slash = component.id.lastIndexOf('/');
  return slash < 1 ? component : { ...component, parent: `gpu/${component.id.slice(0, slash)}` };
}

function severityOf(
  rule: DetectionRule,
  kind: DetectionRule['kind'],
  component: string,
  edge: DetectorEdge,
  context: EdgeContext,
): Severity {
  let severity = kind === rule.kind && rule.severity !== undefined ? rule.severity : kindInfo(kind).severity;
  const newest = (quantity: string) => newestOf(component, quantity, edge, context);
  for (const { only, severity: graver } of rule.grades ?? []) {
    if (meets(only, newest)) severity = maxSeverity(severity, graver);
  }
  return severity;
}

function newestOf(component: string, quantity: string, edge: DetectorEdge, context: EdgeContext): number | undefined {
  const key = seriesKey(component, quantity);
  return context.history(key, edge.timeMs - COMPANION_MS, context.observedMs).values.at(-1);
}

function attributes(
  rule: DetectionRule,
  edge: DetectorEdge,
  component: string,
  context: EdgeContext,
): Record<string, AttributeValue> {
  const found: Record<string, AttributeValue> = {
    detector: rule.spec.name,
    quantity: rule.quantity,
    ...rule.attributes,
  };
  if (edge.traceparent !== undefined) found.traceparent = edge.traceparent;
  const lastedMs = edge.edge === 'onset' ? lasted(edge, context) : 0;
  if (lastedMs >= LASTED_MS) found.lasted_ms = lastedMs;
  if (rule.spec.type === 'mask') {
    found.reasons = `0x${edge.value.toString(16)}`;
  } else {
    found.before = edge.edge === 'onset' ? edge.reference : edge.extreme;
    found.after = edge.value;
    found.unit = rule.unit;
    found.extreme = edge.extreme;
    if (rule.spec.type === 'drop') found.limit = rule.spec.ratio * edge.reference;
    if (rule.spec.type === 'level' || rule.spec.type === 'trend') found.limit = rule.spec.limit;
  }
  if (rule.spec.type === 'trend') addTrend(found, edge);
  if (rule.tells !== undefined) found[rule.tells] = edge.value;
  const { against } = rule.spec;
  const pair = against === undefined ? [] : [parseSeriesKey(edge.key).quantity, against.quantity];
  for (const quantity of [...pair, ...(rule.with ?? [])])
    found[quantity] = newestOf(component, quantity, edge, context) ?? null;
  if (rule.tellsBoth === true && against !== undefined) {
    found.before = found[against.quantity] ?? null;
    found.after = found[parseSeriesKey(edge.key).quantity] ?? null;
  }
  if (rule.spec.type === 'peers') {
    const reasons = slowdownNames(newestOf(component, 'clock_event_reasons', edge, context) ?? 0);
    found.reason = reasons.length > 0 ? reasons.join(', ') : null;
  }
  if (rule.alsoTell !== undefined) {
    const key = `${component}#${rule.alsoTell.quantity}`;
    // The other series is read a moment after this one in the same round: look up to now for what it became.
    const { timesMs, values } = context.history(key, edge.previousMs - EVIDENCE_MS, context.observedMs);
    const before = upperMedian(values.filter((_, i) => (timesMs[i] ?? 0) <= edge.previousMs));
    const after = values.at(-1);
    if (before !== null && after !== undefined && Math.abs(after - before) > MOVED * before) {
      found.also_quantity = rule.alsoTell.quantity;
      found.also_before = before;
      found.also_after = after;
      found.also_unit = rule.alsoTell.unit;
    }
  }
  return found;
}

/** How long it had been so, by the newest sample, when it was reported: a limit of minutes, or of steps that take a minute each. */
function lasted(edge: DetectorEdge, { history, observedMs }: EdgeContext): number {
  const newestMs = history(edge.key, edge.timeMs, observedMs).timesMs.at(-1) ?? edge.timeMs;
  return Math.round(newestMs - edge.timeMs);
}

/** The onset of a trend refers to when, not to what. */
function addTrend(found: Record<string, AttributeValue>, edge: DetectorEdge): void {
  if (edge.edge === 'onset') {
    found.before = edge.value;
    found.limit_in_s = Math.max(0, Math.round((edge.reference - edge.timeMs) / 1000));
  }
}

function tail(timesMs: Float64Array, values: Float64Array): [number, number][] {
  const from = Math.max(0, timesMs.length - EVIDENCE_SAMPLES);
  const pairs: [number, number][] = [];
  for (let i = from; i < timesMs.length; i += 1) pairs.push([timesMs[i] ?? 0, values[i] ?? 0]);
  return pairs;
}
