// Kind: the closed list of event kinds with default severity, action, title and runbook, read from the catalogue.

import type { Action } from './action.ts';
import { FAMILIES, type Kind, type KindEntry, type KindRole } from './family.ts';
import type { Severity } from './severity.ts';

export type { Kind };

export interface KindInfo {
  kind: Kind;
  /** Its place in `KINDS`. */
  index: number;
  severity: Severity;
  action: Action;
  /** A short noun phrase for people: "voltage sag". */
  title: string;
  /** True for kinds that are always the consequence of something else. */
  neverRoot: boolean;
  /** The page of docs/runbooks that it is on. */
  runbook: string;
}

const infos = new Map<string, KindInfo>();
const entries = new Map<string, KindEntry>();
for (const { kinds, runbook } of FAMILIES) {
  for (const [kind, entry] of Object.entries(kinds)) {
    entries.set(kind, entry);
    infos.set(kind, {
      kind: kind as Kind, // the key of the very file that defines the type
      index: infos.size,
      severity: entry.severity as Severity, // these two are checked against the lists by the schema, in test/catalog
      action: entry.action as Action,
      title: entry.title,
      neverRoot: entry.roles?.includes('never_root') === true,
      runbook,
    });
  }
}

export const KINDS: readonly Kind[] = [...infos.keys()] as Kind[];

export function isKind(text: string): text is Kind {
  return infos.has(text);
}

export function kindInfo(kind: Kind): KindInfo {
  return known(infos, kind);
}

/** All that the catalogue has of it. */
export function kindEntry(kind: Kind): KindEntry {
  return known(entries, kind);
}

export function hasRole(kind: Kind, role: KindRole): boolean {
  return kindEntry(kind).roles?.includes(role) === true;
}

function known<Value>(map: ReadonlyMap<string, Value>, kind: Kind): Value {
  const value = map.get(kind);
  if (value === undefined) throw new Error(`kind ${kind} is in no file of catalog/kinds`);
  return value;
}
