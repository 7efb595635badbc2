// faultline release-devices: asks the running daemon to release every GPU for a while.

import { configOption, durationOption } from './common/options.ts';
import { defineCommand } from './define-command.ts';

interface ReleaseOptions {
  readonly for: number;
  readonly config?: string;
}

const BOUNDS = { leastMs: 1000, mostMs: 86_400_000, hint: 'Write a time from 1s to 24h, for example 10m.' };

export const releaseDevices = defineCommand<ReleaseOptions>({
  name: 'release-devices',
  group: 'The daemon',
  usage: '[--for 10m]',
  summary: 'release every GPU, for a reset or driver unload',
  description: 'release every GPU handle, so that a reset or driver unload can proceed',
  options: [
    durationOption('--for <time>', 'how long, from 1s to 24h', BOUNDS).default(600_000, '10m'),
    configOption('configuration that names the runtime directory'),
  ],
  run: async ({ options, io }) => {
    const { ask, socketCandidates } = await import('../api/client.ts');
    const { loadConfig } = await import('../daemon/config.ts');
    const { formatDuration } = await import('../config/quantity.ts');
    const { formatTraceparent, parseTraceparent } = await import('../model/trace.ts');
    const config = await loadConfig(options.config);
    // Where a traced program runs this, the daemon's part belongs to its trace.
    const parent = parseTraceparent(process.env.TRACEPARENT);
    const answer = await ask(
      'POST',
      `/v1/release-devices?for_ms=${options.for}`,
      socketCandidates(config.directories.runtime),
      parent === null ? {} : { traceparent: formatTraceparent(parent) },
    );
    const { released, asked_by: who } = answer as { released?: unknown; asked_by?: unknown }; // JSON, read with care
    const name =
      typeof who === 'object' && who !== null && 'user' in who && who.user !== null
        ? `, logged as asked by ${who.user}`
        : '';
    io.stdout.write(
      released === true
        ? `released for ${formatDuration(options.for)}${name}; the daemon takes the GPUs up again by itself\n`
        : 'nothing to release: the daemon reads no GPU\n',
    );
  },
});
