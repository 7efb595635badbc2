// Planned down: a port that went down with a shutdown, or by an operator's command, as far as the words of programs say. They may be anyone's, so it
// is asked of those who would have done it, and no cable is touched before.

import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { HOST } from './kind-step.ts';
import type { Special } from './special-step.ts';

const INTERFACE = /^[a-z][\w.-]{1,14}$/;

/** Null where no line says that it was planned. */
export function plannedDown(incident: Pick<Incident, 'root' | 'events'>): Special | null {
  const said = plannedBy(incident);
  if (said === null) return null;
  const { by, program, port } = said;
  if (by === 'command')
    return {
      does: `ask who took % down by hand, as ${program} says; reseat nothing before`,
      now: `on @, the log of ${program} around TIME has who it was; once they are done, see that it comes up: ip -br link show ${port}`,
      call: HOST,
    };
  return {
    does: 'see whether the shutdown of @ was planned: % went down with it; reseat nothing before',
    now: `on @, last -x | head has the shutdown, ip -br link show ${port} whether the port is up again: then nothing is left to do; where it stays down, check its cable`,
    call: HOST,
  };
}

/** Behind the name of the root: `, with a shutdown by systemd-shutdown's words`; empty where none says so. */
export function plannedText(incident: Pick<Incident, 'root' | 'events'>): string {
  const said = plannedBy(incident);
  if (said === null) return '';
  return said.by === 'command'
    ? `, by hand as ${said.program} says`
    : `, with a planned shutdown as ${said.program} says`;
}

function plannedBy({ root, events }: Pick<Incident, 'root' | 'events'>) {
  const own = events.find(({ id }) => id === root.eventId);
  const { planned, planned_by: by } = own?.attributes ?? {};
  if (root.kind !== 'nic.port_down' || typeof planned !== 'string') return null;
  const names = [...(own?.component?.aliases ?? []), own?.component?.id ?? ''];
  const port = names.find((name) => INTERFACE.test(name)) ?? 'PORT';
  return { by: planned, program: plain(String(by ?? 'a program'), 32), port };
}
