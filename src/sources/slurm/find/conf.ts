// Reads of slurm.conf the few keys that tell where this node's step daemons are, and what the node is called.

import { dirname, isAbsolute, join } from 'node:path';
import { hostsOf } from '../../../helpers/host-list.ts';

const MAX_FILES = 16;
const MAX_LINES = 100_000;

export interface SlurmConf {
  readonly cluster: string | null;
  readonly spool: string;
  readonly pidFile: string;
  /** What other users' requests do not show: jobs, nodes, … */
  readonly privateData: readonly string[];
  /** NodeName, and the host name of each where that differs. */
  readonly nodes: readonly { readonly names: string; readonly hosts: string | null }[];
}

/** Gives the text of a file, null where it cannot be read. */
export type ReadText = (path: string) => Promise<string | null>;

/** Null where the file cannot be read. */
export async function readConf(path: string, read: ReadText): Promise<SlurmConf | null> {
  const values = new Map<string, string>();
  const nodes: { names: string; hosts: string | null }[] = [];
  let files = 0;
  const take = async (file: string): Promise<boolean> => {
    files += 1;
    const text = files > MAX_FILES ? null : await read(file);
    if (text === null) return false;
    for (const line of linesOf(text)) {
      const included = /^include\s+(\S+)/i.exec(line)?.[1];
      if (included !== undefined) {
        await take(isAbsolute(included) ? included : join(dirname(path), included));
        continue;
      }
      const pairs = [...line.matchAll(/([A-Za-z]\w*)=(\S*)/g)].map(
        ([, key = '', value = '']) => [key.toLowerCase(), value] as const,
      );
      const [first] = pairs;
      if (first === undefined) continue;
      if (first[0] === 'nodename') nodes.push({ names: first[1], hosts: new Map(pairs).get('nodehostname') ?? null });
      else values.set(first[0], first[1]);
    }
    return true;
  };
  if (!(await take(path))) return null;
  return {
    cluster: values.get('clustername') ?? null,
    spool: values.get('slurmdspooldir') ?? '/var/spool/slurmd',
    pidFile: values.get('slurmdpidfile') ?? '/var/run/slurmd.pid',
    privateData: (values.get('privatedata') ?? '')
      .toLowerCase()
      .split(',')
      .filter((each) => each !== ''),
    nodes,
  };
}

function linesOf(text: string): string[] {
  return text
    .replaceAll(/\\\n/g, ' ')
    .split('\n', MAX_LINES)
    .map((line) => line.replace(/(?<!\\)#.*$/, '').trim());
}

/** What Slurm calls the node of this host; null where the file does not say. */
export function nodeNameOf({ nodes }: SlurmConf, host: string): string | null {
  const wanted = [host, host.split('.')[0] ?? host];
  for (const { names, hosts } of nodes) {
    if (names.toLowerCase() === 'default') continue;
    const [all, on] = [hostsOf(names), hosts === null ? null : hostsOf(hosts)];
    const at = (on ?? all).findIndex((each) => wanted.includes(each) || wanted.includes(each.split('.')[0] ?? each));
    const found = at < 0 ? undefined : all[at];
    if (found !== undefined) return found;
  }
  return null;
}

/** What a node calls itself; null where the file says nothing else than the name of the node. */
export function hostNameOf({ nodes }: SlurmConf, node: string): string | null {
  for (const { names, hosts } of nodes) {
    const at = hosts === null ? -1 : hostsOf(names).indexOf(node);
    if (at >= 0 && hosts !== null) return hostsOf(hosts)[at] ?? null;
  }
  return null;
}

/** How many nodes the cluster has; null where the file names none, as on a host that gets its nodes from the controller. */
export function sizeOf({ nodes }: SlurmConf): number | null {
  const named = new Set(nodes.flatMap(({ names }) => (names.toLowerCase() === 'default' ? [] : hostsOf(names))));
  return named.size === 0 ? null : named.size;
}

/** %h and %n in the paths of slurmd. */
export function pathOn(path: string, node: string, host: string): string {
  return path.replaceAll('%h', host.split('.')[0] ?? host).replaceAll('%n', node);
}
