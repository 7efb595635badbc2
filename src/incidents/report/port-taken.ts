// Port taken: what cannot have its port asks who holds it, on its host; nothing of its configuration need have changed.

import type { Incident } from '../../model/incident.ts';
import { OWNER } from './kind-step.ts';
import type { Special } from './special-step.ts';

const TAKEN = /\bEADDRINUSE\b|\[Errno 98\]|errno: 98\b|[Aa]ddress (?:already )?in use|has failed to (?:bind|listen)/;
/** "port: 29500", "bind to [::]:29500", "('0.0.0.0', 8000)", "tcp://*:5555"; only this is pasted: a number. */
const PORT = /\bport[:=]? (\d{1,5})\b|(?:\]|\*|\d|localhost):(\d{1,5})(?!\d|:)|['"], (\d{1,5})\)/;

/** Null where no line says that an address is in use. */
export function portTaken({ root, events, action }: Incident): Special | null {
  if (root.kind !== 'job.rank_crashed' || action.kind !== 'check_config') return null;
  const own = events.find(({ id }) => id === root.eventId);
  const { message } = own?.attributes ?? {};
  const lines = own?.evidence.flatMap((one) => ('text' in one ? [one.text] : [])) ?? [];
  const said = [...(typeof message === 'string' ? [message] : []), ...lines].filter((text) => TAKEN.test(text));
  if (said.length === 0) return null;
  const port = said.flatMap((text) => PORT.exec(text)?.slice(1).find(Boolean) ?? [])[0];
  const only = port === undefined ? '' : ` 'sport = :${port}'`;
  return {
    does: `see who holds ${port === undefined ? 'the port' : `port ${port}`} that % wants`,
    now: `on @, sudo ss -ltnp${only}: what an earlier job left there its owner ends; where it is to stay, start % with another port (MASTER_PORT, or the --port of its server)`,
    call: OWNER,
  };
}
