// The PDU source: polls every configured PDU over SNMP, each on its own, a few at a time;
// and takes their traps, each of which is held against a poll at once.

import type { Emit } from '../../model/record.ts';
import type { Device, PollerDeps } from '../devices/poller.ts';
import { PollersSource } from '../devices/pollers-source.ts';
import { SharedDevice } from '../devices/shared/shared-device.ts';
import { POWER } from '../devices/shared/shared-looks.ts';
import type { SourceHealth } from '../source.ts';
import { Pdu } from './pdu.ts';
import type { PduSettings } from './settings.ts';
import { TrapReceiver } from './traps/trap-receiver.ts';

export interface PduSourceDeps extends PollerDeps {
  /** This host, by which others know who polls a PDU that they share. */
  readonly host?: string;
}

export class PduSource extends PollersSource {
  readonly #receivers: readonly TrapReceiver[];

  constructor(pdus: readonly PduSettings[], deps: PduSourceDeps) {
    const wake = (name: string): void => this.wake(name);
    const devices = pdus.map((settings) => ({ settings, pdu: new Pdu(settings, { ...deps, wake }) }));
    super(
      'pdu',
      'no PDU is configured',
      devices.map(({ settings, pdu }) => sharedOrOwn(settings, pdu, deps)),
      deps,
    );
    const ports = new Set(
      pdus.flatMap(({ trapPort }) => (trapPort === undefined || trapPort === null ? [] : [trapPort])),
    );
    this.#receivers = [...ports].map((port) => {
      const targets = devices.filter(({ settings }) => settings.trapPort === port);
      return new TrapReceiver(
        port,
        targets.map(({ settings, pdu }) => ({
          settings,
          hasAddress: (address) => pdu.hasAddress(address),
          trapped: (trap) => {
            pdu.trapped(trap);
            this.wake(pdu.name);
          },
        })),
        deps.now,
      );
    });
  }

  override start(emit: Emit, signal: AbortSignal): void {
    super.start(emit, signal);
    if (!signal.aborted) for (const receiver of this.#receivers) void receiver.start();
  }

  override health(): readonly SourceHealth[] {
    return [...super.health(), ...this.#receivers.map((receiver) => receiver.health())];
  }

  override async stop(): Promise<void> {
    for (const receiver of this.#receivers) receiver.close();
    await super.stop();
  }
}

function sharedOrOwn(
  { name, sharedFolder }: PduSettings,
  pdu: Pdu,
  { host = 'this host', now }: PduSourceDeps,
): Device {
  const folder = sharedFolder ?? null;
  return folder === null ? pdu : new SharedDevice(pdu, { folder, name, host, now, scope: POWER });
}
