// Reads one PDU once and gives the readings document.

import { componentText } from '../../model/component.ts';
import { READINGS_SCHEMA, type ReadingsDocument } from '../../model/documents/readings.ts';
import type { Reading } from '../../model/reading.ts';
import { formatTime } from '../../model/time.ts';
import { cannotShow } from './cannot-show.ts';
import { type DiscoverOptions, discoverPdu } from './discover.ts';
import type { PduPlan } from './pdu-plan.ts';
import { readCells, readingsOf } from './read-cells.ts';
import { SnmpRequests } from './request.ts';
import { SnmpSession } from './session.ts';
import type { PduSettings } from './settings.ts';

/** A reading that takes longer shows how far it is. */
const PROGRESS_MS = 2000;

/** Rejects with SnmpError. The session is closed in every case. */
export async function readPdu(
  config: PduSettings,
  now: () => number,
  options: DiscoverOptions & { readonly onProgress?: (text: string) => void } = {},
): Promise<ReadingsDocument> {
  const session = new SnmpSession(config, now);
  const requests = new SnmpRequests(session);
  let step = 'what it is and which tables it has';
  const report = (): void => {
    const { answered, lost } = requests.counts;
    options.onProgress?.(
      `${session.peer.address}: reading ${step}, ${answered} answers${lost === 0 ? '' : `, ${lost} lost`}`,
    );
  };
  const progress = setInterval(report, PROGRESS_MS);
  try {
    const plan = await discoverPdu(requests, config.name, options);
    step = `${plan.cells.length} values`;
    requests.patient = true;
    const cells = await readCells(requests, plan, plan.cells);
    const { readings, states, warnings } = readingsOf(cells);
    const known = plan.cells.filter((_, i) => cells[i]?.value !== null);
    return {
      schema: READINGS_SCHEMA,
      target: session.peer.address,
      observed_at: formatTime(now()),
      identity: plan.identity,
      readings: [...readings, ...ratings(plan)],
      states,
      warnings: [...cannotShow({ cells: known }).map((what) => `it shows ${what}`), ...plan.warnings, ...warnings],
    };
  } finally {
    clearInterval(progress);
    session.close();
  }
}

/** What parts are made for, which the device says once. */
function ratings(plan: PduPlan): Reading[] {
  return plan.parts.flatMap(({ component, ratingA }) =>
    ratingA === null
      ? []
      : [{ component: componentText(component), quantity: 'rated_current', value: ratingA, unit: 'A' }],
  );
}
