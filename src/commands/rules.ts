// faultline rules: the rules of this site: what they watch, whether they are right, and their own tests.

import { shownJson } from '../model/shown-json.ts';
import type { CommandIo } from './common/command-io.ts';
import { configOption, jsonOption } from './common/options.ts';
import { argument, defineCommand, defineSubCommand } from './define-command.ts';

interface RulesOptions {
  readonly config?: string;
  readonly json?: boolean;
}

const FILES = argument('[files...]', 'files with rules; the configuration when none is named');

const test = defineSubCommand<RulesOptions, [files: string[]]>({
  name: 'test',
  summary: 'play the tests that rules come with through the real line',
  arguments: [FILES],
  options: [configOption(), jsonOption('as JSON')],
  run: ({ arguments: [files], options, io }) => runTests(files, options, io),
});

const check = defineSubCommand<RulesOptions, [files: string[]]>({
  name: 'check',
  summary: 'say everything that is wrong, with file, line and column',
  arguments: [FILES],
  options: [configOption()],
  run: async ({ arguments: [files], options, io }) => {
    const { readRules } = await import('./rules/read-rules.ts');
    const read = await readRules(files, options.config);
    for (const { warnings } of read) for (const warning of warnings) io.stderr.write(`warning: ${warning}\n`);
    const count = read.reduce((sum, { config }) => sum + config.rules.length, 0);
    io.stdout.write(`${count} ${count === 1 ? 'rule' : 'rules'}: good\n`);
  },
});

const list = defineSubCommand<RulesOptions, [files: string[]]>({
  name: 'list',
  summary: 'each rule: what it asks for, what it reports, where it is written',
  arguments: [FILES],
  options: [configOption(), jsonOption('as JSON')],
  run: async ({ arguments: [files], options, io }) => {
    const { readRules } = await import('./rules/read-rules.ts');
    const { ruleDocument, ruleText } = await import('./rules/show-rule.ts');
    const rules = (await readRules(files, options.config)).flatMap(({ config }) => config.rules);
    if (options.json === true)
      io.stdout.write(`${shownJson({ schema: 'faultline/rules/1', rules: rules.map(ruleDocument) }, 2)}\n`);
    else if (rules.length === 0) io.stdout.write('no rules: docs/guide/rules.md shows how to write one\n');
    else io.stdout.write(`${rules.map(ruleText).join('\n')}\n`);
  },
});

const HELP = `
Rules are in the configuration (rules:), in conf.d, and in files of rules.d next to faultline.yaml.

Exit status of test: 0 when every test passes; 1 when one does not; 2 for rules that cannot be used.`;

export const rules = defineCommand({
  name: 'rules',
  group: 'Analyse and try',
  usage: 'test|check|list [FILE…]',
  summary: 'the rules of this site: check, test and list them',
  description: 'what this site wants to hear of besides: check its rules, play their tests, list them',
  help: HELP,
  commands: [test, check, list],
});

async function runTests(files: readonly string[], options: RulesOptions, io: CommandIo): Promise<number> {
  const { readRules } = await import('./rules/read-rules.ts');
  const { playTest } = await import('./rules/play-test.ts');
  const read = await readRules(files, options.config);
  const results = read.flatMap(({ config }) =>
    config.rules.flatMap((rule) => rule.tests.map((one) => playTest(config, rule, one))),
  );
  const failed = results.filter(({ wrong }) => wrong.length > 0);
  if (options.json === true) {
    const shown = results.map(({ rule, test: { name, origin }, wrong }) => ({
      rule: rule.name,
      test: name,
      place: origin,
      wrong,
    }));
    io.stdout.write(
      `${shownJson({ schema: 'faultline/rules-test/1', passed: results.length - failed.length, failed: failed.length, results: shown }, 2)}\n`,
    );
  } else {
    for (const {
      rule,
      test: { name, origin },
      wrong,
    } of results) {
      io.stdout.write(`${wrong.length === 0 ? 'pass' : 'FAIL'}  ${rule.name}: ${name}\n`);
      for (const line of wrong) io.stdout.write(`      ${origin}: ${line}\n`);
    }
    const untested = read.flatMap(({ config }) => config.rules).filter((rule) => rule.tests.length === 0);
    const without = untested.length === 0 ? '' : `; without a test: ${untested.map(({ name }) => name).join(', ')}`;
    io.stdout.write(`${results.length - failed.length} of ${results.length} tests pass${without}\n`);
  }
  return failed.length === 0 ? 0 : 1;
}
