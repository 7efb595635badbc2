// Which journal files there are: those of each machine, namespace and sender, grouped by the stream that they are pieces of.

import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** Folders of machines, namespaces and senders under one path, and files in each. */
const MOST_FOLDERS = 64;
const MOST_FILES = 4096;
/** "system.journal", "user-1000@<sequence>-<number>-<time>.journal", "system@….journal~" of a crash. */
const NAME = /^([\w.:\\-]{1,255}?)(@[0-9a-f-]{1,80})?\.journal(~?)$/;

export interface StreamFiles {
  /** "<folder>/<name>": "0123…/system", "remote/remote-node-4". */
  readonly stream: string;
  /** Written by another machine's sender. */
  readonly remote: boolean;
  /** Rotated ones, in the order of their names; the one that is written comes last. */
  readonly paths: readonly string[];
}

/** Rejects with the system's error where the path itself cannot be read. */
export async function streamsIn(path: string): Promise<StreamFiles[]> {
  const entries = await readdir(path, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).slice(0, MOST_FOLDERS);
  const found = streamsOf(path, basename(path), namesOf(entries));
  for (const { name } of folders) {
    const inside = await readdir(join(path, name), { withFileTypes: true }).catch(() => []); // gone, or another user's
    found.push(...streamsOf(join(path, name), name, namesOf(inside)));
  }
  return found;
}

function namesOf(entries: readonly { isFile(): boolean; readonly name: string }[]): string[] {
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name).slice(0, MOST_FILES); // biome-ignore format: one line
}

function streamsOf(directory: string, folder: string, names: readonly string[]): StreamFiles[] {
  const streams = new Map<string, { rotated: string[]; current: string[] }>();
  for (const name of names.toSorted()) {
    const [, base, rotation, crashed] = NAME.exec(name) ?? [];
    if (base === undefined) continue;
    const files = streams.get(base) ?? { rotated: [], current: [] };
    streams.set(base, files);
    (rotation === undefined && crashed === '' ? files.current : files.rotated).push(join(directory, name));
  }
  return [...streams].map(([base, { rotated, current }]) => ({
    stream: `${folder}/${base}`,
    remote: folder === 'remote' || base.startsWith('remote'),
    paths: [...rotated, ...current],
  }));
}
