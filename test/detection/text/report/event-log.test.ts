// Event logs of BMCs: every type of sensor and offset of IPMI's tables has its kind or reports nothing, in each program's form.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readReport } from './read-report.ts';

/** As ipmitool and FreeIPMI word them. */
const FAULTS: readonly (readonly [type: string, events: readonly string[], kind: string])[] = [
  ['Temperature', ['Upper Critical going high', 'Upper Non-recoverable going high'], 'host.overtemp'],
  [
    'Temperature',
    ['Transition to Critical from less severe', 'At or Above (>=) Upper Critical Threshold'],
    'host.overtemp',
  ],
  ['Voltage', ['Lower Critical going low', 'Upper Non-recoverable going high'], 'host.degraded'],
  ['Fan', ['Lower Critical going low', 'Transition to Non-recoverable', 'Device Absent'], 'host.fan_failure'],
  ['Cooling Device', ['Transition to Critical from less severe'], 'host.fan_failure'],
  [
    'Processor',
    ['IERR', 'SM BIOS Uncorrectable CPU-complex Error', 'Uncorrectable machine check exception'],
    'cpu.machine_check',
  ],
  ['Processor', ['Thermal Trip'], 'host.overtemp'],
  ['Processor', ['FRB2/Hang in POST failure', 'FRB3/Processor startup/init failure', 'Disabled'], 'host.degraded'],
  ['Processor', ['Throttled'], 'cpu.thermal_throttle'],
  [
    'Power Supply',
    ['Power Supply AC lost', 'AC lost or out-of-range', 'AC out-of-range, but present'],
    'psu.input_lost',
  ],
  ['Power Supply', ['Failure detected', 'Predictive failure', 'Config Error: Vendor Mismatch'], 'psu.failure'],
  ['Power Unit', ['AC lost'], 'psu.input_lost'],
  ['Power Unit', ['Soft-power control failure', '240VA power down'], 'host.degraded'],
  [
    'Power Unit',
    ['Redundancy Lost', 'Non-Redundant: Sufficient from Redundant', 'Redundancy Degraded'],
    'psu.redundancy_lost',
  ],
  ['Memory', ['Uncorrectable ECC', 'Parity', 'Memory Scrub Failed', 'Uncorrectable memory error'], 'memory.ue'],
  ['Memory', ['Correctable ECC logging limit reached'], 'memory.ce_storm'],
  ['Memory', ['Correctable ECC', 'Correctable memory error'], 'memory.ce'],
  ['Memory', ['Memory Device Disabled'], 'host.part_missing'],
  ['Drive Slot / Bay', ['Drive Fault', 'In Failed Array', 'Predictive Failure', 'Rebuild Aborted'], 'storage.io_error'],
  ['Critical Interrupt', ['PCI SERR', 'Fatal NMI', 'Bus Fatal Error'], 'pcie.uncorrected_fatal'],
  [
    'Critical Interrupt',
    ['PCI PERR', 'Bus Uncorrectable error', 'Bus Timeout', 'I/O Channel check NMI'],
    'pcie.uncorrected',
  ],
  ['Critical Interrupt', ['Bus Correctable error'], 'pcie.corrected'],
  ['Critical Interrupt', ['Bus Degraded'], 'pcie.link_degraded'],
  ['System Firmwares', ['Unrecoverable system-board failure', 'No usable system memory'], 'host.degraded'],
  ['System Event', ['Undetermined system hardware failure'], 'host.degraded'],
  ['Chip Set', ['Thermal Trip'], 'host.overtemp'],
  ['Chip Set', ['Soft Power Control Failure'], 'host.degraded'],
  ['Slot / Connector', ['Fault Status'], 'host.degraded'],
  ['Cable / Interconnect', ['Config Error'], 'host.degraded'],
  ['OS Critical Stop', ['Run-time critical stop', 'Error during system startup'], 'host.panic'],
  ['Watchdog2', ['Hard reset', 'Power down', 'Power cycle'], 'host.rebooted'],
  ['Watchdog1', ['BIOS Reset', 'OS Reset'], 'host.rebooted'],
  ['LAN', ['Heartbeat Lost'], 'nic.port_down'],
  ['Management Subsystem Health', ['FRU failure'], 'host.degraded'],
  ['Battery', ['Low', 'Failed'], 'host.degraded'],
];

const ORDINARY: readonly (readonly [type: string, events: readonly string[]])[] = [
  [
    'Temperature',
    ['Upper Non-critical going high', 'Upper Critical going low', 'Transition to OK', 'Limit Not Exceeded'],
  ],
  ['Voltage', ['Lower Critical going high', 'State Deasserted']],
  ['Fan', ['Lower Critical going high', 'Device Present', 'Fully Redundant', 'Predictive Failure Deasserted']],
  ['Physical Security', ['General Chassis intrusion', 'System unplugged from LAN', 'FAN area intrusion']],
  ['Platform Security', ['Other pre-boot password violation']],
  ['Processor', ['Presence detected', 'Terminator presence detected', 'Correctable machine check error']],
  ['Power Supply', ['Presence detected', 'Power Supply Inactive']],
  ['Power Unit', ['Power off/down', 'Power cycle', 'Interlock power down', 'Fully Redundant']],
  ['Memory', ['Presence Detected', 'Spare', 'Throttled']],
  ['Drive Slot / Bay', ['Drive Present', 'Hot Spare', 'Parity Check In Progress', 'Rebuild In Progress']],
  ['System Firmwares', ['Memory initialization', 'Removable boot media not found', 'System boot initiated']],
  ['Event Logging Disabled', ['Log area reset/cleared', 'Log full', 'Correctable memory error logging disabled']],
  ['Watchdog2', ['Timer expired', 'Timer interrupt']],
  ['System Event', ['Timestamp Clock Sync', 'PEF Action', 'OEM System boot event']],
  ['Critical Interrupt', ['NMI/Diag Interrupt', 'Software NMI']],
  ['Button', ['Power Button pressed', 'Reset Button pressed']],
  ['System Boot Initiated', ['Initiated by power up', 'System Restart']],
  ['Boot Error', ['No bootable media', 'PXE server not found']],
  ['OS Boot', ['C: boot completed', 'Installation completed']],
  ['OS Critical Stop', ['OS graceful stop', 'OS graceful shutdown', 'PEF initiated soft shutdown']],
  ['Slot / Connector', ['Identify Status', 'Device Installed', 'Slot Power is Off']],
  ['System ACPI Power State', ['S0/G0: working', 'S4/S5: soft-off']],
  ['Platform Alert', ['Platform Event Trap generated']],
  ['Entity Presence', ['Present', 'Absent', 'Disabled']],
  ['LAN', ['Heartbeat']],
  ['Management Subsystem Health', ['Sensor access degraded or unavailable', 'Sensor failure']],
  ['Battery', ['Presence Detected']],
  ['Version Change', ['Hardware change detected', 'Firmware or software change success']],
  ['FRU State', ['Not Installed', 'Active', 'Deactivation Requested']],
];

/** Of what began; the end of a state reports none. */
function kindsOf(text: string): string[] {
  return readReport(text).findings.flatMap(({ kind, state }) => (state === 'clear' ? [] : [kind]));
}

describe('an entry of a fault', () => {
  for (const [type, events, kind] of FAULTS)
    test(`${type}: ${kind}`, () => {
      for (const event of events) {
        const listed = `   4 | 11/29/2026 | 10:22:33 | ${type} #0x63 | ${event} | Asserted`;
        assert.deepEqual(kindsOf(listed), [kind], listed);
        assert.deepEqual(kindsOf(listed.replace('Asserted', 'Deasserted')), [], listed);
        assert.deepEqual(kindsOf(`4    | Nov-29-2026 | 10:22:33 | Sensor 63 | ${type} | ${event}`), [kind], event);
      }
    });
});

test('what the other offsets say reports nothing', () => {
  for (const [type, events] of ORDINARY)
    for (const event of events)
      assert.deepEqual(
        kindsOf(`   4 | 11/29/2026 | 10:22:33 | ${type} #0x63 | ${event} | Asserted`),
        [],
        `${type} ${event}`,
      );
});

const RECORD = [
  'SEL Record ID          : 0004',
  ' Record Type           : 02',
  ' Timestamp             : 11/29/2026 10:22:33',
  ' Generator ID          : 0020',
  ' EvM Revision          : 04',
  ' Sensor Type           : Power Supply',
  ' Sensor Number         : 63',
  ' Event Type            : Sensor-specific Discrete',
  ' Event Direction       : Assertion Event',
  ' Event Data            : 03ffff',
  ' Description           : Power Supply AC lost',
  '',
];

test('a record that is written field by field is one entry, of its own time', () => {
  const { findings } = readReport([...RECORD, ...RECORD].join('\n'));
  assert.equal(findings.length, 2);
  assert.equal(findings[0]?.timeMs, Date.UTC(2026, 10, 29, 10, 22, 33));
  assert.deepEqual(findings[0]?.component, { type: 'psu', id: 'node-1/#0x63', host: 'node-1', parent: 'host/node-1' });
  assert.deepEqual(kindsOf(RECORD.join('\n').replace('Assertion Event', 'Deassertion Event')), []);
});

test('what ipmiutil prints is read by its severity', () => {
  const line = '0004 11/29/26 13:53:11 MAJ BIOS Memory #02 Uncorrectable ECC, DIMM A1 6f [21 00 08]';
  assert.deepEqual(kindsOf(line), ['memory.ue']);
  assert.deepEqual(kindsOf(line.replace('MAJ', 'INF')), []);
});

test("a bar within the parentheses of Supermicro's text parts no fields", () => {
  const line =
    '  4f | 11/29/2026 | 10:11:12 UTC | Memory #0x87 | Uncorrectable ECC (UnCorrectable ECC |  DIMMG1) | Asserted';
  assert.deepEqual(kindsOf(line), ['memory.ue']);
  assert.deepEqual(kindsOf(line.replace('| Asserted', '| Deasserted')), []);
});

test('the last line of a text that was cut within its state counts, and a fan below its lower warning is one', () => {
  const line = '  33 | 11/15/2026 | 18:52:23 | Fan Processor 1 Fan | Lower Non-critical going low  | Asserted';
  assert.deepEqual(kindsOf(line), ['host.fan_failure']);
  assert.deepEqual(kindsOf(line.replace('Asserted', 'Asse')), ['host.fan_failure']);
  assert.deepEqual(kindsOf(line.replace('Asserted', 'Deass')), []);
});
