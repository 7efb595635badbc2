// Incidents as PowerTrace's report has them: a degradation with its chain and what it did to the service.

import { plain } from '../../../model/plain.ts';
import type { Records } from '../records.ts';
import { type Chain, chainOf, inOrder } from './chain.ts';
import { type Degradation, degradations } from './degradations.ts';
import { overlaps } from './overlaps.ts';
import { rounded } from './round.ts';
import { servicesOfDevices } from './services-of-devices.ts';

export interface PowerTraceOptions {
  readonly window: number;
  readonly lag: number;
  readonly baseline: number;
  readonly confidence: number;
  readonly gpuRate?: number;
}

export interface PowerTraceIncident {
  readonly id: string;
  readonly startS: number;
  readonly endS: number;
  readonly chain: Chain;
  readonly degradation: Degradation;
  readonly impact: Impact;
  readonly isLow: boolean;
  readonly durationS: number;
  readonly warnings: readonly string[];
}

export interface PowerTraceReport {
  readonly incidents: readonly PowerTraceIncident[];
  readonly events: number;
  readonly unmappedDevices: number;
  readonly warnings: number;
  /** Of services that could not be looked at. */
  readonly skipped: readonly string[];
}

/** The keys are those of its report. */
export type Impact = Readonly<Record<ImpactKey, number>> & { readonly estimated_cost_impact_usd: number | null };
type ImpactKey =
  | `p99_${'baseline' | 'peak' | 'first_anomaly'}_ms`
  | `p99_${'' | 'first_'}change_percent`
  | `error_rate_${'baseline' | 'peak' | 'first_anomaly'}_percent`
  | `throughput_${'baseline' | 'peak' | 'first_anomaly'}_rps`
  | 'throughput_first_change_percent';

export function powerTraceReport(records: Records, options: PowerTraceOptions): PowerTraceReport {
  const services = servicesOfDevices(records.mappings);
  const { windows, warnings: skipped } = degradations(records.points, options.baseline);
  const sorted = inOrder(records.events);
  const found = windows.flatMap((degradation) => {
    const chain = chainOf(sorted, degradation, services, options);
    return chain === null ? [] : [incidentOf(degradation, chain, options)];
  });
  const shared = overlapWarnings(found);
  const incidents = found.map((incident, index) => ({
    ...incident,
    warnings: [...skipped, ...incident.chain.warnings, ...(shared[index] ?? [])],
  }));
  const unmapped = new Set(records.events.flatMap(({ device }) => (services.has(device) ? [] : [device])));
  for (const { chain } of incidents) for (const device of chain.unmapped) unmapped.add(device);
  const warnings = new Set(skipped);
  for (const { warnings: own } of incidents) for (const each of own) warnings.add(each);
  return { incidents, events: records.events.length, unmappedDevices: unmapped.size, warnings: warnings.size, skipped };
}

function incidentOf(degradation: Degradation, chain: Chain, options: PowerTraceOptions): PowerTraceIncident {
  const { service, points } = degradation;
  const [{ event: root }] = chain.steps;
  const endS = points.at(-1)?.at ?? points[0].at;
  const durationS = rounded(endS - root.at, 1);
  return {
    id: idOf(service, points[0].at),
    startS: root.at,
    endS,
    chain,
    degradation,
    impact: impactOf(degradation, durationS, options.gpuRate),
    isLow: chain.confidence < options.confidence,
    durationS,
    warnings: [],
  };
}

/** The same in each run, and another for each degradation: FNV-1a. */
function idOf(service: string, startS: number): string {
  let hash = 0x811c9dc5;
  const text = `${service}\n${startS}`;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return `inc_${(hash >>> 0).toString(16).padStart(8, '0')}`;
}

function impactOf({ baseline, points }: Degradation, durationS: number, rate: number | undefined): Impact {
  const [first] = points;
  // Nothing is more than a NaN that comes first; any other is passed over.
  const peak = points.reduce((most, point) => (point.p99 > most.p99 ? point : most), first);
  const change = (value: number, base: number): number => (base > 0 ? rounded(((value - base) / base) * 100, 1) : 0);
  return {
    p99_baseline_ms: rounded(baseline.p99, 1),
    p99_peak_ms: peak.p99,
    p99_change_percent: change(peak.p99, baseline.p99),
    p99_first_anomaly_ms: first.p99,
    p99_first_change_percent: change(first.p99, baseline.p99),
    error_rate_baseline_percent: rounded(baseline.errorRate, 2),
    error_rate_peak_percent: peak.errorRate,
    error_rate_first_anomaly_percent: first.errorRate,
    throughput_baseline_rps: rounded(baseline.throughput, 1),
    throughput_peak_rps: peak.throughput,
    throughput_first_anomaly_rps: first.throughput,
    throughput_first_change_percent: change(first.throughput, baseline.throughput),
    estimated_cost_impact_usd: rate === undefined ? null : rounded((durationS / 3600) * rate, 2),
  };
}

function overlapWarnings(incidents: readonly PowerTraceIncident[]): string[][] {
  const warnings: string[][] = incidents.map(() => []);
  for (const [a, b] of overlaps(incidents)) {
    const [one, other] = [incidents[a], incidents[b]];
    if (one === undefined || other === undefined) continue;
    const [from, to] = [clock(Math.max(one.startS, other.startS)), clock(Math.min(one.endS, other.endS))];
    const [first, second] = [one, other].map(({ degradation }) => `'${plain(degradation.service, 200)}'`);
    const warning = `Incidents of ${first} and ${second} overlap in time (${from} to ${to}). They were not merged and may share a cause.`;
    warnings[a]?.push(warning);
    warnings[b]?.push(warning);
  }
  return warnings;
}

/** UTC. */
export function clock(atS: number): string {
  return new Date(Math.floor(atS) * 1000).toISOString().slice(11, 19);
}
