// What faultline inject prints: what can be injected, and what an injected fault led to.

import { XID_CODES, xidInfo } from '../../detection/text/xid.ts';
import { rootText, shortId } from '../../incidents/report/sentences.ts';
import { durationText } from '../../incidents/report/when.ts';
import { nameText } from '../../model/component-name.ts';
import { eventFromDocument } from '../../model/documents/event.ts';
import { incidentFromDocument } from '../../model/documents/incident.ts';
import { KINDS, kindInfo } from '../../model/kind.ts';
import { plain } from '../../model/plain.ts';
import { parseTime } from '../../model/time.ts';

export function printInjectable(json: boolean): void {
  const xids = XID_CODES.flatMap((xid) => {
    const info = xidInfo(xid);
    return info === null ? [] : [{ xid, kind: info.kind, note: info.note }];
  });
  const kinds = KINDS.map((kind) => ({ kind, title: kindInfo(kind).title, severity: kindInfo(kind).severity }));
  if (json) {
    process.stdout.write(`${JSON.stringify({ schema: 'faultline/injectable/1', xids, kinds })}\n`);
    return;
  }
  const width = Math.max(...kinds.map(({ kind }) => kind.length));
  const lines = [
    'XIDs             faultline inject xid NUMBER [--gpu ADDRESS]',
    ...xids.map(({ xid, kind, note }) => `  ${String(xid).padStart(4)}  ${kind.padEnd(width)}  ${note}`),
    '',
    'Kernel lines     faultline inject kernel-line "TEXT"      any line that the daemon would understand',
    '',
    'Kinds            faultline inject KIND [--component TYPE/ID]',
    ...kinds.map(({ kind, title, severity }) => `  ${kind.padEnd(width)}  ${severity.padEnd(8)}  ${title}`),
    '',
    'End all of it    faultline inject end',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** `answer`: `faultline/inject/1`, read with care, for it comes from another process. */
export function injectedText(answer: unknown, nowMs: number): string {
  const { events, incidents, ends_at: endsAt, notes } = fields(answer);
  const injected = list(events).flatMap((one) => eventFromDocument(one) ?? []);
  const opened = list(incidents).flatMap((one) => incidentFromDocument(one) ?? []);
  const open = opened.filter(({ state }) => state === 'open');
  const endsMs = typeof endsAt === 'string' ? (parseTime(endsAt)?.epochMs ?? nowMs) : nowMs;
  const hints = list(notes).map((note) => `note: ${plain(String(note))}`);
  if (injected.length === 0) {
    const ended = opened.filter(({ state }) => state === 'resolved').length;
    if (ended > 0) return `${ended === 1 ? 'one injected incident is' : `${ended} injected incidents are`} over\n`;
    return [
      ...hints,
      'nothing new: nothing injected is open, or the same was injected less than a second ago',
      '',
    ].join('\n');
  }
  const lines = [
    ...injected.map(({ kind, component }) => {
      const where = component === null ? '' : ` on ${nameText(component)}`;
      return `injected: ${kindInfo(kind).title}${where} (${kind})`;
    }),
    ...hints,
    ...open.map(
      (incident) => `INCIDENT ${shortId(incident.id)} [injected] ${incident.severity}: ${rootText(incident)}`,
    ),
  ];
  if (open.length === 0) lines.push('it opens no incident by itself; faultline incidents --follow shows where it does');
  else lines.push(`see it: faultline explain ${shortId(open[0]?.id ?? '')} · live: faultline incidents --follow`);
  lines.push(`it ends by itself in ${durationText(endsMs - nowMs)}, or now with: faultline inject end`);
  return `${lines.join('\n')}\n`;
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
