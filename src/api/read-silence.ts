// Read silence: what a silence hides and for how long, as an operator sends it over the socket.

import { type Matcher, parseMatcher } from '../model/matcher.ts';
import { LONGEST_MAINTENANCE_MS, MOST_MATCHERS, type Silence } from '../model/note.ts';
import { parseTime } from '../model/time.ts';
import { ApiError } from './api-error.ts';

type Read = Pick<Silence, 'state' | 'matchers' | 'fromMs' | 'untilMs' | 'silenceId'>;

const SHORTEST_MS = 1000;

/** Throws FL3402 with what is wrong and how to write it. `why`: the note, without which a silence is not taken. */
export function readSilence(from: Readonly<Record<string, unknown>>, why: string | null, nowMs: number): Read {
  if (from.state === 'end') {
    const id = from.silence_id;
    if (typeof id !== 'string' || !/^[0-9a-f]{12}$/.test(id))
      throw wrong('silence_id must be the 12 hex digits that faultline silence list shows');
    return { state: 'end', matchers: [], fromMs: null, untilMs: null, silenceId: id };
  }
  if (from.state !== 'start') throw wrong('state must be start or end');
  if (why === null) throw wrong('a silence needs a note that says why');
  const fromMs = start(from.from);
  const beginMs = fromMs ?? nowMs;
  const { for_ms: forMs } = from;
  if (typeof forMs !== 'number' || !Number.isInteger(forMs) || forMs < SHORTEST_MS || forMs > LONGEST_MAINTENANCE_MS)
    throw wrong(`for_ms must be a whole number from ${SHORTEST_MS} to ${LONGEST_MAINTENANCE_MS}`);
  if (beginMs + forMs <= nowMs)
    throw wrong('from is so long ago that it would be over already: leave from out, or make it longer');
  if (beginMs - nowMs > LONGEST_MAINTENANCE_MS) throw wrong('from must be within the next 30 days');
  return { state: 'start', matchers: matchers(from.matchers), fromMs, untilMs: beginMs + forMs, silenceId: null };
}

function matchers(value: unknown): readonly Matcher[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_MATCHERS)
    throw wrong(`matchers must be 1 to ${MOST_MATCHERS} conditions, for example ["kind=\\"gpu.lost\\""]`);
  return value.map((text: unknown) => {
    if (typeof text !== 'string') throw wrong('each of matchers must be a text such as kind="gpu.lost"');
    const matcher = parseMatcher(text);
    if ('error' in matcher) throw wrong(`the condition ${JSON.stringify(text.slice(0, 80))} ${matcher.error}`);
    return matcher;
  });
}

function start(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  const time = typeof value === 'string' ? parseTime(value) : null;
  if (time === null) throw wrong('from must be a time such as 2026-12-01T22:00:00Z');
  return time.epochMs;
}

function wrong(what: string): ApiError {
  return new ApiError(400, 'FL3402', what);
}
