// Correlates the records of the three files by the graph of causes, host by host, as the daemon of each host would.

import { evidenceText } from '../../../detection/text/evidence.ts';
import type { Component } from '../../../model/component.ts';
import type { FaultEvent } from '../../../model/event.ts';
import type { Incident } from '../../../model/incident.ts';
import type { Kind } from '../../../model/kind.ts';
import type { EventInput } from '../../../model/record.ts';
import { correlateHost } from '../../common/correlate-host.ts';
import type { DeviceEvent, DeviceEventType, Records, Span } from '../records.ts';
import { Devices } from './devices.ts';
import { oneForEachCause } from './one-for-each-cause.ts';
import { type PlacedSpell, spellsOf } from './spells-of.ts';
import { spanEvidence, traceparentsOf, worstSpans } from './worst-spans.ts';

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

interface Placed {
  /** The one host that it is of; null where its component tells. */
  readonly host: string | null;
  readonly input: EventInput;
}

export function correlateRecords(records: Records, lookbackS: number): Found {
  const devices = new Devices(records);
  const spells = spellsOf(records, (name) => devices.known(name), lookbackS);
  const inputs: Placed[] = [
    ...records.events.map((event, index) => ({ host: null, input: eventInput(event, devices, index) })),
    ...spells.flatMap((spell) =>
      degradationInputs(spell, worstSpans(records.spans, spell)).map((input) => ({ host: spell.host, input })),
    ),
  ].sort((a, b) => a.input.timeMs - b.input.timeMs);
  const lastS = records.services.reduce((latest, { at }) => Math.max(latest, at.at(-1) ?? 0), 0);
  const hosts = devices.hosts.length === 0 ? [NO_HOST] : devices.hosts;
  const found = hosts.map((host) => {
    const elsewhere = (component: Component | null): boolean =>
      component?.host !== undefined && component.host !== host && hosts.includes(component.host);
    const here = devices.links.filter(({ from, to }) => !elsewhere(from) && !elsewhere(to));
    const services = new Set(here.flatMap(({ to }) => (to.type === 'service' ? [to.id] : [])));
    const known = new Set(devices.links.flatMap(({ to }) => (to.type === 'service' ? [to.id] : [])));
    const own = inputs.filter(({ host: at, input: { component } }) => {
      if (at !== null) return at === host;
      // A service that no mapping names may run anywhere.
      if (component?.type === 'service') return services.has(component.id) || !known.has(component.id);
      return !elsewhere(component);
    });
    return correlateHost(
      host,
      own.map(({ input }) => input),
      here,
      lastS * 1000,
    );
  });
  return {
    incidents: oneForEachCause(found.flatMap(({ incidents }) => incidents)),
    events: found.flatMap(({ events }) => events),
  };
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
  const [watts, wattsBefore, volts, limit, temperature] = [
    'power_cap_watts',
    'previous_power_cap_watts',
    'voltage_volts',
    'threshold_volts',
    'temperature_celsius',
  ].map(of);
  const isCapped = watts != null && wattsBefore != null;
  // What heat does to the power limit comes after it.
  if (type === 'thermal_throttle')
    return {
      ...(temperature == null ? {} : { temperature }),
      ...(isCapped
        ? { also_quantity: 'power_limit', also_before: wattsBefore, also_after: watts, also_unit: 'W' }
        : {}),
    };
  if (isCapped) return { quantity: 'power_limit', before: wattsBefore, after: watts, unit: 'W' };
  if (type === 'voltage_sag' && volts != null && limit != null)
    return { quantity: 'voltage', value: volts, limit, unit: 'V' };
  return {};
}

function degradationInputs(spell: PlacedSpell, worst: readonly Span[]): EventInput[] {
  const { service, quantity, before, after, first, lastGoodS, overS, points, host } = spell;
  const traces = traceparentsOf(worst);
  const shared = {
    kind: 'service.degraded',
    component: { type: 'service', id: service },
    trust: 'tenant',
    source: 'otel_traces',
    timeDigits: 3,
    discriminator: `${service} ${first.at} ${host ?? ''}`,
  } as const;
  const attributes = {
    quantity,
    before,
    after,
    unit: UNITS[quantity],
    points,
    ...(traces === '' ? {} : { worst_traces: traces }),
  };
  const startMs = first.at * 1000;
  const onset: EventInput = {
    ...shared,
    state: 'onset',
    timeMs: startMs,
    observedMs: startMs,
    interval: { earliestMs: lastGoodS * 1000, latestMs: startMs },
    attributes,
    evidence: worst.map(spanEvidence),
  };
  if (overS === null) return [onset];
  return [onset, { ...shared, state: 'clear', timeMs: overS * 1000, observedMs: overS * 1000, attributes }];
}
