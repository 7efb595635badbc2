// Runs Primus Lens' correlation over a file of its alerts, and prints which belong together.

import { plain } from '../../../model/plain.ts';
import { shownJson } from '../../../model/shown-json.ts';
import { parseTime } from '../../../model/time.ts';
import type { CommandIo } from '../../common/command-io.ts';
import { CommandError } from '../../common/run-command.ts';
import { listOf } from '../read-records.ts';
import { type Alert, relatedTo } from './score.ts';

export interface PrimusOptions {
  readonly alerts?: string;
  readonly output: 'timeline' | 'json' | 'markdown';
}

export function runPrimus({ alerts: file, output }: PrimusOptions, io: CommandIo): void {
  if (file === undefined) throw new CommandError(2, 'FL1200 --scorer primus reads alerts: add --alerts FILE');
  if (output === 'markdown') throw new CommandError(2, 'FL1200 --scorer primus prints timeline or json');
  const alerts = listOf(file, 'alerts', alertOf, (line) => io.stderr.write(`${line}\n`));
  alerts.sort((a, b) => a.at - b.at);
  const found = alerts.map((alert) => ({ id: alert.id, related: relatedTo(alert, alerts) }));
  if (output === 'json') {
    io.stdout.write(`${shownJson({ schema: 'faultline/correlate-alerts/1', alerts: found })}\n`);
    return;
  }
  for (const { id, related } of found) {
    const texts = related.map(({ id: other, score, type }) => `${plain(other, 80)} ${score.toFixed(1)} ${type}`);
    io.stdout.write(`${plain(id, 80)}: ${texts.length === 0 ? 'alone' : texts.join(', ')}\n`);
  }
}

/** Throws with what is missing. */
function alertOf(value: unknown): Alert {
  const fields = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}; // read by `text` alone
  const text = (name: string): string => (typeof fields[name] === 'string' ? fields[name] : '');
  const at = parseTime(text('starts_at'))?.epochMs;
  if (at === undefined || text('id') === '' || text('alert_name') === '')
    throw new Error('it needs id, alert_name and starts_at with a zone');
  return {
    id: text('id'),
    name: text('alert_name'),
    source: text('source'),
    isFiring: text('status') === 'firing' || text('status') === '',
    at: at / 1000,
    workload: text('workload_id'),
    pod: text('pod_id') || text('pod_name'),
    node: text('node_name'),
  };
}
