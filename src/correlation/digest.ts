// Digest: what is published of a cluster, as far as a change of it is worth a revision; counts only when they double, and once more at the end.

import type { Assigned, Cluster, Digest, Digested } from './belief/condition.ts';
import { MAX_LINKED } from './belief/links.ts';

export function digestOf(cluster: Cluster, head: Digest['head'], ended: boolean): Digest {
  const { members } = cluster;
  const digested: Digested[] = [];
  const length = Math.min(members.length, MAX_LINKED);
  for (let i = 0; i < length; i += 1) {
    const member = members[i];
    if (member !== undefined) digested.push(digestedOf(member, ended));
  }
  return { head, ended, members: digested };
}

/** `a` of null is that of nothing. */
export function areSame(a: Digest | null, b: Digest): boolean {
  if (a === null || a.ended !== b.ended || a.members.length !== b.members.length) return false;
  for (let i = 0; i < a.members.length; i += 1) if (!isSame(a.members[i], b.members[i])) return false;
  return isSameHead(a.head, b.head);
}

/** Who rivals, and why what is believed is believed so far: all of it is published, so all of it counts. */
function isSameHead(a: Digest['head'], b: Digest['head']): boolean {
  if (a.root.eventId !== b.root.eventId || a.severity !== b.severity || a.confidence !== b.confidence) return false;
  if (a.action.kind !== b.action.kind || a.title !== b.title) return false;
  if ((a.unconfirmed === null) !== (b.unconfirmed === null)) return false;
  if (a.impact.length !== b.impact.length || a.alternatives.length !== b.alternatives.length) return false;
  const [parts, others] = [a.confidenceParts, b.confidenceParts];
  if (parts.length !== others.length) return false;
  for (let i = 0; i < a.impact.length; i += 1) {
    const [one, other] = [a.impact[i], b.impact[i]];
    if (one?.text !== other?.text || (one?.loss?.toMs ?? null) !== (other?.loss?.toMs ?? null)) return false;
  }
  for (let i = 0; i < a.alternatives.length; i += 1) {
    const [one, other] = [a.alternatives[i], b.alternatives[i]];
    if (one?.root.kind !== other?.root.kind || one?.why !== other?.why || one?.confidence !== other?.confidence)
      return false;
  }
  for (let i = 0; i < parts.length; i += 1) if (parts[i]?.why !== others[i]?.why) return false;
  return true;
}

function isSame(a: Digested | undefined, b: Digested | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  if (a.order !== b.order || a.eventId !== b.eventId || a.severity !== b.severity || a.count !== b.count) return false;
  if (a.sources !== b.sources || a.aliases !== b.aliases || a.causes.length !== b.causes.length) return false;
  if (a.onset.earliestMs !== b.onset.earliestMs || a.onset.latestMs !== b.onset.latestMs) return false;
  for (let i = 0; i < a.causes.length; i += 1) if (a.causes[i] !== b.causes[i]) return false;
  return true;
}

function digestedOf(member: Assigned, ended: boolean): Digested {
  const { condition, causedBy } = member;
  const before = ended ? member.digestedAtEnd : member.digested;
  const { version } = condition;
  if (before?.version === version) return before;
  const { order, first, onset, severity, sources, component } = condition;
  const count = ended ? condition.count : Math.floor(Math.log2(condition.count));
  const aliases = component?.aliases?.length ?? 0;
  const known =
    before !== null && before.onset === onset && before.count === count && before.severity === severity &&
    before.sources === sources.size && before.eventId === first.id && before.aliases === aliases; // biome-ignore format: all but what it is caused by, which is the member's own
  if (known) {
    before.version = version;
    return before;
  }
  const causes: number[] = [];
  for (const { edge, weight } of causedBy) causes.push(edge.cause.order, Math.round(weight * 100));
  const digested = {
    version,
    onset,
    order,
    eventId: first.id,
    severity,
    count,
    sources: sources.size,
    aliases,
    causes,
  };
  if (ended) member.digestedAtEnd = digested;
  else member.digested = digested;
  return digested;
}
