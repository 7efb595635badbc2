// One clock: munge refuses a credential by the clocks of two hosts, and does not say which of them is wrong; the only one whose own log says so is.

import type { Incident } from '../../../model/incident.ts';
import { type Group, isRooted } from './groups.ts';

/** A clock stays wrong until it is set, and is missed before its daemon says so. */
const BEFORE_MS = 3_600_000;
const LASTS_MS = 86_400_000;
const OF_TWO = /^(?:Expired|Rewound) credential$/;

export function ofOneClock(incidents: readonly Incident[]): Group[] {
  const all = incidents.filter((one) => isRooted(one) && one.root.kind === 'host.clock_wrong');
  const [lead, ...more] = all.filter((one) => !isOfTwo(one));
  if (lead === undefined || more.length > 0) return [];
  const refused = all.filter((one) => {
    const afterMs = one.openedMs - lead.openedMs;
    return isOfTwo(one) && afterMs >= -BEFORE_MS && afterMs <= LASTS_MS;
  });
  return refused.length === 0 ? [] : [{ lead, others: refused }];
}

function isOfTwo({ events }: Incident): boolean {
  return events.every(({ kind, attributes }) => kind !== 'host.clock_wrong' || OF_TWO.test(String(attributes.reason)));
}
