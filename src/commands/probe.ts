// faultline probe: read one thing once, print its readings and exit.

import type { Command } from 'commander';
import type { Config } from '../daemon/config.ts';
import type { ReadingsDocument } from '../model/reading.ts';
import { shownJson } from '../model/shown-json.ts';
import { readingsTable } from './probe/device.ts';
import { registerProbeBmc } from './probe-bmc.ts';
import { registerProbePdu } from './probe-pdu.ts';

interface ProbeOptions {
  readonly json?: boolean;
  readonly config?: string;
}

/** Gives the document; throws with an FL code where there is nothing to read. */
type Probe = (config: Config) => Promise<ReadingsDocument>;

export function registerProbe(program: Command): void {
  const probe = program
    .command('probe')
    .description('read one thing once, print its readings and exit; needs no configuration file');
  add(
    probe,
    'gpu',
    'the GPUs through NVML: every reading, and what each GPU can and cannot tell',
    async () => (await import('./probe/gpu.ts')).probeGpu,
    async (document) => {
      const { capabilityTable, withoutCapabilities } = await import('./probe/gpu-states.ts');
      return readingsTable(withoutCapabilities(document)) + capabilityTable(document);
    },
  );
  add(
    probe,
    'cpu',
    'the CPU packages through RAPL: power and power limits',
    async () => (await import('./probe/cpu.ts')).probeCpu,
  );
  add(
    probe,
    'kernel',
    'the kernel log: whether it can be read, and the faults it already holds',
    async () => (await import('./probe/kernel.ts')).probeKernel,
  );
  registerProbePdu(probe);
  registerProbeBmc(probe);
}

function add(
  parent: Command,
  name: string,
  summary: string,
  load: () => Promise<Probe>,
  table: (document: ReadingsDocument) => string | Promise<string> = readingsTable,
): void {
  parent
    .command(name)
    .description(summary)
    .option('--json', 'print the readings document')
    .option('--config <file>', 'configuration file')
    .action(async (options: ProbeOptions) => {
      const { loadConfigIfAllowed } = await import('../daemon/config.ts');
      const { config, note } = await loadConfigIfAllowed(options.config);
      if (note !== null) process.stderr.write(`note: ${note}\n`);
      const document = await (await load())(config);
      process.stdout.write(options.json ? `${shownJson(document, 2)}\n` : await table(document));
    });
}
