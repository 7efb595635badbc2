// faultline release-devices: asks the running daemon to let go of every GPU for a while.

import { type Command, InvalidArgumentError, Option } from 'commander';

interface ReleaseOptions {
  readonly for: number;
  readonly config?: string;
}

export function registerReleaseDevices(program: Command): void {
  program
    .command('release-devices')
    .description('let go of every GPU handle, so that a reset or driver unload can proceed')
    .addOption(new Option('--for <time>', 'how long, from 1s to 24h').argParser(duration).default(600_000, '10m'))
    .option('--config <file>', 'configuration that names the runtime directory')
    .action(async (options: ReleaseOptions) => {
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
      process.stdout.write(
        released === true
          ? `released for ${formatDuration(options.for)}${name}; the daemon takes the GPUs up again by itself\n`
          : 'nothing to release: the daemon reads no GPU\n',
      );
    });
}

function duration(text: string): number {
  const match = /^(\d{1,5})(s|m|h)$/.exec(text);
  const ms = Number(match?.[1]) * ({ s: 1000, m: 60_000, h: 3_600_000 }[match?.[2] ?? ''] ?? Number.NaN);
  if (!(ms >= 1000 && ms <= 86_400_000))
    throw new InvalidArgumentError('Write a time from 1s to 24h, for example 10m.');
  return ms;
}
