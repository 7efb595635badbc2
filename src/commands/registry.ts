// Every command, in the order of the main help within its group. A new one is a file or folder, and a line here.

import { ack } from './ack.ts';
import { acting } from './acting.ts';
import { bundle } from './bundle.ts';
import { config } from './config.ts';
import { correlate } from './correlate.ts';
import { type CommandDefinition, notBuilt } from './define-command.ts';
import { demo } from './demo.ts';
import { doctor } from './doctor.ts';
import { explain } from './explain.ts';
import { fr } from './fr.ts';
import { incidents } from './incidents.ts';
import { inject } from './inject.ts';
import { inventory } from './inventory.ts';
import { jobs } from './jobs.ts';
import { maintenance } from './maintenance.ts';
import { notify } from './notify.ts';
import { patterns } from './patterns.ts';
import { probe } from './probe.ts';
import { record } from './record.ts';
import { releaseDevices } from './release-devices.ts';
import { replay } from './replay.ts';
import { report } from './report.ts';
import { rules } from './rules.ts';
import { run } from './run.ts';
import { scan } from './scan.ts';
import { silence } from './silence.ts';
import { top } from './top.ts';
import { verdict } from './verdict.ts';
import { version } from './version.ts';

export const COMMANDS: readonly CommandDefinition[] = [
  run,
  record,
  releaseDevices,
  acting,
  incidents,
  explain,
  ack,
  verdict,
  maintenance,
  silence,
  notify,
  bundle,
  report,
  top,
  doctor,
  jobs,
  inventory,
  probe,
  config,
  version,
  demo,
  inject,
  fr,
  replay,
  scan,
  patterns,
  rules,
  correlate,
  notBuilt('hub', '', 'the fleet role'),
];
