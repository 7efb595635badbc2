// Missing ranks: of a collective or a barrier that others wait in, those that did not come, as a list below the line that says so.

import type { Fault } from './fault.ts';

/** Horovod's stall_inspector.cc: "Missing ranks:", then "5: [allreduce.grad_1, …]"; of 0.19 "Stalled ranks:", before "[missing ranks: 3, 7]". */
const LIST = /^(?:Missing|Stalled) ranks:\s*$/;
const ROW = /^(\d{1,7}): \[([^\],]{1,120})?/;
const INLINE = /\[missing ranks: (\d{1,7}(?:, ?\d{1,7}){0,200})\]\s*$/;
/** XLA's coordination_service.cc: "Some timed out task names:", then a task a line. */
const TASKS = /\btimed out task names:\s*$/;
const TASK = /^\s{0,8}\/job:\w{1,64}\/replica:\d{1,5}\/task:(\d{1,7})\s*$/;
const MOST = 64;

type Of = 'ranks' | 'tasks';

export class MissingRanks {
  #of: Of | null = null;
  /** What a launcher puts before each line of the printer. */
  #label = '';
  #numbers: string[] = [];
  #operation: string | undefined;

  /** The next line counts. */
  get open(): boolean {
    return this.#of !== null;
  }

  /** Takes a line, as it is and without what its printer put before it; returns what the lines before say once none of them follows. */
  take(text: string, body: string): readonly Fault[] {
    const inline = INLINE.exec(body)?.[1];
    if (inline !== undefined) return [...this.end(), desync(inline.split(/, ?/), undefined)];
    const begun = LIST.test(body) ? 'ranks' : TASKS.test(body) ? 'tasks' : null;
    if (begun !== null) {
      const before = this.end();
      this.#of = begun;
      this.#label = begun === 'ranks' ? Buffer.from(text.slice(0, text.length - body.length)).toString() : '';
      return before;
    }
    if (this.#of === null) return [];
    // A number before a colon has the form of srun's own label: what the head had before it the rows have as well.
    const row = text.startsWith(this.#label) ? text.slice(this.#label.length) : body;
    const [, number, operation] = (this.#of === 'ranks' ? ROW : TASK).exec(row) ?? [];
    if (number === undefined) return this.end();
    if (this.#numbers.length < MOST) this.#numbers.push(Buffer.from(number).toString());
    this.#operation ??= operation;
    return [];
  }

  end(): readonly Fault[] {
    const [of, numbers, operation] = [this.#of, this.#numbers, this.#operation];
    this.#of = null;
    this.#numbers = [];
    this.#operation = undefined;
    if (of === null || numbers.length === 0) return [];
    if (of === 'ranks') return [desync(numbers, operation)];
    const attributes = { message: 'not at the barrier', task: Number(numbers[0]), silent: numbers.join(', ') };
    return [{ kind: 'job.hang', severity: 'error', place: 'job', attributes }];
  }
}

function desync(numbers: readonly string[], operation: string | undefined): Fault {
  const silent = numbers.join(', ');
  const what = operation === undefined ? 'what the others wait for' : Buffer.from(operation).toString();
  const did = `rank${numbers.length === 1 ? '' : 's'} ${silent} did not submit ${what}`;
  return { kind: 'job.collective_desync', severity: 'warning', place: 'job', attributes: { silent, did } };
}
