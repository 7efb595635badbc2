// Kind words: lists of kinds as the catalogue writes them, with `prefix.*` and `group:name`.

import { isKind, KINDS, type Kind, kindEntry } from '../../model/kind.ts';

const groups = new Map<string, Kind[]>();
for (const kind of KINDS) {
  for (const group of kindEntry(kind).groups ?? []) groups.set(group, [...(groups.get(group) ?? []), kind]);
}

/** Kinds by the group that they name in their entry. */
export const KIND_GROUPS: ReadonlyMap<string, readonly Kind[]> = groups;

/** The kinds that these words mean, each once. Throws on an unknown word. */
export function expandKinds(words: readonly string[]): Kind[] {
  const kinds = words.flatMap((word): readonly Kind[] => {
    if (word.startsWith('group:')) {
      const group = groups.get(word.slice(6));
      if (group === undefined) throw new Error(`${word}: no kind of catalog/kinds names this group`);
      return group;
    }
    if (word.endsWith('.*')) return KINDS.filter((kind) => kind.startsWith(word.slice(0, -1)));
    if (!isKind(word)) throw new Error(`${word} is in no file of catalog/kinds`);
    return [word];
  });
  return [...new Set(kinds)];
}
