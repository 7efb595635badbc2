// The verdict on a run, in one line: as expected, or what was wrong.

import type { ScenarioPlan } from '../scenario/scenario-plan.ts';
import type { Score } from '../score.ts';
import { plannedName } from './planned-name.ts';

export function verdictLine(score: Score, plan: ScenarioPlan): string {
  if (!score.right) return `not as expected: ${score.problems.join('; ')}`;
  if (score.expected.length === 0) return `as expected: no incident${notBlamed(plan)}`;
  const found = score.expected.map(({ expected, detectionMs, incident }) => {
    const { kinds, component } = expected.root;
    const root = `root ${incident?.root.kind ?? kinds.join(' | ')} on ${plannedName(component, plan)}`;
    const parts = [kinds.length === 0 ? 'no root cause yet' : root];
    if (expected.chain.length > 1) parts.push(`chain of ${expected.chain.flat().length} kinds in order`);
    if (detectionMs !== null) parts.push(`found after ${(detectionMs / 1000).toFixed(1)} s`);
    return parts.join(', ');
  });
  return `as expected: ${found.join('; ')}${notBlamed(plan)}${trueVoltages(plan)}`;
}

function notBlamed(plan: ScenarioPlan): string {
  const names = plan.truth.mustNot.map((pattern) => {
    const name = pattern.slice(pattern.indexOf('/') + 1).replace(/[/*]+$/, '');
    return pattern.includes('/') ? name : pattern.replace(/\.\*$/, '');
  });
  return names.length === 0 ? '' : ` · not blamed: ${[...new Set(names)].join(', ')}`;
}

/** What the phases really did: a PDU that reports whole volts shows less. */
function trueVoltages(plan: ScenarioPlan): string {
  const did = plan.steps.flatMap(({ change }) => {
    if (change.type !== 'pdu_voltage') return [];
    const from = plan.world.pdus.find((pdu) => pdu.name === change.pdu)?.voltage;
    return from === undefined ? [] : [`${change.pdu} phase ${change.phase} ${from} → ${change.to} V`];
  });
  return did.length === 0 ? '' : ` · in truth ${did.join(', ')}`;
}
