// DRM source: looks which GPUs of AMD and Intel the kernel's drivers have, how they are split, and which processes are on them.

import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { HostGpus } from '../../identity/host-gpus.ts';
import type { Component } from '../../model/component.ts';
import { PolledSource } from '../files/polled-source.ts';
import type { SmallFiles } from '../files/small-files.ts';
import type { SourceHealth } from '../source.ts';
import { amdGpus } from './amd-gpus.ts';
import { drmDevices } from './device-files.ts';
import type { FoundGpu } from './found-gpu.ts';
import { intelGpus } from './intel-gpus.ts';
import { kfdUsers } from './kfd-users.ts';
import type { DrmSettings } from './settings.ts';

const SOURCE = 'drm';
/** GPUs are looked for again after so many rounds; the processes on them at each. */
const ROUNDS_OF_GPUS = 12;
/** Inode of the host's first namespace of pids (include/linux/proc_ns.h, PROC_PID_INIT_INO). */
const FIRST_NAMESPACE = 'pid:[4026531836]';

export interface DrmOptions {
  readonly host: string;
  readonly roots: { readonly sys: string; readonly proc: string };
  readonly files: SmallFiles;
  readonly gpus: HostGpus;
}

export class DrmSource extends PolledSource {
  readonly #options: DrmOptions;
  #round = 0;
  #found: readonly FoundGpu[] = [];
  /** The driver gives the numbers of processes as the host's first namespace has them. */
  #seesPids = false;
  #pids = 0;

  constructor(config: DrmSettings, options: DrmOptions) {
    super(SOURCE, config.intervalMs, options.files);
    this.#options = options;
  }

  protected lookedHealth(): SourceHealth {
    const of = (status: SourceHealth['status'], detail: string, remedy: string | null = null): SourceHealth => ({ source: SOURCE, status, detail, remedy }); // biome-ignore format: one line
    if (this.stuck.length > 0) return of('failed', this.hanging().join('; '));
    if (this.#found.length === 0) return of('absent', 'no GPU of AMD or Intel');
    const amd = this.#found.some(({ vendor }) => vendor === 'amd');
    const users = !amd
      ? ''
      : this.#seesPids
        ? `, ${this.#pids} processes on those of AMD`
        : ', processes on them cannot be told from here';
    const remedy = amd && !this.#seesPids ? 'hostPID: true of the pod, or --pid=host of the container' : null;
    return of('works', `${counted(this.#found)}${users}`, remedy);
  }

  protected async round(): Promise<void> {
    if (this.#round % ROUNDS_OF_GPUS === 0) await this.#look();
    this.#round += 1;
    if (this.#found.length === 0) return void this.#options.gpus.listedByKernel([], new Map());
    const users = await this.#users();
    if (this.stuck.length > 0) return;
    const gpus = this.#found.map(({ vendor, component, parts, integrated }) => ({
      vendor,
      component,
      parts,
      integrated,
    }));
    this.#options.gpus.listedByKernel(gpus, users);
  }

  /** While a file hangs, what is known stays. */
  async #look(): Promise<void> {
    const { files, host, roots } = this.#options;
    const devices = (await drmDevices(files, roots.sys)) ?? new Map();
    const named = (found: FoundGpu): FoundGpu => ({
      ...found,
      component: { ...found.component, host, parent: `host/${host}` },
      parts: found.parts.map((part) => ({ ...part, host, parent: `gpu/${found.component.id}` })),
    });
    const found = [...(await amdGpus(files, roots.sys, devices)), ...(await intelGpus(files, devices))].map(named);
    if (this.stuck.length > 0) return;
    this.#seesPids = (await files.link(join(roots.proc, 'self/ns/pid'))) === FIRST_NAMESPACE;
    const before = new Map(this.#found.map((gpu) => [gpu.component.id, gpu]));
    this.#found = found;
    for (const gpu of found) if (!isDeepStrictEqual(before.get(gpu.component.id), gpu)) this.#discovered(gpu);
  }

  #discovered({ component, parts, vendor, model }: FoundGpu): void {
    const contains = (from: Component, to: Component) => [{ from, to, relation: 'contains', source: 'host' } as const];
    const host: Component = { type: 'host', id: this.#options.host };
    this.emit?.discovery({ component, links: contains(host, component), attributes: { model, vendor } });
    for (const part of parts) this.emit?.discovery({ component: part, links: contains(component, part) });
  }

  async #users(): Promise<Map<string, readonly number[]>> {
    if (!this.#seesPids || !this.#found.some(({ vendor }) => vendor === 'amd')) return new Map();
    const { files, roots } = this.#options;
    const byNumber = await kfdUsers(files, roots.sys);
    const users = new Map<string, readonly number[]>();
    for (const { computeIds } of this.#found)
      for (const [id, number] of computeIds) users.set(id, byNumber.get(number) ?? []);
    this.#pids = new Set([...byNumber.values()].flat()).size;
    return users;
  }
}

/** "8 GPUs of AMD, split into 64; 1 GPU of Intel" */
function counted(found: readonly FoundGpu[]): string {
  const names = { amd: 'AMD', intel: 'Intel' } as const;
  const texts = [...Map.groupBy(found, ({ vendor }) => vendor)].map(([vendor, gpus]) => {
    const parts = gpus.reduce((sum, gpu) => sum + gpu.parts.length, 0);
    return `${gpus.length} GPU${gpus.length === 1 ? '' : 's'} of ${names[vendor]}${parts > 0 ? `, split into ${parts}` : ''}`;
  });
  return texts.join('; ');
}
