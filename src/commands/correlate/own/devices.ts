// Devices: what the names of PowerTrace's files are, and how power and work flow between them.

import type { Component } from '../../../model/component.ts';
import { componentText } from '../../../model/component.ts';
import type { Link, Relation } from '../../../model/topology.ts';
import type { DeviceEvent, DeviceSource, Records } from '../records.ts';

/** What a device is whose only trace is an event. */
const BY_SOURCE: Readonly<Record<DeviceSource, 'pdu' | 'ups' | 'gpu' | 'host'>> = {
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

  constructor({ mappings, events }: Pick<Records, 'mappings' | 'events'>) {
    const sources = new Map(events.map(({ device, source }) => [device, BY_SOURCE[source]] as const));
    for (const { device, instance, node, gpuUuid } of mappings) {
      for (const name of [instance, node, gpuUuid]) if (name !== null) this.#names.set(name, device);
    }
    const gpus = new Map<string, string>();
    for (const mapping of mappings) for (const gpu of mapping.gpus) gpus.set(this.#named(gpu), mapping.device);
    for (const { device, parent } of mappings) {
      if (parent !== null && (gpus.has(device) || sources.get(device) === 'gpu')) gpus.set(device, this.#named(parent));
    }
    for (const [gpu, host] of gpus) this.#components.set(gpu, { type: 'gpu', id: gpu, host });
    for (const { device, feeds } of mappings) {
      if (gpus.has(device)) continue;
      const kind = sources.get(device);
      const type =
        feeds === null || feeds.length === 0 ? 'host' : kind === 'ups' ? 'ups' : kind === 'host' ? 'host' : 'pdu';
      this.#components.set(device, of(type, device));
    }
    const linked = new Map<string, Link>();
    const link = (from: Component, to: Component, relation: Relation): void => {
      const key = `${componentText(from)} ${componentText(to)} ${relation}`;
      linked.set(key, { from, to, relation, source: 'configuration' });
    };
    for (const { device, feeds, services, parent } of mappings) {
      const from = this.component(device, 'host');
      for (const fed of feeds ?? []) link(from, this.component(fed, 'host'), 'feeds');
      for (const service of services) link(from, { type: 'service', id: service }, 'runs');
      if (parent === null) continue;
      const holder = this.component(parent, 'host');
      link(holder, from, holder.type === 'host' ? 'contains' : 'feeds');
    }
    // Which outlet feeds which supply is in no file: what feeds a host feeds the supply that it tells of.
    for (const event of events) {
      const supply = this.of(event);
      if (supply.type !== 'psu' || supply.host === undefined) continue;
      for (const { from, to, relation } of [...linked.values()]) {
        if (relation === 'feeds' && to.type === 'host' && to.id === supply.host) link(from, supply, 'feeds');
      }
    }
    for (const [gpu, host] of gpus) link(this.component(host, 'host'), this.component(gpu, 'gpu'), 'contains');
    this.links = [...linked.values()];
    this.hosts = [...this.#components.values()].flatMap(({ type, id }) => (type === 'host' ? [id] : []));
  }

  /** The part of the device that the event is about. */
  of({ device, source, type, metadata }: DeviceEvent): Component {
    const whole = this.component(device, BY_SOURCE[source]);
    if (whole.type !== 'host') return whole;
    const { failed_psu: supply, package_id: socket } = metadata;
    if (type === 'psu_failover' && typeof supply === 'string') return part('psu', whole.id, supply);
    if (type === 'cpu_power_cap') return part('cpu', whole.id, typeof socket === 'number' ? `${socket}` : '0');
    return whole;
  }

  component(name: string, otherwise: 'pdu' | 'ups' | 'gpu' | 'host'): Component {
    const device = this.#named(name);
    return this.#components.get(device) ?? of(otherwise, device);
  }

  #named(name: string): string {
    return this.#names.get(name) ?? name;
  }
}

function of(type: 'pdu' | 'ups' | 'gpu' | 'host', id: string): Component {
  return type === 'host' ? { type, id, host: id } : { type, id };
}

function part(type: 'psu' | 'cpu', host: string, id: string): Component {
  return { type, id: `${host}/${id}`, host };
}
