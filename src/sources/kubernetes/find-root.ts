// Finds kubelet's root folder: where the units hand its sockets on, where distributions have it, or where its command line says.

import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../helpers/error-code.ts';

/** The first is that of systemd/faultline-*.socket. */
const USUAL = ['/run/faultline-kubelet', '/var/lib/kubelet', '/var/lib/k0s/kubelet', '/var/snap/microk8s/common/var/lib/kubelet']; // biome-ignore format: one line
const MOST_PROCESSES = 32_768;

export interface FoundRoot {
  readonly path: string;
  /** It is there and shut: the unit hides it, or another user's folder. */
  readonly shut: boolean;
}

/** `folders`: where it may be; left out: the usual ones. */
export async function findRoot(proc: string, folders: readonly string[] = USUAL): Promise<FoundRoot | null> {
  let shut: FoundRoot | null = null;
  for (const path of folders) {
    const found = await lookAt(path);
    if (found?.shut === false) return found;
    shut ??= found;
  }
  if (shut !== null || folders !== USUAL) return shut;
  const given = await rootOfProcess(proc);
  return given === null ? null : lookAt(given);
}

async function lookAt(path: string): Promise<FoundRoot | null> {
  try {
    // A service from which it is hidden, and that may read everything, sees an empty folder.
    return { path, shut: (await readdir(path)).length === 0 };
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'EACCES' && code !== 'EPERM') return null;
    // Its sockets' folders are all that is needed.
    const inside = await stat(join(path, 'pod-resources')).catch(() => null);
    return { path, shut: inside === null };
  }
}

/** --root-dir of the process kubelet; one look at each name, and at the words of that one alone. */
async function rootOfProcess(proc: string): Promise<string | null> {
  const pids = (await readdir(proc).catch(() => [])).filter((name) => /^\d+$/.test(name)).slice(0, MOST_PROCESSES);
  for (const pid of pids) {
    const name = await readFile(join(proc, pid, 'comm'), 'latin1').catch(() => '');
    if (name !== 'kubelet\n') continue;
    const words = (await readFile(join(proc, pid, 'cmdline'), 'latin1').catch(() => '')).split('\0');
    const at = words.findIndex((word) => /^--?root-dir(?:=|$)/.test(word));
    const root = words[at]?.split('=')[1] ?? words[at + 1];
    if (at >= 0 && root?.startsWith('/') === true) return root;
  }
  return null;
}
