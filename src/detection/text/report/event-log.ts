// Reads the BMC's event log as `ipmitool sel list` and `sel elist` print it: one line an entry, parted by bars.

import catalog from '#catalog/sel.json' with { type: 'json' };
import type { Kind } from '../../../model/kind.ts';
import { NOTHING, type Reported, type ReportedFinding, type ReportReader } from './report.ts';

interface SelRow {
  readonly sensor: RegExp;
  readonly event: RegExp;
  readonly kind: Kind;
}

const ROWS = catalog.rows.map((row) => ({
  ...row,
  sensor: new RegExp(row.sensor),
  event: new RegExp(row.event),
})) as readonly SelRow[]; // held against its lists by test/catalog/sel.test.ts
/** "   1 | 10/12/2026 | 10:22:33 | Power Supply #0x63 | Power Supply AC lost | Asserted" */
const ENTRY =
  /^ *[0-9a-f]{1,4} \| +(\d\d)\/(\d\d)\/(\d{2}|\d{4}) \| +(\d\d:\d\d:\d\d)(?: [A-Z]{3,4})? \| +([^|]{1,80}?) +\| +([^|]{1,120}?) +(?:\| +(Asserted|Deasserted)\b.*)?$/;

export class SystemEventLog implements ReportReader {
  readonly form = 'ipmi_sel';
  readonly #host: string;

  constructor(host: string) {
    this.#host = host;
  }

  take(line: string): Reported | null {
    const [, month, day, year = '', clock, sensor = '', event = '', edge] =
      ENTRY.exec(`${line} `.replace(/ {2,}$/, ' ')) ?? [];
    if (clock === undefined) return null;
    const kind = eventKind(sensor, event);
    if (kind === null || edge === 'Deasserted') return NOTHING;
    const timeMs = Date.parse(`${year.length === 2 ? `20${year}` : year}-${month}-${day}T${clock}Z`);
    const finding: ReportedFinding = {
      kind,
      component: { type: 'host', id: this.#host },
      attributes: { sensor, event },
      ...(Number.isNaN(timeMs) ? {} : { timeMs }),
    };
    return { ...NOTHING, findings: [finding] };
  }
}

/** What an event of a sensor means, in ipmitool's words; null where no fault. */
export function eventKind(sensor: string, event: string): Kind | null {
  return ROWS.find((row) => row.sensor.test(sensor) && row.event.test(event))?.kind ?? null;
}
