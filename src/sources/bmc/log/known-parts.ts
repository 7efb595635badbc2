// The supplies and fans that a BMC lists, with the paths that it names them by.

import type { BmcPlan } from '../bmc-plan.ts';
import { ofPart, type TimedPart } from '../decode/parts.ts';
import type { KnownParts } from './meaning.ts';

export function knownParts(plan: BmcPlan | null, latest: readonly TimedPart[]): KnownParts {
  const read = plan === null ? [] : [...plan.fast, ...plan.slow];
  const membersOf = (is: 'supplies' | 'fans') =>
    read.flatMap((planned) => (planned.is === is && 'members' in planned ? planned.members : []));
  const pathsOf = (is: 'supplies' | 'fans') => (slot: string) => ({
    slot,
    paths: membersOf(is)
      .filter((member) => member.slot === slot)
      .map(({ path }) => path),
  });
  const slots = (part: 'supply' | 'fan') => [...new Set(ofPart(latest, part).map(({ slot }) => slot))];
  const own = plan?.units.some(({ unit }) => unit === '') ?? false;
  return { ownUnit: own, supplies: slots('supply').map(pathsOf('supplies')), fans: slots('fan').map(pathsOf('fans')) };
}
