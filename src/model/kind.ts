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

/** The kind whose entry those of a site's rules share. */
export const USER_KIND: Kind = 'user.rule';
const USER_PREFIX = 'user.';
const USER_FORM = /^user\.[a-z][a-z0-9_]{0,47}$/;

/** Of a rule of this or another site, whether it is still there or not: `user.hot_aisle`. */
export function isUserKind(text: string): text is `user.${string}` {
  return text.startsWith(USER_PREFIX) && USER_FORM.test(text);
}

export function isKind(text: string): text is Kind {
  return infos.has(text) || isUserKind(text);
}

/** The kind as the catalogue has it: that of a site's rule is one for all of them. */
export function catalogueKind(kind: Kind): Kind {
  return infos.has(kind) || !isUserKind(kind) ? kind : USER_KIND;
}

export function kindInfo(kind: Kind): KindInfo {
  const info = infos.get(kind);
  if (info !== undefined) return info;
  if (!isUserKind(kind)) throw new Error(`kind ${kind} is in no file of catalog/kinds`);
  return { ...known(infos, USER_KIND), kind, title: kind.slice(USER_PREFIX.length).replaceAll('_', ' ') };
}

/** All that the catalogue has of it. */
export function kindEntry(kind: Kind): KindEntry {
  return known(entries, catalogueKind(kind));
}

export function hasRole(kind: Kind, role: KindRole): boolean {
  return kindEntry(kind).roles?.includes(role) === true;
}

function known<Value>(map: ReadonlyMap<string, Value>, kind: Kind): Value {
  const value = map.get(kind);
  if (value === undefined) throw new Error(`kind ${kind} is in no file of catalog/kinds`);
  return value;
}
