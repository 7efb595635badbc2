// GPU memory: what a program that ran out of it can be made to take less, as far as its name or lines say which program it is.

import catalog from '#catalog/gpu-memory.json' with { type: 'json' };
import type { Incident } from '../../model/incident.ts';
import { OWNER } from './kind-step.ts';
import type { Special } from './special-step.ts';

const PROGRAMS = catalog.programs.map(({ words, hint }) => ({ words: new RegExp(words, 'i'), hint }));

/** Null where it is not that. */
export function outOfGpuMemory(incident: Incident): Special | null {
  const { root, events, whose = [] } = incident;
  if (root.kind !== 'job.gpu_oom') return null;
  const lines = events.flatMap(({ evidence }) => evidence.flatMap((each) => ('text' in each ? [each.text] : [])));
  const said = [root.component?.id ?? '', ...whose.map(({ name }) => name ?? ''), ...lines].join('\n');
  const hint = PROGRAMS.find(({ words }) => words.test(said))?.hint ?? '';
  return { does: 'let % use less memory of the GPU', now: `${hint}; @ can stay in service`, call: OWNER };
}
