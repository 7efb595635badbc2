// Failed prolog: the site's own script before or after a job failed on a node. What it printed is the reason, and Slurm takes the node out by itself.

import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { HOST } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** A head has room for a sentence; the cause is most often at its end. */
const LONGEST = 90;
const ADDRESS = /\b(?:[0-9a-fA-F]{4,8}:)?([0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])\b/;

/** The first that fits what the script printed. */
const STEPS: readonly (readonly [RegExp, string])[] = [
  [
    /remap|retire|pending page/i,
    'nvidia-smi -q -d ROW_REMAPPER,PAGE_RETIREMENT shows which GPU waits for its reset; once nothing runs on @, reset it (sudo nvidia-smi --gpu-reset -iGPU); where it says failure, have it replaced',
  ],
  [
    /\bxid\b|fallen off|\blost\b|\becc\b|uncorrect|unrecover|no devices|not found.*gpu|gpu.*(?:count|missing|not found)/i,
    'nvidia-smi -L; sudo dmesg -T | grep -iE "xid|nvrm"; once nothing runs on @, reset the GPU, else reboot @',
  ],
  [/no space|disk full|quota|read-only/i, 'df -h; df -i; sudo dmesg -T | tail -n 50: free what earlier jobs left'],
  [
    /mount|stale|nfs|lustre|gpfs|beegfs|weka/i,
    'findmnt; df -h; sudo dmesg -T | tail -n 50: mount again what is missing',
  ],
  [
    /\bib\b|infiniband|mlx5|link|port|\bnic\b/i,
    'ibstat; ip -br link; sudo dmesg -T | grep -i mlx5: see the port that it names',
  ],
];

/** What the script printed; null where no log has it. */
function printed({ events }: Pick<Incident, 'events'>): string | null {
  const says = events.map(({ attributes }) => attributes.says).find((each) => typeof each === 'string' && each !== '');
  return typeof says === 'string' ? says : null;
}

export function failedProlog(incident: Incident): Special | null {
  const { root, events } = incident;
  const { script } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  if (root.kind !== 'host.degraded' || typeof script !== 'string') return null;
  const which = /epilog/i.test(script) ? 'epilog' : 'prolog';
  const says = printed(incident);
  const hand = `scontrol show config | grep -i ${which} names the script: run it there by hand`;
  if (says === null) return { does: `see why the ${which} of Slurm fails on %`, now: `on @, sudo journalctl -u slurmd has what it printed; ${hand}; DRAIN`, call: HOST }; // biome-ignore format: one step
  const step = STEPS.find(([form]) => form.test(says))?.[1];
  const gpu = ADDRESS.exec(says)?.[1];
  const now = step?.replace('GPU)', gpu === undefined ? ' GPU)' : ` ${gpu})`);
  return {
    does: `fix on % what the ${which} of Slurm found: ${brief(says)}`,
    now: `DRAIN; on @, ${now === undefined ? hand : now}`,
    call: HOST,
  };
}

/** Its beginning, which names the check, where it is short; else its end. */
function brief(says: string): string {
  const text = plain(says.trim(), 300);
  return text.length <= LONGEST ? text : `…${text.slice(-LONGEST).replace(/^\S*\s/, '')}`;
}
