// What an SXid number of an NVSwitch means: its name, what it is of, and what to do, from the catalogue.

import catalog from '#catalog/sxid.json' with { type: 'json' };
import type { Action } from '../../model/action.ts';
import type { AttributeValue } from '../../model/event.ts';
import type { Severity } from '../../model/severity.ts';

export interface SxidClass {
  /** Left out: the kind's own. */
  readonly severity?: Severity;
  readonly action: Action;
  readonly about: string;
}

export const SXID_CATALOG_VERSION: string = catalog.version;

// The casts narrow words to their closed lists; test/detection/text/sxid.test.ts checks every row against those lists.
const classes = new Map(Object.entries(catalog.classes as Readonly<Record<string, SxidClass>>));
const rows = new Map(Object.entries(catalog.sxids as Readonly<Record<string, { name: string; class: string }>>));

/** What is known of the number besides the line's own words; nothing of one that the catalogue does not have. */
export function sxidFacts(
  sxid: number,
  fatal: boolean,
): { severity?: Severity; attributes: Record<string, AttributeValue> } {
  const row = rows.get(String(sxid));
  const kind = row === undefined ? undefined : classes.get(row.class);
  if (row === undefined || kind === undefined) return { attributes: {} };
  const attributes = { name: row.name, class: row.class, note: kind.about, catalog: SXID_CATALOG_VERSION };
  // The line says that it is fatal: then it is, and what to do is what a fatal error asks for, whatever the table says.
  if (fatal) return { attributes };
  const severity = kind.severity === undefined ? {} : { severity: kind.severity };
  return { ...severity, attributes: { ...attributes, action: kind.action } };
}
