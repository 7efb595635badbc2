// The objects of a simulated rPDU2 by their identifiers, in the order in which an agent walks them.

import { ENTERPRISE, initialRows, type PduModel, RPDU2, TABLES, type TableName } from '../../pdu-agent/rpdu2-model.ts';

export const SYSTEM = '1.3.6.1.2.1.1';
export const UP_TIME = `${SYSTEM}.3.0`;

export interface SnmpObject {
  readonly oid: string;
  /** "phase 5", for what may be measured; null elsewhere. */
  readonly column: string | null;
  readonly row: number;
  /** Where nothing is measured. */
  readonly fixed: number | string;
}

export interface SnmpObjects {
  readonly all: readonly SnmpObject[];
  readonly by: ReadonlyMap<string, SnmpObject>;
  /** Place in `all` of the first one after the identifier. */
  after(oid: string): number;
}

const known = new Map<string, SnmpObjects>();

/** Made once for each model. */
export function snmpObjects(model: PduModel): SnmpObjects {
  const key = JSON.stringify(model);
  const made = known.get(key) ?? make(model);
  known.set(key, made);
  return made;
}

function make(model: PduModel): SnmpObjects {
  const scalar = (oid: string, fixed: number | string): SnmpObject => ({ oid, column: null, row: 0, fixed });
  const objects = [
    scalar(
      `${SYSTEM}.1.0`,
      `APC Web/SNMP Management Card (PF:v6.8.2 AF1:v6.8.0 MN:${model.model} SN: ${model.serial})`,
    ),
    scalar(`${SYSTEM}.2.0`, `${ENTERPRISE}.1.3.4.6`),
    scalar(UP_TIME, 0),
    scalar(`${SYSTEM}.5.0`, model.name),
  ];
  for (const [name, rows] of Object.entries(initialRows(model))) {
    const { entry, columns } = TABLES[name as TableName]; // keys of the very record that is typed by it
    const numbers = Object.keys(columns);
    for (const row of rows)
      row.forEach((fixed, i) => {
        const index = Number(row[0]);
        objects.push({
          oid: `${RPDU2}.${entry}.${numbers[i]}.${index}`,
          column: `${name} ${numbers[i]}`,
          row: index,
          fixed,
        });
      });
  }
  const parts = objects.map((object) => ({ object, path: object.oid.split('.').map(Number) }));
  parts.sort((a, b) => compare(a.path, b.path));
  const after = (oid: string): number => {
    const path = oid.split('.').map(Number);
    let [low, high] = [0, parts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(parts[middle]?.path ?? [], path) > 0) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  return {
    all: parts.map(({ object }) => object),
    by: new Map(objects.map((object) => [object.oid, object])),
    after,
  };
}

/** In the order of a walk: a prefix comes before what is below it. */
function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
