// Reports of nvidia-smi, DCGM, ipmitool, df and sensors: readings, states and the faults that they mean.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quantityOf } from '../../../../src/detection/text/report/report.ts';
import { Reports } from '../../../../src/detection/text/report/reports.ts';
import { componentText } from '../../../../src/model/component.ts';

function read(text: string) {
  const reports = new Reports('node-1');
  const found = text.split('\n').map((line) => reports.take(line));
  return {
    taken: found.map((report) => report !== null),
    readings: found.flatMap((report) => report?.readings ?? []),
    states: found.flatMap((report) => report?.states ?? []),
    faults: found.flatMap((report) =>
      (report?.findings ?? []).map(({ kind, component }) => [
        kind,
        component === null ? null : componentText(component),
      ]),
    ),
  };
}

const QUERY = `==============NVSMI LOG==============

Driver Version                            : 570.86.10
Attached GPUs                             : 2
GPU 00000000:19:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    Performance State                     : P0
    Clocks Event Reasons
        SW Power Cap                      : Not Active
        HW Slowdown                       : Active
            HW Thermal Slowdown           : Not Active
            HW Power Brake Slowdown       : Active
    ECC Errors
        Volatile
            SRAM Uncorrectable Parity     : 2
            DRAM Uncorrectable            : 0
        Aggregate
            DRAM Uncorrectable            : 7
    Remapped Rows
        Pending                           : No
        Remapping Failure Occurred        : Yes
    Temperature
        GPU Current Temp                  : 61 C
        GPU Slowdown Temp                 : 87 C
    GPU Power Readings
        Average Power Draw                : N/A
        Instantaneous Power Draw          : 310.22 W
        Current Power Limit               : 700.00 W
    Clocks
        SM                                : 345 MHz
    Max Clocks
        SM                                : 1980 MHz
GPU 00000000:3B:00.0
    Remapped Rows
        Pending                           : Yes
`;

test('nvidia-smi -q: reasons, errors and rows of each GPU, readings in SI, limits are not readings', () => {
  const { readings, states, faults } = read(QUERY);
  assert.deepEqual(faults, [
    ['gpu.power_brake', 'gpu/0000:19:00.0'],
    ['gpu.memory.sram_uncorrectable', 'gpu/0000:19:00.0'],
    ['gpu.memory.row_remap_failed', 'gpu/0000:19:00.0'],
    ['gpu.memory.row_remap_pending', 'gpu/0000:3b:00.0'],
  ]);
  assert.deepEqual(
    readings.map(({ quantity, value, unit }) => [quantity, value, unit]),
    [['temperature', 61, '°C'], ['power', 310.22, 'W'], ['power_limit', 700, 'W'], ['clock', 345e6, 'Hz']], // biome-ignore format: one line
  );
  assert.ok(states.some(({ name, value }) => name === 'hw_power_brake_slowdown' && value === 'active'));
  assert.ok(states.some(({ name, value }) => name === 'sw_power_cap' && value === 'inactive'));
});

test('nvidia-smi -q: a fabric that a GPU waits for, or that failed, also in a part that begins with it', () => {
  const fabric = (state: string, status: string, bandwidth = 'N/A') =>
    read(
      `    Fabric\n        State                     : ${state}\n        Status                    : ${status}\n        Health\n            Bandwidth             : ${bandwidth}\n`,
    ).faults;
  assert.deepEqual(fabric('In Progress', 'N/A'), [['fabric_manager.error', null]]);
  assert.deepEqual(fabric('Completed', 'Insufficient Resources'), [['fabric_manager.error', null]]);
  assert.deepEqual(fabric('Completed', 'Success', 'Degraded'), [['nvlink.degraded', null]]);
  assert.deepEqual(
    [fabric('Completed', 'Success', 'Full'), fabric('N/A', 'N/A'), fabric('Not Started', 'N/A')],
    [[], [], []],
  );
});

test('nvidia-smi -q -x: the same by its elements', () => {
  const { faults, readings } = read(`<nvidia_smi_log>
  <gpu id="00000000:19:00.0">
    <clocks_event_reasons>
      <clocks_event_reason_hw_thermal_slowdown>Active</clocks_event_reason_hw_thermal_slowdown>
      <clocks_event_reason_hw_power_brake_slowdown>Not Active</clocks_event_reason_hw_power_brake_slowdown>
    </clocks_event_reasons>
    <remapped_rows>
      <remapped_row_pending>Yes</remapped_row_pending>
    </remapped_rows>
    <temperature>
      <gpu_temp>45 C</gpu_temp>
    </temperature>
  </gpu>`);
  const heat = ['gpu.thermal_throttle', 'gpu/0000:19:00.0'];
  assert.deepEqual(
    faults,
    [heat, ['gpu.memory.row_remap_pending', 'gpu/0000:19:00.0'], heat],
    'and again with the temperature',
  );
  assert.deepEqual(readings.map(({ value }) => value), [45]); // biome-ignore format: one line
});

test('the table of nvidia-smi, and what it cannot ask', () => {
  const { faults, readings } =
    read(`|   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    3 |
| N/A   34C    P0              71W / 700W |      4MiB / 81559MiB |      5%      Default |
Unable to determine the device handle for GPU0000:3B:00.0: GPU is lost.  Reboot the system to recover this GPU
Unable to determine the device handle for GPU3: 0000:04:00.0: Unknown Error`);
  assert.deepEqual(faults, [['gpu.memory.uncorrectable', 'gpu/0000:19:00.0'], ['gpu.lost', 'gpu/0000:3b:00.0'], ['gpu.missing', 'gpu/0000:04:00.0']]); // biome-ignore format: one line
  assert.deepEqual(readings.map(({ value }) => value), [34, 71, 700, 0.05]); // biome-ignore format: one line
});

test('a GPU of the table that gives neither temperature nor power answers nothing; a power meter alone may be broken', () => {
  const table = (row: string) =>
    read(`|   3  [Unknown Error]                On |   00000000:5E:00.0 Off |                 ERR! |\n${row}`).faults;
  assert.deepEqual(table('| ERR!  ERR! ERR!            ERR! / ERR! |     ERR! /  ERR!      |    ERR!      ERR! |'), [['gpu.fault', 'gpu/0000:5e:00.0']]); // biome-ignore format: one line
  assert.deepEqual(
    table('| N/A   34C    P0            ERR! / 700W |      4MiB / 81559MiB |      0%      Default |'),
    [],
  );
});

test('metrics of DCGM: values that mean that there is none are none', () => {
  const { faults, readings } = read(`DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-1",pci_bus_id="00000000:19:00.0"} 512.5
DCGM_FI_DEV_GPU_TEMP{gpu="1",pci_bus_id="00000000:3B:00.0"} 2147483632
DCGM_FI_DEV_XID_ERRORS{gpu="1",pci_bus_id="00000000:3B:00.0"} 79
DCGM_FI_DEV_XID_ERRORS{gpu="0",pci_bus_id="00000000:19:00.0"} 0
{'power_usage': 250.5, 'sm_active': 140737488355328.0, 'gpu_temp': 9223372036854775794}`);
  assert.deepEqual(faults, [['gpu.lost', 'gpu/0000:3b:00.0']]);
  assert.deepEqual(readings.map(({ value }) => value), [512.5, 250.5]); // biome-ignore format: one line
});

test('the event log of a BMC: what was asserted and what ended, at the time of its entry', () => {
  const reports = new Reports('node-1');
  const lost = reports.take('   1 | 10/12/2026 | 10:22:33 | Power Supply #0x63 | Power Supply AC lost | Asserted');
  assert.deepEqual(
    [lost?.findings[0]?.kind, lost?.findings[0]?.timeMs],
    ['psu.input_lost', Date.UTC(2026, 9, 12, 10, 22, 33)],
  );
  const back = '   2 | 10/12/2026 | 10:25:00 | Power Supply #0x63 | Power Supply AC lost | Deasserted';
  assert.deepEqual(
    reports.take(back)?.findings.map(({ kind, state }) => [kind, state]),
    [['psu.input_lost', 'clear']],
  );
  assert.equal(
    reports.take('  3 | 10/12/26 | 10:26:00 UTC | Memory #0x53 | Uncorrectable ECC | Asserted')?.findings[0]?.kind,
    'memory.ue',
  );
});

test('file systems and sensors', () => {
  assert.deepEqual(read('tmpfs            24G   23G  1.1G  90% /dev/shm').faults, [
    ['host.shm_filling', 'host/node-1'],
  ]);
  assert.deepEqual(read('/dev/sda1       100G  100G     0 100% /\n/dev/loop3       64M   64M     0 100% /snap/core/1').faults, [['host.disk_full', 'host/node-1']]); // biome-ignore format: one line
  const { readings } = read(
    'power_meter-acpi-0\nAdapter: ACPI interface\npower1:        4.29 MW (interval =   1.00 s)\npower2:      412.00 W\ntemp1:        +38.0°C',
  );
  assert.deepEqual(readings.map(({ value, unit }) => [value, unit]), [[412, 'W'], [38, '°C']]); // biome-ignore format: one line
});

test('lines of jobs are left alone, and text after a report is not of it', () => {
  const lines = [
    "{'loss': 1.0177, 'grad_norm': 0.04, 'learning_rate': 7.1e-07, 'epoch': 0.07}",
    'iteration      122/  250000 | consumed samples:       124928 | elapsed time per iteration (ms): 86545.2 |',
    'Traceback (most recent call last):',
    'Loading checkpoint',
  ];
  assert.deepEqual(read(lines.join('\n')).taken, [false, false, false, false]);
  assert.deepEqual(read(`    Remapped Rows\n        Pending       : No\n${lines.join('\n')}`).taken.slice(2), [
    false,
    false,
    false,
    false,
  ]);
});

test('a quantity is a number with a unit that a device can have', () => {
  assert.deepEqual(quantityOf('382 MHz'), { value: 382e6, unit: 'Hz' });
  for (const text of ['N/A', '4290000 W', '9999 C', '', 'Infinity W', '12', '1e99 W'])
    assert.equal(quantityOf(text), null, text);
});

test('a slowdown by heat is quoted with all reasons, the temperature and the clock of that GPU', () => {
  const reports = new Reports('node-1');
  const hot = QUERY.replace(
    'HW Thermal Slowdown           : Not Active',
    'HW Thermal Slowdown           : Active',
  ).replace('    ECC Errors', '        SW Thermal Slowdown               : Active\n    ECC Errors');
  const found = hot.split('\n').flatMap((line) => reports.take(line)?.findings ?? []);
  const heat = found.filter(({ kind }) => kind === 'gpu.thermal_throttle').at(-1);
  assert.deepEqual(heat?.lines, [
    'HW Thermal Slowdown: Active',
    'SW Thermal Slowdown: Active',
    'GPU Current Temp: 61 C',
    'SM: 345 MHz',
  ]);
});
