// The shape of the PDU source's events, and the last known values that changes are held against.

import { type Component, componentText } from '../../model/component.ts';
import type { EventInput } from '../../model/record.ts';
import { keyOf } from './cell-keys.ts';
import type { PduPlan } from './pdu-plan.ts';

export interface Known {
  readonly value: number | string;
  readonly timeMs: number;
}

/** Last known values by component text and field. */
export type LastValues = ReadonlyMap<string, Known>;

export function lastKey(component: Component | string, field: string): string {
  return typeof component === 'string' ? `${component}#${field}` : keyOf(component, field);
}

/** The event of one change: it happened after the last poll that showed the old value, up to the one that shows the new. */
export function pduEvent(
  kind: EventInput['kind'],
  state: 'onset' | 'clear' | 'point',
  component: Component,
  times: { afterMs: number | null; timeMs: number; observedMs: number },
  text: string,
  more: Pick<EventInput, 'severity' | 'attributes' | 'interval'> = {},
): EventInput {
  const { afterMs, timeMs, observedMs } = times;
  return {
    kind,
    state,
    component,
    timeMs,
    interval: { earliestMs: Math.min(afterMs ?? timeMs, timeMs), latestMs: timeMs },
    observedMs,
    trust: 'facility',
    source: 'pdu',
    evidence: [{ source: 'pdu', timeMs, text }],
    ...more,
  };
}

/** The same device with another firmware than at the discovery before; null where it is not so, or not known. */
export function firmwareUpdate(
  before: PduPlan['identity'] | null,
  { identity, parts }: PduPlan,
  afterMs: number | null,
  nowMs: number,
): EventInput | null {
  const root = parts[0]?.component;
  if (root === undefined || before === null || before.serial !== identity.serial) return null;
  if (before.firmware === null || identity.firmware === null || before.firmware === identity.firmware) return null;
  const text = `${componentText(root)}: firmware ${before.firmware} → ${identity.firmware}`;
  const attributes = { part: root.type, before: before.firmware, after: identity.firmware };
  return {
    ...pduEvent('firmware.updated', 'point', root, { afterMs, timeMs: nowMs, observedMs: nowMs }, text, { attributes }),
    discriminator: `firmware ${before.firmware} ${identity.firmware}`,
  };
}
