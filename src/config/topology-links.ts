// Links of the topology that the configuration tells: what it writes, and psu → host for every supply it names.

import {
  COMPONENT_TYPES,
  type Component,
  canonicalPciAddress,
  componentText,
  parseComponent,
} from '../model/component.ts';
import type { Link, Relation } from '../model/topology.ts';
import { didYouMean } from './did-you-mean.ts';
import type { Findings } from './findings.ts';
import type { RawConfig } from './schema.ts';

const PCI_TYPES: readonly string[] = ['gpu', 'nic', 'nvswitch', 'pcie'];
const ON_HOST: readonly string[] = ['psu', 'fan', 'cpu', 'dimm'];
const PART_OF: Readonly<Record<string, string>> = {
  pdu_inlet: 'pdu',
  pdu_phase: 'pdu',
  pdu_branch: 'pdu',
  pdu_outlet: 'pdu',
  psu: 'host',
  fan: 'host',
  cpu: 'host',
  dimm: 'host',
  rank: 'job',
};

type Reading = Component | { readonly error: string };

/** Reads `type/id` and checks the id's form as far as its type fixes it. `host` is where PCI devices sit. */
export function readComponent(text: string, host: string): Reading {
  const component = parseComponent(text.trim());
  if (component === null) {
    const type = text.split('/')[0] ?? '';
    const near = didYouMean(type, COMPONENT_TYPES);
    const hint =
      near === null
        ? `Known types: ${COMPONENT_TYPES.join(', ')}`
        : `Write: ${near}/${text.slice(type.length + 1) || '<id>'}`;
    return { error: `is no component (type/id). ${hint}` };
  }
  const { type, id } = component;
  if (PCI_TYPES.includes(type)) {
    const address = canonicalPciAddress(id);
    if (address === null) return { error: `needs a PCI address. Write: ${type}/0000:9b:00.0` };
    return { type, id: address, host };
  }
  const whole = PART_OF[type];
  const slash = id.lastIndexOf('/');
  if (whole !== undefined && (slash < 1 || slash === id.length - 1)) {
    return { error: `needs the ${whole} it belongs to. Write: ${type}/<${whole}>/1` };
  }
  if (ON_HOST.includes(type)) return { type, id, host: id.slice(0, slash) };
  return type === 'host' ? { type, id, host: id } : component;
}

export function topologyLinks(raw: RawConfig, host: string, findings: Findings): Link[] {
  const links = new Map<string, Link>();
  const add = (from: Component, to: Component, relation: Relation) => {
    const key = `${componentText(from)} ${relation} ${componentText(to)}`;
    if (!links.has(key)) links.set(key, { from, to, relation, source: 'configuration' });
  };
  const pdus = new Set(raw.sources.pdu.map((pdu) => pdu.name));
  const written = [
    { list: raw.topology.feeds, key: 'feeds' },
    { list: raw.topology.runs, key: 'runs' },
  ] as const;
  for (const { list, key } of written) {
    for (const [i, entry] of list.entries()) {
      const pointer = `/topology/${key}/${i}`;
      const from = readComponent(entry.from, host);
      const to = readComponent(entry.to, host);
      if ('error' in from) findings.problem('FL1110', `${pointer}/from`, from.error);
      if ('error' in to) findings.problem('FL1110', `${pointer}/to`, to.error);
      if ('error' in from || 'error' in to) continue;
      if (componentText(from) === componentText(to))
        findings.problem('FL1110', pointer, 'leads from a component to itself');
      if (key === 'runs' && !['job', 'rank', 'process', 'service'].includes(to.type)) {
        findings.problem(
          'FL1110',
          `${pointer}/to`,
          'must be work. Write: job/<id>, rank/<job>/<n>, process/<pid> or service/<name>',
        );
      }
      add(from, to, key);
      for (const component of [from, to]) {
        const pdu = component.type.startsWith('pdu_') ? component.id.slice(0, component.id.lastIndexOf('/')) : null;
        if (pdu !== null && !pdus.has(pdu)) {
          const near = didYouMean(pdu, [...pdus]);
          const hint = near === null ? 'Add it to sources.pdu' : `Did you mean: ${near}`;
          findings.warning(
            'FL1112',
            `${pointer}/${component === from ? 'from' : 'to'}`,
            `names ${pdu}, which no entry of sources.pdu reads. ${hint}`,
          );
        }
        if (component.type === 'psu' && component.host !== undefined) {
          add(component, { type: 'host', id: component.host, host: component.host }, 'feeds');
        }
      }
    }
  }
  return [...links.values()];
}
