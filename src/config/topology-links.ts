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
import type { Resolving } from './section.ts';
import { type Place, readTopologyCsv } from './topology-csv.ts';
import { findCycles, type WrittenLink } from './topology-cycles.ts';
import { checkName, type KnownTopology } from './topology-names.ts';
import { findContradictions } from './topology-sense.ts';

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
  // "rack" alone becomes "rack/", which is none either: only what is one is looked at further.
  const fits = parseComponent(written) !== null && !('error' in readComponent(written, host));
  return `Write: ${fits ? written : exampleOf(near, host)}`;
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

interface WrittenTopology {
  readonly feeds: readonly WrittenEnds[];
  readonly runs: readonly WrittenEnds[];
  readonly csv?: string | undefined;
}

/** One link as it is written, and where each of its ends is. */
interface Entry {
  readonly ends: WrittenEnds;
  readonly relation: 'feeds' | 'runs';
  readonly pointer: string;
  readonly at: { readonly from: Spot; readonly to: Spot };
}

interface Spot {
  readonly pointer: string;
  readonly where?: string;
}

export function topologyLinks(raw: WrittenTopology, at: Resolving, known: KnownTopology): Link[] {
  const { host, findings } = at;
  const links = new Map<string, Link>();
  const add = (from: Component, to: Component, relation: Relation) => {
    const key = `${componentText(from)} ${relation} ${componentText(to)}`;
    if (!links.has(key)) links.set(key, { from, to, relation, source: 'configuration' });
  };
  const walked: WrittenLink[] = [];
  for (const { ends, relation, pointer, at: spots } of [...writtenEntries(raw), ...csvEntries(raw.csv, at)]) {
    const from = readComponent(ends.from, host);
    const to = readComponent(ends.to, host);
    if ('error' in from) problem(findings, spots.from, from.error);
    if ('error' in to) problem(findings, spots.to, to.error);
    if ('error' in from || 'error' in to) continue;
    if (componentText(from) === componentText(to)) {
      problem(findings, { ...spots.from, pointer }, 'leads from a component to itself');
      continue;
    }
    if (relation === 'runs' && !['job', 'rank', 'process', 'service'].includes(to.type)) {
      problem(findings, spots.to, 'must be work. Write: job/<id>, rank/<job>/<n>, process/<pid> or service/<name>');
    }
    add(from, to, relation);
    const { where } = spots.from;
    const written = { pointer, ...(where === undefined ? {} : { where }) };
    walked.push({ from, to, relation, ...written });
    for (const [spot, component] of [
      [spots.from, from],
      [spots.to, to],
    ] as const) {
      const warning = (code: string, pointer: string, text: string): void =>
        findings.warning(code, pointer, `${spot.where ?? ''}${text}`);
      checkName(component, spot.pointer, known, { warning });
      if (component.type === 'psu' && component.host !== undefined) {
        const node: Component = { type: 'host', id: component.host, host: component.host };
        add(component, node, 'feeds');
        walked.push({ from: component, to: node, relation: 'feeds', ...written });
      }
    }
  }
  findCycles(walked, findings);
  findContradictions(walked, findings);
  return [...links.values()];
}

function writtenEntries(raw: WrittenTopology): Entry[] {
  return (['feeds', 'runs'] as const).flatMap((relation) =>
    raw[relation].map((ends, i) => {
      const pointer = `/topology/${relation}/${i}`;
      return {
        ends,
        relation,
        pointer,
        at: { from: { pointer: `${pointer}/from` }, to: { pointer: `${pointer}/to` } },
      };
    }),
  );
}

/** Those of the table; what is wrong with it as a table is reported. */
function csvEntries(csv: string | undefined, { absolute, findings }: Resolving): Entry[] {
  if (csv === undefined) return [];
  const pointer = '/topology/csv';
  const path = absolute(csv);
  const spot = ({ line, column }: Place): Spot => ({ pointer, where: `names ${path}:${line}:${column}, which ` });
  const read = readTopologyCsv(path);
  if (read === null) {
    findings.problem('FL1109', pointer, `names ${path}, which cannot be read`);
    return [];
  }
  for (const trouble of read.troubles) problem(findings, spot(trouble), trouble.text);
  return read.links.map(({ from, to, fromAt, toAt }) => ({
    ends: { from, to },
    relation: 'feeds',
    pointer,
    at: { from: spot(fromAt), to: spot(toAt) },
  }));
}

function problem(findings: Findings, { pointer, where }: Spot, text: string): void {
  findings.problem('FL1110', pointer, `${where ?? ''}${text}`);
}
