// A notice as native code hands it over, through the table that the sources get it through.

import assert from 'node:assert/strict';
import { type Notice, parseNotice, type RawNotice } from '../../src/model/native-notice.ts';

/** Fails where the table refuses it. */
export function notice(fields: Partial<RawNotice>): Notice {
  const parsed = parseNotice({ type: 'state', timeMs: 1_000, component: '', name: '', text: '', value: 0, ...fields });
  assert.notEqual(parsed.name, 'malformed', JSON.stringify(parsed));
  return parsed;
}

/** Text of a device's details; null is what the device does not give. */
export function deviceText(details: object): string {
  const none = { minor: null, module: null, numa_node: null, architecture: null };
  return JSON.stringify({ index: 0, uuid: '', name: '', serial: '', driver: '', ...none, ...details });
}
