// Exit: what the code or signal that a process ended with means, as its launcher reports it.

import type { Fault } from './fault.ts';

const SIGKILL = 9;
const SIGTERM = 15;
const SIGINT = 2;
const LARGEST_SIGNAL = 64;
/** PBS and Torque write 256 and the number of the signal, a shell 128 and it. */
const BASES = [128, 256];

/**
 * Of the groups `signal`, or `exit_code`, where a number below zero is a signal. Null for a process that ended well, and for a
 * signal that a launcher sends to end what is left: it says nothing of the worker.
 */
export function exitFault(groups: {
  readonly exit_code?: string | undefined;
  readonly signal?: string | undefined;
}): Pick<Fault, 'kind' | 'attributes'> | null {
  const code = groups.signal === undefined ? Number(groups.exit_code ?? 0) : -Number(groups.signal);
  const base = BASES.find((each) => code > each && code <= each + LARGEST_SIGNAL);
  const signal = code < 0 ? -code : base === undefined ? 0 : code - base;
  if (code === 0 || signal === SIGTERM || signal === SIGINT) return null;
  return {
    kind: signal === SIGKILL ? 'job.rank_killed' : 'job.rank_crashed',
    attributes: signal === 0 ? { exit_code: code } : { signal },
  };
}
