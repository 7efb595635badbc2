// Which GPUs of this node a job has: the indices behind IDX, which count the node's GPUs in the order of gres.conf.

import { hostsOf } from '../../../helpers/host-list.ts';
import type { SlurmJob } from './job.ts';

const MOST_GPUS = 1024;
/**
 * "gpu:4(IDX:0-3)", "gpu:a100:2(IDX:0,5)"; a type like 1g.10gb is an instance, whose index is not a GPU's. Of "shard:1(IDX:0)" and
 * "mps:50(IDX:0)" it is the GPU that is shared.
 */
const GPU = /(?:^|,)(?:gres[/:])?(gpu|shard|mps)(?::([\w.+-]{1,64}))?:\d{1,5}\(IDX:([\d,-]{1,256})\)/g;
const INSTANCE = /^\d+[gc]\.|\d+gb$/;

/** Null where Slurm does not say, or means instances. */
export function gpusOn(node: string, { gres, nodes }: Pick<SlurmJob, 'gres' | 'nodes'>): readonly number[] | null {
  const text = shareOf(node, gres, nodes);
  if (text === null) return null;
  const found = new Set<number>();
  for (const [, , type, indices = ''] of text.matchAll(GPU)) {
    if (type !== undefined && INSTANCE.test(type)) return null;
    for (const index of numbersOf(indices)) found.add(index);
  }
  return found.size === 0 ? null : [...found];
}

/** Others may have parts of the same GPUs. */
export function sharesGpus({ gres }: Pick<SlurmJob, 'gres'>): boolean {
  return gres.some(({ text }) => /(?:^|[,/])(?:shard|mps):/.test(text));
}

/** JSON has one text a node in the order of the list of nodes; the text form names the nodes of each. */
function shareOf(node: string, gres: SlurmJob['gres'], nodes: string | null): string | null {
  const named = gres.find((share) => share.nodes !== null && hostsOf(share.nodes).includes(node));
  if (named !== undefined) return named.text;
  const at = nodes === null ? -1 : hostsOf(nodes).indexOf(node);
  return gres[at]?.nodes === null ? (gres[at]?.text ?? null) : null;
}

function numbersOf(ranges: string): number[] {
  return ranges.split(',').flatMap((range) => {
    const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(range) ?? [];
    const count = first === undefined ? 0 : Math.min(MOST_GPUS, Number(last) - Number(first) + 1);
    return Array.from({ length: Math.max(0, count) }, (_, i) => Number(first) + i);
  });
}
