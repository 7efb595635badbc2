// CUDA error: a process can use its GPU no more; in the same words for a pointer of its own that was wrong and for a GPU that failed.

import type { Incident } from '../../model/incident.ts';
import type { Special } from './special-step.ts';

/** In the words of cudaGetErrorString() and hipGetErrorString(). Of an assertion in a kernel the program is at fault. */
const WORDS =
  /an illegal memory access was encountered|unspecified launch failure|the launch timed out and was terminated|hardware stack error|an illegal instruction was encountered|misaligned address|invalid program counter|(?:CUDA|HIP) error: unknown error|^Memory access fault by GPU/m;
const OF_HIP = /\bHIP\b|\bhip[A-Z]|Memory access fault by GPU/;

/** Null where the words are others, or a line of the driver says whose it is. */
export function cudaError({ root, events }: Incident): Special | null {
  const own = events.find(({ id }) => id === root.eventId);
  const lines = (own?.evidence ?? []).flatMap((each) => ('text' in each ? [each.text] : []));
  const message = [own?.attributes.message ?? '', ...lines].join('\n');
  if (root.kind !== 'job.rank_crashed' || !WORDS.test(message)) return null;
  if (events.some(({ attributes }) => attributes.xid !== undefined)) return null;
  const { log, ifAny, run } = OF_HIP.test(message) ? AMD : NVIDIA;
  return {
    does: 'see whether the GPU failed, then debug %',
    now: `first on @, ${log} at TIME: ${ifAny} is the GPU's, so keep work off it. Where there is none it is the program's, and @ can stay in service: ${run}, and send LINES`,
    call: 'who runs the job',
  };
}

const NVIDIA = {
  log: 'sudo dmesg -T | grep -i xid',
  ifAny: 'any XID but 13, 31, 43 and 45',
  run: 'run it with CUDA_LAUNCH_BLOCKING=1 or under compute-sanitizer',
};
const AMD = {
  log: 'sudo dmesg -T | grep -i amdgpu',
  ifAny: 'a hardware error or a reset',
  run: 'run it with AMD_SERIALIZE_KERNEL=3',
};
