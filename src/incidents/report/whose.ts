// Whose: the jobs that an incident hit, in a few words: what they are called, who runs them, which ranks and pods.

import { indexText } from '../../model/component-name.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { schedulerId, type Whose, type WhosePod } from '../../model/whose.ts';

/** Jobs that are named in full. */
const IN_FULL = 3;
const NAMED = 8;
const GPUS = 4;
const LONGEST = 64;

/** `llama-70b (slurm job 991) of alice, ranks 0…7, on gpu 0000:1b:00.0; pod ml/llama-70b-worker-0`; null where no job is known. */
export function whoseText({ whose = [] }: Pick<Incident, 'whose'>): string | null {
  if (whose.length === 0) return null;
  const full = whose.slice(0, IN_FULL).map(oneText);
  const more = whose.length > IN_FULL ? [`and ${whose.length - IN_FULL} more`] : [];
  const all = [...full, ...more].join('; ');
  return whose.every(({ by }) => by === 'host') ? `on this host: ${all}` : all;
}

/** `991 of alice`, `991 of alice and 2 more`: for a list. Empty where no job is known. */
export function whoseShort({ whose = [] }: Pick<Incident, 'whose'>): string {
  const [first, ...others] = whose;
  if (first === undefined) return '';
  const { job, user, pods } = first;
  const what = job === null ? podText(pods.slice(0, 1)) : `job ${plain(job, LONGEST)}`;
  const of = user === null ? '' : ` of ${plain(user, LONGEST)}`;
  return `${what}${of}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}

/** `llama-70b (slurm job 991)`, or its pod where no job is known; null where neither is. */
export function workText(one: Whose): string | null {
  if (one.job !== null) return jobText(one);
  return one.pods.length === 0 ? null : podText(one.pods.slice(0, 1));
}

function oneText(one: Whose): string {
  const { job, user, account, ranks, pods } = one;
  const words = [job === null ? null : jobText(one), user === null ? null : `of ${plain(user, LONGEST)}`];
  const of = words.filter((word) => word !== null).join(' ');
  const parts = [
    of,
    account === null ? null : `account ${plain(account, LONGEST)}`,
    ranks.length === 0 ? null : `${ranks.length === 1 ? 'rank' : 'ranks'} ${indexText(ranks.map(String))}`,
    one.by === 'host' ? null : gpusText(one),
    pods.length === 0 ? null : podText(pods),
  ];
  return parts.filter((part) => part !== null && part !== '').join(', ');
}

/** `on gpu 0000:1b:00.0, 0000:43:00.0`: what a rank of it is on, by the name that never changes. */
function gpusText({ devices = [] }: Whose): string | null {
  const gpus = devices.flatMap((device) => /^gpu(?:_instance)?\/(.+)$/.exec(plain(device, LONGEST))?.[1] ?? []);
  if (gpus.length === 0) return null;
  const more = gpus.length > GPUS ? ` and ${gpus.length - GPUS} more` : '';
  return `on gpu ${gpus.slice(0, GPUS).join(', ')}${more}`;
}

/** The name that its user gave it, and what the scheduler calls it. */
function jobText({ job, aliases, manager, name }: Whose): string {
  const id = schedulerId(job, aliases, manager) ?? job ?? '';
  const called = name ?? job ?? '';
  const by = manager === null || manager === 'process' ? '' : `${plain(manager, LONGEST)} `;
  return called === id
    ? `${by}job ${plain(id, LONGEST)}`
    : `${plain(called, LONGEST)} (${by}job ${plain(id, LONGEST)})`;
}

function podText(pods: readonly WhosePod[]): string {
  const names = pods.slice(0, NAMED).map(({ namespace, name, uid, container }) => {
    const pod = name === '' ? plain(uid, LONGEST) : `${plain(namespace, LONGEST)}/${plain(name, LONGEST)}`;
    return container === null ? pod : `${pod} (${plain(container, LONGEST)})`;
  });
  const more = pods.length > NAMED ? ` and ${pods.length - NAMED} more` : '';
  return `${pods.length === 1 ? 'pod' : 'pods'} ${names.join(', ')}${more}`;
}
