// Switch side: what a network switch says of itself — its ports, supplies, fans and heat — as opposed to what a host says of its cards.

import type { FaultEvent } from './event.ts';

export function isOfSwitch({ attributes }: Pick<FaultEvent, 'attributes'>): boolean {
  return attributes.side === 'switch';
}

/** A port that went down, at whichever end it is said. */
export function isPortDown({ kind, component, state }: Pick<FaultEvent, 'kind' | 'component' | 'state'>): boolean {
  return (kind === 'nic.port_down' || kind === 'nic.link_flap') && component?.type === 'nic' && state !== 'clear';
}

/** A switch that its subnet manager no longer reaches: no port of it alone. */
export function isGone(event: Pick<FaultEvent, 'attributes' | 'state'>): boolean {
  return isOfSwitch(event) && event.attributes.left_fabric === true && event.state !== 'clear';
}
