// faultline doctor: what this host lets Faultline see, why not the rest, and the line that fixes it.

import { shownJson } from '../model/shown-json.ts';
import { configOption, jsonOption } from './common/options.ts';
import { defineCommand, Option } from './define-command.ts';
import { fit } from './terminal/fit-width.ts';
import { textWidth } from './terminal/output.ts';

interface DoctorOptions {
  readonly json?: boolean;
  readonly fleet?: boolean;
  readonly config?: string;
}

const HELP = `
Where a daemon answers, the table is what it sees; else what this user can read. In part: it answers, and something that people rely on is not read.

Exit status: 0 when at least one source works and none failed; 1 otherwise; 2 for a configuration that cannot be used.`;

export const doctor = defineCommand<DoctorOptions>({
  name: 'doctor',
  group: 'This host',
  usage: '[--json | --fleet]',
  summary: 'what can be read here, and how to fix the rest',
  description: 'every source and sink: works, works in part, not here or no rights, why, and the line that changes it',
  help: HELP,
  options: [
    jsonOption(),
    new Option('--fleet', 'one line of JSON with fields that stay, for programs that ask many hosts').conflicts('json'),
    configOption(),
  ],
  run: ({ options }) => examineHost(options),
});

async function examineHost(options: DoctorOptions): Promise<number> {
  const { readConfig } = await import('../daemon/config.ts');
  const { callerNote, daemonTable } = await import('./doctor/compare.ts');
  const { seeDaemon } = await import('./doctor/daemon.ts');
  const { examine, LOCAL } = await import('./doctor/examine.ts');
  const { doctorDocument, doctorReport, doctorText } = await import('./doctor/report.ts');
  const { requiredSources } = await import('../sources/index.ts');
  const { config, warnings } = await readConfig(options.config);
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  const configuration = config.file ?? 'built-in defaults, no configuration file';
  const daemon = await seeDaemon(config);
  const uid = process.geteuid?.() ?? null;
  const own = await (daemon.sources === null ? examine(config) : examine(config, LOCAL));
  const table = daemon.sources === null ? own : daemonTable(daemon.sources, config);
  const note = daemon.sources === null ? null : callerNote(table, own, uid);
  const report = doctorReport(config.host, configuration, table, requiredSources(config), daemon, note, config);
  if (options.fleet === true) {
    const { fleetLine } = await import('./doctor/fleet.ts');
    const { version } = await import('./common/version.ts');
    process.stdout.write(`${shownJson(fleetLine(report, version))}\n`);
    return report.status;
  }
  process.stdout.write(
    options.json ? `${shownJson(doctorDocument(report), 2)}\n` : fit(doctorText(report), textWidth()),
  );
  return report.status;
}
