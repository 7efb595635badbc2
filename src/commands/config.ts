// faultline config: check the configuration, show what is in force, print its schema.

import type { Command } from 'commander';
import { shownJson } from '../model/shown-json.ts';

interface ConfigOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly detectors?: boolean;
}

export function registerConfig(program: Command): void {
  const config = program
    .command('config')
    .description('check the configuration, show what is in force, print its schema');
  config
    .command('check')
    .description('say everything that is wrong, with file, line and column')
    .argument('[file]', 'configuration file')
    .option('--config <file>', 'configuration file')
    .action(async (file: string | undefined, options: ConfigOptions) => {
      const { readConfig } = await import('../daemon/config.ts');
      const { ConfigError } = await import('../config/config-error.ts');
      const warn = (warnings: readonly string[]): void => {
        for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
      };
      const loaded = await readConfig(file ?? options.config).catch((error: unknown) => {
        if (error instanceof ConfigError) warn(error.warnings);
        throw error;
      });
      warn(loaded.warnings);
      process.stdout.write(`${loaded.config.file ?? 'built-in defaults (there is no configuration file)'}: good\n`);
    });
  config
    .command('print')
    .description('print the configuration in force with its defaults; secrets are left out')
    .option('--config <file>', 'configuration file')
    .option('--json', 'as JSON')
    .option('--detectors', 'the detectors in force instead, every threshold with its source')
    .action(async (options: ConfigOptions) => {
      if (options.detectors === true) return printDetectors(options.json === true);
      const { configSchema, readConfig } = await import('../daemon/config.ts');
      const { printConfig, redactedConfig } = await import('../config/print-config.ts');
      const loaded = await readConfig(options.config);
      for (const warning of loaded.warnings) process.stderr.write(`warning: ${warning}\n`);
      process.stdout.write(
        options.json ? `${shownJson(redactedConfig(loaded, configSchema), 2)}\n` : printConfig(loaded, configSchema),
      );
    });
  config
    .command('schema')
    .description('print the JSON Schema of the configuration')
    .action(async () => {
      const { configSchema } = await import('../daemon/config.ts');
      process.stdout.write(`${JSON.stringify(configSchema, null, 2)}\n`);
    });
}

async function printDetectors(json: boolean): Promise<void> {
  const { DETECTION_RULES } = await import('../detection/rules/detectors.ts');
  const { rulesText } = await import('../detection/rules/rule-text.ts');
  const document = { schema: 'faultline/detectors/1', detectors: DETECTION_RULES };
  process.stdout.write(json ? `${shownJson(document, 2)}\n` : rulesText(DETECTION_RULES));
}
