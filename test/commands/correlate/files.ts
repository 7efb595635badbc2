// Small files in PowerTrace's form: a service that is slow for a while, and what happened before.

import type { DeviceEvent, Mapping, Records, ServicePoint, Span } from '../../../src/commands/correlate/records.ts';
import { seriesOf } from '../../../src/commands/correlate/series.ts';

/** 2024-01-15T14:30:00Z */
export const START_S = 1_705_329_000;

export function event(atS: number, parts: Partial<DeviceEvent> = {}): DeviceEvent {
  return {
    id: `e${atS}`,
    at: START_S + atS,
    source: 'pdu_snmp',
    type: 'voltage_sag',
    severity: 'critical',
    device: 'pdu',
    message: 'below the threshold',
    metadata: {},
    ...parts,
  };
}

/** p99 of `service` each 10 s from `fromS` on. */
export function points(p99: readonly number[], { service = 'api', fromS = 0, everyS = 10 } = {}): ServicePoint[] {
  return p99.map((value, index) => ({
    service,
    at: START_S + fromS + everyS * index,
    p50: value / 3,
    p95: value / 2,
    p99: value,
    errorRate: 0.1,
    throughput: 100,
    node: null,
  }));
}

export function mapping(device: string, parts: Partial<Mapping> = {}): Mapping {
  return {
    device,
    instance: null,
    node: null,
    gpus: [],
    services: [],
    feeds: null,
    parent: null,
    gpuUuid: null,
    rack: null,
    assetTag: null,
    address: null,
    ...parts,
  };
}

export const MAPPINGS = [
  mapping('pdu', { feeds: ['host'] }),
  mapping('host', { gpus: ['GPU-0'], services: ['api'] }),
  mapping('GPU-0', { parent: 'host', services: ['api'] }),
];

/** A request that took 300 ms, `atS` after the start. */
export function span(atS: number, parts: Partial<Span> = {}): Span {
  return {
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: '00f067aa0ba902b7',
    service: 'api',
    operation: 'generate',
    at: START_S + atS,
    durationMs: 300,
    failed: false,
    node: null,
    gpu: null,
    ...parts,
  };
}

export function records(
  events: readonly DeviceEvent[],
  own: readonly ServicePoint[],
  mappings = MAPPINGS,
  spans: readonly Span[] = [],
): Records {
  return { events, services: seriesOf(own), mappings, spans };
}

export const DEFAULTS = { window: 5, lag: 60, baseline: 600, confidence: 0.6 };
