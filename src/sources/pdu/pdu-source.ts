// The PDU source: polls every configured PDU over SNMP, each on its own, staggered so that they do not answer all at once.

import { PollersSource } from '../pollers-source.ts';
import { PduPoller, type PduPollerDeps } from './poller.ts';
import type { PduSettings } from './settings.ts';

export class PduSource extends PollersSource {
  /** `deps.now` is the steady clock, epoch ms (NativeCore.now). */
  constructor(config: readonly PduSettings[], deps: PduPollerDeps) {
    super(
      'pdu',
      'no PDU is configured',
      config.map((pdu) => [new PduPoller(pdu, deps), pdu.intervalMs] as const),
    );
  }
}
