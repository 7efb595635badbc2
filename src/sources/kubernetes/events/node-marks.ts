// Node marks: what taints, annotations and labels of a node say of why it is out of service, by catalog/kubernetes/node-marks.json.

import { catalogueFolder } from '../../../helpers/catalogue-folder.ts';
import { at, textAt } from '../pod/values.ts';

interface Row {
  readonly where: 'taint' | 'annotation' | 'label';
  readonly key: string;
  /** Left out: whatever its value. */
  readonly values?: readonly string[];
  readonly as: string;
}

interface Marks {
  readonly planned: readonly Row[];
  readonly faults: readonly Row[];
}

/** Planned work that a mark of the node declares. */
export interface NodePlan {
  readonly key: string;
  readonly as: string;
  readonly value: string | null;
}

const marks = catalogueFolder('kubernetes').get('node-marks') as Marks; // test/catalog/node-marks.test.ts checks it

export function plansOfNode(raw: unknown, taints: readonly { readonly key: string; readonly value: string | null }[]): NodePlan[] {
  return marks.planned.flatMap((row): NodePlan[] => {
    const value = markOf(row, raw, taints);
    if (value === undefined || (row.values !== undefined && !row.values.includes(value ?? ''))) return [];
    return [{ key: row.key, as: row.as, value }];
  });
} // biome-ignore format: signature

/** Undefined where the mark is not there. */
function markOf(
  { where, key }: Row,
  raw: unknown,
  taints: readonly { readonly key: string; readonly value: string | null }[],
): string | null | undefined {
  if (where === 'taint') return taints.find((taint) => taint.key === key)?.value;
  const folder = where === 'label' ? 'labels' : 'annotations';
  return at(raw, 'metadata', folder, key) === undefined ? undefined : textAt(raw, 'metadata', folder, key);
}

/** A taint by which a tool takes a node with a fault out of service, whatever its effect. */
export function isFaultTaint(key: string): boolean {
  return marks.faults.some((row) => row.where === 'taint' && matches(row.key, key));
}

export function isPlannedTaint(key: string): boolean {
  return marks.planned.some((row) => row.where === 'taint' && row.key === key);
}

function matches(pattern: string, key: string): boolean {
  return pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern;
}
