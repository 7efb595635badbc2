// The section of the accuracy page on rows of the cause graph: which of them a single scenario carries, and which none does.

import { expandKinds } from '../../correlation/graph/kind-words.ts';
import { FAMILIES } from '../../model/family.ts';
import type { Run } from './measure.ts';

interface CarriedRow {
  readonly text: string;
  /** Scenarios with a right answer whose chain goes through it. */
  readonly scenarios: readonly string[];
}

/** In Markdown. */
export function graphRowsSection(runs: readonly Run[]): string {
  const rows = carriedRows(runs);
  const single = rows.filter(({ scenarios }) => scenarios.length === 1);
  const none = rows.filter(({ scenarios }) => scenarios.length === 0);
  return `## Rows of the cause graph

A row is carried by the scenarios in which a right answer leads from one of its causes to one of its effects. Of ${rows.length} rows
${rows.length - single.length - none.length} are carried by two scenarios or more, ${single.length} by a single one: what is known of these is one author's view
of one day. ${none.length} are carried by none.

| carried by one scenario | which |
|---|---|
${single.map(({ text, scenarios }) => `| ${text} | ${scenarios[0]} |`).join('\n')}

Carried by none: ${none.map(({ text }) => text).join('; ')}.`;
}

export function carriedRows(runs: readonly Run[]): CarriedRow[] {
  const users = new Map<string, Set<string>>();
  for (const { family, name, links } of runs)
    for (const link of links) users.set(link, (users.get(link) ?? new Set()).add(`${family}/${name}`));
  return FAMILIES.flatMap(({ causes }) => causes).map((row): CarriedRow => {
    const words = (list: readonly string[]): string => list.map((word) => `\`${word}\``).join(', ');
    const pairs = expandKinds(row.cause).flatMap((cause) =>
      expandKinds(row.effect).map((effect) => `${cause}>${effect}`),
    );
    const scenarios = new Set(pairs.flatMap((pair) => [...(users.get(pair) ?? [])]));
    return { text: `${words(row.cause)} → ${words(row.effect)} (${row.relation})`, scenarios: [...scenarios].sort() };
  });
}
