// Found work: which links of jobs that were found here may be forgotten, to make room for those that run now.

import { type Component, componentText } from '../../model/component.ts';
import type { Link } from '../../model/topology.ts';

/** Some hundred jobs' worth. */
const FORGOTTEN_LINKS = 2048;

const isWork = ({ type }: Component): boolean => type === 'rank' || type === 'job';
export const isFoundWork = ({ source, from, to }: Link): boolean => source === 'host' && (isWork(from) || isWork(to));

export interface Forgettable {
  /** Of links, oldest first. */
  readonly keys: readonly string[];
  /** Texts of the ranks and jobs that no other link names. */
  readonly ends: ReadonlySet<string>;
}

/** Links whose ranks and jobs no condition names; `uses`: texts of what one does. */
export function forgettableWork(links: ReadonlyMap<string, Link>, uses: { has(text: string): boolean }): Forgettable {
  const isUnused = (link: Link): boolean =>
    isFoundWork(link) && [link.from, link.to].every((end) => !isWork(end) || !uses.has(componentText(end)));
  const gone = new Map([...links].filter(([, link]) => isUnused(link)).slice(0, FORGOTTEN_LINKS));
  const ends = new Set<string>();
  for (const { from, to } of gone.values()) for (const end of [from, to]) if (isWork(end)) ends.add(componentText(end));
  for (const [key, { from, to }] of links)
    if (!gone.has(key)) for (const end of [from, to]) ends.delete(componentText(end));
  return { keys: [...gone.keys()], ends };
}
