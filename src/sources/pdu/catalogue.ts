// PDU catalogues: which tables and columns a vendor's MIB has and what they mean, read from catalog/pdu/*.json.

import { catalogueFolder } from '../../helpers/catalogue-folder.ts';
import type { ComponentType } from '../../model/component.ts';
import type { EventInput } from '../../model/record.ts';
import type { Severity } from '../../model/severity.ts';

export type Poll = 'fast' | 'slow';

export interface ColumnPlace {
  /** Entry below the module's base; the table's own where left out. Joined rows share the index. */
  readonly entry?: string;
  readonly column: number;
  /** In a typed table: the sensor type that ends the index. */
  readonly type?: number;
}

/** "negative": any value below zero means that the device does not know; a list: exactly these raw values do. */
export type Absent = 'negative' | 'none' | readonly number[];

/** A measured value: raw × scale[0] ÷ scale[1] is SI. */
export interface ReadingColumn extends ColumnPlace {
  readonly is: 'reading';
  readonly quantity: string;
  readonly unit: string;
  readonly scale: readonly [number, number];
  readonly poll: Poll;
  /** Read only where the device does not answer this column, which has the same more finely. */
  readonly unless?: number;
  /** Instead of the catalogue's own rule. */
  readonly absent?: Absent;
  /** Where the device says by how many decimal digits each value is shifted; read once. */
  readonly digits?: ColumnPlace;
  /** The value is in `column` instead where the least possible value in `minimum` is negative. */
  readonly signed?: { readonly column: number; readonly minimum: ColumnPlace };
  /** A value above this, in SI, comes from an agent that sends tenths: all of its column is divided by ten. */
  readonly tenths_above?: number;
  /** The value counts only while this column of the same row has none of the values. */
  readonly guard?: { readonly column: number; readonly values: readonly number[] };
}

/** low_load | normal | near_overload | overload; qualifies the reading `of` of the same row. */
export interface LoadStateColumn extends ColumnPlace {
  readonly is: 'load_state';
  readonly of: string;
  readonly poll: Poll;
  readonly values: Readonly<Record<string, string>>;
}

/** What the device says of the reading `of` of the same row: low_critical, low_warning, normal, high_warning, high_critical. */
export interface ConditionColumn extends ColumnPlace {
  readonly is: 'condition';
  readonly of: string;
  readonly poll: Poll;
  readonly values: Readonly<Record<string, string>>;
}

export interface StateColumn extends ColumnPlace {
  readonly is: 'state';
  readonly name: string;
  readonly poll: Poll;
  readonly values: Readonly<Record<string, string>>;
}

/** Read once at discovery: numbers, labels, ratings, and what a row hangs on. */
export type FactColumn = ColumnPlace &
  (
    | { readonly is: 'number' | 'label' | 'id' }
    /** Number of the branch; `pointer`: an OID whose last so many numbers are its index; `by_id`: its `id`. */
    | { readonly is: 'branch'; readonly pointer?: number; readonly by_id?: boolean }
    | { readonly is: 'phases'; readonly values: Readonly<Record<string, string>> }
    | { readonly is: 'phase_id' }
    | { readonly is: 'rating'; readonly unit: string; readonly scale: readonly [number, number] }
  );

export type PolledColumn = ReadingColumn | LoadStateColumn | ConditionColumn | StateColumn;
export type PduColumn = PolledColumn | FactColumn;

/** Which component a row is: the first entry whose `when` holds; named by the `number` column, else by the index. */
export interface PartRule {
  readonly component: ComponentType;
  readonly number?: number;
  /** Names for the values of the `number` column; a row with any other is not a part. */
  readonly names?: Readonly<Record<string, string>>;
  /** All rows are this part: where one row has a column for each of several parts. */
  readonly fixed?: string;
  /** Before the name, where two tables have parts of one type that are not the same. */
  readonly prefix?: string;
  /** `without`: the index of the row for which it holds where the device does not answer the column. */
  readonly when?: { readonly column: number; readonly equals: number; readonly without?: string };
}

export interface PduTable {
  readonly name: string;
  readonly entry: string;
  readonly parts: readonly PartRule[];
  /** The index ends with a sensor type; the rows are read from this column, which every sensor answers. */
  readonly typed?: { readonly column: number };
  /** Rows that are there but stand for nothing, as in arrays of a fixed size. */
  readonly skip?: { readonly column: number; readonly equals: number };
  /** The table means something only where this object below the base has the value. */
  readonly only?: { readonly object: string; readonly equals: number };
  /** This object below the base says how many rows count: agents send further lines as zeros. */
  readonly count?: string;
  /** Rows count only where this column has a number, and none below zero: others are lines that the device does not have. */
  readonly present?: number;
  readonly columns: readonly PduColumn[];
}

export interface PduModule {
  readonly name: string;
  readonly base: string;
  /** A subtree of the module that every device with it answers. */
  readonly probe: string;
  /** What the device as a whole is; "pdu" where left out. */
  readonly root?: 'pdu' | 'ups';
  /** Indexes begin with the unit of a chain; of the unit of this number it is left out of names. */
  readonly first_unit?: number;
  readonly identity: Readonly<Partial<Record<'vendor' | 'model' | 'serial' | 'firmware', string>>>;
  readonly tables: readonly PduTable[];
}

/** What a trap or inform announces; the objects that it carries say more. */
export interface TrapRule {
  /** Of SNMPv2; a v1 trap is enterprise, 0 and its number. */
  readonly oid: string;
  /** As the MIB calls it. */
  readonly name: string;
  readonly kind?: EventInput['kind'];
  /** "onset" where left out. */
  readonly state?: 'onset' | 'clear';
  readonly severity?: Severity;
  /** Which part: the first whose number the trap carries, below this column. */
  readonly parts?: readonly { readonly component: ComponentType; readonly number: string }[];
}

export interface PduCatalogue {
  readonly vendor: string;
  /** Of a standard and not of a vendor: tried after all others, and the device says whose it is. */
  readonly generic?: boolean;
  /** Prefixes of sysObjectID; a hint only, the probes decide. */
  readonly sys_object_ids: readonly string[];
  /** Tokens of sysDescr that carry what the identity objects do not, as in "MN:AP8853". */
  readonly description_tokens: Readonly<Partial<Record<'model' | 'serial' | 'firmware', string>>>;
  readonly absent: Absent;
  /** In order of preference: a component type belongs to the first module that has rows of it. */
  readonly modules: readonly PduModule[];
  readonly traps?: readonly TrapRule[];
}

/** Every file of catalog/pdu. */
export const PDU_CATALOGUES = [...catalogueFolder('pdu').values()] as readonly PduCatalogue[]; // of catalog/pdu.schema.json: test/sources/pdu/catalogue.test.ts

export function isPolled(column: PduColumn): column is PolledColumn {
  return column.is === 'reading' || column.is === 'load_state' || column.is === 'condition' || column.is === 'state';
}

/** Full OID of a column; of a row where given. */
export function columnOid(module: PduModule, table: PduTable, column: ColumnPlace, index?: string): string {
  const oid = `${module.base}.${column.entry ?? table.entry}.${column.column}`;
  if (index === undefined) return oid;
  return column.type === undefined ? `${oid}.${index}` : `${oid}.${index}.${column.type}`;
}

/** Catalogues to try for a device: those whose prefix its sysObjectID has, the longest first; then the rest. */
export function catalogueOrder(sysObjectId: string): {
  readonly likely: readonly PduCatalogue[];
  readonly rest: readonly PduCatalogue[];
} {
  const match = ({ sys_object_ids }: PduCatalogue): number =>
    Math.max(0, ...sys_object_ids.filter((prefix) => `${sysObjectId}.`.startsWith(`${prefix}.`)).map((p) => p.length));
  const sorted = [...PDU_CATALOGUES].sort(
    (a, b) => match(b) - match(a) || Number(a.generic ?? false) - Number(b.generic ?? false),
  );
  return {
    likely: sorted.filter((catalogue) => match(catalogue) > 0),
    rest: sorted.filter((catalogue) => match(catalogue) === 0),
  };
}
