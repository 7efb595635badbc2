// Action: what to do about an incident, and on what: by its root, by the gravest that follows on the same device, by who says so.

import { ACTIONS, type Action } from '../../../model/action.ts';
import { detailText, testText } from '../../../model/detail-text.ts';
import type { Incident } from '../../../model/incident.ts';
import { kindInfo } from '../../../model/kind.ts';
import type { Cluster, Condition } from '../../belief/condition.ts';
import { isExplaining, isSymptom, likelyRoots } from '../../graph/kind-roles.ts';
import type { RepeatBook } from '../../repeats/repeat-book.ts';
import type { TopologyIndex } from '../../topology/topology-index.ts';
import { onlyTenant } from '../../window/facts.ts';
import { isAsLogged } from '../as-logged.ts';
import { silentRank } from '../silent-rank.ts';
import { askedBy, gravestOn, isGraver } from './device-actions.ts';
import { fabricBehind, fileServer } from './elsewhere.ts';
import { passed } from './passed.ts';
import { lastAskedFor } from './recovery.ts';

/** Acts on a device or host that other jobs may use: never on the word of a job's own output. */
const ON_NODE: ReadonlySet<Action> = new Set([
  'reset_gpu', 'drain_reset_gpu', 'reset_nic', 'reboot_node', 'power_cycle_node', 'drain_node', 'inspect_hardware',
  'replace_part', 'contact_vendor', 'check_power_feed', 'check_cooling', 'check_link', 'update_software',
]); // biome-ignore format: grouped by effect

/** What may be looked at all the same. */
const INSTEAD: ReadonlyMap<Action, Action> = new Map([['update_software', 'check_config']]);

/** Nor does anyone take the power of a host on words: it may only be slow, or out of reach. */
const ON_WORDS: ReadonlyMap<Action, Action> = new Map([['power_cycle_node', 'check_config']]);

/** Why a user's word leads to nothing on the node. */
const UNCONFIRMED =
  'nothing on the node before kernel or driver confirm it: a user of the host could have written all of it';
/** The same where the one who reads it decides. */
export const AFTER_A_LOOK = 'once kernel or driver say so too: only a job does yet';
/** Of a log that only its form ascribes to a daemon. */
const AS_LOGGED = 'as the log says, and no other says so: see first whether it is dead';
const LONGEST_NEXT = 160;

export interface ActionContext {
  readonly topology: TopologyIndex;
  readonly repeats: RepeatBook;
  /** See CorrelatorOptions. */
  readonly adviseOnWords?: boolean;
}

export function actionOf(
  cluster: Cluster,
  { topology, repeats, adviseOnWords = false }: ActionContext,
): Incident['action'] {
  const { root, members } = cluster;
  const info = kindInfo(root.kind);
  if (isExplaining(root.kind))
    return { kind: 'none', target: root.component, why: `${info.title}: planned or declared` };
  const asked = lastAskedFor(members);
  if (isSymptom(root.kind) && root.kind !== 'gpu.recovery_action') {
    const next = likelyRoots(root.kind)[0]?.next ?? 'look at the other hosts';
    const kind = ON_NODE.has(info.action) ? 'none' : info.action;
    const silent = silentRank({ root, members }, topology);
    if (silent !== null)
      return {
        kind: 'debug_app',
        target: silent,
        why: 'No root cause yet. To find out: its stack and log, for it did not join',
      };
    return { kind, target: root.component, why: `No root cause yet. To find out: ${next}` };
  }
  const acted = info.action === 'none' && root.severity === 'info' ? (firstToActOn(root, members) ?? root) : root;
  const elsewhere = fileServer(acted) ?? fabricBehind(acted, members, topology);
  if (elsewhere !== null) return elsewhere;
  const own = repeatedAction(acted, repeats) ?? passed(cluster) ?? ownAction(acted, members);
  if (asked !== null && (onlyTenant(acted) || !isBeyondDriver(own.kind, asked.action)))
    return {
      kind: asked.action,
      target: asked.target ?? root.component,
      why: 'the driver asks for it: its recovery action',
    };
  // Of what is acted on, not of all that hangs together: a job's log joins any fault of the node it ran on.
  const onNode = ON_NODE.has(own.kind) && !(own.kind === 'check_link' && namesNoDevice(acted.component));
  if (isAsLogged(cluster) && ON_WORDS.has(own.kind))
    return { ...own, kind: ON_WORDS.get(own.kind) ?? own.kind, why: AS_LOGGED };
  if (!onlyTenant(acted) || !onNode) return own;
  if (adviseOnWords) return { ...own, kind: ON_WORDS.get(own.kind) ?? own.kind, why: AFTER_A_LOOK };
  return { kind: INSTEAD.get(own.kind) ?? 'none', target: root.component, why: nextOf(acted) ?? UNCONFIRMED };
}

/** What came back under other processes and jobs, on the same part of the same device, is not theirs. */
function repeatedAction(acted: Condition, repeats: RepeatBook): Incident['action'] | null {
  const repeat = repeats.of(acted);
  if (repeat === null || onlyTenant(acted)) return null;
  const { action, times, unit } = repeat;
  const where = unit === null ? `on this device under ${times} jobs` : `on ${unit} under ${times} processes`;
  return {
    kind: action,
    target: acted.component,
    why: `the same ${where}, and on no other: the device, not the program`,
  };
}

/** What its kind, or the event itself, asks for, and the gravest that followed on the same device. */
function ownAction(acted: Condition, members: Cluster['members']): Incident['action'] {
  const { action: usual, title: own } = kindInfo(acted.kind);
  const proposed = acted.latest?.attributes.action ?? acted.first.attributes.action;
  const kind = ACTIONS.find((action) => action === proposed && action !== 'none') ?? usual;
  const graver = gravestOn(acted, members, kind);
  if (graver === null)
    return { kind, target: acted.component, why: testText(acted.first.attributes) ?? `usual for: ${own}` };
  const { action, title } = kindInfo(graver.kind);
  // The number and link of a switch's error are what its vendor asks for.
  const said = graver.kind.startsWith('nvswitch.') ? detailText(graver.kind, graver.first.attributes) : null;
  const followed = said === null ? title : `${title}, ${said}`;
  // Of one moment nothing says which came first.
  const why = acted.onsetMs < graver.onsetMs ? `it led to: ${followed}` : `with ${followed}`;
  return { kind: askedBy(graver) ?? action, target: graver.component, why };
}

/** The driver knows resets and reboots; that the part is to be replaced it never says. */
function isBeyondDriver(action: Action, asked: Action): boolean {
  return action === 'replace_part' && isGraver(action, asked);
}

/** What to look at instead, where the source of it knows. */
function nextOf({ first }: Condition): string | null {
  const { next } = first.attributes;
  return typeof next === 'string' && next !== '' ? `look at ${next.slice(0, LONGEST_NEXT)}` : null;
}

/** Which link a job's words mean is found by looking at the job: they name no device of the node, or nothing at all. */
function namesNoDevice(component: Condition['component']): boolean {
  return component === null || component.type === 'job' || component.type === 'rank';
}

/** What began with something that is not a fault itself is fixed where it became one. */
function firstToActOn(root: Condition, members: Cluster['members']): Condition | null {
  const found = members.find(({ condition: { kind, severity }, condition }) => {
    const matters = condition !== root && severity !== 'info' && !isSymptom(kind);
    return matters && kindInfo(kind).action !== 'none';
  });
  return found?.condition ?? null;
}
