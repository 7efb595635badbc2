// As logged: what a saved log says in the form of a daemon, where nothing shows that the daemon wrote it.

import { compareSeverity } from '../../model/severity.ts';
import type { Believed, Condition } from '../belief/condition.ts';
import { isJoining } from '../graph/joining.ts';
import { onlyTenant } from '../window/facts.ts';
import { isSaid } from '../window/said.ts';

/** Whether the root is only said so, and no other log that is known for what it is says that something is wrong. */
export function isAsLogged({ root, members }: Believed): boolean {
  if (!isSaid(root)) return false;
  return !members.some(({ condition }) => isWitness(condition));
}

function isWitness(condition: Condition): boolean {
  if (onlyTenant(condition) || isSaid(condition) || isJoining(condition)) return false;
  return compareSeverity(condition.severity, 'warning') >= 0;
}
