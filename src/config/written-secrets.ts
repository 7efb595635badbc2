// Secrets that are written out in a configuration: reported also where something else keeps it from being resolved.

import type { Problem } from './config-error.ts';
import { pointerName, pointerStep } from './pointer.ts';
import type { SchemaNode } from './schema-parts.ts';
import { type Tree, whereOf } from './tree.ts';

/** What is reported of a secret in the file. */
export function writtenOutText({ instead }: Pick<SchemaNode, 'instead'>): string {
  return `is a secret and must not be written out. Write: ${instead ?? `\${VARIABLE}`}`;
}

/** A value that its owner says keeps nothing secret. */
export function isHarmless(secret: string, { harmless = [] }: Pick<SchemaNode, 'harmless'>): boolean {
  return harmless.includes(secret);
}

/** FL1109 for every value of a `secret` key that came out of no variable. */
export function writtenSecrets({ value, places }: Tree, schema: SchemaNode): Problem[] {
  const problems: Problem[] = [];
  const look = (at: unknown, node: SchemaNode | undefined, pointer: string): void => {
    if (node === undefined || at === null || at === undefined) return;
    if (node.secret === true && typeof at === 'string') {
      const place = places.get(pointer);
      if (at === '' || isHarmless(at, node) || place?.expanded === true) return;
      const text = `${pointerName(pointer)} ${writtenOutText(node)}`;
      problems.push({ code: 'FL1109', ...whereOf(place), text });
    } else if (Array.isArray(at)) {
      for (const [i, one] of at.entries()) look(one, node.items, pointer + pointerStep(i));
    } else if (typeof at === 'object') {
      for (const [key, one] of Object.entries(at)) look(one, node.properties?.[key], pointer + pointerStep(key));
    }
  };
  look(value, schema, '');
  return problems;
}
