// Links of the topology that the configuration tells: what it writes, and psu → host for every supply it names.

import { didYouMean } from '../helpers/did-you-mean.ts';
import {
  COMPONENT_TYPES,
  type Component,
  canonicalPciAddress,
  componentText,
  parseComponent,
} from '../model/component.ts';
import type { Link, Relation } from '../model/topology.ts';
import type { Findings } from './findings.ts';
import { findCycles, type WrittenLink } from './topology-cycles.ts';
import { checkName, type KnownTopology } from './topology-names.ts';

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

/** One of each type whose id has a form of its own. */
const EXAMPLES: Readonly<Record<string, string>> = {
  gpu: 'gpu/0000:9b:00.0',
  nic: 'nic/0000:5e:00.0',
  nvswitch: 'nvswitch/0000:c3:00.0',
  pcie: 'pcie/0000:00:01.0',
  rank: 'rank/llama-70b/16',
};

type Reading = Component | { readonly error: string };

/** Reads `type/id` and checks the id's form as far as its type fixes it. `host` is where PCI devices sit. */
export function readComponent(text: string, host: string): Reading {
  const component = parseComponent(text.trim());
  if (component === null) return { error: `is not a component (type/id). ${typeHint(text.trim(), host)}` };
  const { type, id } = component;
  if (PCI_TYPES.includes(type)) {
    const address = canonicalPciAddress(id);
    if (address === null) return { error: `needs a PCI address. Write: ${EXAMPLES[type]}` };
    return { type, id: address, host };
  }
  const whole = PART_OF[type];
  const slash = id.lastIndexOf('/');
  if (whole !== undefined && (slash < 1 || slash === id.length - 1)) {
    return { error: `needs the ${whole} it belongs to. Write: ${exampleOf(type, host)}` };
  }
  if (ON_HOST.includes(type)) return { type, id, host: id.slice(0, slash) };
  return type === 'host' ? { type, id, host: id } : component;
}

/** What is proposed is a component itself: the id that was written where it has the form of the type, else an example. */
function typeHint(text: string, host: string): string {
  const type = text.split('/')[0] ?? '';
  const near = didYouMean(type, COMPONENT_TYPES);
  if (near === null) return `Known types: ${COMPONENT_TYPES.join(', ')}`;
  const written = `${near}/${text.slice(type.length + 1)}`;
  return `Write: ${'error' in readComponent(written, host) ? exampleOf(near, host) : written}`;
}

function exampleOf(type: string, host: string): string {
  const whole = PART_OF[type];
  return (
    EXAMPLES[type] ?? (whole === 'host' ? `${type}/${host}/1` : whole === 'pdu' ? `${type}/pdu-b/1` : `${type}/${host}`)
  );
}

interface WrittenEnds {
  readonly from: string;
  readonly to: string;
}

export function topologyLinks(
  raw: { readonly feeds: readonly WrittenEnds[]; readonly runs: readonly WrittenEnds[] },
  host: string,
  known: KnownTopology,
  findings: Findings,
): Link[] {
  const links = new Map<string, Link>();
  const add = (from: Component, to: Component, relation: Relation) => {
    const key = `${componentText(from)} ${relation} ${componentText(to)}`;
    if (!links.has(key)) links.set(key, { from, to, relation, source: 'configuration' });
  };
  const walked: WrittenLink[] = [];
  const written = [
    { list: raw.feeds, key: 'feeds' },
    { list: raw.runs, key: 'runs' },
  ] as const;
  for (const { list, key } of written) {
    for (const [i, entry] of list.entries()) {
      const pointer = `/topology/${key}/${i}`;
      const from = readComponent(entry.from, host);
      const to = readComponent(entry.to, host);
      if ('error' in from) findings.problem('FL1110', `${pointer}/from`, from.error);
      if ('error' in to) findings.problem('FL1110', `${pointer}/to`, to.error);
      if ('error' in from || 'error' in to) continue;
      if (componentText(from) === componentText(to)) {
        findings.problem('FL1110', pointer, 'leads from a component to itself');
        continue;
      }
      if (key === 'runs' && !['job', 'rank', 'process', 'service'].includes(to.type)) {
        findings.problem(
          'FL1110',
          `${pointer}/to`,
          'must be work. Write: job/<id>, rank/<job>/<n>, process/<pid> or service/<name>',
        );
      }
      add(from, to, key);
      walked.push({ from, to, relation: key, pointer });
      for (const [end, component] of [
        ['from', from],
        ['to', to],
      ] as const) {
        checkName(component, `${pointer}/${end}`, known, findings);
        if (component.type === 'psu' && component.host !== undefined) {
          const node: Component = { type: 'host', id: component.host, host: component.host };
          add(component, node, 'feeds');
          walked.push({ from: component, to: node, relation: 'feeds', pointer });
        }
      }
    }
  }
  findCycles(walked, findings);
  return [...links.values()];
}
