// The verdict on flight-recorder dumps for people: who, where in the code, since when, who waits, how sure, what next.

import { labelled, paint } from '../../incidents/report/layout.ts';
import type {
  FlightRecorderDocument,
  FlightRecorderEvidence,
  FlightRecorderGroup,
  FlightRecorderStack,
  FlightRecorderVerdict,
} from '../../model/documents/flight-recorder.ts';
import { plain } from '../../model/plain.ts';
import { refusal } from './errors.ts';
import { headline, lookNext } from './headline.ts';
import { namedRanks, ranksText } from './ranks.ts';

interface Options {
  readonly width: number;
  readonly colour: boolean;
}

const LABEL = 12;
/** What the analysis says of a dump whose rank has a newer one. */
const OLDER = 'is an older dump of a rank that has a newer one';
const SHOWN = { verdicts: 8, dumps: 6, evidence: 4, code: 3 } as const;

export function flightRecorderText(document: FlightRecorderDocument, options: Options): string {
  const lines = [jobLine(document), ''];
  for (const [index, verdict] of document.verdicts.slice(0, SHOWN.verdicts).entries()) {
    if (index > 0) lines.push('');
    lines.push(...verdictLines(document, verdict, options));
  }
  const more = document.verdicts.length - SHOWN.verdicts;
  if (more > 0) lines.push('', `and ${more} more verdicts: see --json`);
  if (document.stragglers.length > 0) lines.push('', ...stragglerLines(document, options));
  const unread = dumpLines(document, options);
  if (unread.length > 0) lines.push('', ...unread);
  return `${lines.join('\n')}\n`;
}

function jobLine({ job }: FlightRecorderDocument): string {
  const read = job.dumps.filter((dump) => !dump.rejected).length;
  const versions = [...new Set(job.dumps.flatMap((dump) => dump.version ?? []))].sort();
  const entries = job.dumps.reduce((sum, dump) => sum + dump.entries, 0);
  const world = job.world_size === null ? '' : ` of ${job.world_size.toLocaleString('en-US')} ranks`;
  const format = versions.length === 0 ? '' : `, format ${plain(versions.join(', '), 40)}`;
  return `Flight recorder: ${read} ${read === 1 ? 'dump' : 'dumps'}${world}, ${entries.toLocaleString('en-US')} entries${format}`;
}

function groupText(group: FlightRecorderGroup): string {
  const desc = plain(group.desc, 60);
  const known = desc === '' || desc === 'undefined' ? '' : desc;
  const name = plain(group.name, 60);
  const title = known === 'default_pg' ? 'the world group' : `group ${known === '' ? name : `${known} (${name})`}`;
  return `${title} of ${namedRanks(group.ranks)}`;
}

function verdictLines(document: FlightRecorderDocument, verdict: FlightRecorderVerdict, options: Options): string[] {
  const { width, colour } = options;
  const lines: string[] = [];
  const add = (label: string, text: string): void => {
    lines.push(...labelled(label, text, LABEL, width));
  };
  const sure = verdict.confidence > 0 ? `   ${Math.round(verdict.confidence * 100)} % sure` : '';
  const empty = verdict.type === 'none' && verdict.confidence === 0;
  const nothing = empty ? 'NOTHING CAN BE SAID' : 'NO STALL SEEN';
  const title = `${verdict.type === 'none' ? nothing : verdict.type.replaceAll('_', ' ').toUpperCase()}${sure}`;
  lines.push(paint(title, verdict.culprits.length > 0 ? ['bold', 'red'] : 'bold', colour));
  const differ = document.mismatches.find(
    (one) =>
      verdict.type === 'mismatch' &&
      one.group.name === verdict.group?.name &&
      one.sequence === verdict.sequence &&
      one.ranks.some((rank) => verdict.culprits.includes(rank)),
  );
  if (!empty) add('Who', headline(verdict, hostsOf(document), differ));
  if (verdict.group) add('Where', `${operationText(verdict)} in ${groupText(verdict.group)}`);
  const code = [...verdict.frames].sort((a, b) => Number(isNamed(verdict, b)) - Number(isNamed(verdict, a)));
  for (const text of [...new Set(code.map(stackText))].slice(0, SHOWN.code)) add('Code', text);
  if (verdict.since !== null) add('Since', `${verdict.since.slice(0, 23).replace('T', ' ')} UTC`);
  if (verdict.waiting.length > 0) add('Wait', namedRanks(verdict.waiting));
  for (const each of verdict.evidence.filter((one) => verdict.culprits.includes(one.rank)).slice(0, SHOWN.evidence)) {
    add('Seen', evidenceText(each));
  }
  if (differ && signatureText(differ.expected) !== signatureText(differ.found)) {
    add('Expected', signatureText(differ.expected));
    add('Found', signatureText(differ.found));
  }
  add('Because', verdict.why);
  add('Look next', lookNext(verdict));
  return lines;
}

function isNamed({ culprits }: FlightRecorderVerdict, { rank }: FlightRecorderStack): boolean {
  return culprits.includes(rank);
}

/** Hosts as the names of the dumps, or the summaries, tell them. */
function hostsOf({ job }: FlightRecorderDocument): ReadonlyMap<number, string> {
  return new Map(
    job.dumps.flatMap(({ rank, host }) => (rank === null || host === null ? [] : [[rank, plain(host, 80)] as const])),
  );
}

function operationText(verdict: FlightRecorderVerdict): string {
  return `${plain(verdict.operation ?? 'operation', 60)} number ${verdict.sequence}`;
}

function signatureText(each: FlightRecorderDocument['mismatches'][number]['expected']): string {
  return plain(`${each.operation} ${each.input_sizes} → ${each.output_sizes} ${each.dtype}`, 200);
}

function evidenceText(each: FlightRecorderEvidence): string {
  if (each.operation === undefined) {
    return `rank ${each.rank}: ${plain(each.what)}: entered up to number ${each.enqueued}`;
  }
  const when = each.time ? ` at ${each.time.slice(11, 23)}` : '';
  return `rank ${each.rank}: ${plain(each.what)}: ${plain(each.operation, 60)} number ${each.sequence} in group ${plain(each.group ?? '', 60)}${when}`;
}

/** The innermost frame that is not of torch: where the job's own code called. */
function stackText({ rank, of, stack }: FlightRecorderStack): string {
  const own = stack.find((frame) => !/[/\\]torch[/\\]|^<|\?\?/.test(frame.file)) ?? stack[0];
  const what = of === 'unfinished operation' ? 'is in' : 'last called from';
  return own ? `rank ${rank} ${what} ${plain(own.function, 80)} (${plain(own.file, 200)}:${own.line})` : `rank ${rank}`;
}

function stragglerLines({ stragglers }: FlightRecorderDocument, { width, colour }: Options): string[] {
  const rows = stragglers
    .slice(0, SHOWN.verdicts)
    .flatMap((each) =>
      labelled(
        `Rank ${each.rank}`,
        `comes ${each.lateness_ms.toFixed(1)} ms late in ${Math.round(each.share * 100)} % of ${each.samples} ` +
          `${plain(each.operation, 60)} ${plain(each.input_sizes, 60)} of ${groupText(each.group)}`,
        LABEL,
        width,
      ),
    );
  return [paint('STRAGGLERS', 'bold', colour), ...rows];
}

function isOlder({ rejected }: FlightRecorderDocument['job']['dumps'][number]): boolean {
  return rejected?.why === OLDER;
}

function dumpLines({ job }: FlightRecorderDocument, { width }: Options): string[] {
  const lines: string[] = [];
  if (job.missing_ranks.length > 0) lines.push(...labelled('No dump', namedRanks(job.missing_ranks), LABEL, width));
  const cut = job.dumps.filter((dump) => dump.truncated && !dump.rejected).flatMap((dump) => dump.rank ?? []);
  if (cut.length > 0)
    lines.push(...labelled('Cut off', `dump of ${namedRanks(cut)}: read as far as it goes`, LABEL, width));
  const older = job.dumps.filter(isOlder).flatMap((dump) => dump.rank ?? []);
  if (older.length > 1) {
    const left = `dumps of ${namedRanks(older)} were left out for newer ones of the same ranks: if they are of another job, give the files of one job alone`;
    lines.push(...labelled('Older', left, LABEL, width));
  }
  const refused = job.dumps.filter((dump) => dump.rejected && (older.length < 2 || !isOlder(dump)));
  for (const { path, rejected } of refused.slice(0, SHOWN.dumps)) {
    lines.push(...labelled('Not read', `${plain(path, 200)}: ${refusal(rejected)}`, LABEL, width));
  }
  const more = refused.slice(SHOWN.dumps).flatMap((dump) => dump.rank ?? []);
  if (more.length > 0) lines.push(...labelled('Not read', `nor those of ranks ${ranksText(more)}`, LABEL, width));
  return lines;
}
