// The tables of a simulated APC rPDU2 (PowerNet-MIB, 318.1.1.26): which columns it serves and what is in them.

import snmp from 'net-snmp';

export interface PduModel {
  /** Model as on the label: "AP8641". */
  readonly model: string;
  readonly serial: string;
  readonly name: string;
  readonly phases: number;
  /** Breaker banks, shared out over the phases in turn. */
  readonly banks: number;
  /** Outlets, shared out over the banks in blocks. */
  readonly outlets: number;
  /** Bank of an outlet that is not where the blocks would have it. */
  readonly bankOf?: Readonly<Record<number, number>>;
  readonly breakerRatingA: number;
  readonly voltageV: number;
  /** Current of every outlet at the start, A. */
  readonly outletCurrentA: number;
}

export const AP8641: PduModel = {
  model: 'AP8641',
  serial: '5A0000E00001',
  name: 'simulated-pdu',
  phases: 1,
  banks: 2,
  outlets: 24,
  breakerRatingA: 20,
  voltageV: 208,
  outletCurrentA: 0.5,
};

export const ENTERPRISE = '1.3.6.1.4.1.318';
export const RPDU2 = `${ENTERPRISE}.1.1.26`;

const { Integer, OctetString } = snmp.ObjectType;

export interface TableShape {
  /** Entry below RPDU2. */
  readonly entry: string;
  /** Column number to SNMP type; column 1 is the index. */
  readonly columns: Readonly<Record<number, number>>;
}

export const TABLES = {
  ident: { entry: '2.1', columns: { 1: Integer, 3: OctetString, 6: OctetString, 8: OctetString, 9: OctetString } },
  device: {
    entry: '4.3.1',
    columns: {
      1: Integer,
      2: Integer,
      3: OctetString,
      4: Integer,
      5: Integer,
      9: Integer,
      13: Integer,
      14: Integer,
      16: Integer,
      17: Integer,
    },
  },
  phase: {
    entry: '6.3.1',
    columns: {
      1: Integer,
      2: Integer,
      3: Integer,
      4: Integer,
      5: Integer,
      6: Integer,
      7: Integer,
      8: Integer,
      9: Integer,
    },
  },
  bankProperties: { entry: '8.2.1', columns: { 1: Integer, 2: Integer, 3: Integer, 4: Integer, 5: Integer } },
  bank: { entry: '8.3.1', columns: { 1: Integer, 2: Integer, 3: Integer, 4: Integer, 5: Integer } },
  switchedProperties: {
    entry: '9.2.2.1',
    columns: { 1: Integer, 2: Integer, 3: OctetString, 4: Integer, 5: Integer, 6: Integer },
  },
  switched: { entry: '9.2.3.1', columns: { 1: Integer, 2: Integer, 3: OctetString, 4: Integer, 5: Integer } },
  meteredProperties: {
    entry: '9.4.2.1',
    columns: { 1: Integer, 2: Integer, 3: OctetString, 4: Integer, 5: Integer, 6: Integer, 7: Integer },
  },
  metered: {
    entry: '9.4.3.1',
    columns: { 1: Integer, 2: Integer, 3: OctetString, 4: Integer, 5: Integer, 6: Integer, 7: Integer, 11: Integer },
  },
} as const satisfies Record<string, TableShape>;
export type TableName = keyof typeof TABLES;

/** rPDU2 load states; the bank and outlet tables count like the phase table. */
export const LOAD_STATES = { low: 1, normal: 2, near_overload: 3, overload: 4 } as const;
export type LoadState = keyof typeof LOAD_STATES;

/** Bank of an outlet and phase of a bank, both counted from 1. */
export function bankOfOutlet(model: PduModel, outlet: number): number {
  return model.bankOf?.[outlet] ?? Math.min(model.banks, Math.ceil((outlet * model.banks) / model.outlets));
}

export function phaseOfBank(model: PduModel, bank: number): number {
  return ((bank - 1) % model.phases) + 1;
}

/** Rows of every table that does not change while the PDU runs, and placeholders for what does. */
export function initialRows(model: PduModel): Record<TableName, (number | string)[][]> {
  const range = (n: number) => Array.from({ length: n }, (_, i) => i + 1);
  const label = (outlet: number) => `Outlet ${outlet}`;
  const phaseOf = (outlet: number) => phaseOfBank(model, bankOfOutlet(model, outlet));
  return {
    ident: [[1, model.name, 'v6.8.0', model.model, model.serial]],
    device: [[1, 1, model.name, LOAD_STATES.normal, 0, 10_000, 1, 3, 0, 96]],
    phase: range(model.phases).map((n) => [n, 1, n, LOAD_STATES.normal, 0, 0, 0, 0, 96]),
    bankProperties: range(model.banks).map((n) => [n, 1, n, phaseOfBank(model, n), model.breakerRatingA]),
    bank: range(model.banks).map((n) => [n, 1, n, LOAD_STATES.normal, 0]),
    switchedProperties: range(model.outlets).map((n) => [n, 1, label(n), n, phaseOf(n), bankOfOutlet(model, n)]),
    switched: range(model.outlets).map((n) => [n, 1, label(n), n, 2]),
    meteredProperties: range(model.outlets).map((n) => [n, 1, label(n), n, phaseOf(n), 2500, bankOfOutlet(model, n)]),
    metered: range(model.outlets).map((n) => [n, 1, label(n), n, LOAD_STATES.normal, 0, 0, 1000]),
  };
}
