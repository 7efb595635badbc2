// The sources that look at the host by themselves, each turned off: for a benchmark of one source alone.

const BY_THEMSELVES = [
  'gpu',
  'cpu',
  'system',
  'nic',
  'hwmon',
  'drm',
  'pci',
  'inventory',
  'processes',
  'slurm',
  'flight_recorder',
  'kernel_log',
  'found_logs',
  'found_runs',
  'after_crash',
  'kubernetes',
];

/** What a configuration says under `sources` so that none of them runs; the caller adds the one it measures. */
export const sourcesOff = () => Object.fromEntries(BY_THEMSELVES.map((name) => [name, { enabled: 'off' }]));
