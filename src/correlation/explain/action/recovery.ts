// Recovery: what the driver itself asks for, by an XID 154 or by its recovery-action field.

import { ACTIONS, type Action } from '../../../model/action.ts';
import type { AttributeValue } from '../../../model/event.ts';
import { recoveryActionOf } from '../../../model/recovery-action.ts';
import type { Cluster, Condition } from '../../belief/condition.ts';
import { onlyTenant } from '../../window/facts.ts';

/** The driver asks for a reset, a drain or a reboot of this GPU: worth an incident though nothing names the fault. */
export function asksForRecovery(condition: Condition): boolean {
  return recoveryOf(condition) !== null;
}

export function lastAskedFor(members: Cluster['members']): ReturnType<typeof recoveryOf> {
  for (let i = members.length - 1; i >= 0; i -= 1) {
    const member = members[i];
    const recovery = member === undefined ? null : recoveryOf(member.condition);
    if (recovery !== null) return recovery;
  }
  return null;
}

function recoveryOf(condition: Condition): { action: Action; target: Condition['component'] } | null {
  if (condition.kind !== 'gpu.recovery_action' || onlyTenant(condition)) return null;
  const action = lastAction(condition);
  return action === undefined || action === 'none' ? null : { action, target: condition.component };
}

/** Of the last event that has a value: NVML's own event of an XID 154 comes after the line and has none. */
function lastAction({ latest, events }: Condition): Action | undefined {
  const known = latest === null || events.includes(latest) ? events : [...events, latest];
  for (let i = known.length - 1; i >= 0; i -= 1) {
    const { recovery_action: asked = null, action } = known[i]?.attributes ?? {};
    const found = recoveryAction(asked) ?? ACTIONS.find((one) => one === action);
    if (found !== undefined) return found;
  }
  return undefined;
}

function recoveryAction(value: AttributeValue): Action | undefined {
  if (typeof value === 'string' && ACTIONS.some((action) => action === value)) return ACTIONS.find((a) => a === value);
  return typeof value === 'string' || typeof value === 'number' ? (recoveryActionOf(value) ?? undefined) : undefined;
}
