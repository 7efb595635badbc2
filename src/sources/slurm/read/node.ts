// Reads what slurmctld says of one node: whether it is drained, by whom and why; JSON of all generations, and text.

import { documentOf } from './job-json.ts';
import { textRecords } from './text-record.ts';
import { rowOf, textOf, timeOf, wordsOf } from './values.ts';

export interface SlurmNode {
  readonly name: string;
  /** IDLE, DRAIN, DOWN, NOT_RESPONDING, … */
  readonly states: readonly string[];
  readonly reason: string | null;
  readonly reasonBy: string | null;
  /** Epoch ms. */
  readonly reasonMs: number | null;
  /** Slurm gives its GPUs to jobs: a job that was given none has none. */
  readonly hasGpus: boolean;
}

/** gpu:4, gpu:h100:8(S:0-1), gpu:1,shard:4 */
const GPUS = /\b(?:gpu|shard|mps):/;

export function nodeFromJson(text: string, name: string): SlurmNode | null {
  const nodes = documentOf(text)?.nodes;
  const rows = Array.isArray(nodes) ? nodes.map(rowOf) : [];
  const row = rows.find((one) => one?.name === name);
  if (row === undefined || row === null) return null;
  return {
    name,
    states: [...wordsOf(row.state), ...wordsOf(row.state_flags)],
    reason: textOf(row.reason),
    reasonBy: textOf(row.reason_set_by_user),
    reasonMs: timeOf(row.reason_changed_at),
    hasGpus: GPUS.test(textOf(row.gres) ?? ''),
  };
}

/** State=IDLE+DRAIN … Reason=Kill task failed [root@2026-11-29T05:00:00] */
export function nodeFromText(text: string, name: string): SlurmNode | null {
  const record = textRecords(text, 'NodeName').find((one) => one.text('NodeName') === name);
  if (record === undefined) return null;
  const written = record.line('Reason');
  const [, reason = written, by, at] = /^(.*?)\s*\[([^\s@\]]{1,64})@([\dT:-]{19})\]$/s.exec(written ?? '') ?? [];
  const reasonMs = at === undefined ? Number.NaN : Date.parse(`${at}Z`);
  return {
    name,
    // A star behind the state: it does not answer.
    states: wordsOf(record.text('State')?.replace(/[*~#!%$@^-]/g, '')),
    reason,
    reasonBy: by ?? null,
    reasonMs: Number.isNaN(reasonMs) ? null : reasonMs,
    hasGpus: GPUS.test(record.text('Gres') ?? ''),
  };
}

export function isDrained({ states }: SlurmNode): boolean {
  return states.some((state) => state === 'DRAIN' || state === 'DRAINED' || state === 'DRAINING');
}

const WITH_WORK: ReadonlySet<string> = new Set([
  'ALLOCATED',
  'MIXED',
  'COMPLETING',
  'DRAINING',
  'ALLOC',
  'MIX',
  'COMP',
]);

/** Jobs have it, or leave it at this moment. */
export function hasWork({ states }: SlurmNode): boolean {
  return states.some((state) => WITH_WORK.has(state));
}
