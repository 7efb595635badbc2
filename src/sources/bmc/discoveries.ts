// What a BMC shows of its host for the topology: supplies that feed it, fans in it; and one line that says what is there.

import type { Discovery } from '../../model/record.ts';
import type { BmcPlan } from './bmc-plan.ts';
import { coolingComponent, fanComponent, hostComponent, supplyComponent } from './components.ts';
import { ofPart, type TimedPart } from './decode/parts.ts';

export function discoveriesOf(host: string, plan: BmcPlan, parts: readonly TimedPart[]): Discovery[] {
  const to = hostComponent(host);
  const { vendor, model, serial, firmware } = plan.identity;
  const supplies = ofPart(parts, 'supply').filter(({ state }) => state !== 'Absent');
  return [
    ...plan.units.map(({ unit, identity: { firmware, ...facts } }): Discovery => {
      const cdu = coolingComponent(host, unit);
      // What a service of its own holds is the unit; what a host's service tells of cools that host.
      const link =
        unit === ''
          ? { from: to, to: cdu, relation: 'contains' as const }
          : { from: cdu, to, relation: 'feeds' as const };
      return { component: cdu, links: [{ ...link, source: 'host' }], attributes: { ...facts, firmware } };
    }),
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
    ...count(plan.units.length, 'coolant unit', 'coolant units'),
    ...count(ofPart(parts, 'loop').length, 'loop', 'loops'),
    ...count(ofPart(parts, 'pump').length, 'pump', 'pumps'),
    ...count(ofPart(parts, 'leak').length, 'leak detector', 'leak detectors'),
    ...clock,
  ].join(', ');
}

/** Subscriptions need a listener that the BMC reaches, and the right to configure it. */
export const ONLY_SUBSCRIPTIONS =
  'it sends events only to subscriptions, which are not made: what happens between two polls shows in its logs';

/** What this BMC cannot show; where it shows no supplies at all, its status says so. */
export function missingOf(plan: BmcPlan, parts: readonly TimedPart[]): string[] {
  const supplies = ofPart(parts, 'supply').filter(({ state }) => state !== 'Absent');
  const some = supplies.length > 0;
  const input = supplies.some(({ line, inputVoltage }) => line !== null || inputVoltage !== null);
  const own = plan.units.some(({ unit }) => unit === '');
  const load = supplies.some(({ inputPower, outputPower }) => inputPower !== null || outputPower !== null);
  return [
    ...(some && !input
      ? ['it shows no input of its supplies, so that an input that is lost shows only as a failure']
      : []),
    ...(some && !load ? ['it shows no load of its supplies, so that no failover is seen'] : []),
    ...(ofPart(parts, 'redundancy').length === 0 && some ? ['it shows no redundancy'] : []),
    ...(own && !ofPart(parts, 'loop').some(({ flow }) => flow !== null)
      ? ['it shows no flow of coolant, so that a flow that is lost shows only in temperatures']
      : []),
    ...(own && ofPart(parts, 'leak').length === 0 ? ['it shows no leak detector, so that no leak is seen'] : []),
    ...(ofPart(parts, 'power').length === 0 && !own
      ? ["it shows no consumption, so that no cap of the host's power is seen"]
      : []),
    ...(plan.onlySubscriptions ? [ONLY_SUBSCRIPTIONS] : []),
    ...(plan.logs.length === 0 ? ['it shows no log, so that what begins and ends between two polls is not seen'] : []),
  ];
}

/** Where supplies are plugged in by the BMC's word: proposed, not used, for its names are not those of the configuration. */
export function outletsOf(host: string, parts: readonly TimedPart[]): string[] {
  return ofPart(parts, 'supply').flatMap(({ slot, outlet }) =>
    outlet === undefined
      ? []
      : [`psu/${host}/${slot} is plugged into ${outlet} by its word: write it under topology.feeds if so`],
  );
}

export function showsSupplies(parts: readonly TimedPart[]): boolean {
  return suppliesOf(parts) > 0;
}

function suppliesOf(parts: readonly TimedPart[]): number {
  return ofPart(parts, 'supply').filter(({ state }) => state !== 'Absent').length;
}
