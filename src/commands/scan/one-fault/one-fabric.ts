// One fabric: what a subnet manager does not grant is refused on every host that asks for it. Joins that are refused on hosts in the same minutes are
// one incident, and where its own log says that it did not take its partitions, that is behind them.

import type { Incident } from '../../../model/incident.ts';
import { type Group, isRooted, rootOf, runsWithin } from './groups.ts';

/** A host asks again after half a minute at most, and when its interface is used. */
const AGAIN_MS = 900_000;
/** A port that keeps its membership asks when it has to join again. */
const BEFORE_MS = 3_600_000;

export function ofOneFabric(incidents: readonly Incident[]): Group[] {
  const refused = incidents.filter((one) => isRooted(one) && rootOf(one)?.attributes.join_refused === true);
  const managers = incidents.filter((one) => isRooted(one) && rootOf(one)?.attributes.sm_partitions === true);
  const ofHosts = runsWithin(refused, AGAIN_MS).flatMap((run) => {
    const [first, ...others] = run;
    if (first === undefined) return [];
    const sameManager = managers.filter(({ openedMs }) => isBefore(openedMs, first.openedMs));
    const lead = sameManager.at(-1);
    if (lead !== undefined) return [{ lead, others: [...sameManager.slice(0, -1), ...run] }];
    return others.length === 0 ? [] : [{ lead: first, others }];
  });
  // It says in several lines what it did not take.
  const alone = runsWithin(managers, AGAIN_MS).flatMap(([lead, ...others]) =>
    lead === undefined ? [] : [{ lead, others }],
  );
  return [...ofHosts, ...alone];
}

function isBefore(ms: number, firstMs: number): boolean {
  return ms <= firstMs + AGAIN_MS && ms >= firstMs - BEFORE_MS;
}
