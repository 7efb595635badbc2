// Whose lines these are: the job that a sender names, or whose pod, container or scheduler's number it names.

import type { WorkView } from '../../identity/work/work.ts';
import type { Sender } from '../sender.ts';
import { isOwnersWord } from './owners-word.ts';

/** What a sender says; each is its own word. */
export interface SaidWhose {
  readonly job: string | null;
  readonly podUid: string | null;
  readonly podName: string | null;
  readonly namespace: string | null;
  readonly rank: number | null;
}

export const NO_WORD: SaidWhose = { job: null, podUid: null, podName: null, namespace: null, rank: null };
/** As the configuration asks of a job. */
const JOB = /^[^\s/]{1,128}$/;

export interface Whose {
  readonly job: string;
  readonly rank: number | null;
  /** Nothing but the sender says that there is such a job. */
  readonly claimed: boolean;
}

/** Who passes lines on, and whom the configuration believes about the jobs of others. */
export interface PassedOn {
  readonly sender: Sender;
  readonly shippers: readonly string[];
}

/** The one name that the job is reported under; null where what is said names none. `passed`: null where no one is between. */
export function whoseLines(said: SaidWhose, view: Works, passed: PassedOn | null = null): Whose | null {
  const found = named(said, view);
  return found === null ? null : asSaidBy(passed, found, view);
}

/** What a sender says of a job that runs here and is not its own is of another job, named after both: no user speaks for another's. */
export function asSaidBy(passed: PassedOn | null, whose: Whose, { works }: Works): Whose {
  if (whose.claimed || passed === null) return whose;
  const { sender, shippers } = passed;
  const user = works.find(({ id, aliases }) => id === whose.job || aliases.includes(whose.job))?.user ?? null;
  if (isOwnersWord(sender, user, shippers)) return whose;
  return { job: `${whose.job}@${sender.name}`, rank: null, claimed: true };
}

type Works = Pick<WorkView, 'works'>;

function named(said: SaidWhose, { works }: Works): Whose | null {
  const { rank } = said;
  const { job, podUid, podName, namespace } = said;
  if (job !== null && JOB.test(job)) {
    const known = works.find(({ id, aliases }) => id === job || aliases.includes(job));
    return { job: known?.id ?? job, rank, claimed: known === undefined };
  }
  if (podUid === null && podName === null) return null;
  const ofPod = works.find(({ pods }) =>
    pods.some(({ uid, name, namespace: where }) =>
      podUid !== null ? uid === podUid : name === podName && (namespace ?? where) === where,
    ),
  );
  if (ofPod === undefined) return null;
  const ranks = ofPod.ranks.filter(({ pod }) => pod !== null && (pod === podUid || pod === podName));
  return { job: ofPod.id, rank: rank ?? (ranks.length === 1 ? (ranks[0]?.rank ?? null) : null), claimed: false };
}
