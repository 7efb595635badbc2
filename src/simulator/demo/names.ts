// Devices of a simulated rack by the names people use: "node-3 gpu 5", "pdu-b-rack-14 phase 1".

import type { Component } from '../../model/component.ts';
import type { ScenarioPlan } from '../scenario/plan.ts';

/** The holder and the part, so that parts of one holder can be told together. */
export interface DeviceName {
  readonly holder: string;
  readonly part: string;
  /** Number of the part, null where it has none. */
  readonly number: number | null;
}

export function deviceName(component: Component, plan: ScenarioPlan): DeviceName {
  const { type, id } = component;
  if (type === 'gpu') {
    const gpu = plan.world.host.gpus.find((candidate) => candidate.address === id);
    return { holder: plan.world.host.name, part: 'gpu', number: gpu?.index ?? null };
  }
  const slash = id.lastIndexOf('/');
  if (slash < 0) return { holder: id, part: '', number: null };
  const last = id.slice(slash + 1);
  return {
    holder: id.slice(0, slash),
    part: type.replace(/^pdu_/, ''),
    number: /^\d+$/.test(last) ? Number(last) : null,
  };
}

/** "node-3 gpu 0…7", "node-3 gpu 2, 5", "llama-70b". */
export function namesText(components: readonly Component[], plan: ScenarioPlan): string {
  const names = components.map((component) => deviceName(component, plan));
  const [first] = names;
  if (first === undefined) return plan.world.host.name;
  const numbers = [...new Set(names.flatMap(({ number }) => (number === null ? [] : [number])))].sort((a, b) => a - b);
  const head = first.part === '' ? first.holder : `${first.holder} ${first.part}`;
  return numbers.length === 0 ? head : `${head} ${ranges(numbers)}`;
}

function ranges(numbers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === number - 1) run[1] = number;
    else runs.push([number, number]);
  }
  return runs
    .map(([from, to]) => (from === to ? `${from}` : to === from + 1 ? `${from}, ${to}` : `${from}…${to}`))
    .join(', ');
}
