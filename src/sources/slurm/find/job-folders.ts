// Reads the folders that a prologue fills. They may be old: an epilogue that failed, or a host that restarted, leaves files of
// jobs that are gone. Only what belongs to a job that is seen here is believed.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SmallFiles } from '../../files/small-files.ts';
import { trusted } from '../../files/trusted.ts';
import { type JobFile, jobFileOf, mappedGpu, mappedJobs } from '../read/job-files.ts';

const MAX_FILES = 1024;

export interface JobFolders {
  readonly files: ReadonlyMap<number, JobFile>;
  /** Raw number of a job → indices of its GPUs. */
  readonly gpus: ReadonlyMap<number, readonly number[]>;
  /** Why a folder is not believed. */
  readonly doubts: readonly string[];
}

export interface FolderPlaces {
  readonly jobs: string;
  readonly mapping: string;
  readonly bootId: string;
}

export async function readJobFolders(files: SmallFiles, places: FolderPlaces): Promise<JobFolders> {
  const doubts: string[] = [];
  const boot = (await readFile(places.bootId, 'latin1').catch(() => '')).trim();
  const jobs = new Map<number, JobFile>();
  for (const [, text] of await textsIn(files, places.jobs, /^[1-9]\d{0,9}$/, doubts)) {
    const file = jobFileOf(text);
    if (file !== null && (file.bootId === null || file.bootId === boot)) jobs.set(file.number, file);
  }
  const gpus = new Map<number, number[]>();
  for (const [name, text] of await textsIn(files, places.mapping, /^\d{1,4}$/, doubts)) {
    const gpu = mappedGpu(name);
    for (const job of gpu === null ? [] : mappedJobs(text))
      gpus.set(
        job,
        [...(gpus.get(job) ?? []), gpu ?? 0].sort((a, b) => a - b),
      );
  }
  return { files: jobs, gpus, doubts };
}

async function textsIn(
  files: SmallFiles,
  folder: string,
  pattern: RegExp,
  doubts: string[],
): Promise<(readonly [string, string])[]> {
  const names = ((await files.list(folder)) ?? []).filter((name) => pattern.test(name)).slice(0, MAX_FILES);
  if (names.length === 0) return [];
  const trust = await trusted(folder, { serviceUsers: true });
  if (trust === null) return [];
  if (trust.doubt !== null) {
    doubts.push(`${folder} is not believed: ${trust.doubt}`);
    return [];
  }
  const texts: (readonly [string, string])[] = [];
  for (const name of names) {
    const text = await files.read(join(folder, name));
    if (text !== null) texts.push([name, text]);
  }
  files.forget(folder); // a renamed file is another one
  return texts;
}
