// The part of the configuration schema about processors, network cards, sensors of the board and the PCI bus.

import { DURATION_PATTERN } from './quantity.ts';
import { duration, enabled, section } from './schema-parts.ts';

export const cpu = section('CPU package power and limits through RAPL.', {
  enabled: enabled('CPU power'),
  interval: duration('Time between two samples.', '500ms', '20ms', '1m'),
  fast_interval: {
    type: 'string',
    description:
      'Also read energy this often, and tell the highest and lowest power between two samples. Off when left out.',
    pattern: DURATION_PATTERN,
    durationRange: { min: '1ms', max: '1s' },
    examples: ['1ms'],
  },
});

export const nic = section('Network cards and their ports, through sysfs.', {
  enabled: enabled('Network cards'),
  interval: duration('Time between two readings.', '5s', '1s', '1m'),
  fabric: {
    type: 'array',
    description:
      'Interfaces or PCI addresses of cards that carry the job though they are slow and have no RDMA; such are taken for management ports otherwise.',
    items: { type: 'string', minLength: 1, maxLength: 64, examples: ['eth2', '0000:1b:00.0'] },
    maxItems: 64,
    default: [],
  },
});

export const hwmon = section('Power and temperature from hwmon, where no other source gives them.', {
  enabled: enabled('Sensors of the board'),
  interval: duration('Time between two readings.', '5s', '1s', '1m'),
});

export const pci = section('The PCI bus against the driver: GPUs that the driver does not have.', {
  enabled: enabled('The PCI bus'),
  interval: duration('Time between two looks.', '15s', '1s', '10m'),
});
