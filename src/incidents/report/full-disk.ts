// Full disk: which file system is full, by the path that the lines give, and what makes room on it: a shared one is of no host.

import type { Attributes } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { NOT_REACHED, queueText } from './service-failed.ts';
import type { Special } from './special-step.ts';

const LONGEST = 64;

/** Nothing that a shell takes for more. */
const PATH = /^(?:\/[\w.@+=-]{1,255}){1,32}$/;
/** In what a job or the C library prints of ENOSPC: "No space left on device: '/scratch/a/b.pt'". */
const NAMED =
  /No space left on device['"]?(?: \([\w =:]{0,12}\d{1,3}\))?[:,;]? (?:[a-z]{2,12}[ =:]{1,2}){0,4}[('"]{0,2}(\/[\w.@+=/-]{1,512})(?=['"),:\]]{0,3}(?:\s|$))/i;
/** The same words behind the path: "cp: error writing '/scratch/a': No space…", "failed to write /scratch/a: [Errno 28] No space…". No line of a program's text. */
const NAMED_BEFORE =
  /(?:^|[\s'"(=:])(\/[\w.@+=/-]{1,512})(?=['")]{0,2}(?::(?! line \d|\d)|[\s,;(])[^/\n]{0,160}no space left on device)/i;
/** On a disk of the host by the standard of the file hierarchy; anything else may be shared. */
const OF_HOST = /^\/(?:boot|dev|etc|opt|root|run|srv|tmp|usr|var)(?:\/|$)/;
/** A target of Lustre as its server mounts it: a file system of its own, which no user has files in. */
const TARGET = /(?:^|\/)\w{0,32}(?:ost|mdt)[-_]?(\w{1,16})$/i;

/** Null where the root is none, or no line says which file system it is. */
export function fullDisk({ root, events, action }: Incident): Special | null {
  if (root.kind !== 'host.disk_full' || action.kind !== 'free_space') return null;
  const own = events.find(({ id }) => id === root.eventId);
  if (own !== undefined && DATABASES.has(String(own.attributes.program))) return ofDatabase(events);
  const path = own === undefined ? null : fullPath(own.attributes);
  if (path === null) return null;
  return isMount(own?.attributes) && TARGET.test(path) ? ofTarget(path, null) : ofPath(isFile(path, own?.attributes));
}

/** By the program that says so; the accounting daemon of Slurm quotes its database. */
const DATABASES: ReadonlySet<string> = new Set(['mariadbd', 'mysqld', 'postgres', 'slurmdbd']);

/** What ended with it is to be started again: it does not come back by itself. */
function ofDatabase(events: Incident['events']): Special {
  const units = events.map(({ attributes }) => attributes.unit).filter((unit) => typeof unit === 'string');
  const isSlurm =
    units.includes('slurmdbd.service') ||
    events.some(({ attributes: { program, reason } }) => program === 'slurmdbd' || reason === NOT_REACHED);
  return {
    does: `free space on the disk of the database of %${isSlurm ? `, then start slurmdbd again${queueText(events)}` : ''}`,
    now: `on @, df -h /var/lib/mysql /var/lib/pgsql /var/lib/postgresql says which disk is full (else mysqladmin variables | grep datadir); add space, or move what else lies there: delete no file of the database; then sudo systemctl restart mariadb (or mysql, postgresql)${isSlurm ? ' and sudo systemctl restart slurmdbd, before the queue of slurmctld is full (sdiag | grep -i dbd): records of jobs are lost from then on' : ''}`,
    call: 'who runs @',
  };
}

/** The path that its event or line names, of the file or of the mount; null where none does. */
export function fullPath({ path, mount, message }: Attributes): string | null {
  const said = typeof message === 'string' ? (NAMED.exec(message) ?? NAMED_BEFORE.exec(message))?.[1] : undefined;
  const named = [path, mount, said].find((each) => typeof each === 'string');
  return typeof named === 'string' && PATH.test(named) ? named : null;
}

function isMount(attributes: Attributes | undefined): boolean {
  return typeof attributes?.mount === 'string';
}

/** What could not be written may not be there: its folder is. */
function isFile(path: string, attributes: Attributes | undefined): string {
  const folder = path.slice(0, path.lastIndexOf('/'));
  return isMount(attributes) || typeof attributes?.path === 'string' || folder === '' ? path : folder;
}

function ofPath(path: string): Special {
  return {
    does: `free space on the file system of ${path}`,
    now: `on @, df -h ${path}; df -i ${path} says which file system that is, and whether bytes or files ran out; then whose it is (sudo repquota -a; lfs quota; du -xhd1 takes hours on a large one): ask the owners to move or delete, or add space; delete nothing unasked`,
    call: OF_HOST.test(path) ? 'who runs @' : `who runs the file system of ${path}`,
  };
}

/** Null where it is not a target of Lustre that is full. */
export function lustreFull({ root, events }: Incident): Special | null {
  const own = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  if (root.kind !== 'storage.full' || own.file_system !== 'lustre') return null;
  const named = events.map(({ attributes }) => attributes.server).find((server) => typeof server === 'string');
  const target = typeof named === 'string' && NAMED_TARGET.test(named) ? named : null;
  if (own.on_server === true) return ofTarget(target ?? mountOf(events) ?? 'its target', target);
  return {
    does: `get space on ${target ?? (typeof named === 'string' ? plain(named, LONGEST) : 'the target')}, a target of Lustre that is full`,
    now: `on a client, lfs df -h and lfs df -i say whether bytes or files ran out; other targets may have room (lfs setstripe); ask the owners of what is largest there (lfs find MOUNT --ost ${target === null ? 'TARGET' : `${target}_UUID`} -size +1G) what may go`,
    call: 'who runs the file system',
  };
}

function mountOf(events: Incident['events']): string | null {
  const mounts = events.map(({ attributes }) => attributes.mount);
  return (
    mounts.find((mount): mount is string => typeof mount === 'string' && PATH.test(mount) && TARGET.test(mount)) ?? null
  );
}

/** "scratch-OST0007", as every tool of Lustre takes it. */
const NAMED_TARGET = /^[\w.]{1,64}-(?:OST|MDT)[0-9a-f]{4}$/;

/** `target`: its name in commands, where a line says that. */
function ofTarget(name: string, target: string | null): Special {
  const [osp, ost] = target === null ? ['*TARGET*', 'TARGET'] : [`${target}-*`, `${target}_UUID`];
  return {
    does: `get space on ${name}, a target of Lustre on %`,
    now: `delete nothing on @ itself; on the metadata server, note lctl get_param osp.${osp}.max_create_count, keep new files off with sudo lctl set_param osp.${osp}.max_create_count=0, and set it back once there is room; on a client, move large files (lfs find MOUNT --ost ${ost} -size +1G | lfs_migrate -y)`,
    call: 'who runs the file system',
  };
}
