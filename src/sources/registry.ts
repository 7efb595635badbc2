// Every source that there is, in the order in which they start: one import and one entry each.

import { afterCrash } from './after-crash/index.ts';
import { alertsIn } from './alerts-in/index.ts';
import { bmc } from './bmc/index.ts';
import { calendar } from './calendar/index.ts';
import { cpu } from './cpu/index.ts';
import { drm } from './drm/index.ts';
import { flightRecorder } from './flight-recorder/index.ts';
import { gpu } from './gpu/index.ts';
import { hwmon } from './hwmon/index.ts';
import { inventory } from './inventory/index.ts';
import { jobLog } from './job-log/index.ts';
import { journal } from './journal/index.ts';
import { kernelLog } from './kernel-log/index.ts';
import { kubernetes } from './kubernetes/index.ts';
import { logsIn } from './logs-in/index.ts';
import { nic } from './nic/index.ts';
import { otlpIn } from './otlp-in/index.ts';
import { pci } from './pci/index.ts';
import { pdu } from './pdu/index.ts';
import { processes } from './processes/index.ts';
import { runFolders } from './run-folders/index.ts';
import { slurm } from './slurm/index.ts';
import { syslogIn } from './syslog-in/index.ts';
import { system } from './system/index.ts';

export const SOURCES = [
  gpu,
  drm,
  cpu,
  kernelLog,
  afterCrash,
  journal,
  syslogIn,
  logsIn,
  nic,
  hwmon,
  pci,
  system,
  inventory,
  pdu,
  bmc,
  slurm,
  jobLog,
  runFolders,
  processes,
  flightRecorder,
  otlpIn,
  alertsIn,
  kubernetes,
  calendar,
] as const;
