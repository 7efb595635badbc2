// Whose as a part of events and incidents: the jobs that were hit, with user, pods and ranks.

import { WHOSE_BY, type Whose, type WhosePod, withDevices } from '../whose.ts';
import * as read from './fields.ts';

interface Hit {
  readonly whose?: readonly Whose[];
}

export interface WhoseDocument extends Omit<Whose, 'job'> {
  readonly id: string | null;
}

/** The part of an event's or incident's document that names the jobs. */
export function jobsOf({ whose = [] }: Hit): { readonly jobs?: readonly WhoseDocument[] } {
  return whose.length === 0 ? {} : { jobs: whose.map(whoseToDocument) };
}

/** Throws `Unreadable`. */
export function jobsFrom(value: unknown): Hit {
  const whose = read.listOrEmpty(value, whoseFrom);
  return whose.length === 0 ? {} : { whose };
}

function whoseToDocument({ job, ...rest }: Whose): WhoseDocument {
  return { id: job, ...rest };
}

function whoseFrom(value: unknown): Whose {
  const from = read.fields(value);
  return {
    job: read.textOrNull(from.id),
    aliases: read.listOrEmpty(from.aliases, read.text),
    manager: read.textOrNull(from.manager),
    name: read.textOrNull(from.name),
    user: read.textOrNull(from.user),
    account: read.textOrNull(from.account),
    queue: read.textOrNull(from.queue),
    attempt: read.numberOrNull(from.attempt),
    pods: read.listOrEmpty(from.pods, podFrom),
    ranks: read.listOrEmpty(from.ranks, read.count),
    ...withDevices(read.listOrEmpty(from.devices, read.text)),
    // A later release may know closer ones.
    by: WHOSE_BY.find((each) => each === from.by) ?? 'job',
  };
}

function podFrom(value: unknown): WhosePod {
  const { namespace, name, uid, container } = read.fields(value);
  return {
    namespace: read.text(namespace),
    name: read.text(name),
    uid: read.text(uid),
    container: read.textOrNull(container),
  };
}
