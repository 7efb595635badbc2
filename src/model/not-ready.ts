// Not ready: what a kubelet says that its node lacks, in a few words.

import type { Attributes } from './event.ts';
import { shortened } from './shortened.ts';

export type Lack = 'runtime' | 'network' | 'other';

const RUNTIME =
  /PLEG is not healthy|container runtime (?:is down|status check|not ready(?!: NetworkReady))|RuntimeReady=false|runtime service failed/i;
const NETWORK = /network ?plugin|NetworkReady=false|\bcni\b/i;
const LONGEST = 120;

/** By the words of its kubelet, which posts them and is up; null where it says nothing. */
export function lackOf({ reason, program, status }: Attributes): Lack | null {
  if (status === 'Unknown') return null;
  if (typeof reason !== 'string' || reason === '') return program === 'kubelet' || status === 'False' ? 'other' : null;
  return RUNTIME.test(reason) ? 'runtime' : NETWORK.test(reason) ? 'network' : 'other';
}

/** "its container runtime does not answer"; null where its kubelet says nothing. */
export function lackText(attributes: Attributes): string | null {
  const lack = lackOf(attributes);
  if (lack === 'runtime') return 'its container runtime does not answer';
  if (lack === 'network') return 'its network plugin (CNI) is not ready';
  const { reason } = attributes;
  return lack === null || typeof reason !== 'string' || reason === '' ? null : shortened(reason, LONGEST);
}
