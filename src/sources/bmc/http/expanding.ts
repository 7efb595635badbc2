// $expand: a collection with what is in its members, by one request instead of one for each. Many services say that they can and
// cannot: what came is looked at, and a collection that disappointed once is read the long way until the next discovery.

import { at, linkAt, linksAt, listAt, numberAt, sameLink } from '../decode/json.ts';
import type { Resource } from './resource.ts';

export class Expanding {
  /** How deep the service says that it goes; 0: not at all. */
  #levels = 0;
  readonly #broken = new Set<string>();

  /** What its root says of it. */
  offered(root: unknown): void {
    const query = at(root, 'ProtocolFeaturesSupported', 'ExpandQuery');
    // "." is what is below the collection itself; "*" would bring the links of each member, too.
    const can = at(query, 'NoLinks') === true && at(query, 'Levels') === true;
    this.#levels = can ? Math.max(1, numberAt(query, 'MaxLevels') ?? 1) : 0;
    this.#broken.clear();
  }

  /** The request; null where it is not to be made. */
  query(path: string, levels: 1 | 2): string | null {
    if (levels > this.#levels || this.#broken.has(`${levels} ${path}`) || path.includes('?')) return null;
    return `${path}?$expand=.($levels=${levels})`;
  }

  /** The members by their paths; null where the answer has them not, or not all of them. */
  taken(path: string, levels: 1 | 2, resource: Resource | null): ReadonlyMap<string, Resource> | null {
    const found = resource === null ? null : membersOf(resource);
    if (found === null) this.#broken.add(`${levels} ${path}`);
    return found;
  }
}

function membersOf(resource: Resource): ReadonlyMap<string, Resource> | null {
  const { body } = resource;
  const members = listAt(body, 'Members');
  const count = numberAt(body, 'Members@odata.count');
  const next = linkAt(body, 'Members@odata.nextLink') ?? linkAt(body, '@odata.nextLink');
  if (members.length === 0 || next !== null || (count !== null && count !== members.length)) return null;
  // A member that failed has its error in its place; all the others are there all the same.
  const failed = members.filter((member) => at(member, 'error') !== undefined);
  const whole = members.filter((member) => at(member, 'error') === undefined);
  if (whole.length < failed.length || !whole.every(isWhole)) return null;
  if (linksAt(whole).length !== whole.length) return null;
  return new Map(
    whole.map((member) => [linkAt(member) ?? '', { ...resource, body: member, path: linkAt(member) ?? '' }]),
  );
}

/** More than a link to itself. */
function isWhole(member: unknown): boolean {
  return typeof member === 'object' && member !== null && at(member, 'Id') !== undefined;
}

/** A part of a member that came with it; null where it is only a link, as it is below the last level. */
export function partOf(resource: Resource | undefined, name: string, path: string | null): Resource | null {
  const body = at(resource?.body, name);
  if (resource === undefined || path === null || !sameLink(linkAt(body), path) || !isWhole(body)) return null;
  return { ...resource, body, path };
}
