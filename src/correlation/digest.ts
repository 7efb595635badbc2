// Digest: what is published of a cluster, in texts that change when that does; counts only when they double, and once more at the end.

import type { Assigned, Cluster } from './belief/condition.ts';
import { MAX_LINKED } from './belief/links.ts';
import type { Verdict } from './explain/explain.ts';

/** The whole first, then each member; what did not change since the last time is the same string. */
export type Digest = readonly string[];

export function digestOf(cluster: Cluster, verdict: Verdict, ended: boolean): Digest {
  const { members } = cluster;
  const digest = [headOf(verdict, ended)];
  const length = Math.min(members.length, MAX_LINKED);
  for (let i = 0; i < length; i += 1) {
    const member = members[i];
    if (member !== undefined) digest.push(textOf(member, ended));
  }
  return digest;
}

export function areSame(a: Digest, b: Digest): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}

function headOf(verdict: Verdict, ended: boolean): string {
  const { title, severity, confidence, confidenceParts, root, action, impact, alternatives } = verdict;
  let digest = `${root.eventId} ${title} ${severity} ${confidence} ${ended} ${action.kind} ${verdict.unconfirmed === null}`;
  for (const { text, loss } of impact) digest += `|${text} ${loss?.toMs ?? ''}`;
  // Who rivals, and why what is believed is believed so far: all of it is published, so all of it counts.
  for (const { root: rival, why, confidence: share } of alternatives) digest += `|${rival.kind} ${why} ${share}`;
  for (const { why } of confidenceParts) digest += `|${why}`;
  return digest;
}

function textOf(member: Assigned, ended: boolean): string {
  const { condition, causedBy } = member;
  const before = ended ? member.digestedAtEnd : member.digested;
  const { version } = condition;
  if (before?.version === version) return before.text;
  const { order, first, onset, severity, sources, component } = condition;
  const count = ended ? condition.count : Math.floor(Math.log2(condition.count));
  const known =
    before !== null && before.onset === onset && before.count === count && before.severity === severity &&
    before.sources === sources.size && before.eventId === first.id && before.component === component; // biome-ignore format: all that the text is drawn from
  if (known) {
    before.version = version;
    return before.text;
  }
  let text = `${onset.earliestMs}-${onset.latestMs}:${order}:${first.id}:${severity}:${count}:${sources.size}:${component?.aliases?.length ?? 0}`;
  for (const { edge, weight } of causedBy) text += `<${edge.cause.order}*${Math.round(weight * 100)}`;
  const drawn = { version, onset, eventId: first.id, severity, count, sources: sources.size, component, text };
  if (ended) member.digestedAtEnd = drawn;
  else member.digested = drawn;
  return text;
}
