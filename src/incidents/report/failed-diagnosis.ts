// Failed diagnosis: a GPU that failed DCGM's own PCIe test is not diagnosed once more before it was reseated.

import type { Incident } from '../../model/incident.ts';
import { saidGpu } from '../../model/said-device.ts';
import { HANDS } from './kind-step.ts';
import type { Special } from './special-step.ts';

const PCIE = /^pcie$/i;

/** Null where no such test failed, or the line names no GPU. */
export function failedDiagnosis({ root, events, action: { kind, target } }: Incident): Special | null {
  const { test, result, diagnosis, ...attributes } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  const failed = diagnosis ?? (result === 'Fail' ? test : null);
  if (kind !== 'inspect_hardware' || typeof failed !== 'string' || !PCIE.test(failed)) return null;
  const number = saidGpu(attributes);
  if (number === null) return null;
  const gpu = target?.type === 'gpu' ? '%' : `GPU ${number} of @`;
  return {
    does: `reseat ${gpu} and its riser, for it failed the PCIe test of dcgmi diag`,
    now: `DRAIN; once nothing runs on @, save what its driver knows (NVIDIA: sudo nvidia-bug-report.sh), have it and its riser or cables reseated, then run sudo dcgmi diag -r 3 -i ${number}; where it fails again, open a case for it with FILE`,
    call: HANDS,
  };
}
