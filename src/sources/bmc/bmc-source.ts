// The BMC source: polls every configured BMC over Redfish, each on its own, so that a slow one delays no other.

import { PollersSource } from '../devices/pollers-source.ts';
import { Bmc, type BmcDeps } from './bmc.ts';
import type { BmcSettings } from './settings.ts';

export class BmcSource extends PollersSource {
  constructor(bmcs: readonly BmcSettings[], deps: BmcDeps) {
    const devices = bmcs.map((settings) => new Bmc(settings, deps));
    super('bmc', 'no BMC is configured', devices, deps);
  }
}
