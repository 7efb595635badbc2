// The BMC source: polls every configured BMC over Redfish, each on its own, so that a slow one delays no other.

import { PollersSource } from '../pollers-source.ts';
import { BmcPoller, type BmcPollerDeps } from './poller.ts';
import type { BmcSettings } from './settings.ts';

export class BmcSource extends PollersSource {
  /** `deps.now` is the steady clock, epoch ms (NativeCore.now). */
  constructor(config: readonly BmcSettings[], deps: BmcPollerDeps) {
    super(
      'bmc',
      'no BMC is configured',
      config.map((bmc) => [new BmcPoller(bmc, deps), bmc.intervalMs] as const),
    );
  }
}
