// Runs top: one look as plain text, or a screen that is drawn again and again until it is ended.

import { socketCandidates } from '../../api/client.ts';
import { errorText } from '../../helpers/error-text.ts';
import { clockText, durationText } from '../../incidents/report/when.ts';
import { plain } from '../../model/plain.ts';
import type { CommandIo } from '../common/command-io.ts';
import { CommandError, type LogOptions, runtimeDirectoryOf } from '../common/incident-context.ts';
import { Screen } from './screen.ts';
import { type Section, sectionsOf } from './sections.ts';
import { look, type Seen } from './seen.ts';
import { viewOf } from './view.ts';

export interface TopOptions extends LogOptions {
  readonly once?: boolean;
  readonly interval: number;
}

const KEYS = 'q end  p hold  i g f j s one section  a all  up down scroll  + - how often';
const WIDTH = 100;
const INTERVALS_MS = [500, 1000, 2000, 5000, 10_000, 30_000, 60_000];

export async function runTop(options: TopOptions, io: CommandIo, closed: AbortSignal): Promise<void> {
  const sockets = socketCandidates(await runtimeDirectoryOf(options));
  const first = await look(sockets).catch((error: unknown) => {
    throw new CommandError(1, errorText(error));
  });
  const width = io.stdout.columns ?? WIDTH;
  if (options.once === true || io.stdout.isTTY !== true) {
    const layout = { width, height: null, colour: io.colour, only: null, skip: 0 };
    const lines = viewOf(headOf(first, io), sectionsOf(first, io.now()), '', layout);
    io.stdout.write(`${lines.join('\n')}\n`);
    return;
  }
  await live(first, sockets, options, io, AbortSignal.any([closed, io.signal()]));
}

async function live(
  first: Seen,
  sockets: readonly string[],
  options: TopOptions,
  io: CommandIo,
  ended: AbortSignal,
): Promise<void> {
  const state = {
    seen: first,
    trouble: '',
    only: null as string | null,
    skip: 0,
    held: false,
    everyMs: options.interval,
  };
  const done = new AbortController();
  const screen = new Screen(io.stdout);
  const stop = AbortSignal.any([ended, done.signal]);
  let timer: NodeJS.Timeout | undefined;
  const draw = (): void => {
    const { width, height } = screen.size();
    const sections: Section[] = sectionsOf(state.seen, io.now());
    const held = state.held ? '  (held still)' : '';
    const head = state.trouble === '' ? headOf(state.seen, io) + held : `no news: ${state.trouble}`;
    screen.draw(viewOf(head, sections, KEYS, { width, height, colour: io.colour, only: state.only, skip: state.skip }));
  };
  const again = async (): Promise<void> => {
    if (!state.held) {
      try {
        state.seen = await look(sockets);
        state.trouble = '';
      } catch (error) {
        state.trouble = plain(errorText(error), 200);
      }
    }
    if (stop.aborted) return;
    draw();
    timer = setTimeout(() => void again(), state.everyMs);
  };
  const onKey = (key: string): void => {
    if (key === 'q' || key === '\u0003' || key === '\u0004') done.abort();
    else if (key === 'p' || key === ' ') state.held = !state.held;
    else if (key === 'a') [state.only, state.skip] = [null, 0];
    else if ('igfjs'.includes(key) && key.length === 1) [state.only, state.skip] = [key, 0];
    else if (key === '\u001b[A' || key === 'k') state.skip = Math.max(state.skip - 1, 0);
    else if (key === '\u001b[B') state.skip = Math.min(state.skip + 1, 4096);
    else if (key === '+') state.everyMs = INTERVALS_MS.findLast((ms) => ms < state.everyMs) ?? state.everyMs;
    else if (key === '-') state.everyMs = INTERVALS_MS.find((ms) => ms > state.everyMs) ?? state.everyMs;
    if (!stop.aborted) draw();
  };
  screen.open(onKey, draw);
  try {
    draw();
    timer = setTimeout(() => void again(), state.everyMs);
    await new Promise<void>((resolve) => {
      if (stop.aborted) return resolve();
      stop.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    clearTimeout(timer);
    screen.close();
  }
}

function headOf({ host, uptimeS, incidents }: Seen, io: CommandIo): string {
  const open = incidents.length === 0 ? 'no open incident' : `${incidents.length} open`;
  return `faultline top · ${plain(host, 64)} · ${clockText(io.now(), io.timeZone)} · daemon up ${durationText(uptimeS * 1000)} · ${open}`;
}
