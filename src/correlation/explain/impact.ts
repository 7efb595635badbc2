// Impact: what the cluster did to jobs and devices, with numbers and units.

import type { Impact } from '../../model/incident.ts';
import { kindInfo } from '../../model/kind.ts';
import type { Assigned } from '../assignment.ts';
import { affectsJob, losesLoad } from '../graph/kind-roles.ts';
import type { Condition } from '../window/condition.ts';
import { changeOf, changeText, nameOf } from './names.ts';

const MAX_IMPACTS = 16;

export function impactOf(members: readonly Assigned[], host: string): Impact[] {
  const impacts: Impact[] = [];
  for (const { condition } of members) {
    const impact = condition.component === null ? null : impactOfCondition(condition, host);
    if (impact !== null && impacts.length < MAX_IMPACTS) impacts.push(impact);
  }
  return impacts;
}

function impactOfCondition(condition: Condition, host: string): Impact | null {
  const { component, kind } = condition;
  if (component === null) return null;
  const name = nameOf(component, host);
  if (losesLoad(kind)) {
    return { component, quantity: 'lost', before: 1, after: 0, unit: '1', text: `${name} is lost` };
  }
  if (!affectsJob(kind)) return null;
  const change = changeOf(condition.first.attributes);
  if (change === null) {
    return { component, quantity: kind, before: null, after: null, unit: '', text: `${name}: ${kindInfo(kind).title}` };
  }
  const { before, after, unit } = change;
  const quantity = change.quantity.replaceAll(' ', '_');
  return {
    component,
    quantity,
    before,
    after,
    unit,
    text: `${name} ${quantity.replaceAll('_', ' ')} ${changeText(change)}`,
  };
}
