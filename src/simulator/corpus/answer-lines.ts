// What was answered to one scenario, in lines for its author: right or wrong, each incident as it was in the end, what is wrong.

import { componentText } from '../../model/component.ts';
import type { Incident } from '../../model/incident.ts';
import { compareSeverity } from '../../model/severity.ts';
import type { Run } from './measure.ts';

/** The incidents that a reader of the log ends with: merged ones are part of another. */
export function unmerged(incidents: readonly Incident[]): Incident[] {
  return incidents.filter(({ mergedInto }) => mergedInto === null);
}

/** The first line says right or wrong; the others are indented. */
export function answerLines({ family, name, seed, right, problems }: Run, incidents: readonly Incident[]): string[] {
  const all = unmerged(incidents);
  const [reported, info] = [
    all.filter(({ severity }) => compareSeverity(severity, 'warning') >= 0),
    all.filter(({ severity }) => compareSeverity(severity, 'warning') < 0),
  ];
  return [
    `${right ? 'right' : 'WRONG'}  ${family}/${name}, seed ${seed}`,
    ...(reported.length === 0
      ? ['       answered: no incident']
      : reported.map((one) => `       answered: ${answerOf(one)}`)),
    ...info.map((one) => `       noted at info: ${answerOf(one)}`),
    ...problems.map((problem) => `       wrong: ${problem}`),
  ];
}

/** "gpu.lost on gpu/0000:43:00.0, 93 %, critical, reboot_node, resolved; then job.rank_crashed on rank/train/3 (error)" */
function answerOf({
  root,
  rootKnown,
  confidence,
  severity,
  action,
  state,
  chain,
  host,
  unconfirmed,
}: Incident): string {
  const where = (component: Incident['root']['component']): string =>
    component === null ? '' : ` on ${componentText(component)}`;
  const what = `${root.kind}${where(root.component)}`;
  const named = rootKnown ? `${what}, ${(100 * confidence).toFixed(0)} %` : `no root cause yet (first ${what})`;
  const sure = unconfirmed === null ? '' : ', unconfirmed';
  const rest = chain
    .filter(({ eventId }) => eventId !== root.eventId)
    .map(({ kind, component, severity: own }) => `${kind}${where(component)} (${own})`);
  const then = rest.length === 0 ? '' : `; then ${rest.join(', ')}`;
  return `${named}${sure}, ${severity}, ${action.kind}, ${state} on ${host}${then}`;
}
