// Lines of a BMC's event log as a scenario writes them: in the BMC's own words, or in ipmitool's with bars between sensor and event.

import { decodeEntry } from '../../../sources/bmc/log/log-entry.ts';
import { meaningOf } from '../../../sources/bmc/log/meaning.ts';
import type { LogLine } from '../../bmc/state.ts';
import type { PlannedChange } from '../../scenario/planned-change.ts';

type Sel = Extract<PlannedChange, { type: 'sel' }>;

const SEVERITY = { info: 'OK', warning: 'Warning', error: 'Critical', critical: 'Critical' } as const;
const NO_PARTS = { supplies: [], fans: [] };

/** `atMs`: of the BMC's clock. "Fan 3 | Lower Critical going low | Asserted": the sensor, what it says, whether it is so. */
export function lineOf({ message, severity, message_id: messageId }: Sel, atMs: number): LogLine {
  const [sensor = '', ...said] = message.split('|').map((part) => part.trim());
  const inBars = said.length > 0;
  return {
    created: new Date(atMs).toISOString().replace(/\.\d+/, ''),
    severity: SEVERITY[severity ?? 'info'],
    message: inBars ? `${sensor}: ${said.join(' : ').replace('l going', 'l - going')}` : message,
    sensorType: inBars ? (/^[A-Za-z ]+/.exec(sensor)?.[0].trim() ?? null) : null,
    messageId: messageId ?? null,
  };
}

/** Whether the source that reads the log makes anything of it. */
export function isRead(change: Sel, host: string): boolean {
  const { message, sensorType, messageId, created } = lineOf(change, 0);
  const entry = decodeEntry({ Message: message, SensorType: sensorType, MessageId: messageId, Created: created }, null);
  return entry !== null && meaningOf(entry, host, NO_PARTS) !== null;
}
