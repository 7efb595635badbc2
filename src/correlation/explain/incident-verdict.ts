// Verdict: how bad an incident is and whether others than a user of the host report it, from its root and its chain.

import { compareSeverity, maxSeverity, type Severity } from '../../model/severity.ts';
import type { Believed, Cluster, Condition } from '../belief/condition.ts';
import { isConfirmedByRecord } from '../graph/confirmation.ts';
import { isJoining } from '../graph/joining.ts';
import { isExplaining, isSymptom } from '../graph/kind-roles.ts';
import { jobOfRank } from '../topology/place.ts';
import { onlyTenant } from '../window/facts.ts';
import { asksForRecovery } from './action/recovery.ts';

/** A port of InfiniBand or Ethernet trains for some seconds. */
const MOMENTS_MS = 30_000;

export function severityOf({ root, members }: Cluster): Severity {
  if (isExplaining(root.kind) || isOverUnfelt(root, members.length)) return 'info';
  const feed = root.kind.startsWith('power.');
  const power = feed || root.kind.startsWith('psu.');
  const symptom = isSymptom(root.kind);
  // What the driver asks for is all that is known of a fault that no source named.
  let severity = asksForRecovery(root) ? maxSeverity(root.severity, 'critical') : believed(root);
  for (const { condition } of members) {
    if (severity === 'critical') break;
    if (condition === root) continue;
    const { reaction, affectsJob } = condition.roles;
    // A supply reacts to its feed; to another supply it is one story of the supplies, and the host runs on.
    const fed = condition.roles.fed && (feed || !condition.kind.startsWith('psu.'));
    if (symptom || !reaction) severity = maxSeverity(severity, believed(condition));
    // A supply or a host reacted to the feed, or the host to its supplies.
    if (affectsJob || (power && fed)) severity = maxSeverity(severity, 'error');
  }
  return severity;
}

/** A port that carried nothing was down for moments, and nothing followed from it. */
function isOverUnfelt({ kind, onsetMs, endMs, events }: Condition, members: number): boolean {
  if (kind !== 'nic.port_down' || members > 1 || endMs === null || endMs - onsetMs > MOMENTS_MS) return false;
  return events.some(({ attributes }) => attributes.unused === true);
}

/**
 * Whether others than a tenant report it: what is held to be the root, and something that is worth an incident. A forged line
 * next to an everyday line of the kernel is confirmed by neither, nor by a rule of the site or an alert; the failure of a job is by its scheduler's record. What is planned or declared needs no more than its own source,
 * and what was measured beyond a limit for as long as its detector asks is more than an everyday line.
 */
export function isConfirmed({ root, members }: Believed): boolean {
  if (onlyTenant(root)) return isRecorded(root, members);
  if (isExplaining(root.kind) || wasMeasured(root)) return true;
  return members.some(({ condition }) => !onlyTenant(condition) && !isJoining(condition) && mattersAlone(condition));
}

/** The scheduler has on record that the job failed, which its user cannot write. */
function isRecorded(root: Condition, members: Believed['members']): boolean {
  if (!isConfirmedByRecord(root.kind)) return false;
  const job = jobOf(root);
  return job !== null && members.some(({ condition }) => condition.roles.record && !onlyTenant(condition) && jobOf(condition) === job); // biome-ignore format: one rule
}

function jobOf({ component }: Condition): string | null {
  if (component === null) return null;
  return component.type === 'job' ? component.id : jobOfRank(component);
}

function wasMeasured({ latestOnset }: Condition): boolean {
  return latestOnset !== null && latestOnset.trust !== 'tenant' && typeof latestOnset.attributes.detector === 'string';
}

function mattersAlone(condition: Condition): boolean {
  return compareSeverity(condition.severity, 'warning') >= 0 || asksForRecovery(condition);
}

/** What a tenant alone reports is an error at most, whatever it claims. */
function believed(condition: Condition): Severity {
  return condition.severity === 'critical' && onlyTenant(condition) ? 'error' : condition.severity;
}
