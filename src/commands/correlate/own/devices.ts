// Devices: what the names of PowerTrace's files are, and how power and work flow between them.

import type { Component } from '../../../model/component.ts';
import { componentText } from '../../../model/component.ts';
import type { Link, Relation } from '../../../model/topology.ts';
import type { DeviceEvent, DeviceSource, Mapping, Records } from '../records.ts';
import { rackFeeds } from './racks.ts';
import { servedBy } from './served-by.ts';

type Kind = 'pdu' | 'ups' | 'gpu' | 'host';

/** What a device is whose only trace is an event. */
const BY_SOURCE: Readonly<Record<DeviceSource, Kind>> = {
  aws_health: 'host',
  azure_resource_health: 'host',
  gcp_instance_health: 'host',
  nvml: 'gpu',
  rapl: 'host',
  pdu_snmp: 'pdu',
  redfish: 'host',
  poe_snmp: 'pdu',
  ups: 'ups',
};

export class Devices {
  readonly links: readonly Link[];
  readonly hosts: readonly string[];
  readonly #components = new Map<string, Component>();
  /** Another name of a device, to the one that it goes by. */
  readonly #names = new Map<string, string>();

  constructor(records: Omit<Records, 'services'>) {
    const { mappings, events, spans } = records;
    const sources = new Map(events.map(({ device, source }) => [device, BY_SOURCE[source]] as const));
    for (const { device, instance, node, gpuUuid, assetTag, address } of mappings) {
      for (const name of [instance, node, gpuUuid, assetTag, address]) if (name !== null) this.#names.set(name, device);
    }
    const gpus = new Map<string, string>();
    for (const mapping of mappings) for (const gpu of mapping.gpus) gpus.set(this.#named(gpu), mapping.device);
    for (const { device, parent } of mappings) {
      if (parent !== null && (gpus.has(device) || sources.get(device) === 'gpu')) gpus.set(device, this.#named(parent));
    }
    for (const [gpu, host] of gpus) this.#components.set(gpu, { type: 'gpu', id: gpu, host });
    for (const mapping of mappings) {
      const { device } = mapping;
      if (!gpus.has(device)) this.#components.set(device, of(typeOf(mapping, sources.get(device)), device));
    }
    const linked = new Map<string, Link>();
    const link = (from: Component, to: Component, relation: Relation): void => {
      const key = `${componentText(from)} ${componentText(to)} ${relation}`;
      linked.set(key, { from, to, relation, source: 'configuration' });
    };
    const byName = (name: string): Component | null => this.known(name);
    for (const { device, feeds, services, parent } of mappings) {
      const from = this.component(device, 'host');
      for (const fed of feeds ?? []) link(from, this.component(fed, 'host'), 'feeds');
      for (const service of services) link(from, { type: 'service', id: service }, 'runs');
      if (parent === null) continue;
      const holder = this.component(parent, 'host');
      link(holder, from, holder.type === 'host' ? 'contains' : 'feeds');
    }
    for (const assumed of rackFeeds(records, (event) => this.of(event), byName)) {
      const { from, to } = assumed;
      if (!linked.has(`${componentText(from)} ${componentText(to)} feeds`))
        linked.set(`${componentText(from)} ${componentText(to)} feeds`, assumed);
    }
    // Which outlet feeds which supply is in no file: what feeds a host feeds the supply that it tells of.
    for (const event of events) {
      const supply = this.of(event);
      if (supply.type !== 'psu' || supply.host === undefined) continue;
      for (const each of [...linked.values()]) {
        if (each.relation !== 'feeds' || each.to.type !== 'host' || each.to.id !== supply.host) continue;
        linked.set(`${componentText(each.from)} ${componentText(supply)} feeds`, { ...each, to: supply });
      }
    }
    for (const [gpu, host] of gpus) link(this.component(host, 'host'), this.component(gpu, 'gpu'), 'contains');
    for (const { from, to } of servedBy(spans, [...linked.values()], byName)) link(from, to, 'runs');
    this.links = [...linked.values()];
    this.hosts = [...this.#components.values()].flatMap(({ type, id }) => (type === 'host' ? [id] : []));
  }

  /** The part of the device that the event is about. */
  of({ device, source, type, metadata }: DeviceEvent): Component {
    const { server_asset_tag: tag } = metadata;
    const holder = typeof tag === 'string' && this.known(device) === null ? this.known(tag) : null;
    const whole = holder ?? this.component(device, BY_SOURCE[source]);
    if (whole.type !== 'host') return whole;
    const { failed_psu: supply, package_id: socket } = metadata;
    if (type === 'psu_failover' && typeof supply === 'string') return part('psu', whole.id, supply);
    if (type === 'cpu_power_cap') return part('cpu', whole.id, typeof socket === 'number' ? `${socket}` : '0');
    return whole;
  }

  component(name: string, otherwise: Kind): Component {
    const device = this.#named(name);
    return this.#components.get(device) ?? of(otherwise, device);
  }

  /** The device of that name, or of another that it goes by; null where no mapping has it. */
  known(name: string): Component | null {
    return this.#components.get(this.#named(name)) ?? null;
  }

  #named(name: string): string {
    return this.#names.get(name) ?? name;
  }
}

/** What feeds nothing that is known may still be a PDU, as its events say, where nothing shows that it is a host. */
function typeOf({ feeds, gpus, services, instance, node }: Mapping, kind: Kind | undefined): Kind {
  const isFeed = feeds !== null && feeds.length > 0;
  const isHost = gpus.length > 0 || services.length > 0 || instance !== null || node !== null;
  if (isFeed) return kind === 'ups' || kind === 'host' ? kind : 'pdu';
  return !isHost && (kind === 'pdu' || kind === 'ups') ? kind : 'host';
}

function of(type: Kind, id: string): Component {
  return type === 'host' ? { type, id, host: id } : { type, id };
}

function part(type: 'psu' | 'cpu', host: string, id: string): Component {
  return { type, id: `${host}/${id}`, host };
}
