// Verdict: how bad an incident is and what to do about it, from its root and its chain.

import { ACTIONS, type Action } from '../../model/action.ts';
import type { AttributeValue } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { kindInfo } from '../../model/kind.ts';
import { recoveryActionOf } from '../../model/recovery-action.ts';
import { compareSeverity, maxSeverity, type Severity } from '../../model/severity.ts';
import type { Cluster, Condition } from '../belief/condition.ts';
import { isExplaining, isSymptom, likelyRoots } from '../graph/kind-roles.ts';
import { onlyTenant } from '../window/facts.ts';

/** Acts on a device or host that other jobs may use: never on the word of a job's own output. */
const ON_NODE: ReadonlySet<Action> = new Set([
  'reset_gpu', 'drain_reset_gpu', 'reset_nic', 'reboot_node', 'power_cycle_node', 'drain_node', 'inspect_hardware',
  'replace_part', 'contact_vendor', 'check_power_feed', 'check_cooling', 'check_link', 'update_software',
]); // biome-ignore format: grouped by effect

/** What may be looked at all the same. */
const INSTEAD: ReadonlyMap<Action, Action> = new Map([['update_software', 'check_config']]);

export function severityOf({ root, members }: Cluster): Severity {
  if (isExplaining(root.kind)) return 'info';
  const power = root.kind.startsWith('power.') || root.kind.startsWith('psu.');
  const symptom = isSymptom(root.kind);
  // What the driver asks for is all that is known of a fault that no source named.
  let severity = asksForRecovery(root) ? maxSeverity(root.severity, 'critical') : believed(root);
  for (const { condition } of members) {
    if (severity === 'critical') break;
    if (condition === root) continue;
    const { reaction, affectsJob, fed } = condition.roles;
    if (symptom || !reaction) severity = maxSeverity(severity, believed(condition));
    // A supply or a host reacted to the feed.
    if (affectsJob || (power && fed)) severity = maxSeverity(severity, 'error');
  }
  return severity;
}

/**
 * Whether others than a tenant report it: what is held to be the root, and something that is worth an incident. A forged line
 * next to an everyday event of the kernel is confirmed by neither. What is planned or declared needs no more than its own source.
 */
export function isConfirmed({ root, members }: Cluster): boolean {
  if (onlyTenant(root)) return false;
  if (isExplaining(root.kind)) return true;
  return members.some(({ condition }) => !onlyTenant(condition) && mattersAlone(condition));
}

function mattersAlone(condition: Condition): boolean {
  return compareSeverity(condition.severity, 'warning') >= 0 || asksForRecovery(condition);
}

/** What a tenant alone reports is an error at most, whatever it claims. */
function believed(condition: Condition): Severity {
  return condition.severity === 'critical' && onlyTenant(condition) ? 'error' : condition.severity;
}

export function actionOf({ root, members }: Cluster): Incident['action'] {
  const info = kindInfo(root.kind);
  if (isExplaining(root.kind))
    return { kind: 'none', target: root.component, why: `${info.title}: planned or declared` };
  const asked = lastAskedFor(members);
  if (isSymptom(root.kind) && root.kind !== 'gpu.recovery_action') {
    const next = likelyRoots(root.kind)[0]?.next ?? 'look at the other hosts';
    const kind = ON_NODE.has(info.action) ? 'none' : info.action;
    return { kind, target: root.component, why: `No root cause yet. To find out: ${next}` };
  }
  const proposed = root.first.attributes.action;
  const acted = info.action === 'none' && root.severity === 'info' ? (firstToActOn(root, members) ?? root) : root;
  const { action: usual, title } = kindInfo(acted.kind);
  const own = ACTIONS.find((action) => action === proposed && action !== 'none') ?? usual;
  const kind = asked?.action ?? own;
  // Of what is acted on, not of all that hangs together: a job's log joins any fault of the node it ran on.
  const onNode = ON_NODE.has(kind) && !(kind === 'check_link' && isWork(acted.component));
  if (asked === null && onlyTenant(acted) && onNode) {
    const why =
      'a user of the host could have written all of it: no action on the node before kernel or driver confirm it';
    return { kind: INSTEAD.get(kind) ?? 'none', target: root.component, why };
  }
  if (asked !== null)
    return { kind, target: asked.target ?? root.component, why: 'the driver asks for it (recovery action)' };
  return { kind, target: acted.component, why: `usual for: ${title}` };
}

/** Which link a job's words mean is found by looking at the job: no device of the node is named. */
function isWork(component: Condition['component']): boolean {
  return component?.type === 'job' || component?.type === 'rank';
}

/** What began with something that is not a fault itself is fixed where it became one. */
function firstToActOn(root: Condition, members: Cluster['members']): Condition | null {
  const found = members.find(({ condition: { kind, severity }, condition }) => {
    const matters = condition !== root && severity !== 'info' && !isSymptom(kind);
    return matters && kindInfo(kind).action !== 'none';
  });
  return found?.condition ?? null;
}

/** The driver asks for a reset, a drain or a reboot of this GPU: worth an incident though nothing names the fault. */
export function asksForRecovery(condition: Condition): boolean {
  return recoveryOf(condition) !== null;
}

function lastAskedFor(members: Cluster['members']): ReturnType<typeof recoveryOf> {
  for (let i = members.length - 1; i >= 0; i -= 1) {
    const member = members[i];
    const recovery = member === undefined ? null : recoveryOf(member.condition);
    if (recovery !== null) return recovery;
  }
  return null;
}

function recoveryOf(condition: Condition): { action: Action; target: Condition['component'] } | null {
  if (condition.kind !== 'gpu.recovery_action' || onlyTenant(condition)) return null;
  const { attributes } = condition.latest ?? condition.first;
  const action = recoveryAction(attributes.recovery_action ?? null) ?? ACTIONS.find((a) => a === attributes.action);
  return action === undefined || action === 'none' ? null : { action, target: condition.component };
}

function recoveryAction(value: AttributeValue): Action | undefined {
  if (typeof value === 'string' && ACTIONS.some((action) => action === value)) return ACTIONS.find((a) => a === value);
  return typeof value === 'string' || typeof value === 'number' ? (recoveryActionOf(value) ?? undefined) : undefined;
}
