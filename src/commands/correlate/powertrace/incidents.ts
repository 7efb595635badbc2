// Incidents as PowerTrace's report has them: a degradation with its chain and what it did to the service.

import type { Records } from '../records.ts';
import { type Chain, Chains } from './chain.ts';
import { type Degradation, degradations } from './degradations.ts';
import { inOrder } from './ordered-events.ts';
import { OverlapWarnings } from './overlap-warnings.ts';
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
  /** Made each time that they are asked for. */
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
  const chains = new Chains(sorted, options);
  const said: Said = { skipped, overlaps: null };
  const found: Found[] = [];
  const hashes = new Map(records.services.map(({ service }) => [service, hashOf(service)]));
  for (const degradation of windows) {
    const chain = chains.of(degradation);
    if (chain === null) continue;
    const id = idOf(hashes.get(degradation.service) ?? 0, degradation.startS);
    found.push(new Found(id, degradation, chain, found.length, said, options));
  }
  const unmapped = new Set<string>();
  for (const { device } of records.events) if (!services.has(device)) unmapped.add(device);
  const warnings = new Set(skipped);
  for (const { chain } of found) {
    for (const device of chain.unmapped) unmapped.add(device);
    for (const warning of chain.warnings) warnings.add(warning);
  }
  said.overlaps = new OverlapWarnings(found);
  return {
    incidents: found,
    events: records.events.length,
    unmappedDevices: unmapped.size,
    warnings: warnings.size + said.overlaps.count,
    skipped,
  };
}

/** What is said of incidents besides their chains. */
interface Said {
  readonly skipped: readonly string[];
  /** Null until all incidents are there. */
  overlaps: OverlapWarnings | null;
}

class Found implements PowerTraceIncident {
  readonly id: string;
  readonly startS: number;
  readonly endS: number;
  readonly chain: Chain;
  readonly degradation: Degradation;
  readonly impact: Impact;
  readonly isLow: boolean;
  readonly durationS: number;
  readonly #place: number;
  readonly #said: Said;

  constructor(
    id: string,
    degradation: Degradation,
    chain: Chain,
    place: number,
    said: Said,
    { confidence, gpuRate }: PowerTraceOptions,
  ) {
    this.id = id;
    this.startS = chain.root.at;
    this.endS = degradation.endS;
    this.durationS = rounded(this.endS - this.startS, 1);
    this.chain = chain;
    this.degradation = degradation;
    this.impact = impactOf(degradation, this.durationS, gpuRate);
    this.isLow = chain.confidence < confidence;
    this.#place = place;
    this.#said = said;
  }

  get warnings(): readonly string[] {
    const { skipped, overlaps } = this.#said;
    return [...skipped, ...this.chain.warnings, ...(overlaps?.of(this.#place) ?? [])];
  }
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

function impactOf({ baseline, series, places }: Degradation, durationS: number, rate: number | undefined): Impact {
  const { p99, errorRate, throughput } = series;
  const first = places[0] ?? 0;
  // Nothing is more than a NaN that comes first; any other is passed over.
  let peak = first;
  for (const place of places) if ((p99[place] ?? 0) > (p99[peak] ?? 0)) peak = place;
  const of = (column: Float64Array, place: number): number => column[place] ?? Number.NaN;
  return {
    p99_baseline_ms: baseline.shown.p99,
    p99_peak_ms: of(p99, peak),
    p99_change_percent: change(of(p99, peak), baseline.p99),
    p99_first_anomaly_ms: of(p99, first),
    p99_first_change_percent: change(of(p99, first), baseline.p99),
    error_rate_baseline_percent: baseline.shown.errorRate,
    error_rate_peak_percent: of(errorRate, peak),
    error_rate_first_anomaly_percent: of(errorRate, first),
    throughput_baseline_rps: baseline.shown.throughput,
    throughput_peak_rps: of(throughput, peak),
    throughput_first_anomaly_rps: of(throughput, first),
    throughput_first_change_percent: change(of(throughput, first), baseline.throughput),
    estimated_cost_impact_usd: rate === undefined ? null : rounded((durationS / 3600) * rate, 2),
  };
}

function change(value: number, base: number): number {
  return base > 0 ? rounded(((value - base) / base) * 100, 1) : 0;
}
