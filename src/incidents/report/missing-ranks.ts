// Missing ranks: where the job's own lines name the ranks that the others wait for, these are looked at, and not the program as a whole.

import { indexText } from '../../model/component-name.ts';
import type { Incident } from '../../model/incident.ts';
import { OWNER } from './kind-step.ts';
import type { Special } from './special-step.ts';

const LIST = /^\d{1,7}(?:, ?\d{1,7})*$/;

/** Null where no line names any. */
export function missingRanks({ root, action, events }: Incident): Special | null {
  const silent = events
    .filter(({ kind }) => kind === root.kind)
    .map(({ attributes }) => attributes.silent)
    .find((each) => typeof each === 'string' && LIST.test(each));
  if (root.kind !== 'job.collective_desync' || typeof silent !== 'string') return null;
  const ranks = silent.split(/, ?/);
  const name = `rank${ranks.length === 1 ? '' : 's'} ${indexText(ranks)}`;
  const of = action.target?.type === 'job' ? ' of %' : '';
  return {
    does: `find out why ${name}${of} did not join the others`,
    now: `see the end of the log of ${name}; on ${ranks.length === 1 ? 'its host' : 'their hosts'}, nvidia-smi; sudo dmesg -T | grep -iE "xid|mlx5|out of memory" at TIME and before, and py-spy dump --pid PID while it runs. Where nothing failed there, the ranks call different operations: compare their last lines`,
    call: OWNER,
  };
}
