// JobNames: under which name a job's ranks and their dumps are reported, from the configuration, its launcher or a folder.

import type { RankProcess } from '../rank/processes.ts';

/** A job that the configuration names. */
export interface ConfiguredJob {
  readonly job: string;
  /** Its global ranks on this host; empty when unknown. */
  readonly ranks: readonly number[];
}

const MAX_NAME = 128;

export class JobNames {
  #configured: readonly ConfiguredJob[] = [];
  #declared: ReadonlyMap<number, string> = new Map();

  configured(jobs: readonly ConfiguredJob[]): void {
    this.#configured = jobs;
  }

  /** Process id of a rank → the job that the configuration gives to the folder that it dumps into. */
  declared(jobs: ReadonlyMap<number, string>): void {
    this.#declared = jobs;
  }

  /** As its dumps are reported: the name that the configuration gives to their folder goes before all others. */
  ofRank({ pid, job }: Pick<RankProcess, 'pid' | 'job'>): string | null {
    return this.#declared.get(pid) ?? this.#orTheOnlyOne(job);
  }

  /**
   * Of dumps in a folder that this user wrote. `job`: what names it; `stranger`: ranks of others write there, and none of this
   * user: then it is that user's, whatever names the folder.
   */
  ofDumps(folder: string, owner: number, whose: { readonly job: string | null; readonly stranger: boolean }): string {
    const byFolder = nameOfFolder(folder);
    return whose.stranger ? `${byFolder}-uid-${owner}` : (this.#orTheOnlyOne(whose.job) ?? byFolder);
  }

  /** Global ranks of the job that the configuration places on this host. */
  ranksOf(job: string): readonly number[] {
    return this.#configured.find((each) => each.job === job)?.ranks ?? [];
  }

  /** A launcher's or the configuration's word, else the one job whose log is followed. */
  #orTheOnlyOne(job: string | null): string | null {
    const names = [...new Set(this.#configured.map((each) => each.job))];
    return job ?? (names.length === 1 ? (names[0] ?? null) : null);
  }
}

/** The last part of the folder's name, which launchers make of the job's. */
function nameOfFolder(path: string): string {
  const name =
    path
      .split('/')
      .at(-1)
      ?.replaceAll(/[^A-Za-z0-9._-]/g, '_') ?? '';
  return name === '' ? 'unnamed' : name.slice(0, MAX_NAME);
}
