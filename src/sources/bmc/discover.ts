// Finds what one BMC offers by following its links: which chassis is the host, and which of the two models tells what.

import type { BmcPlan, Reading } from './bmc-plan.ts';
import { at, linkAt, linksAt, sameLink, textAt } from './decode/json.ts';
import { isPartChassis, isSkippedChassis, quirksFor } from './decode/quirks.ts';
import { type ChassisPlan, planChassis } from './discover-chassis.ts';
import { planCooling } from './discover-cooling.ts';
import type { RedfishClient } from './http/client.ts';
import { RedfishError } from './http/redfish-error.ts';
import type { Resource } from './http/resource.ts';
import { findLogs } from './log/log-services.ts';

const MOST_CHASSIS = 64;
const MOST_SYSTEMS = 8;
const MOST_PROCESSORS = 64;
/** Chassis whose power and fans are read: the host's own and what holds it. */
const MOST_HOSTS = 4;

interface Systems {
  readonly all: readonly Resource[];
  /** Chassis that the systems say they sit in. */
  readonly chassis: readonly string[];
}

export interface DiscoverOptions {
  /** How much of each GPU among the processors is read. */
  readonly gpus: 'whole' | 'throttling';
  readonly logs: boolean;
}

/** Rejects with RedfishError. */
export async function discoverBmc(client: RedfishClient, options: DiscoverOptions): Promise<BmcPlan> {
  const root = await client.root();
  const systems = await readSystems(client, linkAt(root.body, 'Systems'));
  const chassis = await readChassis(client, linkAt(root.body, 'Chassis'));
  const hosts = hostChassis(chassis, systems);
  const manager = await readManager(client, linkAt(root.body, 'Managers'));
  const cooling = await planCooling(client, root.body, systems.all.length === 0);

  const first = systems.all[0]?.body ?? hosts[0]?.body;
  const names = [
    textAt(root.body, 'Vendor'),
    textAt(first, 'Manufacturer'),
    textAt(hosts[0]?.body, 'Manufacturer'),
    textAt(root.body, 'Product'),
    oemName(root.body),
  ];
  const quirks = quirksFor(names);
  const plans: ChassisPlan[] = [];
  for (const one of hosts) {
    const plan = await planChassis(client, one, quirks);
    if (plan.fast.length + plan.slow.length > 0) plans.push(plan);
  }
  const gpus = await findGpus(client, systems, options.gpus === 'whole');
  const health: Reading[] = systems.all.map(({ path }) => ({ is: 'health', path, of: 'system' }));
  if (plans.length === 0 && gpus.length === 0 && health.length === 0 && cooling.units.length === 0) {
    throw new RedfishError('nothing', client.peer, `${chassis.length} chassis, none with readings`);
  }
  const holders = [...systems.all, ...(manager === null ? [] : [manager]), ...hosts];
  const logs = options.logs ? await findLogs(client, holders) : [];
  // A unit's own service has no host whose supplies could be missed.
  const [own] = cooling.units.filter(({ unit }) => unit === '');
  const supplies = own !== undefined || plans.some(({ hasSupplies }) => hasSupplies);
  const power = own !== undefined || plans.some(({ hasPower }) => hasPower);
  return {
    units: cooling.units,
    identity: own?.identity ?? {
      vendor: quirks.vendor ?? names.find((name) => name !== null) ?? null,
      model: textAt(first, 'Model') ?? textAt(hosts[0]?.body, 'Model') ?? textAt(root.body, 'Product'),
      serial: textAt(first, 'SerialNumber') ?? textAt(hosts[0]?.body, 'SerialNumber'),
      firmware: textAt(manager?.body, 'FirmwareVersion'),
    },
    quirks,
    fast: [...plans.flatMap(({ fast }) => fast), ...cooling.fast],
    // The health of a chassis is for people: it may warn for ever, and no event comes of it.
    slow: [
      ...plans.flatMap(({ slow }) => slow).filter(({ is }) => options.gpus === 'whole' || is !== 'health'),
      ...cooling.slow,
      ...health,
      ...(manager === null ? [] : [{ is: 'manager', path: manager.path } as const]),
    ],
    gpus,
    logs,
    ...(await eventsOf(client, linkAt(root.body, 'EventService'))),
    warnings: [
      ...(supplies ? [] : ['the BMC tells nothing of power supplies']),
      ...(power ? [] : ["the BMC does not tell the host's consumption"]),
    ],
  };
}

async function readSystems(client: RedfishClient, collection: string | null): Promise<Systems> {
  const all: Resource[] = [];
  for (const path of ((await client.members(collection)) ?? []).slice(0, MOST_SYSTEMS)) {
    const system = await client.tryGet(path);
    if (system !== null) all.push(system);
  }
  return { all, chassis: all.flatMap(({ body }) => linksAt(body, 'Links', 'Chassis')) };
}

async function readChassis(client: RedfishClient, collection: string | null): Promise<Resource[]> {
  const found: Resource[] = [];
  const paths = ((await client.members(collection)) ?? []).filter((path) => !isSkippedChassis(path));
  for (const path of paths.slice(0, MOST_CHASSIS)) {
    const chassis = await client.tryGet(path);
    if (chassis !== null) found.push(chassis);
  }
  return found;
}

/** Whole chassis before parts of one, those that a system names before others. */
function hostChassis(chassis: readonly Resource[], systems: Systems): Resource[] {
  const whole = chassis.filter(({ body }) => !isPartChassis(textAt(body, 'ChassisType')));
  const among = whole.length > 0 ? whole : chassis;
  const named = among.filter(({ path }) => systems.chassis.some((link) => sameLink(link, path)));
  // An enclosure that holds several hosts has the power of all of them.
  return (named.length > 0 ? named : among).slice(0, MOST_HOSTS);
}

async function readManager(client: RedfishClient, collection: string | null): Promise<Resource | null> {
  const [first] = (await client.members(collection)) ?? [];
  return client.tryGet(first ?? null);
}

async function findGpus(client: RedfishClient, systems: Systems, whole: boolean): Promise<Reading[]> {
  const gpus: Reading[] = [];
  for (const { body } of systems.all) {
    const processors = (await client.members(linkAt(body, 'Processors'))) ?? [];
    for (const path of processors.slice(0, MOST_PROCESSORS)) {
      const processor = await client.tryGet(path);
      if (processor === null || textAt(processor.body, 'ProcessorType') !== 'GPU') continue;
      const environment = linkAt(processor.body, 'EnvironmentMetrics');
      const metrics = linkAt(processor.body, 'Metrics');
      if (whole) gpus.push({ is: 'gpu', path, environment, metrics });
      else if (metrics !== null)
        gpus.push({ is: 'gpu', path: metrics, environment: null, metrics, body: processor.body });
    }
  }
  return gpus;
}

/** How events are sent; not at all while that is switched off on the BMC. */
async function eventsOf(
  client: RedfishClient,
  service: string | null,
): Promise<Pick<BmcPlan, 'stream' | 'onlySubscriptions'>> {
  const events = await client.tryGet(service);
  if (at(events?.body, 'ServiceEnabled') === false) return { stream: null, onlySubscriptions: false };
  const stream = linkAt(events?.body, 'ServerSentEventUri');
  return { stream, onlySubscriptions: stream === null && linkAt(events?.body, 'Subscriptions') !== null };
}

/** The key under which a vendor puts its own things. */
function oemName(body: unknown): string | null {
  const oem = at(body, 'Oem');
  return typeof oem === 'object' && oem !== null ? (Object.keys(oem)[0] ?? null) : null;
}
