// faultline replay: run a recording again to the same incidents, faster than real time.

import { jsonOption } from './common/options.ts';
import { argument, defineCommand } from './define-command.ts';

export const replay = defineCommand<{ readonly json?: boolean }, [file: string]>({
  name: 'replay',
  group: 'Analyse and try',
  usage: 'F',
  summary: 'run a recording again to the same incidents',
  description: 'run a recording again to the same incidents, faster than real time',
  example: 'faultline replay day.flrec',
  arguments: [argument('<file>', 'the recording')],
  options: [jsonOption('one document {schema, recording, events, incidents}')],
  run: async ({ arguments: [file], options }) => {
    const { replay: replayRecording } = await import('./replay/replay-recording.ts');
    return await replayRecording(file, options.json === true);
  },
});
