// Job's files: what a job's own words say of its files — its quota reached, a server's handle gone stale — where more is known than "full" or "broken".

import type { Incident } from '../../model/incident.ts';
import { saysQuota } from '../../model/quota.ts';
import { OWNER } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** `path`: what could not be written, where the lines name it; its folder is there. */
function quotaReached(texts: readonly string[]): Special {
  const path = texts.map((text) => PATH.exec(text)?.[1]).find((found) => found !== undefined);
  const folder = path?.slice(0, path.lastIndexOf('/'));
  const where = folder === undefined || folder === '' ? 'PATH' : folder;
  // What a project shares counts for the project, whoever writes there.
  const isShared = SHARED.test(`${where}/`);
  const lustre = isShared ? `lfs project -d ${where} has the number of its project, lfs quota -h -p NUMBER ${where}` : `lfs quota -h -u USER ${where}`; // biome-ignore format: one choice
  return {
    does: `make room within the quota that % reached${isShared ? ' (its project shares it)' : ''}`,
    now: `quota -s (Lustre: ${lustre}; GPFS: mmlsquota) says which limit, of bytes or files; ${isShared ? 'those of the project move or delete' : 'the owner moves or deletes own'} files, or ${isShared ? 'ask' : 'asks'} who runs that storage for more`,
    call: OWNER,
  };
}

/** Folders of projects, as sites name them. */
const SHARED = /\/(?:proj(?:ect)?s?|groups?|teams?|labs?)\//i;

/** A path in quotation marks, as Python ends such a line with it; what a shell would take apart is not one. */
const PATH = /['"](\/[\w./+=@-]{1,200})['"]/;
const WHY: readonly (readonly [errno: RegExp, why: string])[] = [
  [/\bErrno 30\b|Read-only file system/, 'it is mounted, or became, read-only (sudo dmesg -T)'],
  [
    /\bErrno 116\b|Stale (?:NFS )?file handle/,
    'the file was replaced or its server exported it again: mount it once more',
  ],
  [/\bErrno 5\b|Input\/output error/, 'its disk or server failed'],
];

const STALE = /\bErrno 116\b|Stale (?:NFS )?file handle/;

/** The server is well: what it gave out under this name is another file now. */
function stale(path: string): Special {
  const where = path === 'PATH' ? 'what % read' : path;
  return {
    does: `mount again what holds ${where} on @: its handle is stale`,
    now: `on @, findmnt -T ${path} names mount and server; where ls there fails as well, end what uses it, sudo umount -l MOUNT, sudo mount MOUNT; else the file alone was replaced while the job read it. Then start again from the last checkpoint`,
    call: 'who runs @, then who runs that storage',
  };
}

/** With the path and the errors that the lines name. */
function filesGone(texts: readonly string[]): Special {
  const path = texts.map((text) => PATH.exec(text)?.[1]).find((found) => found !== undefined) ?? 'PATH';
  const said = WHY.filter(([errno]) => texts.some((text) => errno.test(text))).map(([, why]) => why);
  const reasons = said.length === 0 ? WHY.map(([, why]) => why) : said;
  if (said.length === 1 && texts.some((text) => STALE.test(text))) return stale(path);
  return {
    does: 'see what holds the files of %',
    now: `on @, findmnt -T ${path} names the server or disk: ${reasons.join(', or ')}. Then start again from the last checkpoint`,
    call: 'who runs @, then who runs that storage',
  };
}

/** Null where the action's own words are right. */
export function jobFiles(incident: Incident): Special | null {
  const { action, root } = incident;
  if (action.kind === 'check_config') return root.kind === 'storage.io_error' ? filesGone(textsOf(incident)) : null;
  if (action.kind !== 'free_space') return null;
  const texts = textsOf(incident);
  return texts.some(saysQuota) ? quotaReached(texts) : null;
}

/** What the root's own event says, and what it was read from. */
function textsOf({ root, events }: Incident): string[] {
  const own = events.find(({ id }) => id === root.eventId);
  const said = Object.values(own?.attributes ?? {}).filter((value) => typeof value === 'string');
  return [...said, ...(own?.evidence ?? []).flatMap((each) => ('text' in each ? [each.text] : []))];
}
