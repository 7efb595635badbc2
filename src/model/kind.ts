// Kind: the closed list of event kinds with default severity, action and title, read from the catalogue.

import catalog from '#catalog/kinds.json' with { type: 'json' };
import type { Action } from './action.ts';
import type { Severity } from './severity.ts';

export type Kind = keyof typeof catalog.kinds;

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
}

const infos = new Map<string, KindInfo>();
for (const [kind, row] of Object.entries(catalog.kinds)) {
  const [severity, action, title] = row;
  infos.set(kind, {
    index: infos.size,
    kind: kind as Kind, // the key of the very table that defines the type
    severity: severity as Severity, // checked against the lists in test/model/kind.test.ts
    action: action as Action,
    title: title ?? kind,
    neverRoot: catalog.never_root.includes(kind),
  });
}

export const KINDS: readonly Kind[] = [...infos.keys()] as Kind[];

export function isKind(text: string): text is Kind {
  return infos.has(text);
}

export function kindInfo(kind: Kind): KindInfo {
  const info = infos.get(kind);
  if (info === undefined) throw new Error(`kind ${kind} is not in catalog/kinds.json`);
  return info;
}
