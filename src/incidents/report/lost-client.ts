// Lost client: a file server that gives up a client is well itself; what is to be looked at is the client, or the network between.

import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import type { Special } from './special-step.ts';

const LONGEST = 64;
const CLIENT = /^([\w.:-]{2,64})@([a-z]\w{0,11})$/;

/** Null where no line of the server names the client, or the incident is about more than that. */
export function lostClient({ root, events }: Pick<Incident, 'root' | 'events'>): Special | null {
  if (root.kind !== 'storage.stall') return null;
  const own = events.filter(({ kind }) => kind.startsWith('storage.'));
  const clients = new Set(own.map(({ attributes }) => attributes.client).filter((client) => client !== undefined));
  const [client] = clients;
  const [, address = '', network = ''] = typeof client === 'string' ? (CLIENT.exec(client) ?? []) : [];
  if (address === '' || own.some(({ kind }) => kind !== root.kind)) return null;
  const name = plain(address, LONGEST);
  const more = clients.size === 1 ? '' : ` and ${clients.size - 1} more`;
  return {
    does: `see whether client ${name} on ${network}${more} is up: % gave it up, and serves the others`,
    now: `on %, sudo lctl ping NID. No answer: see the client itself (ping, ssh, its console), then the network between; an answer: its kernel log at TIME. What it had not written is lost: have its last files checked`,
    call: `who runs ${name}, then who runs the file system`,
  };
}
