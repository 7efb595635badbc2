// What a device cannot show, by what it answers: said by doctor and probe, so that silence is not taken for health. Pure.

import type { PduPlan } from './pdu-plan.ts';

export function cannotShow(plan: Pick<PduPlan, 'cells'>): string[] {
  const has = (types: readonly string[], field: string): boolean =>
    plan.cells.some(({ component, column }) => {
      if (!types.includes(component.type)) return false;
      if (column.is === 'reading') return column.quantity === field;
      return (column.is === 'state' ? column.name : column.is) === field;
    });
  const any = ['pdu', 'ups', 'pdu_inlet', 'pdu_phase', 'pdu_branch', 'pdu_outlet'];
  const missing: string[] = [];
  if (!has(['pdu_inlet', 'pdu_phase'], 'voltage'))
    missing.push('no voltage, so that no sag, swell or lost phase is seen');
  if (!has(any, 'load_state') && !has(['ups'], 'source')) missing.push('no load state, so that no overload is seen');
  if (has(['ups'], 'source')) return missing;
  const inferred = has(['pdu_branch'], 'current') && has(['pdu_outlet'], 'current');
  if (!has(any, 'breaker') && !inferred)
    missing.push('no breaker and no current of both branches and outlets, so that no trip is seen');
  if (!has(['pdu_outlet'], 'outlet')) missing.push('no state of outlets, so that none is seen switched off');
  return missing;
}
