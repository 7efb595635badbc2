// Correlates the records of the three files by the graph of causes, host by host, as the daemon of each host would.

import { evidenceText } from '../../../detection/text/evidence.ts';
import type { Component } from '../../../model/component.ts';
import type { FaultEvent } from '../../../model/event.ts';
import type { Incident } from '../../../model/incident.ts';
import type { Kind } from '../../../model/kind.ts';
import type { EventInput } from '../../../model/record.ts';
import { compareSeverity } from '../../../model/severity.ts';
import { correlateHost } from '../../common/correlate-host.ts';
import type { DeviceEvent, DeviceEventType, Records } from '../records.ts';
import { pointsOf } from '../series.ts';
import { Devices } from './devices.ts';
import { type SlowSpell, slowSpells } from './slow-spells.ts';

const KINDS: Readonly<Record<DeviceEventType, Kind>> = {
  voltage_sag: 'power.voltage_sag',
  psu_failover: 'psu.failover',
  cpu_power_cap: 'cpu.power_cap',
  thermal_throttle: 'gpu.thermal_throttle',
  power_cap_applied: 'gpu.power_cap',
  host_degradation: 'host.degraded',
  port_power_exceeded: 'power.overload',
  ups_transfer: 'power.source_transfer',
  breaker_trip: 'power.breaker_trip',
};
const UNITS = {
  p50_latency: 'ms',
  p95_latency: 'ms',
  p99_latency: 'ms',
  error_rate: '%',
  request_rate: '1/s',
} as const;
/** Where no mapping names a host. */
const NO_HOST = 'unknown';

export interface Found {
  readonly incidents: readonly Incident[];
  readonly events: readonly FaultEvent[];
}

export function correlateRecords(records: Records, lookbackS: number): Found {
  const devices = new Devices(records);
  const spells = records.services.flatMap((series) => slowSpells(pointsOf(series), lookbackS));
  const inputs = [
    ...records.events.map((event, index) => eventInput(event, devices, index)),
    ...spells.flatMap(degradationInputs),
  ].sort((a, b) => a.timeMs - b.timeMs);
  const hosts = devices.hosts.length === 0 ? [NO_HOST] : devices.hosts;
  const found = hosts.map((host) => {
    const elsewhere = (component: Component | null): boolean =>
      component?.host !== undefined && component.host !== host && hosts.includes(component.host);
    const here = devices.links.filter(({ from, to }) => !elsewhere(from) && !elsewhere(to));
    const services = new Set(here.flatMap(({ to }) => (to.type === 'service' ? [to.id] : [])));
    const known = new Set(devices.links.flatMap(({ to }) => (to.type === 'service' ? [to.id] : [])));
    const own = inputs.filter(({ component }) => {
      // A service that no mapping names may run anywhere.
      if (component?.type === 'service') return services.has(component.id) || !known.has(component.id);
      return !elsewhere(component);
    });
    return correlateHost(host, own, here);
  });
  return {
    incidents: once(found.flatMap(({ incidents }) => incidents)),
    events: found.flatMap(({ events }) => events),
  };
}

/** What feeds two hosts is one incident for each; the same without any of their own parts is one in all. */
function once(incidents: readonly Incident[]): Incident[] {
  const seen = new Map<string, Incident>();
  for (const incident of incidents) {
    const key = incident.events
      .map(({ kind, component, timeMs }) => `${kind} ${component?.type}/${component?.id} ${timeMs}`)
      .join('\n');
    if (!seen.has(key)) seen.set(key, incident);
  }
  return [...seen.values()].sort((a, b) => a.openedMs - b.openedMs || compareSeverity(b.severity, a.severity));
}

function eventInput(event: DeviceEvent, devices: Devices, index: number): EventInput {
  const atMs = event.at * 1000;
  return {
    kind: KINDS[event.type],
    component: devices.of(event),
    timeMs: atMs,
    timeDigits: 3,
    observedMs: atMs,
    trust: event.source === 'nvml' || event.source === 'rapl' ? 'kernel' : 'facility',
    state: 'point',
    source: event.source,
    attributes: { event_id: event.id, reported_severity: event.severity, ...changeIn(event) },
    evidence: [{ text: evidenceText(event.message), source: event.source, timeMs: atMs }],
    discriminator: index,
  };
}

/** What the metadata say of a limit and of what was read. */
function changeIn({ type, metadata }: DeviceEvent): Record<string, string | number> {
  const of = (name: string): number | null => {
    const value = metadata[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  };
  const [watts, wattsBefore, volts, limit] = [
    'power_cap_watts',
    'previous_power_cap_watts',
    'voltage_volts',
    'threshold_volts',
  ].map(of);
  if (watts != null && wattsBefore != null)
    return { quantity: 'power_limit', before: wattsBefore, after: watts, unit: 'W' };
  if (type === 'voltage_sag' && volts != null && limit != null)
    return { quantity: 'voltage', value: volts, limit, unit: 'V' };
  return {};
}

function degradationInputs({
  service,
  quantity,
  before,
  after,
  first,
  lastGoodS,
  overS,
  points,
}: SlowSpell): EventInput[] {
  const shared = {
    kind: 'service.degraded',
    component: { type: 'service', id: service },
    trust: 'tenant',
    source: 'otel_traces',
    timeDigits: 3,
    discriminator: `${service} ${first.at}`,
  } as const;
  const attributes = { quantity, before, after, unit: UNITS[quantity], points };
  const startMs = first.at * 1000;
  const onset: EventInput = {
    ...shared,
    state: 'onset',
    timeMs: startMs,
    observedMs: startMs,
    interval: { earliestMs: lastGoodS * 1000, latestMs: startMs },
    attributes,
  };
  if (overS === null) return [onset];
  return [onset, { ...shared, state: 'clear', timeMs: overS * 1000, observedMs: overS * 1000, attributes }];
}
