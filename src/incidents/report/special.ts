// Special: what an action is on an object that has no such part: a link without a cable, a host whose part is to be replaced, a file server.

import type { Action } from '../../model/action.ts';
import { nameText } from '../../model/component-name.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { hostWords } from './place.ts';

/** In the placeholders of a step; `does`: what to do, `%` being the object. */
export interface Special {
  readonly does: string;
  readonly now: string;
  readonly call: string;
}

const FILE_SERVER: Special = {
  does: 'look after the file server %: its service, its disks, the network to it',
  now: 'ask whether % answers others, and see its service, disks and network; what waits for it here continues by itself once it answers',
  call: 'who runs the file server %',
};
const LINK_OF_GPUS: Special = {
  does: 'check %',
  now: 'DRAIN; SAVEreset the GPUs of @ (NVIDIA: sudo nvidia-smi --gpu-reset). Where it fails again, reseat its cable where it has one; on a baseboard it has none: open a case for it with FILE',
  call: 'who may touch the hardware of @',
};
const PART_OF_HOST: Special = {
  does: 'replace the part of % that the lines name',
  now: 'DRAIN; then open a case for that part of % with FILE',
  call: 'the support of the vendor of %',
};

/** Null where the action's own words are right. */
export function specialOf({ action: { kind, target }, root, host }: Incident): Special | null {
  if (target === null) return null;
  if (kind === 'check_link' && target.type === 'nvlink') return LINK_OF_GPUS;
  if (target.type !== 'host') return null;
  if (kind === 'replace_part') return PART_OF_HOST;
  const isElsewhere = root.kind.startsWith('storage.') && target.id !== host;
  return kind === 'inspect_hardware' && isElsewhere ? FILE_SERVER : null;
}

/** Done to a device: a job or rank has one only by the host that it ran on. */
const ON_A_DEVICE: ReadonlySet<Action> = new Set(['check_link', 'reset_nic', 'inspect_hardware', 'replace_part', 'contact_vendor']); // biome-ignore format: one line
const LONGEST = 64;

/** What the action is done to: its target's name, or the card of a job's host that the line names. Null without a target. */
export function objectText(incident: Incident): string | null {
  const { kind, target } = incident.action;
  if (target === null) return null;
  if (!ON_A_DEVICE.has(kind) || (target.type !== 'job' && target.type !== 'rank')) return nameText(target);
  const root = incident.events.find(({ id }) => id === incident.root.eventId);
  const device = root?.attributes.device;
  const what = typeof device === 'string' && device !== '' ? plain(device, LONGEST) : 'the network cards';
  return `${what} of ${hostWords(incident)}`;
}
