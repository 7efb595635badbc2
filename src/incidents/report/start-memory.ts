// Start memory: a server that finds less of its GPU free than it is to take does not start; most often another process holds it.

import type { Incident } from '../../model/incident.ts';
import { OWNER } from './kind-step.ts';
import { hostWords } from './place.ts';
import type { Special } from './special-step.ts';

/** vLLM, of which newer releases name the device: "Free memory on device cuda:0 (11.2/79.11 GiB) on startup is less than …". */
const FREE =
  /\bFree memory on device(?: [\w:.]{1,24})? \((\d{1,5}(?:\.\d{1,4})?)\/(\d{1,5}(?:\.\d{1,4})?) GiB\) on startup is less than/;
/** The driver and a context of CUDA take less than this share of a GPU. */
const OWN_SHARE = 0.05;

/** Null where no line says how much was free. */
export function startMemory(incident: Incident): Special | null {
  const { root, events } = incident;
  if (root.kind !== 'job.gpu_oom') return null;
  const lines = events.flatMap(({ evidence }) => evidence.flatMap((each) => ('text' in each ? [each.text] : [])));
  const [, free, all] = lines.map((line) => FREE.exec(line)).find((found) => found !== null) ?? [];
  const total = Number(all);
  const held = total - Number(free);
  if (!Number.isFinite(held) || total <= 0) return null;
  return held / total > OWN_SHARE ? ofOthers(held, total, hostWords(incident)) : ofItself(Number(free) / total);
}

function ofOthers(held: number, total: number, host: string): Special {
  const gib = (size: number): string => size.toFixed(size < 10 ? 1 : 0);
  return {
    does: `see who holds ${gib(held)} of the ${gib(total)} GiB of the GPU that % is to start on`,
    now: 'on @, nvidia-smi --query-compute-apps=pid,used_memory,gpu_uuid --format=csv, then ps -o pid,user,lstart,args -p PID: what an earlier run left its owner ends; where it is a job that runs, two were given one GPU. Then start % again as it was',
    call: host === 'its host' ? OWNER : 'who runs @',
  };
}

function ofItself(share: number): Special {
  return {
    does: 'let % take less of its GPU',
    now: `start it with --gpu-memory-utilization at most ${(Math.floor(share * 100) / 100).toFixed(2)}; @ can stay in service`,
    call: OWNER,
  };
}
