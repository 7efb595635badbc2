// GPU memory: what a program that ran out of it can be made to take less, as far as its name or lines say which program it is.

import catalog from '#catalog/gpu-memory.json' with { type: 'json' };
import type { Incident } from '../../model/incident.ts';
import { askedOptions } from './asked-option.ts';
import { OWNER } from './kind-step.ts';
import type { Special } from './special-step.ts';

const PROGRAMS = catalog.programs.map(({ words, hint }) => ({ words: new RegExp(words, 'i'), hint }));

/** Null where it is not that. */
export function outOfGpuMemory(incident: Incident): Special | null {
  const { root, events, whose = [] } = incident;
  if (root.kind !== 'job.gpu_oom') return null;
  const lines = events.flatMap(({ evidence }) => evidence.flatMap((each) => ('text' in each ? [each.text] : [])));
  const asked = askedOptions(lines);
  if (asked !== null)
    return {
      does: `start % with ${asked}, as its error asks`,
      now: `see first that nothing else holds its GPU: on @, nvidia-smi --query-compute-apps=pid,used_memory,gpu_uuid --format=csv; then start it with ${asked}, or on more GPUs; @ can stay in service`,
      call: OWNER,
    };
  const said = [root.component?.id ?? '', ...whose.map(({ name }) => name ?? ''), ...lines].join('\n');
  const hint = PROGRAMS.find(({ words }) => words.test(said))?.hint ?? '';
  return { does: 'let % use less memory of the GPU', now: `${hint}; @ can stay in service`, call: OWNER };
}
