// PDU catalogues: which tables and columns a vendor's MIB has and what they mean, read from catalog/pdu/*.json.

import { catalogueFolder } from '../../helpers/catalogue-folder.ts';
import type { ComponentType } from '../../model/component.ts';

export type Poll = 'fast' | 'slow';

interface ColumnPlace {
  /** Entry below the module's base; the table's own where left out. Joined rows share the index. */
  readonly entry?: string;
  readonly column: number;
}

/** A measured value: raw × scale[0] ÷ scale[1] is SI. */
export interface ReadingColumn extends ColumnPlace {
  readonly is: 'reading';
  readonly quantity: string;
  readonly unit: string;
  readonly scale: readonly [number, number];
  readonly poll: Poll;
}

/** low_load | normal | near_overload | overload; qualifies the reading `of` of the same row. */
export interface LoadStateColumn extends ColumnPlace {
  readonly is: 'load_state';
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
    | { readonly is: 'number' | 'label' | 'branch' }
    | { readonly is: 'phases'; readonly values: Readonly<Record<string, string>> }
    | { readonly is: 'rating'; readonly unit: string; readonly scale: readonly [number, number] }
  );

export type PolledColumn = ReadingColumn | LoadStateColumn | StateColumn;
export type PduColumn = PolledColumn | FactColumn;

/** Which component a row is: the first entry whose `when` holds; named by the `number` column, else by the index. */
export interface PartRule {
  readonly component: ComponentType;
  readonly number?: number;
  readonly when?: { readonly column: number; readonly equals: number };
}

export interface PduTable {
  readonly name: string;
  readonly entry: string;
  readonly parts: readonly PartRule[];
  readonly columns: readonly PduColumn[];
}

export interface PduModule {
  readonly name: string;
  readonly base: string;
  /** A subtree of the module that every device with it answers. */
  readonly probe: string;
  readonly identity: Readonly<Record<'model' | 'serial' | 'firmware', string>>;
  readonly tables: readonly PduTable[];
}

export interface PduCatalogue {
  readonly vendor: string;
  /** Prefixes of sysObjectID; a hint only, the probes decide. */
  readonly sys_object_ids: readonly string[];
  /** Tokens of sysDescr that carry what the identity objects do not, as in "MN:AP8853". */
  readonly description_tokens: Readonly<Record<'model' | 'serial' | 'firmware', string>>;
  /** "negative": any value below zero means that the device does not know. */
  readonly absent: 'negative' | 'none';
  /** In order of preference: a component type belongs to the first module that has rows of it. */
  readonly modules: readonly PduModule[];
}

/** Every file of catalog/pdu. */
export const PDU_CATALOGUES = [...catalogueFolder('pdu').values()] as readonly PduCatalogue[]; // of catalog/pdu.schema.json: test/sources/pdu/catalogue.test.ts

export function isPolled(column: PduColumn): column is PolledColumn {
  return column.is === 'reading' || column.is === 'load_state' || column.is === 'state';
}

/** Full OID of a column; `index` appended where given. */
export function columnOid(module: PduModule, table: PduTable, column: ColumnPlace, index?: string): string {
  const oid = `${module.base}.${column.entry ?? table.entry}.${column.column}`;
  return index === undefined ? oid : `${oid}.${index}`;
}

/** Catalogues to try for a device: those whose prefix its sysObjectID has come first. */
export function catalogueOrder(sysObjectId: string): readonly PduCatalogue[] {
  const matches = (catalogue: PduCatalogue) =>
    catalogue.sys_object_ids.some((prefix) => sysObjectId === prefix || sysObjectId.startsWith(`${prefix}.`));
  return [...PDU_CATALOGUES].sort((a, b) => Number(matches(b)) - Number(matches(a)));
}
