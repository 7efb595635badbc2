// No effect: what is said where nothing followed from the root: its own work, where it is work, and else that no job was seen to suffer.

import { nameText } from '../../model/component-name.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { readOnlySystem } from './failed-disk.ts';
import { offForHeatMs } from './host-off.ts';
import { workSaid } from './owner.ts';
import { hostWords } from './place.ts';
import { stoppedHost } from './stopped-host.ts';

const LONGEST = 64;

/** `on vllm itself`, `gx-28 stopped`, `process python (5511) ended, of slurm job 90411`, `none seen on a job so far`. */
export function noEffectText(incident: Incident): string {
  const { root, events } = incident;
  const { component } = root;
  if (component?.type === 'job' || component?.type === 'rank') return `on ${nameText(component)} itself`;
  const stopped = stoppedHost(incident);
  if (stopped !== null) return `${stopped} stopped`;
  const readOnly = readOnlySystem(incident);
  if (readOnly !== null) return `file system ${readOnly} of ${plain(incident.host, LONGEST)} is read-only`;
  if (offForHeatMs(incident) !== null) return `${hostWords(incident)} shut itself down, with all that ran there`;
  const killed = events.find(({ attributes }) => typeof attributes.pid === 'number' && typeof attributes.process === 'string'); // biome-ignore format: one rule
  const whose = workSaid(incident);
  if (killed === undefined || !ENDS.has(root.kind))
    return root.kind.startsWith('pod.') && whose !== null ? `on ${whose} itself` : 'none seen on a job so far';
  const { pid, process } = killed.attributes;
  return `process ${plain(String(process), LONGEST)} (${pid}) ended${whose === null || whose.startsWith('the job') ? '' : `, of ${whose}`}`;
}

/** Their lines name a process that the kernel ended for it. */
const ENDS: ReadonlySet<string> = new Set(['host.oom', 'memory.ue', 'process.segfault']);
