// Incidents as PowerTrace's report has them: a degradation with its chain and what it did to the service.

import { plain } from '../../../model/plain.ts';
import type { Records, ServicePoint } from '../records.ts';
import { type Chain, chainOf, inOrder } from './chain.ts';
import { type Degradation, degradations } from './degradations.ts';
import { eachOverlap } from './overlaps.ts';
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
  const { windows, warnings: skipped } = degradations(records.services, options.baseline);
  const sorted = inOrder(records.events, services);
  const found: Found[] = [];
  const hashes = new Map(records.services.map(({ service }) => [service, hashOf(service)]));
  windows.forEach((degradation) => {
    const chain = chainOf(sorted, degradation, options);
    if (chain !== null)
      found.push(incidentOf(degradation, chain, skipped, hashes.get(degradation.service) ?? 0, options));
  });
  const unmapped = new Set(records.events.flatMap(({ device }) => (services.has(device) ? [] : [device])));
  const warnings = new Set(skipped);
  for (const { chain } of found) {
    for (const device of chain.unmapped) unmapped.add(device);
    for (const warning of chain.warnings) warnings.add(warning);
  }
  warnOfOverlaps(found, (warning) => warnings.add(warning));
  return {
    incidents: found,
    events: records.events.length,
    unmappedDevices: unmapped.size,
    warnings: warnings.size,
    skipped,
  };
}

/** An incident before it is known which others overlap it. */
type Found = PowerTraceIncident & { readonly warnings: string[] };

function incidentOf(
  degradation: Degradation,
  chain: Chain,
  skipped: readonly string[],
  serviceHash: number,
  options: PowerTraceOptions,
): Found {
  const { points } = degradation;
  const [{ event: root }] = chain.steps;
  const endS = points.at(-1)?.at ?? points[0].at;
  const durationS = rounded(endS - root.at, 1);
  return {
    id: idOf(serviceHash, points[0].at),
    startS: root.at,
    endS,
    chain,
    degradation,
    impact: impactOf(degradation, durationS, options.gpuRate),
    isLow: chain.confidence < options.confidence,
    durationS,
    warnings: skipped.concat(chain.warnings),
  };
}

const PRIME = 0x01000193;

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), PRIME);
  return hash;
}

/** The same in each run, and another for each degradation: the service's hash, and the microsecond in two halves. */
function idOf(serviceHash: number, startS: number): string {
  const second = Math.floor(startS);
  const micros = Math.round((startS - second) * 1e6);
  let hash = Math.imul(serviceHash ^ second, PRIME);
  // Without this, seconds that lie a power of two apart would differ in few digits alone.
  hash = Math.imul(hash ^ (hash >>> 15) ^ micros, PRIME);
  return `inc_${((hash ^ (hash >>> 13)) >>> 0).toString(16).padStart(8, '0')}`;
}

function impactOf({ baseline, points }: Degradation, durationS: number, rate: number | undefined): Impact {
  const [first] = points;
  // Nothing is more than a NaN that comes first; any other is passed over.
  let peak: ServicePoint = first;
  for (const point of points) if (point.p99 > peak.p99) peak = point;
  const change = (value: number, base: number): number => (base > 0 ? rounded(((value - base) / base) * 100, 1) : 0);
  return {
    p99_baseline_ms: baseline.shown.p99,
    p99_peak_ms: peak.p99,
    p99_change_percent: change(peak.p99, baseline.p99),
    p99_first_anomaly_ms: first.p99,
    p99_first_change_percent: change(first.p99, baseline.p99),
    error_rate_baseline_percent: baseline.shown.errorRate,
    error_rate_peak_percent: peak.errorRate,
    error_rate_first_anomaly_percent: first.errorRate,
    throughput_baseline_rps: baseline.shown.throughput,
    throughput_peak_rps: peak.throughput,
    throughput_first_anomaly_rps: first.throughput,
    throughput_first_change_percent: change(first.throughput, baseline.throughput),
    estimated_cost_impact_usd: rate === undefined ? null : rounded((durationS / 3600) * rate, 2),
  };
}

/** Adds a warning to both of each pair of incidents at one time, and tells of it. */
function warnOfOverlaps(incidents: readonly Found[], tell: (warning: string) => void): void {
  // What an incident adds to a warning, once: there are many more pairs than incidents.
  const names = new Map<string, string>();
  const shown = incidents.map(({ degradation: { service }, startS, endS, warnings }) => {
    const name = names.get(service) ?? `'${plain(service, 200)}'`;
    names.set(service, name);
    return { name, startS, endS, from: clock(startS), to: clock(endS), warnings };
  });
  eachOverlap(incidents, (a, b) => {
    const one = shown[a];
    const other = shown[b];
    if (one === undefined || other === undefined) return;
    const from = one.startS > other.startS ? one.from : other.from;
    const to = one.endS < other.endS ? one.to : other.to;
    const warning = `Incidents of ${one.name} and ${other.name} overlap in time (${from} to ${to}). They were not merged and may share a cause.`;
    one.warnings.push(warning);
    other.warnings.push(warning);
    tell(warning);
  });
}

/** UTC, as hh:mm:ss. */
export function clock(atS: number): string {
  const second = Math.floor(atS) % 86_400;
  const ofDay = second < 0 ? second + 86_400 : second;
  return `${two(Math.floor(ofDay / 3600))}:${two(Math.floor(ofDay / 60) % 60)}:${two(ofDay % 60)}`;
}

function two(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}
