// Expected readings of the recorded models, by component, from the figures of expected.json; and what holds between readings.

import type { ReadingsDocument } from '../../src/model/documents/readings.ts';

export interface ModelReading {
  readonly component: string;
  /** Of a reading, or the name of a state. */
  readonly quantity: string;
  readonly value: number | string | null;
  readonly state?: string;
}

/** Figures of expected.json: names end with their unit. */
interface Figures {
  readonly [name: string]: unknown;
}

const FIGURES: readonly (readonly [string, string, (value: number) => number])[] = [
  ['currentA', 'current', (value) => value],
  ['voltageV', 'voltage', (value) => value],
  ['powerW', 'power', (value) => value],
  ['apparentVA', 'apparent_power', (value) => value],
  ['powerFactor', 'power_factor', (value) => value],
  ['energyWh', 'energy', (value) => value * 3600],
  ['energyKWh', 'energy', (value) => Math.round(value * 3_600_000)],
  ['frequencyHz', 'frequency', (value) => value],
  ['outOfBalancePct', 'imbalance', (value) => Math.round(value * 10) / 1000],
  ['currentCapacityA', 'rated_current', (value) => value],
  ['currentPercentLoad', 'load', (value) => value / 100],
];

function readings(component: string, figures: Figures): ModelReading[] {
  return FIGURES.flatMap(([name, quantity, si]): ModelReading[] => {
    const value = figures[name];
    if (value === null) return [{ component, quantity, value: null }];
    return typeof value === 'number' ? [{ component, quantity, value: si(value) }] : [];
  });
}

const rows = (figures: Figures, name: string): readonly Figures[] => figures[name] as readonly Figures[]; // as described
const keyed = (figures: Figures, name: string) => Object.entries(figures[name] as Record<string, Figures>); // likewise
const last = (index: unknown): string => String(index).split('.').at(-1) ?? '';
/** "2.1.3" is the third of the second unit; of the first unit only "3" is said. */
const inUnit = (index: unknown): string => {
  const [unit, ...rest] = String(index).split('.');
  return unit === '1' ? last(index) : `${unit}.${rest.at(-1)}`;
};

export const MODEL_READINGS: Readonly<Record<string, (expected: Figures) => readonly ModelReading[]>> = {
  'raritan-px3-5493': (expected) => [
    ...keyed(expected, 'inlets').flatMap(([index, row]) => readings(`pdu_inlet/x/${last(index)}`, row)),
    ...keyed(expected, 'ocps').flatMap(([index, row]): ModelReading[] => [
      ...readings(`pdu_branch/x/${last(index)}`, row),
      { component: `pdu_branch/x/${last(index)}`, quantity: 'breaker', value: String(row.trip) },
    ]),
    ...keyed(expected, 'outlets').flatMap(([index, row]): ModelReading[] => [
      ...readings(`pdu_outlet/x/${last(index)}`, row),
      { component: `pdu_outlet/x/${last(index)}`, quantity: 'outlet', value: String(row.onOff) },
    ]),
  ],
  'servertech-sentry4-2unit-3phase': (expected) => [
    ...rows(expected, 'cords').flatMap((row) => readings(`pdu_inlet/x/${inUnit(row.index)}`, row)),
    ...rows(expected, 'lines').flatMap((row) => readings(`pdu_inlet/x/L${inUnit(row.index)}`, row)),
    ...rows(expected, 'phases').flatMap((row) => readings(`pdu_phase/x/${inUnit(row.index)}`, row)),
    ...rows(expected, 'ocps').map(({ index }) => ({
      component: `pdu_branch/x/${inUnit(index)}`,
      quantity: 'breaker',
      value: 'closed',
    })),
  ],
  'eaton-epdu-ema114': (expected) => {
    const input = expected.input as Figures;
    const outlet = expected.outlet1 as Figures;
    return [
      ...readings('pdu_phase/x/1', { ...input, frequencyHz: undefined }),
      { component: 'pdu_phase/x/1', quantity: 'current', value: Number(input.currentA), state: 'high_warning' },
      { component: 'pdu_inlet/x/1', quantity: 'power', value: Number(input.totalW) },
      { component: 'pdu_inlet/x/1', quantity: 'apparent_power', value: Number(input.totalVA) },
      { component: 'pdu_inlet/x/1', quantity: 'frequency', value: Number(input.frequencyHz) },
      ...readings('pdu_outlet/x/1', outlet),
    ];
  },
  'vertiv-geist-mg02-wye': (expected) => [
    ...readings('pdu/x', expected.total as Figures),
    ...rows(expected, 'phases').flatMap((row) => readings(`pdu_phase/x/${row.index}`, row)),
    ...rows(expected, 'breakers').flatMap((row) => readings(`pdu_branch/x/${row.index}`, row)),
  ],
  'cyberpower-pdu81005': (expected) => [
    // The first row is the phase, the second the bank of the same feed.
    ...readings('pdu_phase/x/1', rows(expected, 'load')[0] ?? {}),
    ...readings('pdu_branch/x/2', rows(expected, 'load')[1] ?? {}),
    ...rows(expected, 'outlets').flatMap((row): ModelReading[] => [
      ...readings(`pdu_outlet/x/${row.index}`, row),
      { component: `pdu_outlet/x/${row.index}`, quantity: 'outlet', value: String(row.state) },
    ]),
  ],
  'delta-ups-mini-snmp': (expected) => [
    { component: 'pdu_inlet/x/1', quantity: 'input_voltage', value: Number(expected.inputVoltageV) },
    { component: 'pdu_inlet/x/1', quantity: 'frequency', value: Number(expected.inputFrequencyHz) },
    { component: 'pdu_phase/x/1', quantity: 'voltage', value: Number(expected.outputVoltageV) },
    { component: 'pdu_phase/x/1', quantity: 'power', value: Number(expected.outputPowerW) },
    { component: 'ups/x', quantity: 'source', value: String(expected.outputSource) },
    {
      component: 'ups/x',
      quantity: 'battery',
      value: String(expected.batteryStatus).replace('battery', '').toLowerCase(),
    },
    { component: 'ups/x', quantity: 'battery_charge', value: Number(expected.chargePct) / 100 },
  ],
};

/** Readings that are not of one moment fit within this share, or these few volt-amperes. */
const SHARE = 0.08;
const LEAST_VA = 12;
/** Of power factors: an outlet's power and current are read at different instants. */
const FACTOR_APART = 0.1;

/** What does not hold: V × A is about VA, W by VA about the power factor, the sum of phases about the whole. */
export function imbalances(document: ReadingsDocument): string[] {
  const of = (component: string, quantity: string): number | null =>
    document.readings.find((r) => r.component === component && r.quantity === quantity)?.value ?? null;
  const wrong: string[] = [];
  for (const component of new Set(document.readings.map((r) => r.component))) {
    const [volts, amperes, watts] = [of(component, 'voltage'), of(component, 'current'), of(component, 'power')];
    const [apparent, factor] = [of(component, 'apparent_power'), of(component, 'power_factor')];
    if (volts !== null && amperes !== null && apparent !== null && apart(volts * amperes, apparent))
      wrong.push(`${component}: ${volts} V × ${amperes} A is not ${apparent} VA`);
    if (watts !== null && apparent !== null && factor !== null && apparent > 50)
      if (Math.abs(watts / apparent - Math.abs(factor)) > FACTOR_APART)
        wrong.push(`${component}: ${watts} W of ${apparent} VA`);
  }
  for (const whole of ['pdu/x', 'pdu_inlet/x/1']) {
    const total = of(whole, 'power');
    const phases = document.readings.filter((r) => /^pdu_phase\/x\/\d$/.test(r.component) && r.quantity === 'power');
    const sum = phases.reduce((watts, { value }) => watts + (value ?? 0), 0);
    if (total !== null && phases.length > 0 && apart(sum, total))
      wrong.push(`${whole}: ${total} W, its phases ${sum} W`);
  }
  return wrong;
}

function apart(one: number, other: number): boolean {
  return Math.abs(one - other) > Math.max(LEAST_VA, SHARE * Math.max(Math.abs(one), Math.abs(other)));
}
