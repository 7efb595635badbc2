// What ipmievd logs of the entries of a BMC's event log is read as the log itself is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventDaemonFinding } from '../../../src/detection/text/programs/event-daemon.ts';

const said = (text: string) => {
  const finding = eventDaemonFinding(text, 'gx-1');
  return finding === null ? null : [finding.kind, finding.component?.id, finding.state ?? 'point'];
};

test('supplies, memory, fans and heat, with and without what parts a sensor from its words', () => {
  const supply = 'ipmievd[1822]: Power Supply sensor PS1 Status - Power Supply AC lost';
  assert.deepEqual(said(`${supply} Asserted`), ['psu.input_lost', 'gx-1/1', 'point']);
  assert.deepEqual(said(`${supply} Deasserted`), ['psu.input_lost', 'gx-1/1', 'clear']);
  assert.deepEqual(said('ipmievd: Memory sensor DIMM_A1 - Uncorrectable ECC Asserted'), [
    'memory.ue',
    'gx-1/DIMM_A1',
    'point',
  ]);
  const inlet = 'ipmievd: Temperature sensor Inlet Temp Upper Critical going high';
  const finding = eventDaemonFinding(`${inlet} Asserted (Reading 43 > Threshold 42 degrees C)`, 'gx-1');
  assert.equal(finding?.kind, 'cooling.inlet_overtemp');
  assert.equal(finding?.attributes?.sensor, 'Temperature Inlet Temp');
  assert.equal(finding?.attributes?.event, 'Upper Critical going high');
});

test('an ordinary state, and what another program wrote, report nothing', () => {
  assert.equal(said('ipmievd: Drive Slot / Bay sensor Drive 3 - Drive Present Asserted'), null);
  assert.equal(said('ipmievd: Power Supply sensor PS1 Status - Presence detected Asserted'), null);
  assert.equal(said('app: Power Supply sensor PS1 Status - Power Supply AC lost Asserted'), null);
});

test('the words of a lower limit end with a blank, as ipmitool has them', () => {
  assert.deepEqual(said('ipmievd: Fan sensor FAN3 Lower Critical going low  Asserted (Reading 0.00 < Threshold 300.00 RPM)')?.[0], 'host.fan_failure'); // biome-ignore format: one line
});
