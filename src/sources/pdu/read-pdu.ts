// Reads one PDU once and gives the readings document.

import { READINGS_SCHEMA, type ReadingsDocument } from '../../model/documents/readings.ts';
import { formatTime } from '../../model/time.ts';
import { type DiscoverOptions, discoverPdu } from './discover.ts';
import { readCells, readingsOf } from './read-cells.ts';
import { SnmpRequests } from './request.ts';
import { SnmpSession } from './session.ts';
import type { PduSettings } from './settings.ts';

/** Rejects with SnmpError. The session is closed in every case. */
export async function readPdu(
  config: PduSettings,
  now: () => number,
  options: DiscoverOptions = {},
): Promise<ReadingsDocument> {
  const session = new SnmpSession(config, now);
  try {
    const requests = new SnmpRequests(session);
    const plan = await discoverPdu(requests, config.name, options);
    const { readings, states, warnings } = readingsOf(await readCells(requests, plan, plan.cells));
    return {
      schema: READINGS_SCHEMA,
      target: session.peer.address,
      observed_at: formatTime(now()),
      identity: plan.identity,
      readings,
      states,
      warnings: [...plan.warnings, ...warnings],
    };
  } finally {
    session.close();
  }
}
