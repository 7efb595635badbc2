// Served: what waits for a file server whose own log is among what was scanned is of that server's incident. Both name the server, or its target.

import type { Attributes, FaultEvent } from '../../model/event.ts';
import { fileServerName, shortName } from '../../model/file-server-name.ts';
import type { Incident } from '../../model/incident.ts';
import type { EventInput } from '../../model/record.ts';

/** Further clients of one server say nothing more. */
const MOST_CLIENTS = 64;

export interface EventsOf {
  readonly host: string;
  /** In the order in which they happened. */
  readonly inputs: readonly EventInput[];
}

/** The same hosts, each that serves files with what its clients say of it, on their hosts and marked `served_by`. */
export function withClients(all: readonly EventsOf[]): EventsOf[] {
  const own = all.map(atOsdHost);
  const servers = serversIn(own);
  const said = new Map<string, Map<string, EventInput[]>>();
  for (const { host, inputs } of own) {
    for (const input of inputs) {
      const server = serverOf(input, host, servers);
      if (server === null) continue;
      const clients = said.get(server) ?? new Map<string, EventInput[]>();
      if (!clients.has(host) && clients.size >= MOST_CLIENTS) continue;
      said.set(server, clients.set(host, [...(clients.get(host) ?? []), asClients(input, host, server)]));
    }
  }
  return own.map(({ host, inputs }) => {
    const more = [...(said.get(host)?.values() ?? [])].flat();
    return { host, inputs: more.length === 0 ? inputs : [...inputs, ...more].sort((a, b) => a.timeMs - b.timeMs) };
  });
}

/** Of all incidents those of clients that a server's has already are left out; what is joined to none stays the client's own. */
export function withoutCovered(incidents: readonly Incident[]): Incident[] {
  const covered = new Set(
    incidents.flatMap((incident) => (isRootClients(incident) ? [] : incident.events.filter(isOfClient).map(keyOf))),
  );
  return incidents.filter((incident) => {
    if (isRootClients(incident)) return false;
    return incident.events.length === 0 || !incident.events.every((event) => covered.has(keyOf(event)));
  });
}

/** Of a client's log, and with its server's events: the same is among the client's own. */
export function isOfClient({ attributes }: Pick<FaultEvent, 'attributes'>): boolean {
  return attributes.client_log === true;
}

function isRootClients({ events, root }: Incident): boolean {
  return events.some((event) => event.id === root.eventId && isOfClient(event));
}

function keyOf({ kind, component, timeMs, state }: FaultEvent): string {
  return `${kind} ${component?.id ?? ''} ${timeMs} ${state}`;
}

function asClients(input: EventInput, host: string, server: string): EventInput {
  return {
    ...input,
    attributes: { ...input.attributes, served_by: server, client_log: true },
    discriminator: `${input.discriminator ?? ''} ${host}`,
  };
}

/** Names of hosts and of what they serve, each with its host; null where several are called so. */
function serversIn(all: readonly EventsOf[]): ReadonlyMap<string, string | null> {
  const servers = new Map<string, string | null>();
  const add = (name: string, host: string): void => {
    servers.set(name, servers.has(name) && servers.get(name) !== host ? null : host);
  };
  for (const { host, inputs } of all) {
    if (inputs.length > 0) add(shortName(host), host);
    for (const { attributes = {} } of inputs) {
      const served = servedIn(attributes, host);
      if (served !== null) add(served, host);
    }
  }
  // What a client calls by a name that is known has an address, behind which everything is of the same server.
  const addresses = new Map<string, string | null>();
  for (const { inputs } of all)
    for (const { attributes = {} } of inputs) {
      const at = addressOf(attributes);
      const host = servers.get(fileServerName(attributes) ?? '');
      if (at !== null && typeof host === 'string') addresses.set(at, addresses.has(at) && addresses.get(at) !== host ? null : host); // biome-ignore format: one rule
    }
  // Some lines of a client have the name alone.
  for (const { inputs } of all)
    for (const { attributes = {} } of inputs) {
      const [name, at] = [fileServerName(attributes), addressOf(attributes)];
      const host = at === null ? undefined : addresses.get(at);
      if (name !== null && typeof host === 'string' && !servers.has(name)) servers.set(name, host);
    }
  return new Map([...addresses, ...servers]);
}

/** `lustre 10.1.0.3@o2ib`; no host is called so. */
function addressOf({ address, file_system: system }: Attributes): string | null {
  return typeof address === 'string' && typeof system === 'string' ? `${system} ${address}` : null;
}

/** `scratch-OST0011`, `osd.117`: what a log says that its own host serves. */
function servedIn({ target, on_server: onServer, part, osd_host: osdHost }: Attributes, host: string): string | null {
  if (onServer === true && typeof target === 'string') return target.toLowerCase();
  return osdHost === host && typeof part === 'string' ? part : null;
}

function serverOf(
  { kind, component, attributes = {} }: EventInput,
  host: string,
  servers: ReadonlyMap<string, string | null>,
): string | null {
  if (kind !== 'storage.stall' && kind !== 'storage.io_error') return null;
  if (component?.type !== 'host' || component.id !== host) return null;
  const [name, at] = [fileServerName(attributes), addressOf(attributes)];
  const server = servers.get(name ?? '') ?? servers.get(at ?? '') ?? null;
  return server === host ? null : server;
}

/** Where all OSDs that a monitor calls down are of one host, that is where they are down; the cluster's other checks follow from it. */
function atOsdHost({ host, inputs }: EventsOf): EventsOf {
  const named = new Set(
    inputs.flatMap(({ attributes: { osd_host: at } = {} }) => (typeof at === 'string' ? [at] : [])),
  );
  const [at, ...others] = named;
  if (at === undefined || others.length > 0 || at === host) return { host, inputs };
  const downs = new Set(inputs.flatMap(({ attributes: { osd_host: of, part } = {} }) => (of === at && typeof part === 'string' ? [part] : []))); // biome-ignore format: one list
  return {
    host,
    inputs: inputs.map((input) => {
      const { attributes = {}, component } = input;
      if (attributes.file_system !== 'ceph' || component?.type !== 'host') return input;
      if (attributes.reason === 'osd down' || downs.has(String(attributes.part)))
        return { ...input, component: { ...component, id: at } };
      return { ...input, attributes: { ...attributes, served_by: at } };
    }),
  };
}
