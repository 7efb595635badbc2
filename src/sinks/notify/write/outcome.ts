// Outcome: what a channel's reply means, by the status and by what its body says.

import { type HttpReply, httpOutcome } from '../../delivery/send/http-outcome.ts';
import { isTaken, type Outcome, oneLine, retry } from '../../delivery/send/outcome.ts';
import type { ReplyForm } from '../channels/definition.ts';

/** A receiver that answers 500 for an hour and more is waited for; what it never takes is given up after two hours. */
export const TRIES = 256;
const CLOSED: ReadonlySet<number> = new Set([401, 403, 404, 405, 410]);
const LONGEST_THREAD = 128;

export interface Answered {
  readonly outcome: Outcome;
  /** What later messages of the conversation name; null where the reply has none. */
  readonly thread: string | null;
}

/** `remedies`: of the channel, by status or by what its reply says. */
export function answered(
  reply: HttpReply,
  form: ReplyForm = {},
  remedies: Readonly<Record<string, string>> = {},
): Answered {
  const found = meaning(reply, form);
  if (isTaken(found.outcome)) return found;
  const body = parsed(reply.body);
  const text = reply.body.toString('utf8', 0, 64).trim();
  const says = [textAt(body, form.reason ?? ''), textAt(body, form.field ?? ''), text, String(reply.status)];
  const key = says.find((each) => each !== '' && Object.hasOwn(remedies, each));
  const remedy = key === undefined ? undefined : remedies[key];
  return remedy === undefined ? found : { ...found, outcome: { ...found.outcome, remedy } };
}

function meaning(reply: HttpReply, form: ReplyForm): Answered {
  const body = parsed(reply.body);
  const reason = () =>
    oneLine(form.reason === undefined ? '' : textAt(body, form.reason)) || oneLine(reply.body.toString('utf8', 0, 200));
  const asked = form.retry_after === undefined ? undefined : textAt(body, form.retry_after);
  const retryAfter = reply.retryAfter ?? (asked === '' ? undefined : asked);
  if (reply.status < 200 || reply.status >= 300) {
    if (CLOSED.has(reply.status)) return none({ is: 'closed', why: oneLine(`HTTP ${reply.status} ${reason()}`) });
    return none(httpOutcome({ ...reply, retryAfter }, { tries: TRIES, reason }));
  }
  if (form.field === undefined) return none({ is: 'ok' });
  const value = at(body, form.field);
  if ((form.good ?? []).some((good) => good === value)) {
    const thread = form.thread === undefined ? '' : textAt(body, form.thread);
    return { outcome: { is: 'ok' }, thread: thread === '' || thread.length > LONGEST_THREAD ? null : thread };
  }
  const why = oneLine(`${form.field}: ${String(value)} ${reason()}`);
  const says = (list: readonly (string | number)[] = []) =>
    list.some((each) => each === value || each === at(body, form.reason ?? ''));
  if (says(form.busy)) return none(retry('busy', why, { afterMs: 30_000 }));
  if (says(form.closed)) return none({ is: 'closed', why });
  // A proxy's page, or a refusal that this release does not know: sent again for a while.
  return none(retry('failing', why, { tries: body === null ? TRIES : FEW_TRIES }));
}

const FEW_TRIES = 8;

function none(outcome: Outcome): Answered {
  return { outcome, thread: null };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((from, name) => {
    if (typeof from !== 'object' || from === null || !Object.hasOwn(from, name)) return undefined;
    return Reflect.get(from, name);
  }, value);
}

function textAt(value: unknown, path: string): string {
  const found = at(value, path);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
}
