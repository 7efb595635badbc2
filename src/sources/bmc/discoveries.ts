// What a BMC shows of its host for the topology: supplies that feed it, fans in it; and one line that says what is there.

import type { Discovery } from '../../model/record.ts';
import type { BmcPlan } from './bmc-plan.ts';
import { ofPart, type TimedPart } from './decode/parts.ts';
import { fanComponent, hostComponent, supplyComponent } from './readings.ts';

export function discoveriesOf(host: string, plan: BmcPlan, parts: readonly TimedPart[]): Discovery[] {
  const to = hostComponent(host);
  const { vendor, model, serial, firmware } = plan.identity;
  const supplies = ofPart(parts, 'supply').filter(({ state }) => state !== 'Absent');
  return [
    { component: to, links: [], attributes: { vendor, model, serial, bmc_firmware: firmware } },
    ...supplies.map(({ slot, name, capacity }): Discovery => {
      const from = supplyComponent(host, slot);
      return {
        component: from,
        links: [{ from, to, relation: 'feeds', source: 'host' }],
        attributes: { name, capacity_w: capacity },
      };
    }),
    ...ofPart(parts, 'fan').map(({ slot, name }): Discovery => {
      const fan = fanComponent(host, slot);
      return {
        component: fan,
        links: [{ from: to, to: fan, relation: 'contains', source: 'host' }],
        attributes: { name },
      };
    }),
  ];
}

/** "Dell PowerEdge R750, 2 power supplies, 6 fans, clock +0.3 s" */
export function summaryOf(plan: BmcPlan, parts: readonly TimedPart[], offsetS: number | null): string {
  const count = (n: number, one: string, many: string) => (n === 0 ? [] : [`${n} ${n === 1 ? one : many}`]);
  const present = suppliesOf(parts);
  const name = [plan.identity.vendor, plan.identity.model].filter((word) => word !== null).join(' ');
  const clock = offsetS !== null && Math.abs(offsetS) >= 1 ? [`clock ${offsetS > 0 ? '+' : ''}${offsetS} s`] : [];
  return [
    name === '' ? 'a Redfish service' : name,
    ...count(present, 'power supply', 'power supplies'),
    ...count(ofPart(parts, 'fan').length, 'fan', 'fans'),
    ...count(ofPart(parts, 'temperature').length, 'temperature', 'temperatures'),
    ...clock,
  ].join(', ');
}

export function showsSupplies(parts: readonly TimedPart[]): boolean {
  return suppliesOf(parts) > 0;
}

function suppliesOf(parts: readonly TimedPart[]): number {
  return ofPart(parts, 'supply').filter(({ state }) => state !== 'Absent').length;
}
