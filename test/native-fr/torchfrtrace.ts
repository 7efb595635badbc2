// PyTorch's own analyser next to ours: the same dumps through it, and what counts as naming the right ranks.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { installationRoot } from '../../src/native.ts';

export const PYTHON = process.env.FAULTLINE_TORCH_PYTHON ?? join(installationRoot(), '.tools/torch/bin/python');

export const OUTCOMES = ['right', 'among others', 'no rank', 'wrong', 'no answer'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/**
 * Right: its first report names exactly these ranks, or all of its reports together do; of a job without a culprit: no rank
 * is named. Among others: all of them are named and more. It need not tell the kind of fault.
 */
export function outcomeOf(answer: TorchAnswer, culprits: readonly number[]): Outcome {
  if (answer.error !== null) return 'no answer';
  const sets = answer.reports.filter((ranks) => ranks.length > 0);
  const named = new Set(sets.flat());
  if (named.size === 0) return culprits.length === 0 ? 'right' : 'no rank';
  const is = (ranks: ReadonlySet<number>): boolean =>
    ranks.size === culprits.length && culprits.every((rank) => ranks.has(rank));
  if (is(named) || is(new Set(sets[0]))) return 'right';
  return culprits.length > 0 && culprits.every((rank) => named.has(rank)) ? 'among others' : 'wrong';
}

export interface TorchAnswer {
  /** Ranks that each report calls missing or culprits. */
  readonly reports: readonly (readonly number[])[];
  /** Why it ended without an answer. */
  readonly error: string | null;
}

/** One interpreter for all folders: importing PyTorch takes longer than most analyses. */
export class Torchfrtrace {
  readonly #child = spawn(PYTHON, [join(import.meta.dirname, 'torchfrtrace.py')], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  readonly #lines: Interface = createInterface({ input: this.#child.stdout });

  static present(): boolean {
    return existsSync(PYTHON);
  }

  async analyse(folder: string): Promise<TorchAnswer> {
    this.#child.stdin.write(`${folder}\n`);
    const [line] = await once(this.#lines, 'line');
    return JSON.parse(line); // our own script's answer
  }

  end(): void {
    this.#child.stdin.end();
  }
}
