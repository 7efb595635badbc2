// Socket permit: who may write on the local socket. Who may connect is decided by the rights of the socket itself.

import { readFileSync } from 'node:fs';
import type { Permit } from './answer.ts';
import { ApiError } from './api-error.ts';
import { type Caller, callerOf, callerText } from './caller.ts';

const GROUPS = '/etc/group';

/** `groupNow`: null where whoever may connect may write. */
export function socketPermit(groupNow: () => string | null, own = process.geteuid?.() ?? null): Permit {
  return (request, right) => {
    const writeGroup = groupNow();
    if (right === 'read' || writeGroup === null) return;
    const caller = callerOf(request.socket);
    if (caller !== null && mayWrite(caller, writeGroup, own)) return;
    throw new ApiError(
      403,
      'FL4117',
      `only root, the daemon's user and members of the group ${writeGroup} may change something; this is ${callerText(caller)}`,
    );
  };
}

export function mayWrite(caller: Caller, group: string, own: number | null, groups = GROUPS): boolean {
  if (caller.uid === 0 || caller.uid === own) return true;
  const gid = groupId(group, groups);
  return gid !== null && (caller.gid === gid || caller.groups?.includes(gid) === true);
}

/** By the host's own list of groups; null where it does not have the name (a directory service is not asked: it may hang). */
function groupId(name: string, groups: string): number | null {
  try {
    const line = readFileSync(groups, 'utf8').split('\n').find((each) => each.startsWith(`${name}:`)); // biome-ignore format: one line
    const gid = Number(line?.split(':')[2] ?? Number.NaN);
    return Number.isInteger(gid) ? gid : null;
  } catch {
    return null;
  }
}
