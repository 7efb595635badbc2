// Nameless: a fault that one source reports without saying of which device, and another with it, is one link of the chain.

import type { ChainLink } from '../../model/incident.ts';

/**
 * `chain` without the links that name no component while another of their kind does; what followed from those follows from it.
 * The root stays in any case. Their events stay evidence.
 */
export function withoutNameless(chain: ChainLink[]): ChainLink[] {
  const twins = new Map<string, Twin>();
  for (const { eventId, kind, component, causedBy } of chain) {
    if (component !== null || eventId === chain[0]?.eventId) continue;
    const twin = chain.find((link) => link.kind === kind && link.component !== null);
    if (twin !== undefined) twins.set(eventId, { id: twin.eventId, causedBy });
  }
  if (twins.size === 0) return chain;
  return chain.filter(({ eventId }) => !twins.has(eventId)).map((link) => redirected(link, twins));
}

/** The link with a component, and the causes of the one without. */
interface Twin {
  readonly id: string;
  readonly causedBy: readonly string[];
}

function redirected(link: ChainLink, twins: ReadonlyMap<string, Twin>): ChainLink {
  if (!link.causedBy.some((id) => twins.has(id))) return link;
  const causes = link.causedBy.flatMap((id) => {
    const twin = twins.get(id);
    if (twin === undefined) return [id];
    return twin.id === link.eventId ? twin.causedBy.filter((before) => !twins.has(before)) : [twin.id];
  });
  return { ...link, causedBy: [...new Set(causes)] };
}
