// Node: what happened to this node, by how it was and how it is. Pure.

import type { Kind } from '../../../model/kind.ts';
import type { Condition } from '../pod/pod.ts';
import { conditionOf } from '../pod/read-pod.ts';
import { at, listAt, textAt, wordAt } from '../pod/values.ts';
import { type Writer, writerOf } from './managers.ts';
import { isFaultTaint, isPlannedTaint, type NodePlan, plansOfNode } from './node-marks.ts';
import { NODE_CONDITION_TYPES, ofNodeCondition } from './reasons.ts';

export interface Taint {
  readonly key: string;
  readonly effect: string;
  readonly value: string | null;
}

export interface Node {
  readonly name: string;
  readonly conditions: readonly Condition[];
  readonly cordoned: boolean;
  readonly taints: readonly Taint[];
  /** Who wrote these last. */
  readonly cordonedBy: Writer | null;
  readonly taintedBy: Writer | null;
  /** Planned work that its marks declare. */
  readonly plans: readonly NodePlan[];
}

export interface NodeChange {
  readonly kind: Kind;
  readonly state: 'onset' | 'clear';
  /** What tells it from others of its kind: the condition, the taint. */
  readonly what: string;
  readonly reason: string | null;
  readonly message: string | null;
  readonly atMs: number | null;
  /** Who did it; null where that is not kept. */
  readonly by?: string | null;
}

const MOST_TAINTS = 64;
/** Those that follow from a condition are reported by that. */
const OF_CONDITIONS =
  /^node\.kubernetes\.io\/(?:not-ready|unreachable|unschedulable|memory-pressure|disk-pressure|pid-pressure|network-unavailable)$/;

export function readNode(raw: unknown): Node | null {
  const name = wordAt(raw, 'metadata', 'name');
  if (name === null) return null;
  const taints = listAt(raw, 'spec', 'taints').slice(0, MOST_TAINTS).flatMap((taint) => {
    const [key, effect] = [wordAt(taint, 'key'), wordAt(taint, 'effect')];
    return key === null || effect === null ? [] : [{ key, effect, value: textAt(taint, 'value') }];
  }); // biome-ignore format: one chain
  const conditions = listAt(raw, 'status', 'conditions').slice(0, MOST_TAINTS).flatMap(conditionOf);
  return {
    name,
    conditions,
    cordoned: at(raw, 'spec', 'unschedulable') === true,
    taints,
    cordonedBy: writerOf(raw, 'f:spec', 'f:unschedulable'),
    taintedBy: writerOf(raw, 'f:spec', 'f:taints'),
    plans: plansOfNode(raw, taints),
  };
}

/** `before`: null at the first look. */
export function nodeChanges(before: Node | null, after: Node): NodeChange[] {
  return [...conditionChanges(before, after), ...cordonChanges(before, after), ...taintChanges(before, after)];
}

function conditionChanges(before: Node | null, after: Node): NodeChange[] {
  return NODE_CONDITION_TYPES.flatMap((what): NodeChange[] => {
    const now = after.conditions.find(({ type }) => type === what);
    if (now === undefined) return [];
    const then = before?.conditions.find(({ type }) => type === what);
    const [was, is] = [
      then === undefined ? null : ofNodeCondition(what, then.status),
      ofNodeCondition(what, now.status),
    ];
    const kind = is ?? was;
    if (kind === null || was === is) return [];
    const { reason, message, atMs } = now;
    return [{ kind, state: is === null ? 'clear' : 'onset', what, reason, message, atMs }];
  });
}

function cordonChanges(before: Node | null, after: Node): NodeChange[] {
  if ((before?.cordoned ?? false) === after.cordoned) return [];
  const state = after.cordoned ? 'onset' : 'clear';
  // The field goes with the cordon, and who wrote it with the field.
  const by = after.cordoned ? (after.cordonedBy?.name ?? null) : null;
  return [{ kind: 'host.drained', state, what: 'unschedulable', reason: null, message: null, atMs: null, by }];
}

function taintChanges(before: Node | null, after: Node): NodeChange[] {
  const [was, is] = [new Set(before === null ? [] : evicting(before)), new Set(evicting(after))];
  const change = (state: NodeChange['state']) => (what: string): NodeChange => ({ kind: 'host.drained', state, what, reason: null, message: null, atMs: null, by: after.taintedBy?.name ?? null }); // biome-ignore format: one record
  return [
    ...[...is].filter((taint) => !was.has(taint)).map(change('onset')),
    ...[...was].filter((taint) => !is.has(taint)).map(change('clear')),
  ];
}

/** Of a condition, or of planned work, which is reported as that. */
function isOther(key: string): boolean {
  return OF_CONDITIONS.test(key) || isPlannedTaint(key);
}

/** Keys by which the node is out of service for a fault. */
function evicting({ taints }: Node): string[] {
  return taints
    .filter(({ key, effect }) => isFaultTaint(key) || (effect === 'NoExecute' && !isOther(key)))
    .map(({ key, value, effect }) => `${key}${value === null ? '' : `=${value}`}:${effect}`);
}

/** Out of service, whoever did that and why. */
export function isOutOfService(node: Node): boolean {
  return node.cordoned || evicting(node).length > 0;
}
