// faultline probe: read one thing once, print its readings and exit.

import type { Config } from '../daemon/config.ts';
import type { ReadingsDocument } from '../model/documents/readings.ts';
import { shownJson } from '../model/shown-json.ts';
import { configOption, jsonOption } from './common/options.ts';
import { defineCommand, defineSubCommand } from './define-command.ts';
import { readingsTable } from './probe/device.ts';
import { probeBmcCommand } from './probe/probe-bmc.ts';
import { probePduCommand } from './probe/probe-pdu.ts';

interface ProbeOptions {
  readonly json?: boolean;
  readonly config?: string;
}

/** Gives the document; throws with an FL code where there is nothing to read. */
type Probe = (config: Config) => Promise<ReadingsDocument>;

const ofThisHost = (
  name: string,
  summary: string,
  load: () => Promise<Probe>,
  table: (document: ReadingsDocument) => string | Promise<string> = readingsTable,
) =>
  defineSubCommand<ProbeOptions>({
    name,
    summary,
    options: [jsonOption('print the readings document'), configOption()],
    run: async ({ options, io }) => {
      const { loadConfigIfAllowed } = await import('../daemon/config.ts');
      const { config, note } = await loadConfigIfAllowed(options.config);
      if (note !== null) io.stderr.write(`note: ${note}\n`);
      const document = await (await load())(config);
      io.stdout.write(options.json ? `${shownJson(document, 2)}\n` : await table(document));
    },
  });

export const probe = defineCommand({
  name: 'probe',
  group: 'This host',
  usage: 'gpu|cpu|kernel|pdu|bmc',
  summary: 'read one thing once and print its readings',
  description: 'read one thing once, print its readings and exit; needs no configuration file',
  commands: [
    ofThisHost(
      'gpu',
      'the GPUs through NVML: every reading, and what each GPU can and cannot report',
      async () => (await import('./probe/gpu.ts')).probeGpu,
      async (document) => {
        const { capabilityTable, withoutCapabilities } = await import('./probe/gpu-states.ts');
        return readingsTable(withoutCapabilities(document)) + capabilityTable(document);
      },
    ),
    ofThisHost(
      'cpu',
      'the CPU packages through RAPL: power and power limits',
      async () => (await import('./probe/cpu.ts')).probeCpu,
    ),
    ofThisHost(
      'kernel',
      'the kernel log: whether it can be read, and the faults it already holds',
      async () => (await import('./probe/kernel.ts')).probeKernel,
    ),
    probePduCommand,
    probeBmcCommand,
  ],
});
