// Left out: that options left no line to judge, which is not the same as that nothing is wrong.

import { listed } from '../../incidents/report/sentences.ts';
import { plain } from '../../model/plain.ts';
import { hostText } from '../../model/unnamed-host.ts';
import type { ScannedInput } from './document.ts';
import type { HostOfLogs } from './host-names.ts';
import { isWanted, type Wanted } from './wanted.ts';

/** Of which times the lines are that were read, and how many of them were asked for. */
export class Times {
  #fromMs = Number.POSITIVE_INFINITY;
  #toMs = Number.NEGATIVE_INFINITY;
  #wanted = 0;
  #newestMs = Number.NEGATIVE_INFINITY;

  take(timeMs: number, { fromMs, toMs }: Wanted): void {
    if (timeMs < this.#fromMs) this.#fromMs = timeMs;
    if (timeMs > this.#toMs) this.#toMs = timeMs;
    if (timeMs >= fromMs && timeMs <= toMs) this.#wanted += 1;
  }

  /** Lines were read, and none of them is of the time asked for. */
  get missed(): boolean {
    return this.#wanted === 0 && this.#toMs >= this.#fromMs;
  }

  /** Of the newest line that has a time by itself; minus infinity where none has. */
  get newestMs(): number {
    return this.#newestMs;
  }

  see(timeMs: number | null): void {
    if (timeMs !== null && timeMs > this.#newestMs) this.#newestMs = timeMs;
  }

  get text(): string {
    return `${stamp(this.#fromMs)} to ${stamp(this.#toMs)}`;
  }
}

export interface Judged {
  readonly inputs: readonly ScannedInput[];
  readonly hosts: readonly HostOfLogs[];
  readonly times: Times;
  /** Whether anything was found in them: an event or a step of training. */
  readonly found: boolean;
}

/** Whether nothing that could be used was named; that no line is of some hour is what a quiet log looks like. */
export function isUseless({ inputs, hosts }: Judged, wanted: Wanted): boolean {
  return inputs.length === 0 || (hosts.length > 0 && hosts.every(({ name }) => !isWanted(wanted, name)));
}

/** Null where there was a line to judge. */
export function nothingJudged({ inputs, hosts, times, found }: Judged, wanted: Wanted): string | null {
  if (inputs.length === 0)
    return 'Nothing was read: there is no log in what was named. Name a log or a folder with logs';
  const names = hosts.map(({ name }) => plain(hostText(name), 120));
  if (names.length > 0 && hosts.every(({ name }) => !isWanted(wanted, name)))
    return `Nothing was judged: no line is of the --host asked for; the logs are of ${listed(names, ', ')}`;
  if (times.missed)
    return `Nothing was judged: no line that was read is of the time asked for; they are of ${times.text}`;
  const unknown =
    !found &&
    inputs.every(
      ({ format, lines, undated_lines: undated, judged, samples }) =>
        format === 'plain' && undated === lines && judged === undefined && samples === undefined,
    );
  if (unknown)
    return 'Nothing was judged: no line in a known form. What is read: logs of kernels, journals, syslog, jobs and BMCs, and what nvidia-smi, rocm-smi, dcgmi, ipmitool, lspci, kubectl and Slurm print';
  return null;
}

function stamp(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
