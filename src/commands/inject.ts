// faultline inject: puts a made-up fault into the running daemon, so that operators see what a real one would look like.

import { errorText } from '../helpers/error-text.ts';
import type { CommandIo } from './common/command-io.ts';
import { configOption, durationOption, jsonOption } from './common/options.ts';
import { argument, defineCommand, Option } from './define-command.ts';

interface InjectOptions {
  readonly gpu?: string;
  readonly component?: string;
  readonly for?: number;
  readonly json?: boolean;
  readonly config?: string;
}

const HELP = `
What
  list                    what can be injected
  xid NUMBER              an XID of a GPU, as the driver writes it into the kernel log
  kernel-line TEXT        one line, as if the kernel had written it: through the real decoders
  KIND                    an event of this kind, for example gpu.lost or power.voltage_sag
  end                     everything that was injected is over

Examples
  faultline inject xid 79 --gpu 0000:9b:00.0
  faultline inject kernel-line "Out of memory: Killed process 4242 (python) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:1kB oom_score_adj:0"
  faultline inject power.voltage_sag --component pdu_phase/pdu-b/1

Only root and the daemon's own user may. What comes of it is marked everywhere: [injected] in titles, injected: true in documents, faultline.injected in exports. It never joins a real incident, takes no GPU-hours, and counts neither for the health of hardware nor for reliability. It ends by itself. Off in the daemon's configuration: inject: {enabled: off}`;

const BOUNDS = { leastMs: 1000, mostMs: 3_600_000, hint: 'Write a time from 1s to 1h, for example 2m.' };

export const inject = defineCommand<InjectOptions, [what: string, value: string | undefined]>({
  name: 'inject',
  group: 'Analyse and try',
  usage: 'xid N|KIND|list|end',
  summary: 'put a made-up fault into the daemon, as root',
  description: 'put a made-up fault, marked as such, into the running daemon: see what a real one would look like',
  help: HELP,
  example: 'faultline inject xid 79',
  arguments: [
    argument('<what>', 'list, xid, kernel-line, end, or a kind'),
    argument('[value]', 'number of the XID, or text of the line'),
  ],
  options: [
    new Option('--gpu <gpu>', 'of an XID: PCI address or index; the first one when left out'),
    new Option('--component <type/id>', 'of a kind: what it happens to, for example gpu/0000:9b:00.0'),
    durationOption('--for <time>', 'ends by itself after this, from 1s to 1h; 10m when left out', BOUNDS),
    jsonOption(),
    configOption('configuration that names the runtime directory'),
  ],
  run: async ({ arguments: [what, value], options, io }) => {
    if (what === 'list') return (await import('./inject/inject-list.ts')).printInjectable(options.json === true);
    await injectFault(requestOf(what, value, options), options, io);
  },
});

async function injectFault(request: object, options: InjectOptions, io: CommandIo): Promise<void> {
  const { ask, socketCandidates } = await import('../api/client.ts');
  const { loadConfigIfAllowed } = await import('../daemon/config.ts');
  const { injectedText } = await import('./inject/inject-list.ts');
  const { config } = await loadConfigIfAllowed(options.config);
  const sockets = socketCandidates(config.directories.runtime);
  const headers = { 'content-type': 'application/json' };
  let answer: unknown;
  try {
    answer = await ask('POST', '/v1/inject', sockets, headers, request);
  } catch (error) {
    const message = errorText(error);
    // Whoever may not even connect would not be helped by joining the group.
    if (!message.startsWith('FL1204 ')) throw error;
    const { bySudo } = await import('../helpers/files/who-may.ts');
    throw new Error(`FL3411 only root and the daemon's own user may inject faults. Use sudo: ${bySudo()}`);
  }
  io.stdout.write(options.json === true ? `${JSON.stringify(answer)}\n` : injectedText(answer, Date.now()));
}

/** Throws a usage error that says how to write it. */
function requestOf(what: string, value: string | undefined, options: InjectOptions): object {
  const timed = options.for === undefined ? {} : { for_ms: options.for };
  if (what === 'end') {
    unused(options, ['gpu', 'component', 'for'], what);
    if (value !== undefined) throw usage('end takes nothing behind it: all that was injected ends');
    return { what };
  }
  if (what === 'xid') {
    unused(options, ['component'], what);
    if (value === undefined || !/^\d{1,3}$/.test(value)) {
      throw usage('xid needs its number, 1 to 999. Write: faultline inject xid 79 --gpu 0000:9b:00.0');
    }
    return { what, xid: Number(value), ...(options.gpu === undefined ? {} : { gpu: options.gpu }), ...timed };
  }
  if (what === 'kernel-line') {
    unused(options, ['gpu', 'component'], what);
    if (value === undefined) throw usage('kernel-line needs the text of the line, in quotes');
    return { what, text: value, ...timed };
  }
  unused(options, ['gpu'], what);
  if (value !== undefined) throw usage(`${what} takes nothing behind it; say where with --component type/id`);
  const at = options.component === undefined ? {} : { component: options.component };
  return { what: 'event', kind: what, ...at, ...timed };
}

function unused(options: InjectOptions, names: readonly (keyof InjectOptions)[], what: string): void {
  for (const name of names) {
    if (options[name] !== undefined) throw usage(`--${name} means nothing with ${what}: leave it out`);
  }
}

function usage(text: string): Error {
  return Object.assign(new Error(`FL1200 ${text}`), { status: 2 });
}
