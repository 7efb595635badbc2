// The BMC source: polls every configured BMC over Redfish, each on its own, so that a slow one delays no other.

import { PollersSource } from '../devices/pollers-source.ts';
import { SharedDevice } from '../devices/shared/shared-device.ts';
import { COOLING } from '../devices/shared/shared-looks.ts';
import { Bmc, type BmcDeps } from './bmc.ts';
import { BmcMemory } from './memory/bmc-memory.ts';
import type { BmcSettings } from './settings.ts';

export interface BmcSourceDeps extends Omit<BmcDeps, 'memory' | 'wake'> {
  /** The state folder; left out, nothing is remembered from run to run. */
  readonly directory?: string | null;
  /** False for a look of a moment, which leaves nothing there. */
  readonly keep?: boolean;
  /** This host, by which others know who polls a coolant unit that they share. */
  readonly host?: string;
}

export class BmcSource extends PollersSource {
  readonly #memory: BmcMemory;

  constructor(
    bmcs: readonly BmcSettings[],
    { directory = null, keep = true, host = 'this host', ...deps }: BmcSourceDeps,
  ) {
    const onTrouble = (detail: string): void => deps.logger?.warn({ code: 'FL2332' }, `FL2332 ${detail}`);
    const memory = new BmcMemory(
      bmcs.map(({ url }) => url),
      { directory, keep, onTrouble },
    );
    const wake = (name: string): void => this.wake(name);
    const devices = bmcs.map((settings) => {
      const bmc = new Bmc(settings, { ...deps, memory, wake });
      const { sharedFolder: folder = null } = settings;
      // A PDU may have the same name, and share the folder.
      const name = `${settings.host}.cdu`;
      return folder === null ? bmc : new SharedDevice(bmc, { folder, name, host, now: deps.now, scope: COOLING });
    });
    super('bmc', 'no BMC is configured', devices, deps);
    this.#memory = memory;
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.#memory.stop();
  }
}
