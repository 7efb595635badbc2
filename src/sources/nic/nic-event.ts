// The events of network cards: ports, links, cards that are gone; with what was read as evidence.

import type { Component } from '../../model/component.ts';
import type { Attributes } from '../../model/event.ts';
import type { EventInput } from '../../model/record.ts';
import type { Interval } from '../../model/time.ts';
import type { Nic } from './find-nics.ts';
import type { PcieEdge } from './pcie-watch.ts';
import type { PortEdge } from './port-watch.ts';
import type { PresenceEdge } from './presence-watch.ts';
import type { RateEdge } from './rate-watch.ts';

const SOURCE = 'nic';

/** What a port was to this host when its state changed. */
export interface PortUse {
  readonly role: string;
  /** It had carried next to nothing for long. */
  readonly unused: boolean;
}

export function portEvent(
  edge: PortEdge,
  port: string,
  { role, unused }: PortUse,
  component: Component,
  nowMs: number,
): EventInput {
  const { kind, state, interval, severity, changes, text, byOrder } = edge;
  const expected = byOrder === true ? { expected: 'shut by order' } : {};
  const attributes = { port, role, changes, port_state: text, ...expected, ...(unused ? { unused } : {}) };
  const base = common(component, state, interval, nowMs, attributes, `${port}: ${text}`);
  // A management port down is not the job's trouble.
  const own = severity ?? (role === 'management' ? 'warning' : undefined);
  return { ...base, kind, discriminator: port, ...(own === undefined ? {} : { severity: own }) };
}

export function pcieEvent({ state, interval, link }: PcieEdge, component: Component, nowMs: number): EventInput {
  const { speed, width, fullSpeed, fullWidth } = link;
  const attributes = {
    speed_gt_s: speed,
    width_lanes: width,
    full_speed_gt_s: fullSpeed,
    full_width_lanes: fullWidth,
  };
  const text = `PCIe link at ${speed} GT/s x${width}, slot and card can do ${fullSpeed} GT/s x${fullWidth}`;
  return {
    ...common(component, state, confirmed(interval, nowMs), nowMs, attributes, text),
    kind: 'pcie.link_degraded',
  };
}

export function rateEvent(edge: RateEdge, port: string, component: Component, nowMs: number): EventInput {
  const { state, interval, before, after } = edge;
  const attributes = { port, quantity: 'link_rate', before, after, unit: 'bit/s' };
  const text = `${port}: ${after / 1e9} Gbit/s, ${before / 1e9} before this start`;
  return {
    ...common(component, state, confirmed(interval, nowMs), nowMs, attributes, text),
    kind: 'nic.link_degraded',
  };
}

export function presenceEvent(edge: PresenceEdge, component: Component, nowMs: number): EventInput {
  const { state, interval, severity, bus, text } = edge;
  const attributes: Attributes = bus === null ? {} : { on_bus: bus.onBus, driver: bus.driver };
  return {
    ...common(component, state, confirmed(interval, nowMs), nowMs, attributes, text),
    kind: 'nic.lost',
    severity,
  };
}

export function nicComponent({ address, rdma, interfaces }: Nic, host: string): Component {
  const aliases = [...(rdma === null ? [] : [rdma]), ...interfaces.map(({ name }) => name)];
  return { type: 'nic', id: address, host, parent: `host/${host}`, aliases };
}

/**
 * What counts only after several readings, up to minutes, began between the last good one and now: dated by the first of them it
 * would be older than the correlation's lateness when it comes, and so history that opens nothing.
 */
function confirmed({ earliestMs }: Interval, nowMs: number): Interval {
  return { earliestMs, latestMs: nowMs };
}

function common(
  component: Component,
  state: 'onset' | 'clear',
  interval: Interval,
  nowMs: number,
  attributes: Attributes,
  text: string,
): Omit<EventInput, 'kind'> {
  const timeMs = interval.latestMs;
  const evidence = [{ source: SOURCE, timeMs, text }];
  return {
    component,
    state,
    timeMs,
    interval,
    observedMs: nowMs,
    trust: 'kernel',
    source: SOURCE,
    attributes,
    evidence,
  };
}
