// Standing: something that the daemon set on its node and did not take back, as the record keeps it.

import type { Incident } from '../../model/incident.ts';
import type { ActionName } from './schema.ts';

/** What the record has of an incident. */
export interface Recorded extends Pick<Incident, 'id' | 'host' | 'revision' | 'confidence'> {
  readonly root: { readonly kind: string };
}

export interface Standing {
  readonly action: ActionName;
  readonly of: Recorded;
}

/** What can be taken back: a reset or a reboot is over when it is done. */
export const CAN_STAND: ReadonlySet<ActionName> = new Set<ActionName>(['condition', 'taint', 'slurm_drain']);

export function standingKey({ action, of }: Standing): string {
  return `${of.id} ${action}`;
}
