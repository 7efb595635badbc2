// A notice as native code hands it over, through the table that the sources get it through.

import assert from 'node:assert/strict';
import { type Notice, parseNotice, type RawNotice } from '../../src/model/native-notice.ts';

/** Fails where the table refuses it. */
export function notice(fields: Partial<RawNotice>): Notice {
  const parsed = parseNotice({ type: 'state', timeMs: 1_000, component: '', name: '', text: '', value: 0, ...fields });
  assert.notEqual(parsed.name, 'malformed', JSON.stringify(parsed));
  return parsed;
}

/** A device's details; null is what the device does not give. */
export function deviceDetails(given: RawNotice['details'] = {}): NonNullable<RawNotice['details']> {
  const none = { minor: null, module: null, numaNode: null, architecture: null };
  return { index: 0, uuid: '', model: '', serial: '', driver: '', ...none, ...given };
}
