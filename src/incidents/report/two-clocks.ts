// Two clocks: munge refuses a credential by the clocks of two hosts, and does not say which of them is wrong.

import type { Incident } from '../../model/incident.ts';
import { HOST } from './kind-step.ts';
import type { Special } from './special-step.ts';

const OF_TWO = /^(?:Expired|Rewound) credential$/;

const SPECIAL: Special = {
  does: 'find which clock is wrong, that of % or of the host whose messages it refuses',
  now: 'on @ and on the sender, which the lines around it name, date -u and chronyc tracking (ntpd: ntpq -pn) say which is off; set right that one: let its time server answer (UDP 123), then sudo chronyc makestep once nothing runs there that a step disturbs',
  call: HOST,
};

/** Null where the root is a clock of which more is known. */
export function twoClocks({ root, events }: Pick<Incident, 'root' | 'events'>): Special | null {
  const own = events.filter(({ kind }) => kind === 'host.clock_wrong');
  const reasons = own.map(({ attributes }) => attributes.reason);
  const ofTwo = reasons.every((reason) => typeof reason === 'string' && OF_TWO.test(reason));
  return root.kind === 'host.clock_wrong' && own.length > 0 && ofTwo ? SPECIAL : null;
}
