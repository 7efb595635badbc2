// The PDU source: polls every configured PDU over SNMP, each on its own, staggered so that they do not answer all at once.

import type { PollerDeps } from '../devices/poller.ts';
import { PollersSource } from '../devices/pollers-source.ts';
import { Pdu } from './pdu.ts';
import type { PduSettings } from './settings.ts';

export class PduSource extends PollersSource {
  constructor(pdus: readonly PduSettings[], deps: PollerDeps) {
    const devices = pdus.map((settings) => new Pdu(settings, deps));
    super('pdu', 'no PDU is configured', devices, deps);
  }
}
