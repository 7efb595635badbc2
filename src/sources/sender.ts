// Sender: who is at the other end of a connection, as the kernel has it; nothing that is sent says it.

import { readFile } from 'node:fs/promises';
import { isIPv4, type Socket } from 'node:net';
import { endianness } from 'node:os';
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
/** After a read of the tables, so many times what it took passes until the next one. */
const MOST_SHARE = 20;
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
  const { remoteAddress, remotePort = 0, localAddress = '', localPort = 0 } = socket;
  if (remoteAddress === undefined) return ofUid(peerUid(socket));
  const remote = withoutMapping(remoteAddress);
  if (!/^127\.|^::1$/.test(remote)) return { name: remote, uid: null };
  return ofUid(
    await ownerOf({ address: remote, port: remotePort }, { address: withoutMapping(localAddress), port: localPort }),
  );
}

/** Of a listener for both families, a sender's address of IPv4 is written as one of IPv6. */
function withoutMapping(address: string): string {
  return address.replace(/^::ffff:/, '');
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
async function ownerOf(theirs: End, ours: End): Promise<number | null> {
  const owners = await tables();
  for (const key of keysOf(theirs, ours)) {
    const uid = owners.get(key);
    if (uid !== undefined) return uid;
  }
  return null;
}

let next: Promise<Owners> | null = null;
let againMs = Number.NEGATIVE_INFINITY;

/** As they are from now on: who floods connections makes others wait a moment, and costs no more reads. */
function tables(): Promise<Owners> {
  next ??= new Promise((resolve) => setTimeout(resolve, Math.max(0, againMs - performance.now()))).then(async () => {
    next = null;
    againMs = performance.now() + READ_AGAIN_MS;
    const texts = await Promise.all(TABLES.map((path) => readFile(path, 'latin1').catch(() => '')));
    const startMs = performance.now();
    const owners = ownersIn(texts);
    // Anyone can fill the tables: reading them takes a small share of the time, however long they are.
    againMs = Math.max(againMs, performance.now() + (performance.now() - startMs) * MOST_SHARE);
    return owners;
  });
  return next;
}

interface End {
  readonly address: string;
  readonly port: number;
}

/** "0100007F:C5A2 0100007F:24FB", a connection from its owner's end → the owner. */
type Owners = ReadonlyMap<string, number>;

/** `  3: 0100007F:C5A2 0100007F:24FB 01 00000000:00000000 00:00000000 00000000  1001 …`: local, remote, state, …, uid. */
const ESTABLISHED = /^ *\d+: ([\dA-F]+:[\dA-F]{4} [\dA-F]+:[\dA-F]{4}) 01 \S+ \S+ \S+ +(\d+) /gm;

export function ownersIn(tables: readonly string[]): Owners {
  const owners = new Map<string, number>();
  for (const table of tables)
    for (const [, ends = '', uid] of table.matchAll(ESTABLISHED)) owners.set(ends, Number(uid));
  return owners;
}

/**
 * How the tables write a connection, seen from its first end; both addresses belong to it: anyone can have a connection with the
 * same two ports from another address of loopback. A socket of IPv6 may speak IPv4.
 */
export function keysOf(from: End, to: End): string[] {
  return [inTable, inTableOf6].flatMap((form) => {
    const [own, other] = [form(from), form(to)];
    return own === null || other === null ? [] : [`${own} ${other}`];
  });
}

function inTable({ address, port }: End): string | null {
  return isIPv4(address) ? `${wordsOf(address.split('.').map(Number))}:${portOf(port)}` : null;
}

function inTableOf6({ address, port }: End): string | null {
  const bytes =
    address === '::1'
      ? [...Array<number>(15).fill(0), 1]
      : isIPv4(address)
        ? [...Array<number>(10).fill(0), 255, 255, ...address.split('.').map(Number)]
        : null; // another one of this host's: not known, and not believed
  return bytes === null ? null : `${wordsOf(bytes)}:${portOf(port)}`;
}

/** As the kernel prints them: words of four bytes in the processor's order. */
function wordsOf(bytes: readonly number[]): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4) {
    const word = bytes.slice(at, at + 4);
    text += (endianness() === 'LE' ? word.toReversed() : word).map((byte) => hex(byte, 2)).join('');
  }
  return text;
}

function portOf(port: number): string {
  return hex(port, 4);
}

function hex(number: number, digits: number): string {
  return number.toString(16).toUpperCase().padStart(digits, '0');
}
