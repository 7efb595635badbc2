// No access: a model or data set that its server does not give to this user. Nothing in the program is to be debugged.

import type { Incident } from '../../model/incident.ts';
import { OWNER } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** Of huggingface_hub (errors.py); of the second its server says the same where a private one is asked for without a token. */
const REFUSED: ReadonlySet<unknown> = new Set(['GatedRepoError', 'RepositoryNotFoundError']);

/** Null of any other exception. */
export function noAccess({ root, events }: Incident): Special | null {
  const { exception } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  if (root.kind !== 'job.rank_crashed' || !REFUSED.has(exception)) return null;
  const name =
    exception === 'GatedRepoError' ? 'ask for access on the page of the model' : 'see that its name is right';
  return {
    does: 'get access to the model or data set that % asks for',
    now: `${name}, with the account whose token the job uses; then give the job that token (HF_TOKEN, or hf auth login) and start it again; @ can stay in service`,
    call: OWNER,
  };
}
