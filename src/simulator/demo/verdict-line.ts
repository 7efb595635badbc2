// The verdict on a run, in one line: as expected, or what was wrong.

import { listed, rootText, shortId } from '../../incidents/report/sentences.ts';
import type { Incident } from '../../model/incident.ts';
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

const NAMED = 3;

/** What became of the other incidents that the story showed; null where there are none. */
export function besidesLine(others: readonly Incident[]): string | null {
  if (others.length === 0) return null;
  const named = others.slice(0, NAMED).map((incident) => {
    const into = incident.mergedInto === null ? '' : `, merged into ${shortId(incident.mergedInto)}`;
    return `${shortId(incident.id)} (${rootText(incident)}${into === '' ? ', not joined to it' : into})`;
  });
  const more = others.length > NAMED ? [`${others.length - NAMED} more`] : [];
  return `besides: ${listed([...named, ...more], ' · ')}`;
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
