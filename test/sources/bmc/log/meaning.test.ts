// What lines of real logs mean: texts as Dell, HPE, OpenBMC, the standard registries and IPMI print them.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import catalogue from '#catalog/redfish-log.json' with { type: 'json' };
import { KINDS } from '../../../../src/model/kind.ts';
import { decodeEntry, entriesOfEvent } from '../../../../src/sources/bmc/log/log-entry.ts';
import { meaningOf } from '../../../../src/sources/bmc/log/meaning.ts';

const PARTS = {
  supplies: [
    { slot: '1', paths: ['/redfish/v1/Chassis/1/PowerSubsystem/PowerSupplies/left'] },
    { slot: '2', paths: ['/redfish/v1/Chassis/1/PowerSubsystem/PowerSupplies/right'] },
  ],
  fans: [{ slot: '1A', paths: [] }],
};

function meant(body: object): string | null {
  const entry = decodeEntry({ Id: '7', Created: '2026-11-02T10:00:00Z', ...body }, null);
  assert.ok(entry);
  const meaning = meaningOf(entry, 'n', PARTS);
  if (meaning === null) return null;
  const { kind, edge, component, named } = meaning;
  return `${kind} ${edge} ${component.type}/${component.id}${named === null ? '' : ` (${named})`}`;
}

describe('a line of a log', () => {
  for (const [body, expected] of [
    [
      { Message: 'The power input for power supply 1 is lost.', MessageId: 'IDRAC.2.8.PSU0003' },
      'psu.input_lost onset psu/n/1',
    ],
    [{ Message: 'The power input for power supply 2 is lost.', MessageId: 'PSU0003' }, 'psu.input_lost onset psu/n/2'],
    [{ Message: 'The input power for power supply 1 has been restored.' }, 'psu.input_lost clear psu/n/1'],
    [{ Message: 'Power supply 2 is operating normally.', MessageId: 'IDRAC.2.8.PSU0017' }, 'psu.failure clear psu/n/2'],
    [
      { Message: 'The system inlet temperature is greater than the upper warning threshold.' },
      'cooling.inlet_overtemp onset host/n',
    ],
    [{ Message: 'The  Inlet temperature is less than the lower warning threshold.' }, null],
    [{ Message: 'The system board CPU1 temperature is greater than the upper warning threshold.' }, null],
    [{ Message: 'The system inlet temperature is within range.' }, 'cooling.inlet_overtemp clear host/n'],
    [
      { Message: 'Power supply redundancy is lost.', MessageId: 'IDRAC.2.8.RDU0012' },
      'psu.redundancy_lost onset host/n',
    ],
    [
      { Message: 'Multi-bit memory errors detected on a memory device at location(s) DIMM_A1.', MessageId: 'MEM0001' },
      'memory.ue onset dimm/n/DIMM_A1',
    ],
    [
      { Message: 'DIMM_P0_C1: Uncorrectable ECC / other uncorrectable memory error' },
      'memory.ue onset dimm/n/DIMM_P0_C1',
    ],
    [{ Message: '', MessageId: 'IDRAC.2.8.TMP0121' }, 'cooling.inlet_overtemp onset host/n'],
    [
      { Message: 'The system inlet temperature is less than the lower critical threshold.', MessageId: 'TMP0119' },
      null,
    ],
    [
      { Message: 'Fan 1A RPM is less than the lower warning threshold.', MessageId: 'FAN0000' },
      'host.fan_failure onset fan/n/1A',
    ],
    [{ Message: 'Fan 1A RPM is within range.', MessageId: 'FAN0005' }, 'host.fan_failure clear fan/n/1A'],
    [
      { Message: 'Correctable memory error rate exceeded for DIMM_B4.', MessageId: 'MEM0701' },
      'memory.ce_storm onset dimm/n/DIMM_B4',
    ],
    [
      { Message: 'Unsupported memory configuration; check memory device at location DIMM_B4.', MessageId: 'MEM0007' },
      null,
    ],
    [{ Message: 'Uncorrectable Memory Error (Processor 1, Memory Module 9)' }, 'memory.ue onset dimm/n/PROC 1 DIMM 9'],
    [{ Message: 'Uncorrectable ECC @DIMMA1(CPU1)', SensorType: 'Memory' }, 'memory.ue onset dimm/n/DIMMA1'],
    [{ Message: 'Uncorrectable ECC', SensorType: 'Memory' }, 'memory.ue onset host/n'],
    [{ Message: 'xyz.openbmc_project.Memory.MemoryECC.Error.ueCount' }, 'memory.ue onset host/n'],
    [{ Message: 'xyz.openbmc_project.Memory.MemoryECC.Error.ceCount' }, null],
    [{ Message: 'xyz.openbmc_project.Cpu.CpuErr.Error.IERR' }, 'cpu.machine_check onset host/n'],
    [{ Message: 'xyz.openbmc_project.State.Shutdown.Power.Error.Blackout' }, 'power.feed_lost onset host/n'],
    [{ Message: 'xyz.openbmc_project.State.Chassis.Error.PowerOffFailure' }, null],
    [
      { Message: 'Memory P1-DIMMC1: Correctable memory error logging limit reached' },
      'memory.ce_storm onset dimm/n/P1-DIMMC1',
    ],
    [{ Message: 'Correctable ECC', SensorType: 'Memory' }, null],
    [
      { Message: "The resource property GPU_SXM_3 ECC has detected errors of type 'DRAM Uncorrectable Error'." },
      'gpu.memory.uncorrectable onset host/n',
    ],
    [
      { Message: "The resource property GPU_SXM_5 Temperature has detected errors of type 'Overtemperature'." },
      'gpu.overtemp onset host/n',
    ],
    [
      { Message: "The resource property NVSwitch_2 NVLink has detected errors of type 'NVLink Training Error'." },
      'nvlink.fatal onset host/n',
    ],
    [
      { Message: "The resource property GPU_SXM_1 has detected errors of type 'Fall off bus'." },
      'gpu.fault onset host/n',
    ],
    [{ Message: "The resource property GPU_SXM_1 has detected errors of type 'DRAM Correctable Error'." }, null],
    [
      { Message: "The resource property GPU_SXM_5 Temperature errors of type 'Overtemperature' have been corrected." },
      null,
    ],
    [{ Message: 'CPU 1 has an internal error (IERR).', MessageId: 'CPU0000' }, 'cpu.machine_check onset host/n'],
    [
      {
        Message: "Leak detector 'Tray1' reports a critical level leak.",
        MessageId: 'Environmental.1.1.LeakDetectedCritical',
      },
      'cooling.leak onset host/n',
    ],
    [
      { Message: "Leak detector 'Tray1' has returned to normal.", MessageId: 'Environmental.1.1.LeakDetectedNormal' },
      'cooling.leak clear host/n',
    ],
    [{ Message: 'The coolant flow rate is below the lower critical threshold.' }, 'cooling.flow_low onset host/n'],
    [{ Message: 'No leak sensors are installed; leak detection is off.' }, null],
    [{ Message: 'The power supplies are redundant.' }, 'psu.redundancy_lost clear host/n'],
    [
      {
        Message: 'Power supply PSU1 power lost.',
        MessageId: 'OpenBMC.0.1.PowerSupplyPowerLost',
        MessageArgs: ['PSU1'],
      },
      'psu.input_lost onset psu/n/1',
    ],
    [
      { Message: 'Power supply PSU1 power restored.', MessageId: 'OpenBMC.0.1.PowerSupplyPowerRestored' },
      'psu.input_lost clear psu/n/1',
    ],
    [
      {
        Message: "Power supply 'x' has failed.",
        MessageId: 'Power.1.0.1.PowerSupplyFailed',
        Links: { OriginOfCondition: { '@odata.id': '/redfish/v1/Chassis/1/PowerSubsystem/PowerSupplies/right' } },
      },
      'psu.failure onset psu/n/2',
    ],
    [
      {
        Message: 'Line input lost.',
        MessageId: 'Power.1.0.1.LossOfInputPower',
        OriginOfCondition: { '@odata.id': '/redfish/v1/Chassis/1/PowerSubsystem/PowerSupplies/left/' },
      },
      'psu.input_lost onset psu/n/1',
    ],
    [
      {
        Message:
          'System Power Supply: Input Power Loss or Unplugged Power Cord, Verify Power Supply Input (Power Supply 2)',
      },
      'psu.input_lost onset psu/n/2',
    ],
    [{ Message: 'System Power Supply: General Failure (Power Supply 1)' }, 'psu.failure onset psu/n/1'],
    [{ Message: 'System Power Supplies Not Redundant' }, 'psu.redundancy_lost onset host/n'],
    [
      { Message: 'Power Supply AC lost', SensorType: 'Power Supply', EntryCode: 'Assert', EntryType: 'SEL' },
      'psu.input_lost onset host/n',
    ],
    [
      { Message: 'PS2: Power Supply input lost', SensorType: 'Power Supply', EntryCode: 'Deassert' },
      'psu.input_lost clear psu/n/2',
    ],
    [{ Message: 'PSU3 input lost' }, 'psu.input_lost onset host/n (3)'],
    [
      { Message: "Fan '1A' has failed.", MessageId: 'Environmental.1.1.0.FanFailed' },
      'host.fan_failure onset fan/n/1A',
    ],
    [
      { Message: 'The system inlet temperature is greater than the upper critical threshold.' },
      'cooling.inlet_overtemp onset host/n',
    ],
    [{ Message: 'The system inlet temperature is within range.' }, 'cooling.inlet_overtemp clear host/n'],
    [
      { Message: 'A fatal error was detected on a component at bus 59 device 0 function 0.', MessageId: 'PCI1318' },
      'pcie.uncorrected_fatal onset host/n',
    ],
    [{ Message: 'Uncorrectable PCI Express Error Detected. Slot 5' }, 'pcie.uncorrected_fatal onset host/n'],
    [{ Message: 'Fault detected on drive 3 in disk drive bay 1.' }, 'storage.io_error onset host/n'],
    [{ Message: 'System Fan Failure (Fan 1A, Location System)' }, 'host.fan_failure onset fan/n/1A'],
    [{ Message: 'System Overheating (Temperature Sensor 12, Location CPU)' }, 'host.overtemp onset host/n'],
    [{ Message: 'Drive Fault', SensorType: 'Drive Slot (Bay)' }, 'storage.io_error onset host/n'],
    [{ Message: 'Bus Fatal Error', SensorType: 'Critical Interrupt' }, 'pcie.uncorrected_fatal onset host/n'],
    [{ Message: 'Log cleared.', MessageId: 'SEL0001' }, null],
    [{ Message: 'The drive 3 in disk drive bay 1 is operating normally.' }, null],
    [{ Message: 'Drive 3 is installed in disk drive bay 1.', MessageId: 'PDR1000' }, null],
    [{ Message: 'The input power button was pressed.' }, null],
    [{ Message: 'Power supply firmware update of unit 1 completed.' }, null],
    [{ Message: 'User root lost his session.' }, null],
  ] as const) {
    test(`"${body.Message.slice(0, 60)}" ${expected ?? 'means nothing that is reported'}`, () => {
      assert.equal(meant(body), expected);
    });
  }

  test('names kinds and edges that there are', () => {
    for (const { kind } of [...catalogue.rows, ...catalogue.sel, ...catalogue.openbmc])
      assert.ok((KINDS as readonly string[]).includes(kind), kind);
    for (const { edge } of catalogue.rows) assert.ok(edge === 'onset' || edge === 'clear');
    for (const { of } of [...catalogue.rows, ...catalogue.sel, ...catalogue.openbmc])
      assert.ok(['psu', 'fan', 'dimm', 'host'].includes(of));
  });
});

test('a time without a zone is in that of its log, and a clock that was never set tells none', () => {
  const at = (Created: string, zone: string | null) => decodeEntry({ Id: '1', Created, Message: 'x' }, zone)?.createdMs;
  assert.equal(at('2026-11-02T10:00:00', '-05:00'), Date.UTC(2026, 10, 2, 15));
  assert.equal(at('2026-11-02T10:00:00', null), Date.UTC(2026, 10, 2, 10));
  assert.equal(at('2026-11-02T10:00:00+02:00', '-05:00'), Date.UTC(2026, 10, 2, 8));
  assert.equal(at('1970-01-01T00:03:00Z', null), null);
  assert.equal(at('yesterday', null), null);
});

test('an event that is sent has several entries, a bare link or anything else has none', () => {
  const event = {
    Id: '5',
    Events: [{ MessageId: 'A.1.0.X', EventTimestamp: '2026-11-02T10:00:00Z' }, null, 5, { '@odata.id': '/x' }],
  };
  assert.deepEqual(
    entriesOfEvent(event).map(({ messageId }) => messageId),
    ['A.1.0.X'],
  );
  for (const odd of [null, 5, '', [], { Events: 'no' }, { MetricValues: [] }])
    assert.deepEqual(entriesOfEvent(odd), []);
});
