// Evicted: a file system that gave up a client throws away what it had not written yet, which is not over when it is let in again.

import { nameText } from '../../model/component-name.ts';
import type { Attributes, FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { NAME } from './drain.ts';
import type { Special } from './special-step.ts';

const LONGEST = 64;
/** What Lustre, Storage Scale and Ceph say of a client that they gave up, as its lines are known by. */
const GAVE_UP: ReadonlySet<unknown> = new Set([
  'evicted this host',
  'lost this host as a member',
  'expelled this host',
]);
/** Others say so, too, of a node that they do not hear: it may be down. */
const EXPELLED = 'expelled this host';

/** `scratch-OST0003`; null where none gave the host up, or where that is not what the incident is about. */
export function evictedBy({ root, events }: Pick<Incident, 'root' | 'events'>): string | null {
  if (!root.kind.startsWith('storage.')) return null;
  const server = events.find(({ attributes }) => GAVE_UP.has(attributes.did) || isThrownOut(attributes, events))?.attributes.server; // biome-ignore format: one condition
  return typeof server === 'string' ? plain(server, LONGEST) : null;
}

/** A server that rejects whom it served before has given it up; at a first mount the key is wrong, and nothing is lost. */
function isThrownOut({ did, server }: Attributes, events: readonly FaultEvent[]): boolean {
  const isSame = ({ attributes }: FaultEvent): boolean => attributes.server === server && attributes.did !== did;
  return did === 'rejected this host' && events.some(isSame);
}

/** A mount of Ceph stays without a session: every access fails until it is mounted again. */
const AGAIN_CEPH =
  'Its mount gives errors until it is mounted again: end what uses it, sudo umount -f MOUNT, sudo mount MOUNT (ceph osd blocklist ls: whether it is let in). ';

/** The host that was given up, which is not the one that the action is about. */
export function evictedHost({ root, host }: Pick<Incident, 'root' | 'host'>): string {
  return root.component === null ? plain(host, LONGEST) : nameText(root.component);
}

export function evicted(incident: Incident): Special | null {
  const server = evictedBy(incident);
  if (server === null) return null;
  const host = evictedHost(incident);
  if (isExpelled(incident)) return expelled(host);
  const who = requester(incident);
  const jobs = NAME.test(host) ? `sacct -a -N ${host}` : 'sacct -a -N HOST';
  return {
    does: `tell who ran jobs on ${host} that what they had not written is lost; have their last files checked`,
    now: `list what ran on ${host} at TIME (${jobs}; ps${who === null ? '' : `; ${who} waited for it`}). Its writes failed then, and its files of that time may be cut: load the last checkpoint before work continues from it, else take the one before. ${server.startsWith('ceph ') ? AGAIN_CEPH : ''}Then ask why ${server} gave ${host} up: its log at TIME, the network between`,
    call: `who runs the jobs on ${host}, then who runs the file system`,
  };
}

/** "python3.20017": a program and the number of its user, or what the job's variable says (lustre: jobid_var, jobid_name). */
const JOB = /\bjob:'(?:([\w.+-]{1,40})\.(\d{1,10})|(\d{1,10}))'/;

/** `python3 of uid 20017 (getent passwd 20017)`, `job 8812`; null where no request that timed out says whose it was. */
function requester({ evidence }: Incident): string | null {
  const texts = evidence.flatMap((each) => ('text' in each ? [each.text] : []));
  const [, program, uid, job] = texts.map((text) => JOB.exec(text)).find((found) => found !== null) ?? [];
  if (job !== undefined) return `job ${job}`;
  return program === undefined ? null : `${plain(program, LONGEST)} of uid ${uid} (getent passwd ${uid})`;
}

function isExpelled({ events }: Incident): boolean {
  return events.some(({ attributes }) => attributes.did === EXPELLED);
}

function expelled(host: string): Special {
  const name = NAME.test(host) ? host : 'HOST';
  return {
    does: `see why GPFS expelled ${host}: is it up, and does it reach the others`,
    now: `ping -c 3 ${name}; ssh ${name} uptime; there, sudo mmgetstate and sudo dmesg -T | tail -n 50 say whether its daemon, the host or the network failed. What it had not written is lost: its jobs (sacct -a -N ${name}) load their last checkpoint. Once it is right, sudo mmstartup -N ${name}`,
    call: `who runs the file system, then who runs the jobs on ${host}`,
  };
}
