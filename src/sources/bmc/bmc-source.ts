// The BMC source: polls every configured BMC over Redfish, each on its own, so that a slow one delays no other.

import { PollersSource } from '../devices/pollers-source.ts';
import { Bmc, type BmcDeps } from './bmc.ts';
import { BmcMemory } from './memory/bmc-memory.ts';
import type { BmcSettings } from './settings.ts';

export interface BmcSourceDeps extends Omit<BmcDeps, 'memory' | 'wake'> {
  /** The state folder; left out, nothing is remembered from run to run. */
  readonly directory?: string | null;
  /** False for a look of a moment, which leaves nothing there. */
  readonly keep?: boolean;
}

export class BmcSource extends PollersSource {
  readonly #memory: BmcMemory;

  constructor(bmcs: readonly BmcSettings[], { directory = null, keep = true, ...deps }: BmcSourceDeps) {
    const onTrouble = (detail: string): void => deps.logger?.warn({ code: 'FL2332' }, `FL2332 ${detail}`);
    const memory = new BmcMemory(
      bmcs.map(({ url }) => url),
      { directory, keep, onTrouble },
    );
    const wake = (name: string): void => this.wake(name);
    const devices = bmcs.map((settings) => new Bmc(settings, { ...deps, memory, wake }));
    super('bmc', 'no BMC is configured', devices, deps);
    this.#memory = memory;
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.#memory.stop();
  }
}
