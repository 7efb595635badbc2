// Lost port: one that took work with it and may go down again: no new work comes there before its cable is seen to.

import type { Incident } from '../../model/incident.ts';
import { HANDS } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** Null where no job or rank suffered: other ports may carry all there. */
export function lostPort({ root, action, events }: Incident): Special | null {
  const isPort = root.kind === 'nic.port_down' || root.kind === 'nic.link_flap';
  if (!isPort || action.kind !== 'check_link' || action.target?.type !== 'nic') return null;
  if (!events.some(({ component }) => component?.type === 'job' || component?.type === 'rank')) return null;
  return {
    does: 'check cable, optics and connector of %',
    now: 'DRAIN; once nothing runs over it, reseat cable and transceiver of % at both ends; where its errors continue, swap them one by one',
    call: HANDS,
  };
}
