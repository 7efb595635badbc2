// Caller: who is at the other end of the local socket, as the kernel vouches for it; nothing that the client says of itself.

import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { native, type PeerCredentials } from '../native.ts';

const PASSWD = '/etc/passwd';

export interface Caller {
  /** Null where the process lives in a PID namespace that this one does not see. */
  readonly pid: number | null;
  readonly uid: number;
  readonly gid: number;
  /** The other groups that it is a member of; left out where none is known. */
  readonly groups?: readonly number[];
  /** By the host's own list of users; null where the list does not have the uid (a directory service is not asked: it may hang). */
  readonly user: string | null;
}

/** Null where the kernel cannot say it: no unix socket, or one that is closed already. */
export function callerOf(socket: Socket): Caller | null {
  const fd = descriptorOf(socket);
  const peer = fd === null ? null : native().peerCredentials(fd);
  return peer === null ? null : namedCaller(peer);
}

export function namedCaller({ pid, uid, gid, groups }: PeerCredentials, passwd = PASSWD): Caller {
  return { pid: pid > 0 ? pid : null, uid, gid, groups, user: userName(uid, passwd) };
}

/** For people: `alice (uid 1004, pid 4711)`. */
export function callerText(caller: Caller | null): string {
  if (caller === null) return 'an unknown caller';
  const { user, uid, pid } = caller;
  const ids = [`uid ${uid}`, ...(pid === null ? [] : [`pid ${pid}`])].join(', ');
  return user === null ? ids : `${user} (${ids})`;
}

/** The same for programs; null where it is not known. */
export function callerDocument(caller: Caller | null): object | null {
  return caller === null ? null : { uid: caller.uid, user: caller.user, pid: caller.pid };
}

/** Node has no call for it; its handle of a unix socket carries the number (node:internal/net, since 0.12). */
function descriptorOf(socket: Socket): number | null {
  const handle: unknown = Reflect.get(socket, '_handle');
  const fd: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'fd') : null;
  return typeof fd === 'number' && fd >= 0 ? fd : null;
}

function userName(uid: number, passwd: string): string | null {
  let text: string;
  try {
    text = readFileSync(passwd, 'utf8');
  } catch {
    return null;
  }
  for (const line of text.split('\n')) {
    const [name, , id] = line.split(':');
    if (id === String(uid) && name !== undefined && /^[\w.@$-]{1,64}$/.test(name)) return name;
  }
  return null;
}
