// Reads the BMC's event log as `ipmitool sel list`, `sel elist` and FreeIPMI's ipmi-sel print it: one line an entry, parted by bars.

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
/** "3    | Dec-09-2024 | 21:12:29 | PS2 Status | Power Supply | Critical | Power Supply Failure detected": FreeIPMI, the state left out by default. */
const FREE_ENTRY =
  /^ *\d{1,6} *\| *([A-Z][a-z]{2})-(\d\d)-(\d{4}) *\| *(\d\d:\d\d:\d\d) *\| *([^|]{1,80}?) *\| *([^|]{1,60}?) *\| *(?:(Nominal|Warning|Critical|N\/A) *\| *)?(?:(Assertion|Deassertion) Event *\| *)?([^|]{1,160}?) *$/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export class SystemEventLog implements ReportReader {
  readonly form = 'ipmi_sel';
  readonly #host: string;

  constructor(host: string) {
    this.#host = host;
  }

  take(line: string): Reported | null {
    const [, month, day, year = '', clock, sensor = '', event = '', edge] =
      ENTRY.exec(`${line} `.replace(/ {2,}$/, ' ')) ?? [];
    if (clock === undefined) return this.#free(line);
    const kind = eventKind(sensor, event);
    if (kind === null || edge === 'Deasserted') return NOTHING;
    const timeMs = Date.parse(`${year.length === 2 ? `20${year}` : year}-${month}-${day}T${clock}Z`);
    return this.#found(kind, sensor, event, timeMs);
  }

  /** The type of a sensor stands for it there: its name is the board's own. */
  #free(line: string): Reported | null {
    const [, month = '', day, year, clock, name = '', type = '', state, edge, event = ''] = FREE_ENTRY.exec(line) ?? [];
    if (clock === undefined) return null;
    const kind = eventKind(type, event);
    if (kind === null || edge === 'Deassertion' || state === 'Nominal') return NOTHING;
    const number = String(MONTHS.indexOf(month) + 1).padStart(2, '0');
    return this.#found(kind, name, event, Date.parse(`${year}-${number}-${day}T${clock}Z`));
  }

  #found(kind: Kind, sensor: string, event: string, timeMs: number): Reported {
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
