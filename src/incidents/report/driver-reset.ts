// Driver reset: a GPU with a memory error that its driver has reset by itself is not reset once more; whether it is whole is looked at.

import { canonicalPciAddress } from '../../model/component.ts';
import type { Incident } from '../../model/incident.ts';
import { HOST } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** When the driver said that its reset succeeded, Unix milliseconds; null where it did not, or where the GPU failed again after it. */
export function resetMs({ root, events }: Pick<Incident, 'root' | 'events'>): number | null {
  if (!root.kind.startsWith('gpu.memory.')) return null;
  const device = root.component?.id;
  const own = events.filter(({ component }) => component?.type === 'gpu' && component.id === device);
  const reset = own.findLast(({ state, attributes }) => state === 'clear' && attributes.driver_reset === true);
  if (reset === undefined) return null;
  const isAgain = own.some(
    ({ kind, state, timeMs }) =>
      kind === 'gpu.reset_failed' || (state !== 'clear' && timeMs > reset.timeMs && kind === root.kind),
  );
  return isAgain ? null : reset.timeMs;
}

export function driverReset(incident: Incident): Special | null {
  const { target, kind } = incident.action;
  if (kind !== 'drain_reset_gpu' || target?.type !== 'gpu' || resetMs(incident) === null) return null;
  const address = canonicalPciAddress(target.id);
  if (address === null) return null;
  return {
    does: 'see whether % is whole again: its driver reset it by itself',
    now: `DRAIN; the reset succeeded at BACK, and ended what ran there, as on all GPUs that XGMI links to it: start that again elsewhere. Before work comes back, on @, sudo amd-smi bad-pages --gpu ${address} and sudo amd-smi metric --ecc --gpu ${address}: where errors come again, have it replaced`,
    call: HOST,
  };
}
