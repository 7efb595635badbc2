// Where Slurm is on this host: its programs, its configuration, what this node is called, where its step daemons listen.

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readStart } from '../../../helpers/read-start.ts';
import type { SmallFiles } from '../../files/small-files.ts';
import { trusted } from '../../files/trusted.ts';
import type { SlurmSettings } from '../settings.ts';
import { hostNameOf, nodeNameOf, pathOn, readConf, type SlurmConf, sizeOf } from './conf.ts';
import { findSlurmd, type Slurmd } from './slurmd.ts';

const MAX_CONF_BYTES = 4 * 1024 * 1024;
const DEFAULT_SPOOL = '/var/spool/slurmd';

/** Where Slurm usually is; tests point them elsewhere. */
export interface Places {
  readonly proc: string;
  readonly groups: string;
  readonly confs: readonly string[];
  readonly programs: readonly string[];
  readonly pidFiles: readonly string[];
}

export function usualPlaces(proc: string, sys: string): Places {
  return {
    proc,
    groups: join(sys, 'fs/cgroup'),
    confs: [
      '/etc/slurm/slurm.conf',
      '/etc/slurm-llnl/slurm.conf',
      // Without files of its own slurmd keeps what the controller gave it.
      '/run/slurm/conf/slurm.conf',
      `${DEFAULT_SPOOL}/conf-cache/slurm.conf`,
      '/var/spool/slurm/d/conf-cache/slurm.conf',
      '/opt/slurm/etc/slurm.conf',
      '/usr/local/etc/slurm.conf',
    ],
    programs: [
      '/usr/bin',
      '/usr/local/bin',
      '/opt/slurm/bin',
      '/opt/slurm/current/bin',
      '/cm/shared/apps/slurm/current/bin',
    ],
    pidFiles: ['/run/slurmd.pid', '/run/slurm/slurmd.pid', '/run/slurmd/slurmd.pid'],
  };
}

export interface Installation {
  /** Folder of scontrol; null where there is none that may be run. */
  readonly programs: string | null;
  /** Null: Slurm's programs find it themselves. */
  readonly conf: string | null;
  readonly node: string;
  /** The node's own name where it is another one. */
  readonly hostName: string | null;
  readonly spool: string;
  /** Nodes of the cluster; null where that is not known. */
  readonly size: number | null;
  readonly isPrivate: boolean;
  readonly slurmd: Slurmd | null;
  /** What was found and is not used, and why. */
  readonly doubts: readonly string[];
}

/** Null where nothing of Slurm is on this host. Asks nothing of the network. */
export async function findInstallation(
  files: SmallFiles,
  host: string,
  places: Places,
  settings: Pick<SlurmSettings, 'conf' | 'programs'>,
): Promise<Installation | null> {
  const doubts: string[] = [];
  let slurmd = await findSlurmd(files, places);
  const confs = [settings.conf, slurmd?.conf ?? null, ...places.confs].filter((path) => path !== null);
  const found = await firstConf(files, confs, settings.conf, doubts);
  if (slurmd === null && found !== null) {
    const pidFiles = [pathOn(found.conf.pidFile, nodeNameOf(found.conf, host) ?? host, host)];
    slurmd = await findSlurmd(files, { ...places, pidFiles });
  }
  const nextTo = slurmd?.program == null ? [] : [join(dirname(dirname(slurmd.program)), 'bin')];
  const folders = settings.programs === null ? [...places.programs, ...nextTo] : [settings.programs];
  const programs = await firstPrograms(folders, doubts);
  if (found === null && slurmd === null && programs === null && doubts.length === 0) return null;
  const node = slurmd?.node ?? (found === null ? null : nodeNameOf(found.conf, host)) ?? host.split('.')[0] ?? host;
  return {
    programs,
    conf: found?.path ?? null,
    node,
    hostName: found === null ? null : hostNameOf(found.conf, node),
    spool: pathOn(found?.conf.spool ?? DEFAULT_SPOOL, node, host),
    size: found === null ? null : sizeOf(found.conf),
    isPrivate: found?.conf.privateData.includes('jobs') === true,
    slurmd,
    doubts,
  };
}

async function firstConf(
  files: SmallFiles,
  paths: readonly string[],
  configured: string | null,
  doubts: string[],
): Promise<{ readonly path: string; readonly conf: SlurmConf } | null> {
  for (const path of paths) {
    const trust = await trusted(path, { serviceUsers: true });
    if (trust === null) continue;
    // What the operator names is the operator's word.
    if (trust.doubt !== null && path !== configured) {
      doubts.push(`${path} is not used: ${trust.doubt}`);
      continue;
    }
    const conf = await readConf(path, (each) => readText(files, each));
    if (conf !== null) return { path, conf };
    doubts.push(`${path} cannot be read`);
  }
  return null;
}

async function firstPrograms(folders: readonly string[], doubts: string[]): Promise<string | null> {
  for (const folder of folders) {
    const trust = await trusted(join(folder, 'scontrol'));
    if (trust === null) continue;
    if (trust.doubt === null) return folder;
    doubts.push(`${folder}/scontrol is not run: ${trust.doubt}`);
  }
  return null;
}

async function readText(files: SmallFiles, path: string): Promise<string | null> {
  return files.answer(path, async () => {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    return (await readStart(file, MAX_CONF_BYTES)).toString('utf8');
  });
}
