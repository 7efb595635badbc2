// Special: what an action is on an object that has no such part: a link without a cable, a host whose part is to be replaced, a file server.

import type { Action } from '../../model/action.ts';
import { nameText } from '../../model/component-name.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { podOf } from '../../model/pod-name.ts';
import { hostWords, placedTarget } from './place.ts';
import type { Special } from './special-step.ts';
import { STAGES } from './specials.ts';

const LONGEST = 64;

/** Null where the action's own words are right. */
export function specialOf(incident: Incident): Special | null {
  for (const { when, of, ends } of STAGES) {
    if (when?.(incident) === false) continue;
    for (const one of of) {
      const special = one(incident);
      if (special !== null) return special;
    }
    if (ends === true) return null;
  }
  return null;
}

/** Done to a device: a job or rank has one only by the host that it ran on. */
const ON_A_DEVICE: ReadonlySet<Action> = new Set(['check_link', 'reset_nic', 'inspect_hardware', 'replace_part', 'contact_vendor']); // biome-ignore format: one line
/** Of work the GPU that it has. */
const ON_A_GPU: ReadonlySet<Action> = new Set(['reset_gpu', 'drain_reset_gpu', 'check_cooling', 'check_power_feed', 'inspect_hardware', 'replace_part', 'contact_vendor']); // biome-ignore format: one line
/** Of a pod's own events. */
const ON_A_POD: ReadonlySet<Action> = new Set(['restart_app', 'debug_app', 'check_config']);
const OF_CARDS: ReadonlySet<Action> = new Set(['check_link', 'reset_nic']);

/** What the action is done to: its target's name, or the card of a job's host that the line names. Null without a target. */
export function objectText(incident: Incident): string | null {
  const { kind } = incident.action;
  const target = placedTarget(incident);
  if (target === null) return null;
  const root = incident.events.find(({ id }) => id === incident.root.eventId);
  const pod = incident.root.kind.startsWith('pod.') && target.type === 'host' && root !== undefined ? podOf(root.attributes) : null; // biome-ignore format: one condition
  if (pod !== null && ON_A_POD.has(kind)) return `pod ${plain(pod, LONGEST)}`;
  if (incident.root.kind === 'host.pressure' && target.type === 'host') return hostWords(incident);
  const isWork = target.type === 'job' || target.type === 'rank';
  if (isWork && incident.root.kind.startsWith('gpu.') && ON_A_GPU.has(kind)) return `the GPU of ${nameText(target)}`;
  if (!ON_A_DEVICE.has(kind) || !isWork) return nameText(target);
  const device = root?.attributes.device;
  const isNamed = typeof device === 'string' && device !== '';
  if (!isNamed && !OF_CARDS.has(kind) && !/^(?:net|nic)\./.test(incident.root.kind)) return nameText(target);
  const what = isNamed ? plain(device, LONGEST) : 'the network cards';
  return `${what} of ${hostWords(incident)}`;
}
