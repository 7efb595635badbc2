// No GPU given: a program that finds no GPU at all. The host has none left to give, or the job asked for none: nothing in the program is wrong.

import type { Incident } from '../../model/incident.ts';
import { podOf } from '../../model/pod-name.ts';
import { HOST } from './kind-step.ts';
import type { Special } from './special-step.ts';

const FINDS_NONE =
  /No (?:CUDA|HIP) GPUs? (?:are|is) available|no CUDA-capable device|Found no NVIDIA driver|No visible GPU devices|Failed to (?:infer|detect) device type|GetDeviceCount\(\)/;

/** Null of any other end of a program. */
export function noGpuGiven({ root, events, action: { kind } }: Incident): Special | null {
  const attributes = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  const isEnd = root.kind === 'job.rank_crashed' || root.kind === 'job.failed';
  if (!isEnd || (kind !== 'check_config' && kind !== 'debug_app') || !FINDS_NONE.test(String(attributes.message ?? '')))
    return null;
  return podOf(attributes) === null
    ? {
        does: 'find out why % sees no GPU',
        now: 'on @, nvidia-smi -L; sudo dmesg -T | grep -iE "xid|nvrm" (AMD: amd-smi list): where one is gone, DRAIN. Where all are there, the job was given none: Slurm --gres or --gpus, a container --gpus all, and CUDA_VISIBLE_DEVICES in the job',
        call: HOST,
      }
    : {
        does: 'find out why % is given no GPU on @',
        now: 'kubectl describe node @ | grep nvidia.com/gpu; on @, nvidia-smi -L; sudo dmesg -T | grep -iE "xid|nvrm"; kubectl get pods -A -o wide --field-selector spec.nodeName=@ | grep device-plugin. Where all are there: kubectl describe podPOD | grep -A4 Limits has to ask for nvidia.com/gpu',
        call: HOST,
      };
}
