// Reads the BMC's event log as `ipmitool sel list`, `sel elist` and FreeIPMI's ipmi-sel print it, one line an entry, parted by bars; as
// `ipmitool sel list -v` and `sel get` do, a line for each field; and as ipmiutil does.

import catalog from '#catalog/sel.json' with { type: 'json' };
import type { Kind } from '../../../model/kind.ts';
import type { Severity } from '../../../model/severity.ts';
import { NOTHING, type Reported, type ReportedFinding, type ReportReader } from './report.ts';
import { sensorPart } from './sensor-part.ts';
import { isUnfit } from './supply-fit.ts';

interface SelRow {
  readonly sensor: RegExp;
  readonly event: RegExp;
  readonly kind: Kind;
  readonly severity?: Severity;
  /** It happened; no sensor shows it as its state. */
  readonly past?: boolean;
  /** The board takes the power of the host away with it. */
  readonly shuts_down?: boolean;
}

const ROWS = catalog.rows.map((row) => ({
  ...row,
  sensor: new RegExp(row.sensor),
  event: new RegExp(row.event),
})) as readonly SelRow[]; // held against its lists by test/catalog/reports.test.ts
/**
 * "   1 | 10/12/2026 | 10:22:33 | Power Supply #0x63 | Power Supply AC lost | Asserted", or of FreeIPMI, the state left out by default:
 * "3    | Dec-09-2024 | 21:12:29 | PS2 Status | Power Supply | Critical | Power Supply Failure detected".
 * A line is split at its bars: one pattern for all of it would try every place of every blank.
 */
const NUMBER = /^[0-9a-f]{1,6}$/;
const DATE = /^(\d\d)\/(\d\d)\/(\d{2}|\d{4})$/;
const FREE_DATE = /^([A-Z][a-z]{2})-(\d\d)-(\d{4})$/;
/** In the form of the user's locale, "05:15:35 PM" in some; with the name of its zone, a number where the zone has none: "CEST", "+03", "+0545". */
const CLOCK = /^(\d\d:\d\d:\d\d)(?: ([AP])M)?(?: ([A-Z]{3,5}|[+-]\d\d(?:[0-5]\d)?))?$/;
const ZONES: Readonly<Record<string, number | undefined>> = catalog.zones;
const MINUTE_MS = 60_000;
/** Supermicro's own text of an entry has a bar: "Uncorrectable ECC (UnCorrectable ECC |  DIMMG1)". */
const WITHIN = /\([^()|]{0,80}\|[^()|]{0,80}\)/;
/** States that one line ends: a sensor of heat has several limits, and is still above another one. */
const ENDS: ReadonlySet<Kind> = new Set<Kind>(['psu.input_lost', 'psu.redundancy_lost']);
const EDGE = /^(Asserted|Deasserted)\b/;
const STATE = /^(?:Nominal|Warning|Critical|N\/A)$/;
const FREE_EDGE = /^(Assertion|Deassertion) Event$/;
/** " Sensor Type           : Power Supply" */
const FIELD =
  /^ ?(SEL Record ID|Record Type|Timestamp|Generator ID|EvM Revision|Sensor Type|Sensor Number|Event Type|Event Direction|Event Data(?: \(RAW\))?|Event Interpretation|Trigger Reading|Trigger Threshold|Description) {1,16}: ?(.{0,160}?)\s*$/;
const STAMP = /^(\d\d)\/(\d\d)\/(\d{2}|\d{4}) (\d\d:\d\d:\d\d)(?: ([AP])M)?(?: ([A-Z]{3,5}|[+-]\d\d(?:[0-5]\d)?))?$/;
/** "0004 11/29/26 13:53:11 MAJ BIOS Memory #02 Uncorrectable ECC, DIMM A1 6f [21 00 08]", as ipmiutil prints it. */
const UTILITY =
  /^[0-9a-f]{4} (\d\d)\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d) (INF|MIN|MAJ|CRT) \w{2,6} {1,4}([A-Za-z][\w /]{2,32}?) #([0-9a-f]{2}) (\S.{0,160}?)\s*$/;
const LONGEST = 160;
const MOST_FANS = 256;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export class SystemEventLog implements ReportReader {
  readonly form = 'ipmi_sel';
  readonly #host: string;
  /** Fields of the record that is open, in the form of `sel list -v` and `sel get`. */
  #record: Map<string, string> | null = null;
  /** Limits that each fan is below. */
  readonly #below = new Map<string, Set<string>>();

  constructor(host: string) {
    this.#host = host;
  }

  take(line: string): Reported | null {
    return this.#listed(line) ?? this.#verbose(line) ?? this.#utility(line);
  }

  #listed(line: string): Reported | null {
    if (!line.includes('|')) return null;
    const [number = '', date = '', time = '', ...rest] = line
      .replace(WITHIN, (part) => part.replace('|', ''))
      .split('|')
      .map((part) => part.trim());
    const [, twelve, half, zone] = CLOCK.exec(time) ?? [];
    if (twelve === undefined || !NUMBER.test(number)) return null;
    const clock = inDay(twelve, half);
    const day = DATE.exec(date);
    if (day !== null) return this.#entry(day, clock, rest, minutesEast(zone));
    const free = FREE_DATE.exec(date);
    return free === null ? null : this.#free(free, clock, rest);
  }

  #entry(
    [, month, day, year = '']: readonly string[],
    clock: string,
    rest: readonly string[],
    eastMinutes: number | null,
  ): Reported | null {
    const [sensor = '', event = '', last] = rest;
    const edge = edgeOf(last ?? '');
    if (!isName(sensor) || !isName(event) || (last !== undefined && last !== '' && edge === undefined)) return null;
    const row = rowOf(sensor, event);
    const isEnd = edge === 'Deasserted';
    if (row === null || (isEnd && !ENDS.has(row.kind) && !this.#isFanBack(row, sensor, event))) return NOTHING;
    if (!isEnd && row.kind === 'host.fan_failure') this.#falls(sensor, event);
    const readMs = Date.parse(`${year.length === 2 ? `20${year}` : year}-${month}-${day}T${clock}Z`);
    const timeMs = readMs - (eastMinutes ?? 0) * MINUTE_MS;
    return this.#found(row, sensor, event, { timeMs, zoned: eastMinutes !== null }, isEnd);
  }

  #falls(sensor: string, event: string): void {
    const limits = this.#below.get(sensor) ?? new Set();
    if (this.#below.size < MOST_FANS) this.#below.set(sensor, limits.add(event));
  }

  /** With the last of the limits that it fell below. */
  #isFanBack({ kind }: SelRow, sensor: string, event: string): boolean {
    const limits = this.#below.get(sensor);
    return kind === 'host.fan_failure' && limits?.delete(event) === true && limits.size === 0;
  }

  /** Its fields come one a line, what happened last. */
  #verbose(line: string): Reported | null {
    const [, name = '', value = ''] = FIELD.exec(line) ?? [];
    if (name === 'SEL Record ID') this.#record = new Map();
    const record = this.#record;
    if (record === null || name === '') return null;
    record.set(name, value);
    if (name !== 'Description') return NOTHING;
    this.#record = null;
    const [, month = '', day = '', year = '', twelve = '', half, zone] =
      STAMP.exec(record.get('Timestamp') ?? '') ?? [];
    const [type, edge] = [record.get('Sensor Type') ?? '', record.get('Event Direction') ?? ''];
    if (!isName(type) || !isName(value)) return NOTHING;
    const last = edge.startsWith('Deassertion') ? 'Deasserted' : 'Asserted';
    const number = record.get('Sensor Number');
    return this.#entry(
      ['', month, day, year],
      inDay(twelve, half),
      [number === undefined ? type : `${type} #0x${number}`, value, last],
      minutesEast(zone),
    );
  }

  #utility(line: string): Reported | null {
    const [, month = '', day = '', year = '', clock = '', severity, type = '', number = '', event = ''] =
      UTILITY.exec(line) ?? [];
    if (severity === undefined) return null;
    if (severity === 'INF') return NOTHING;
    const row = [`${type.trim()} #0x${number}`, event.replace(/\s{2,}.*$|\s[0-9a-f]{2} \[.*$/, ''), 'Asserted'];
    return this.#entry(['', month, day, year], clock, row, null);
  }

  /** The type of a sensor stands for it there: its name is the board's own. */
  #free([, month = '', day, year]: readonly string[], clock: string, rest: readonly string[]): Reported | null {
    const [name = '', type = '', ...more] = rest;
    const state = more.length > 1 && STATE.test(more[0] ?? '') ? more.shift() : undefined;
    const edge = more.length > 1 ? FREE_EDGE.exec(more[0] ?? '')?.[1] : undefined;
    if (edge !== undefined) more.shift();
    const [event = ''] = more;
    if (more.length !== 1 || ![name, type, event].every(isName)) return null;
    const row = rowOf(type, event);
    if (row === null || edge === 'Deassertion' || state === 'Nominal') return NOTHING;
    const number = String(MONTHS.indexOf(month) + 1).padStart(2, '0');
    const timeMs = Date.parse(`${year}-${number}-${day}T${clock}Z`);
    return this.#found(row, name, event, { timeMs, zoned: false });
  }

  #found(
    row: SelRow,
    sensor: string,
    event: string,
    at: Pick<Required<ReportedFinding>, 'timeMs' | 'zoned'>,
    isEnd = false,
  ): Reported {
    const finding = findingOf(row, sensor, event, this.#host, isEnd);
    return { ...NOTHING, findings: [{ ...finding, ...(Number.isNaN(at.timeMs) ? {} : at) }] };
  }
}

/** "05:15:35" of the afternoon is 17:15:35; `half`: A or P, none where the clock has 24 hours. */
function inDay(clock: string, half: string | undefined): string {
  if (half === undefined) return clock;
  const hour = (Number(clock.slice(0, 2)) % 12) + (half === 'P' ? 12 : 0);
  return `${String(hour).padStart(2, '0')}${clock.slice(2)}`;
}

function findingOf(
  { kind, severity, shuts_down: shutsDown }: SelRow,
  sensor: string,
  event: string,
  host: string,
  isEnd: boolean,
) {
  return {
    kind,
    component: sensorPart(kind, sensor, host, event),
    ...(severity === undefined ? {} : { severity }),
    attributes: {
      sensor,
      event,
      ...(shutsDown === true && !isEnd ? { shuts_down: true } : {}),
      ...(kind === 'psu.failure' && isUnfit(event) ? { mismatch: true } : {}),
    },
    ...(isEnd ? { state: 'clear' as const } : {}),
  };
}

/** What a daemon logs of one entry, with the name of its sensor before its words; null where it is not a fault, or ends none that one entry ends. */
export function loggedEntry(sensor: string, event: string, host: string, isEnd: boolean) {
  if (!isName(sensor) || !isName(event)) return null;
  const row = rowOf(sensor, event);
  return row === null || (isEnd && !ENDS.has(row.kind)) ? null : findingOf(row, sensor, event, host, isEnd);
}

/** Of the last line of a text that was cut, too: "A", "Deass". */
function edgeOf(text: string): string | undefined {
  return EDGE.exec(text)?.[1] ?? ['Asserted', 'Deasserted'].find((edge) => text !== '' && edge.startsWith(text));
}

/** Null where there is no zone, or one whose name several have (IST, CST): then the time is read as UTC, and said to be assumed. */
function minutesEast(zone: string | undefined): number | null {
  if (zone === undefined) return null;
  const [, sign, hours, minutes = 0] = /^([+-])(\d\d)(\d\d)?$/.exec(zone) ?? [];
  if (sign === undefined) return ZONES[zone] ?? null;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function isName(text: string): boolean {
  return text.length > 0 && text.length <= LONGEST;
}

function rowOf(sensor: string, event: string): SelRow | null {
  return ROWS.find((row) => row.sensor.test(sensor) && row.event.test(event)) ?? null;
}

/** What a state that a sensor shows means, in ipmitool's words; null where no fault. */
export function eventKind(sensor: string, event: string): Kind | null {
  const row = rowOf(sensor, event);
  return row === null || row.past === true ? null : row.kind;
}
