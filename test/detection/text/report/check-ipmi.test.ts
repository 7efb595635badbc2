// check_ipmi_sensor's line: entries of the event log, and sensors that are not well, by what they mean in ipmitool's words.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReport } from './read-report.ts';

test('entries of the event log and sensors in its line are reported, what means no fault is not', () => {
  const line =
    "IPMI Status: Critical [PS2 Status = Critical ('Power Supply Failure detected'), 4 system event log (SEL) entries present - details: (Power Supply PS3 Status = Critical, Power Supply, Power Supply Failure detected), (Sensor #0 = Warning, OS Critical Stop, OS Graceful Shutdown), (System Chassis Chassis Intru = Critical, Physical Security, General Chassis Intrusion)]";
  assert.deepEqual(readReport(line).faults, [
    ['psu.failure', 'psu/node-1/3'],
    ['psu.failure', 'psu/node-1/2'],
  ]);
});

test('a line that is well, or speaks of the plugin, reports nothing', () => {
  for (const line of [
    'IPMI Status: OK | Temp=24.00;~:42.00',
    'check_ipmi_sensor: IPMI Status: Critical [PS2 Status = Critical] is what it prints',
  ])
    assert.deepEqual(readReport(line).faults, [], line);
});
