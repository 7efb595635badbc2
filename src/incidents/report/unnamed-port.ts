// Unnamed port: which port an output of `ethtool` is of that has neither its address nor its name is found before a cable is pulled.

import { shellWord } from '../../helpers/shell-word.ts';
import type { Attributes } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { saidDevice } from '../../model/said-device.ts';
import { NAME } from './drain.ts';
import { HANDS } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** As ethtool has them, so that grep finds them. */
const WORDS = /^[A-Za-z][\w.: -]{1,60}$/;

/** Null where the port has an address, or nothing says how it is found. */
export function unnamedPort({ root, action: { kind, target }, events }: Incident): Special | null {
  if (kind !== 'check_link' || target !== null || root.component !== null || !root.kind.startsWith('nic.')) return null;
  const own = events.find(({ id }) => id === root.eventId);
  if (own?.source === 'job-log') return ofJob(own.attributes);
  if (own?.source !== 'ethtool') return null;
  const name = saidDevice(root.kind, own.attributes);
  if (name !== null) return reseated(`${name} of @`, '');
  const { counter, reported_as: alarm } = own.attributes;
  const words = counter ?? alarm;
  if (typeof words !== 'string' || !WORDS.test(words)) return null;
  const asks = `ethtool ${counter === undefined ? '-m' : '-S'}`;
  const find = `on @, for d in /sys/class/net/*; do echo $d; sudo ${asks} \${d##*/} 2>&1 | grep -w ${shellWord(words)}; done; then `;
  const steps = reseated('that port', find);
  return { ...steps, does: 'find which port of @ it is, then check its cable, optics and connector' };
}

/** NCCL and UCX name the card: its own host says whether the port is down still, before anyone goes there. */
function ofJob({ device }: Attributes): Special | null {
  if (typeof device !== 'string' || !NAME.test(device)) return null;
  return {
    does: `see whether the port of ${device} of @ is down, then check its cable, optics and connector`,
    now: `on @, ibstat ${device}; sudo dmesg -T | grep -iE "mlx5|link is|link down" at TIME. Where it is or was down: DRAIN; once nothing runs over it, reseat cable and transceiver of ${device} at both ends`,
    call: HANDS,
  };
}

function reseated(port: string, before: string): Special {
  return {
    does: `check cable, optics and connector of ${port}`,
    now: `${before}reseat cable and transceiver of ${port} at both ends; where its errors continue, swap them one by one`,
    call: HANDS,
  };
}
