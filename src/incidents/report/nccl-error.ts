// NCCL error: a call that failed under it, of the system or of CUDA, is not the program's fault until it is known which it was.

import type { Incident } from '../../model/incident.ts';
import { OWNER } from './kind-step.ts';
import type { Special } from './special-step.ts';

const WORDS = /unhandled (?:system|cuda) error|\bnccl(?:System|UnhandledCuda)Error\b/;

/** Null of any other end. */
export function ncclError({ root, events }: Incident): Special | null {
  const own = events.find(({ id }) => id === root.eventId);
  const { message } = own?.attributes ?? {};
  if (root.kind !== 'job.rank_crashed' || typeof message !== 'string' || !WORDS.test(message)) return null;
  return {
    does: 'find out which call failed under NCCL of %: system, network or GPU',
    now: 'lines with NCCL WARN above it name it (where there are none, run it again with NCCL_DEBUG=WARN). On @, df -h /dev/shm; ip -br link; nvidia-smi; sudo dmesg -T at TIME show what a host lacks; only where nothing there failed is it the program',
    call: OWNER,
  };
}
