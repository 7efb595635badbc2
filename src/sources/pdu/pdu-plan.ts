// What discovery found on one PDU: its parts, how they hang together, and which objects to read for them.

import type { Component } from '../../model/component.ts';
import type { ReadingsDocument } from '../../model/documents/readings.ts';
import type { Discovery } from '../../model/record.ts';
import type { Link } from '../../model/topology.ts';
import type { PduCatalogue, Poll, PolledColumn, TrapRule } from './catalogue.ts';

export interface PduPart {
  readonly component: Component;
  readonly label: string | null;
  /** Phase numbers that feed it, empty when the device does not tell. */
  readonly phases: readonly string[];
  /** Branch number that feeds it. */
  readonly branch: string | null;
  /** Rated current, A. */
  readonly ratingA: number | null;
}

/** One object to poll. */
export interface PlannedCell {
  readonly oid: string;
  /** Of its row. */
  readonly index: string;
  readonly component: Component;
  readonly column: PolledColumn;
  readonly poll: Poll;
  /** Of a reading: raw × first ÷ second is SI on this device. */
  readonly scale?: readonly [number, number];
  /** The reading counts only while this object has none of the values. */
  readonly guard?: { readonly oid: string; readonly values: readonly number[] };
}

export interface PduPlan {
  readonly identity: ReadingsDocument['identity'];
  readonly absent: PduCatalogue['absent'];
  /** The device itself first. */
  readonly parts: readonly PduPart[];
  readonly cells: readonly PlannedCell[];
  readonly traps: readonly TrapRule[];
  readonly warnings: readonly string[];
  /** A table is missing because answers were lost. */
  readonly partial: boolean;
  /** sysUpTime at discovery, hundredths of a second; null when not answered. */
  readonly uptime: number | null;
}

/** What the plan tells the topology: the PDU contains its parts; power flows phase → branch → outlet where known. */
export function discoveries(plan: PduPlan): Discovery[] {
  const of = (type: Component['type']) => plan.parts.filter((part) => part.component.type === type);
  const root = plan.parts[0]?.component;
  const phases = of('pdu_phase');

  const feeders = (part: PduPart): Component[] => {
    const { type } = part.component;
    if (type === 'pdu_outlet' && part.branch !== null) {
      const branch = of('pdu_branch').find((candidate) => numberOf(candidate) === part.branch);
      if (branch) return [branch.component];
    }
    if (type !== 'pdu_outlet' && type !== 'pdu_branch') return [];
    const named = phases.filter((phase) => part.phases.includes(numberOf(phase)));
    if (named.length > 0) return named.map((phase) => phase.component);
    return phases.length === 1 ? phases.map((phase) => phase.component) : [];
  };

  return plan.parts.map((part) => {
    const links: Link[] = feeders(part).map((from) => ({
      from,
      to: part.component,
      relation: 'feeds',
      source: 'host',
    }));
    if (root && root.id !== part.component.id) {
      links.push({ from: root, to: part.component, relation: 'contains', source: 'host' });
    }
    const { vendor, model, serial, firmware } = plan.identity;
    const facts = part.component === root ? { vendor, model, serial, firmware } : {};
    return {
      component: part.component,
      links,
      attributes: {
        ...facts,
        ...(part.label === null ? {} : { label: part.label }),
        ...(part.ratingA === null ? {} : { rating_a: part.ratingA }),
      },
    };
  });
}

/** "APC AP8853, 1 phase, 2 branches, 24 outlets" */
export function planSummary(plan: PduPlan): string {
  const count = (type: Component['type'], one: string, many: string) => {
    const n = plan.parts.filter((part) => part.component.type === type).length;
    return n === 0 ? [] : [`${n} ${n === 1 ? one : many}`];
  };
  const name = [plan.identity.vendor, plan.identity.model].filter((word) => word !== null).join(' ');
  return [
    name,
    ...count('pdu_inlet', 'inlet', 'inlets'),
    ...count('pdu_phase', 'phase', 'phases'),
    ...count('pdu_branch', 'branch', 'branches'),
    ...count('pdu_outlet', 'outlet', 'outlets'),
  ].join(', ');
}

/** "7" of `pdu_outlet/pdu-b/7`. */
export function numberOf(part: Pick<PduPart, 'component'>): string {
  return part.component.id.slice(part.component.id.lastIndexOf('/') + 1);
}
