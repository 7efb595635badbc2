// faultline config: check the configuration, print what is in force or its schema.

import type { Config } from '../daemon/config.ts';
import { shownJson } from '../model/shown-json.ts';
import type { CommandIo } from './common/command-io.ts';
import { configOption, jsonOption } from './common/options.ts';
import { argument, defineCommand, defineSubCommand, Option } from './define-command.ts';

interface ConfigOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly detectors?: boolean;
  readonly export?: boolean;
}

const check = defineSubCommand<ConfigOptions, [file: string | undefined]>({
  name: 'check',
  summary: 'say everything that is wrong, with file, line and column',
  arguments: [argument('[file]', 'configuration file')],
  options: [
    configOption(),
    new Option('--export', 'also show what OTLP would be sent, and where to, without sending it'),
  ],
  run: async ({ arguments: [file], options, io }) => {
    const { readConfig } = await import('../daemon/config.ts');
    const { ConfigError } = await import('../config/config-error.ts');
    const loaded = await readConfig(file ?? options.config).catch((error: unknown) => {
      if (error instanceof ConfigError) warn(error.warnings, io);
      throw error;
    });
    warn(loaded.warnings, io);
    const { readPatternFolder } = await import('../correlation/patterns/user/pattern-folder.ts');
    const { patterns, wrong } = await readPatternFolder(loaded.config.file);
    for (const text of wrong) io.stderr.write(`${text}\n`);
    if (wrong.length > 0) return io.status(2);
    if (patterns.length > 0) io.stdout.write(`patterns.d: ${patterns.length} patterns of this site\n`);
    io.stdout.write(`${loaded.config.file ?? 'built-in defaults (there is no configuration file)'}: good\n`);
    if (options.export === true) await showExport(loaded.config, io);
  },
});

const print = defineSubCommand<ConfigOptions>({
  name: 'print',
  summary: 'print the configuration in force with its defaults; secrets are left out',
  options: [
    configOption(),
    jsonOption('as JSON'),
    new Option('--detectors', 'the detectors in force instead, every limit with its source and where it was set'),
  ],
  run: async ({ options, io }) => {
    if (options.detectors === true) return printDetectors(options, io);
    const { configSchema, readConfig } = await import('../daemon/config.ts');
    const { printConfig, redactedConfig } = await import('../config/print-config.ts');
    const loaded = await readConfig(options.config);
    warn(loaded.warnings, io);
    io.stdout.write(
      options.json ? `${shownJson(redactedConfig(loaded, configSchema), 2)}\n` : printConfig(loaded, configSchema),
    );
  },
});

const schema = defineSubCommand({
  name: 'schema',
  summary: 'print the JSON Schema of the configuration',
  run: async ({ io }) => {
    const { configSchema } = await import('../daemon/config.ts');
    io.stdout.write(`${JSON.stringify(configSchema, null, 2)}\n`);
  },
});

const reload = defineSubCommand<ConfigOptions>({
  name: 'reload',
  summary: 'have the running daemon take up what changed; open incidents stay open',
  options: [configOption('configuration that names the runtime directory'), jsonOption('as JSON')],
  run: async ({ options, io }) => {
    const { reloadConfig } = await import('./config/reload-config.ts');
    await reloadConfig(options, io);
  },
});

export const config = defineCommand({
  name: 'config',
  group: 'This host',
  usage: 'check|print|reload|schema',
  summary: 'check, print or reload the configuration, or print its schema',
  description: 'check the configuration, show what is in force, have the daemon take it up, print its schema',
  commands: [check, print, reload, schema],
});

async function showExport(config: Config, io: CommandIo): Promise<void> {
  const { exportPreview } = await import('./config/export-preview.ts');
  const { version } = await import('./common/version.ts');
  const lines = exportPreview(config, version, Date.now());
  const none = [
    'OTLP is off: nothing would be sent. To switch it on, write: otlp: {endpoint: "http://127.0.0.1:4317"}',
  ];
  for (const line of lines ?? none) io.stdout.write(`${line}\n`);
}

function warn(warnings: readonly string[], io: CommandIo): void {
  for (const warning of warnings) io.stderr.write(`warning: ${warning}\n`);
}

async function printDetectors({ json, config: path }: ConfigOptions, io: CommandIo): Promise<void> {
  const { loadConfigIfAllowed } = await import('../daemon/config.ts');
  const { detectorLines, detectorsText } = await import('./config/show-detectors.ts');
  const { config: inForce, note } = await loadConfigIfAllowed(path);
  if (note !== null) io.stderr.write(`note: ${note}\n`);
  const { detection } = inForce;
  const document = { schema: 'faultline/detectors/1', detectors: detectorLines(detection) };
  io.stdout.write(json === true ? `${shownJson(document, 2)}\n` : detectorsText(detection));
}
