// What a BMC's parts are called.

import type { Component } from '../../model/component.ts';

export function supplyComponent(host: string, slot: string): Component {
  return { type: 'psu', id: `${host}/${slot}`, host, parent: `host/${host}` };
}

export function fanComponent(host: string, slot: string): Component {
  return { type: 'fan', id: `${host}/${slot}`, host, parent: `host/${host}` };
}

export function hostComponent(host: string): Component {
  return { type: 'host', id: host, host };
}

/** What leaks and flows: `unit` null inside the host; empty, the coolant unit that the service is of; else one of several. */
export function coolingComponent(host: string, unit: string | null): Component {
  if (unit === null) return hostComponent(host);
  return { type: 'cdu', id: unit === '' ? host : `${host}/${unit}` };
}
