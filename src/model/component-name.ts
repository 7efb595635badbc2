// Names: components as people call them — "node-3 gpu 0", "pdu-b-rack-14 phase 1", "llama-70b rank 16…23".

import type { Component } from './component.ts';
import { plain } from './plain.ts';
import { hostPrefix, hostText } from './unnamed-host.ts';

/** `group` is what siblings share; `index` tells them apart, empty where the name stands for itself. */
export interface Name {
  readonly group: string;
  readonly index: string;
}

/** Parts whose id is `<owner>/<part>`, with the word between the two. */
const PART_WORDS: Readonly<Record<string, string>> = {
  pdu_inlet: 'inlet',
  pdu_phase: 'phase',
  pdu_branch: 'branch',
  pdu_outlet: 'outlet',
  psu: 'psu',
  fan: 'fan',
  cpu: 'cpu',
  dimm: 'dimm',
  disk: 'disk',
  rank: 'rank',
};

/** As a switch calls its ports: "Ethernet1/17", "et-0/0/12", "12". */
const PORT = /^[A-Z]|\/|^\d{1,6}$/;
const DEVICES = new Set(['gpu', 'nic', 'nvswitch', 'pcie', 'disk', 'process']);

function join(...words: readonly string[]): string {
  return words.filter((word) => word !== '').join(' ');
}

/** `local`: for a device that does not say on which it is; empty where that goes without saying. */
export function nameOf(component: Component, local = ''): Name {
  const host = plain(hostPrefix(component.host ?? local), 64);
  const { type } = component;
  if (type === 'host') return { group: plain(hostText(component.id), 64), index: '' };
  const id = plain(component.id, 64);
  const numbered = component.aliases
    ?.map((alias) => /^([a-z]+) (\d{1,6})$/.exec(alias))
    .find((match) => match !== null);
  if (numbered) return { group: join(host, numbered[1] ?? type), index: numbered[2] ?? '' };
  const slash = id.indexOf('/');
  const word = PART_WORDS[type];
  if (word !== undefined && slash > 0) {
    const owner = id.slice(0, slash);
    return { group: join(type === 'rank' ? jobText(owner) : hostPrefix(owner), word), index: id.slice(slash + 1) };
  }
  if (type === 'nvlink' || type === 'gpu_instance') {
    const part = type === 'nvlink' ? 'link' : 'instance';
    if (slash > 0) return { group: join(host, 'gpu', id.slice(0, slash), part), index: id.slice(slash + 1) };
  }
  const interfaceName =
    type === 'nic' ? component.aliases?.find((alias) => /^[a-z][a-z0-9_]{0,14}$/.test(alias)) : undefined;
  if (interfaceName !== undefined) return { group: join(host, interfaceName), index: '' };
  if (DEVICES.has(type)) return { group: join(host, type === 'nic' && PORT.test(id) ? 'port' : type), index: id };
  return { group: type === 'job' ? jobText(id) : id, index: '' };
}

/** A number that a scheduler gave says nothing by itself. */
export function jobText(id: string): string {
  return /^\d/.test(id) ? `job ${id}` : id;
}

export function nameText(component: Component | null, local = ''): string {
  if (component === null) return 'device not named';
  const { group, index } = nameOf(component, local);
  return join(group, index);
}

/** The exact address and the fixed names behind a name: `gpu/0000:9b:00.0, GPU-5d1c…, 1651622001734`. */
export function addressText(component: Component): string {
  const fixed = (component.aliases ?? []).filter((alias) => !/^[a-z]+ \d{1,6}$/.test(alias));
  const serial = (alias: string): string => (/^\d{5,20}$/.test(alias) ? `serial ${alias}` : alias);
  return [`${component.type}/${component.id}`, ...fixed.slice(0, 4).map(serial)]
    .map((part) => plain(part, 96))
    .join(', ');
}

/** `0…7`, `0…2, 5`: whole numbers as runs, anything else as a list of at most six. */
export function indexText(indices: readonly string[]): string {
  const unique = [...new Set(indices)];
  if (!unique.every((index) => /^\d{1,9}$/.test(index))) {
    const rest = unique.length - 6;
    return unique.slice(0, 6).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
  }
  const runs: [number, number][] = [];
  for (const number of unique.map(Number).sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else runs.push([number, number]);
  }
  const texts = runs
    .slice(0, 6)
    .map(([from, to]) => (from === to ? `${from}` : `${from}${to === from + 1 ? ', ' : '…'}${to}`));
  return texts.join(', ') + (runs.length > 6 ? ', …' : '');
}
