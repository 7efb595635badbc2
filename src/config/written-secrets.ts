// Secrets that are written out in a configuration: reported also where something else keeps it from being resolved.

import type { Problem } from './config-error.ts';
import { pointerName, pointerStep } from './pointer.ts';
import type { SchemaNode } from './schema-parts.ts';
import type { Tree } from './yaml-tree.ts';

/** The community that every PDU comes with: it keeps nothing secret. */
const PUBLIC = 'public';
/** Where each secret comes from instead; keys of the schema that are marked `secret`. */
const INSTEAD: Readonly<Record<string, string>> = {
  community: `community: \${PDU_COMMUNITY}, or community_file: <path>`,
  headers: `headers: \${OTLP_HEADERS}, or headers_file: <path>`,
};

/** What is reported of a secret in the file. */
export function writtenOutText(key: string): string {
  return `is a secret and must not be written out. Write: ${INSTEAD[key] ?? `\${VARIABLE}`}`;
}

export function isPublic(secret: string): boolean {
  return secret === PUBLIC;
}

/** FL1109 for every value of a `secret` key that came out of no variable. */
export function writtenSecrets({ value, places }: Tree, schema: SchemaNode): Problem[] {
  const problems: Problem[] = [];
  const look = (at: unknown, node: SchemaNode | undefined, pointer: string): void => {
    if (node === undefined || at === null || at === undefined) return;
    if (node.secret === true && typeof at === 'string') {
      const place = places.get(pointer);
      if (at === '' || isPublic(at) || place?.expanded === true) return;
      const key = pointer.split('/').at(-1) ?? '';
      const text = `${pointerName(pointer)} ${writtenOutText(key)}`;
      problems.push({ code: 'FL1109', line: place?.line ?? null, column: place?.column ?? null, text });
    } else if (Array.isArray(at)) {
      for (const [i, one] of at.entries()) look(one, node.items, pointer + pointerStep(i));
    } else if (typeof at === 'object') {
      for (const [key, one] of Object.entries(at)) look(one, node.properties?.[key], pointer + pointerStep(key));
    }
  };
  look(value, schema, '');
  return problems;
}
