// faultline doctor: what this host lets Faultline see, why not the rest, and the line that mends it.

import type { Command } from 'commander';
import { shownJson } from '../model/shown-json.ts';

interface DoctorOptions {
  readonly json?: boolean;
  readonly config?: string;
}

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description('every source on this host: works, not here or no rights, why, and the line that mends it')
    .option('--json', 'one document')
    .option('--config <file>', 'configuration file')
    .addHelpText('after', '\nExit status: 0 when at least one source works and none failed; 1 otherwise.')
    .action(async (options: DoctorOptions) => {
      process.exitCode = await doctor(options);
    });
}

async function doctor(options: DoctorOptions): Promise<number> {
  const { readConfig } = await import('../config/load-config.ts');
  const { seeDaemon } = await import('./doctor/daemon.ts');
  const { examine } = await import('./doctor/examine.ts');
  const { doctorDocument, doctorReport, doctorText } = await import('./doctor/report.ts');
  const { config, warnings } = await readConfig(options.config);
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  const { gpu, cpu, kernelLog, system, nic, hwmon, pci } = config.sources;
  const required = [
    ...(gpu.enabled === 'on' ? ['gpu'] : []),
    ...(cpu.enabled === 'on' ? ['cpu'] : []),
    ...(kernelLog.enabled === 'on' ? ['kernel-log'] : []),
    ...(system.enabled === 'on' ? ['system'] : []),
    ...(nic.enabled === 'on' ? ['nic'] : []),
    ...(hwmon.enabled === 'on' ? ['hwmon'] : []),
    ...(pci.enabled === 'on' ? ['pci'] : []),
  ];
  const configuration = config.file ?? 'built-in defaults, no configuration file';
  const [sources, daemon] = await Promise.all([examine(config), seeDaemon(config)]);
  const report = doctorReport(config.host, configuration, sources, required, daemon);
  process.stdout.write(options.json ? `${shownJson(doctorDocument(report), 2)}\n` : doctorText(report));
  return report.status;
}
