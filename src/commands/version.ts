// faultline version: what runs here, to be compared with a release, with a catalogue, or over a fleet.

import { jsonOption } from './common/options.ts';
import { defineCommand } from './define-command.ts';

export const version = defineCommand<{ readonly json?: boolean }>({
  name: 'version',
  group: 'This host',
  usage: '[--json]',
  summary: 'version, commit, catalogue and build',
  description: 'print the version, the commit it was built from, the version of its catalogue, and its native parts',
  options: [jsonOption()],
  help: '\nExit status: 1 where files are not of this release (half an upgrade), or native parts do not load.\n',
  run: async ({ options, io }) => {
    const { shownJson } = await import('../model/shown-json.ts');
    const { versionReport, versionText } = await import('./version/version-report.ts');
    const report = versionReport();
    io.stdout.write(options.json === true ? `${shownJson(report, 2)}\n` : versionText(report));
    return report.problem === null ? 0 : 1;
  },
});
