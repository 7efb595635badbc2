// Variables of the allow-list as far as the pod's specification alone fixes them: literal texts, and fields of the pod itself.

import { expectedNames } from './kept-names.ts';
import type { Pod } from './pod.ts';
import { at, wordAt } from './values.ts';

const VALUE = /^[\w.:,/+@-]{1,256}$/;
const NAMES: ReadonlySet<string> = new Set(expectedNames.variables);
/** "$(POD_IP)" is replaced by kubelet; "$$(" is the text itself. */
const REFERENCE = /(?<!\$)\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)/g;

type Named = Pick<Pod, 'uid' | 'namespace' | 'name' | 'labels' | 'annotations'>;

export function variablesOf(env: readonly unknown[], pod: Named, node: string | null): Record<string, string> {
  const known = new Map<string, string>();
  for (const entry of env) {
    const name = wordAt(entry, 'name');
    if (name === null) continue;
    const field = wordAt(entry, 'valueFrom', 'fieldRef', 'fieldPath');
    const value = field === null ? literal(at(entry, 'value'), known) : fieldOf(field, pod, node);
    // The last entry of a name counts.
    if (value === null) known.delete(name);
    else if (VALUE.test(value)) known.set(name, value);
  }
  return Object.fromEntries([...known].filter(([name]) => NAMES.has(name)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Null where it depends on what is not known here. */
function literal(value: unknown, known: ReadonlyMap<string, string>): string | null {
  if (typeof value !== 'string' || value.length > 4096) return null;
  let whole = true;
  const text = value.replaceAll(REFERENCE, (_, name: string) => {
    const found = known.get(name);
    if (found === undefined) whole = false;
    return found ?? '';
  });
  return whole ? text : null;
}

function fieldOf(path: string, pod: Named, node: string | null): string | null {
  const [, map, key = ''] = /^metadata\.(labels|annotations)\['([^']{1,317})'\]$/.exec(path) ?? [];
  if (map === 'labels') return pod.labels[key] ?? null;
  if (map === 'annotations') return pod.annotations[key] ?? null;
  switch (path) {
    case 'metadata.name':
      return pod.name;
    case 'metadata.namespace':
      return pod.namespace;
    case 'metadata.uid':
      return pod.uid;
    case 'spec.nodeName':
      return node;
    default:
      return null;
  }
}
