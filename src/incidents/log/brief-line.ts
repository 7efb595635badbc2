// Brief line: a revision as its line says it, but for its lists: these are seen to be good where they stand, and not made.

import { isKind } from '../../model/kind.ts';
import { items, list, READ } from './line-patterns.ts';

const LISTS = Object.entries(items(READ)).map(([name, item]) => ({
  key: `"${name}":`,
  pattern: new RegExp(list(item), 'y'),
  withKinds: item.includes('"kind":'),
}));
const KIND = /"kind":("[^"]*")/g;

/**
 * The line with each of these lists empty; null where one of them is not as we write it, or might not be read. It parses where the
 * line does, and to the same but for the lists: each is a whole list behind its name, and no text has that name inside.
 */
export function withoutLists(line: Buffer): string | null {
  // By bytes, of which a text may hold any from 0x80 on.
  const bytes = line.toString('latin1');
  let brief = '';
  let at = 0;
  for (const { key, pattern, withKinds } of LISTS) {
    const found = bytes.indexOf(key, at);
    if (found < 0) return null;
    const begin = found + key.length;
    pattern.lastIndex = begin;
    if (!pattern.test(bytes)) return null;
    const end = pattern.lastIndex;
    if (withKinds && !areKinds(bytes.slice(begin, end))) return null;
    brief += `${line.toString('utf8', at, begin)}[]`;
    at = end;
  }
  return brief + line.toString('utf8', at);
}

function areKinds(items: string): boolean {
  for (const [, kind = ''] of items.matchAll(KIND)) if (!isKind(kind.slice(1, -1))) return false;
  return true;
}
