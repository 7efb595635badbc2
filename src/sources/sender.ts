// Sender: who is at the other end of a connection, as the kernel has it; nothing that is sent says it.

import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { native } from '../native.ts';

export interface Sender {
  /** "uid-1001", "10.0.0.7", "unknown": groups what comes from the same one. */
  readonly name: string;
  /** Null where the kernel does not say. */
  readonly uid: number | null;
}

export const UNKNOWN_SENDER: Sender = { name: 'unknown', uid: null };
const ROOT = 0;
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** The tables have every connection of the host. */
const READ_AGAIN_MS = 50;
const KNOWN = Symbol('sender');

/** Asked for once a connection. Never rejects. */
export function senderOf(socket: Socket): Promise<Sender> {
  const known: unknown = Reflect.get(socket, KNOWN);
  if (known instanceof Promise) return known;
  const asked = ask(socket).catch(() => UNKNOWN_SENDER);
  Reflect.set(socket, KNOWN, asked);
  return asked;
}

/**
 * Whether what this sender says of a job is the word of the job itself: its user, root or this daemon's own user sends it. Of a
 * job whose user is not known only the latter two are believed. `names`: of this host's users, by number;
 * `shippers`: users and addresses that are believed as root is.
 */
export function speaksFor(
  { uid, name }: Sender,
  user: string | null,
  names: ReadonlyMap<number, string>,
  shippers: readonly string[] = [],
): boolean {
  if (uid === null) return shippers.includes(name);
  if (uid === ROOT || uid === process.geteuid?.()) return true;
  const own = [String(uid), names.get(uid)];
  return own.includes(user ?? undefined) || shippers.some((shipper) => own.includes(shipper));
}

async function ask(socket: Socket): Promise<Sender> {
  const { remoteAddress, remotePort, localPort } = socket;
  if (remoteAddress === undefined) return ofUid(peerUid(socket));
  if (!/^(?:::ffff:)?127\.|^::1$/.test(remoteAddress))
    return { name: remoteAddress.replace(/^::ffff:/, ''), uid: null };
  return ofUid(await ownerOf(remotePort ?? 0, localPort ?? 0));
}

function ofUid(uid: number | null): Sender {
  return uid === null ? UNKNOWN_SENDER : { name: `uid-${uid}`, uid };
}

/** Node has no call for it; its handle of a unix socket carries the number (node:internal/net, since 0.12). */
function peerUid(socket: Socket): number | null {
  const handle: unknown = Reflect.get(socket, '_handle');
  const fd: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'fd') : null;
  return typeof fd === 'number' && fd >= 0 ? (native().peerCredentials(fd)?.uid ?? null) : null;
}

/** The user whose process has the other end of a connection over loopback, by the kernel's table of connections. */
async function ownerOf(remotePort: number, localPort: number): Promise<number | null> {
  for (const table of await tables()) {
    const uid = uidIn(table, remotePort, localPort);
    if (uid !== null) return uid;
  }
  return null;
}

let next: Promise<readonly string[]> | null = null;
let lastMs = Number.NEGATIVE_INFINITY;

/** As they are from now on: who floods connections makes others wait a moment, and costs no more reads. */
function tables(): Promise<readonly string[]> {
  next ??= new Promise((resolve) => setTimeout(resolve, Math.max(0, lastMs + READ_AGAIN_MS - performance.now()))).then(
    () => {
      next = null;
      lastMs = performance.now();
      return Promise.all(TABLES.map((path) => readFile(path, 'latin1').catch(() => '')));
    },
  );
  return next;
}

/** `  3: 0100007F:C5A2 0100007F:24FB 01 00000000:00000000 00:00000000 00000000  1001 …`: local, remote, state, …, uid. */
export function uidIn(table: string, port: number, otherPort: number): number | null {
  const [own, other] = [port, otherPort].map((each) => each.toString(16).toUpperCase().padStart(4, '0'));
  const line = new RegExp(`^ *\\d+: [0-9A-F]+:${own} [0-9A-F]+:${other} 01 \\S+ \\S+ \\S+ +(\\d+) `, 'm');
  const uid = line.exec(table)?.[1];
  return uid === undefined ? null : Number(uid);
}
