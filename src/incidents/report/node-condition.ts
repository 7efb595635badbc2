// Node condition: what a detector of problems says of its node, in its own words, which are looked into on that node.

import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { HOST } from './kind-step.ts';
import type { Special } from './special-step.ts';

const LONGEST = 100;

/** Null where the root is another thing. */
export function nodeCondition({ root, events }: Incident): Special | null {
  const { condition, reason } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  if (root.kind !== 'host.degraded' || typeof condition !== 'string') return null;
  const words = typeof reason === 'string' ? `: ${plain(reason, LONGEST)}` : '';
  const log = /gpu|nvlink|xid|nvidia/i.test(`${condition} ${words}`) ? 'nvidia-smi; sudo dmesg -T | grep -iE "xid|nvrm"' : 'sudo dmesg -T | tail -n 50; sudo journalctl -p err -n 50'; // biome-ignore format: one choice
  return {
    does: `see what is wrong with %, whose condition ${plain(condition, 64)} says so${words}`,
    now: `DRAIN; on @, ${log} shows the same fault; kubectl describe node @ has the condition, its time and the pods there`,
    call: HOST,
  };
}
