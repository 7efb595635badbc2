// Reads the sensors of a BMC as `ipmitool sdr`, `sdr elist` and `sensor` print them: what each measures, and what is beyond its limits.

import catalog from '#catalog/sel.json' with { type: 'json' };
import { type Component, componentText } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';
import type { Reading, ReadingState } from '../../../model/reading.ts';
import type { Severity } from '../../../model/severity.ts';
import { eventKind } from './event-log.ts';
import { NOTHING, type Reported, type ReportedFinding, type ReportReader } from './report.ts';
import { sensorPart } from './sensor-part.ts';

interface LimitRow {
  readonly sensor: RegExp;
  readonly unit: string;
  readonly side: string;
  readonly kind: Kind;
}

const LIMITS = catalog.limits.map((row) => ({ ...row, sensor: new RegExp(row.sensor) })) as readonly LimitRow[]; // held against its lists by test/catalog/reports.test.ts
/** "CPU1 Temp        | 42 degrees C      | ok" */
const PLAIN = /^([^|]{1,16}?) *\| ([^|]{1,40}?) *\| (ok|ns|[lu]?(?:nc|cr|nr))\s*$/;
/** "CPU1 Temp        | 30h | ok  |  3.1 | 42 degrees C" */
const EXTENDED =
  /^([^|]{1,16}?) *\| ([0-9A-F]{2})h \| (ok|ns|[lu]?(?:nc|cr|nr)) *\| +(\d{1,3}\.\d{1,3}) \| ?(.{0,200}?)\s*$/;
/** "CPU1 Temp        | 42.000     | degrees C  | ok    | 0.000     | …" */
const TABLE =
  /^([^|]{1,16}?) *\| ([\d.]{1,12}|na) *\| ([A-Za-z][\w %/]{0,15}?) *\| (ok|ns|na|nc|cr|nr|[lu](?:nc|cr|nr)) *((?:\|[^|]{1,12}){5,6})$/;
/** How far a value is from its limit: what is high is well. */
const MARGIN = /margin|delta|dts/i;
/** "PS1 Status       | 0x1        | discrete   | 0x0180| na …": bits without words, the first byte of which are the states 0 to 7. */
const DISCRETE = /^([^|]{1,16}?) *\| 0x[0-9a-f]{1,8} *\| discrete *\| 0x([0-9a-f]{2})[0-9a-f]{2} *\|/;
/** Of a power supply by name; IPMI 2.0, table 42-3, type 08h: 0 is there, 1 failed, 3 input lost. */
const SUPPLY = /^(?:PSU?|Power ?Supply|PWS)[ _]?\d{1,2}[ _]?(?:Status)?$/i;
const SUPPLY_BITS: readonly (readonly [bit: number, kind: Kind, event: string])[] = [
  [0x02, 'psu.failure', 'Failure detected'],
  [0x08, 'psu.input_lost', 'Power Supply AC lost'],
];
const PRESENT = 0x01;
const VALUE = /^(-?\d{1,7}(?:\.\d{1,4})?) (degrees [CF]|RPM|Volts|Watts|Amps|percent)$/;
/** No list of sensors is wider. */
const MOST_LINE = 256;
const UNITS: Readonly<Record<string, readonly [quantity: string, unit: string]>> = {
  'degrees C': ['temperature', '°C'],
  RPM: ['fan_speed', 'Hz'],
  Volts: ['voltage', 'V'],
  Watts: ['power', 'W'],
  Amps: ['current', 'A'],
};
/** ipmi_sdr.c: which side of which limit a value is on; without a side where the list does not tell. */
const BEYOND: Readonly<Record<string, readonly [state: ReadingState, severity: Severity | null]>> = {
  nc: ['unknown', 'warning'],
  cr: ['unknown', null],
  nr: ['unknown', null],
  lnc: ['low_warning', 'warning'],
  lcr: ['low_critical', null],
  lnr: ['low_critical', null],
  unc: ['high_warning', 'warning'],
  ucr: ['high_critical', null],
  unr: ['high_critical', null],
};

interface Sensor {
  readonly name: string;
  readonly status: string;
  /** "42 degrees C", "Presence detected, Power Supply AC lost"; empty where it has none. */
  readonly value: string;
}

export class SensorList implements ReportReader {
  readonly form = 'ipmi_sdr';
  readonly #host: Component;

  constructor(host: string) {
    this.#host = { type: 'host', id: host };
  }

  take(line: string): Reported | null {
    if (line.length > MOST_LINE) return null;
    const sensor = sensorIn(line);
    if (sensor === null) return this.#bits(DISCRETE.exec(line));
    const { name, status, value } = sensor;
    const [, digits = '', unit = ''] = VALUE.exec(value) ?? [];
    if (unit === '') return { ...NOTHING, findings: this.#states(name, value) };
    const [state, severity] = BEYOND[status] ?? ['normal', null];
    const [quantity, si] = UNITS[unit] ?? [];
    const reading: Reading[] =
      quantity === undefined || si === undefined || status === 'ns' || status === 'na'
        ? []
        : [
            {
              component: componentText(this.#host),
              quantity,
              value: Number(digits) / (unit === 'RPM' ? 60 : 1),
              unit: si,
              state,
            },
          ];
    return {
      ...NOTHING,
      readings: reading,
      findings: status in BEYOND ? this.#limits({ name, value, status }, unit, severity) : [],
    };
  }

  /** Null where the line has no bits. */
  #bits(found: RegExpExecArray | null): Reported | null {
    if (found === null) return null;
    const [, name = '', digits = ''] = found;
    const bits = Number.parseInt(digits, 16);
    if (!SUPPLY.test(name) || (bits & PRESENT) === 0) return NOTHING;
    const findings = SUPPLY_BITS.filter(([bit]) => (bits & bit) !== 0).map(([, kind, event]) => ({
      kind,
      component: sensorPart(kind, name, this.#host.id),
      attributes: { sensor: name, event },
      discriminator: name,
    }));
    return { ...NOTHING, findings };
  }

  /** Words of a discrete sensor are those of the event log. */
  #states(name: string, value: string): ReportedFinding[] {
    return value.split(', ').flatMap((word) => {
      const kind = eventKind(name, word);
      const attributes = { sensor: name, event: word };
      return kind === null
        ? []
        : [{ kind, component: sensorPart(kind, name, this.#host.id), attributes, discriminator: name }];
    });
  }

  #limits({ name, value, status }: Sensor, unit: string, severity: Severity | null): ReportedFinding[] {
    const side = status.length === 3 ? status.slice(0, 1) : '';
    const row = LIMITS.find(
      (each) => each.unit === unit && each.sensor.test(name) && (side === '' || each.side === side),
    );
    if (row === undefined) return [];
    const attributes = { sensor: name, value, status };
    return [
      {
        kind: row.kind,
        component: sensorPart(row.kind, name, this.#host.id),
        attributes,
        discriminator: name,
        ...(severity === null ? {} : { severity }),
      },
    ];
  }
}

function sensorIn(line: string): Sensor | null {
  const [, plain, shown = '', plainStatus = ''] = PLAIN.exec(line) ?? [];
  if (plain !== undefined) return { name: plain, status: plainStatus, value: shown };
  const [, extended, , status = '', , text = ''] = EXTENDED.exec(line) ?? [];
  if (extended !== undefined) return { name: extended, status, value: text };
  const [, name, digits = '', unit = '', state = '', limits = ''] = TABLE.exec(line) ?? [];
  if (name === undefined) return null;
  const own = state === 'ok' ? beyondOwn(name, Number(digits), unit, limits) : null;
  return { name, status: own ?? state, value: digits === 'na' ? '' : `${Number(digits)} ${unit}` };
}

/**
 * Some firmware says "ok" of a temperature above its own critical limit, or of a fan below it: the reading counts, where the limits
 * are in order. Null where it is within them.
 * `limits`: "| lower non-recoverable | critical | non-critical | upper non-critical | critical | non-recoverable".
 */
function beyondOwn(name: string, value: number, unit: string, limits: string): 'ucr' | 'lcr' | null {
  const cells = limits
    .split('|')
    .slice(1)
    .map((cell) => Number(cell.trim() === 'na' ? Number.NaN : cell));
  const known = cells.filter((limit) => !Number.isNaN(limit));
  const inOrder = known.every((limit, at) => at === 0 || limit >= (known[at - 1] ?? limit));
  if (!inOrder || known.length < 2 || known[0] === known.at(-1)) return null;
  const [lower = Number.NaN, upper = Number.NaN] = [cells[1], cells[4]];
  if (unit === 'degrees C') return !MARGIN.test(name) && upper > 0 && value >= upper ? 'ucr' : null;
  return unit === 'RPM' && lower > 0 && value <= lower ? 'lcr' : null;
}
