// Saved text: the lines of one saved log as records, like those that the live sources of kernel and job logs hand over.

import { programOf, SPEAKS_OF_DEVICES } from '../../detection/text/kernel/programs.ts';
import { type PlannedLine, plannedLine } from '../../detection/text/planned-line.ts';
import { isBmcLine } from '../../detection/text/programs/bmc-line.ts';
import { isPduHost } from '../../detection/text/programs/pdu-line.ts';
import { isSwitchLine } from '../../detection/text/programs/switch-line.ts';
import type { Attributes } from '../../model/event.ts';
import type { TextRecord } from '../../model/record.ts';
import type { NativeWordScanner } from '../../native.ts';
import type { Author } from './author.ts';
import { Dating, type DatingOptions } from './dating.ts';
import { EntryLines } from './entry-lines.ts';
import { readLine, type SavedLine } from './form/read-line.ts';
import { LineCutter, type LineOfText } from './lines.ts';
import { skim } from './skim.ts';

/** Looked at before the first line is handed over, to know whose text it is and of which day. */
const HEAD_BYTES = 65_536;
const MOST_PARTS = 65_536;
/** Fewer lines of the kernel without a stamp are what someone picked out, of one day or of several; more are a log. */
const LEAST_LINES = 40;

/** Forms in which each line is whole by itself, and its words as they were written. */
const BY_LINES: ReadonlySet<string> = new Set(['plain', 'kmsg', 'dmesg', 'dmesg_iso', 'dmesg_ctime', 'syslog_rfc3164', 'syslog_rfc5424', 'journal_short_iso', 'journal_short_full', 'journal_short_unix', 'talos', 'cri', 'pdsh', 'hypervisor', 'fabric_manager', 'mmfs', 'beegfs']); // biome-ignore format: a list
/** What every line, or the first one of an entry, has in the other forms; and parts of lines of a container. */
export const FORM_WORDS: readonly string[] = [
  '{"',
  '__CURSOR=',
  '__REALTIME_TIMESTAMP=',
  ' [s=',
  'stdout P',
  'stderr P',
  '_HOSTNAME',
  // The log of GPFS' daemon says only on syslog who writes it.
  ...['A', 'X', 'E', 'W'].map((severity) => `: [${severity}] `),
  ' lease ',
  'xpel',
  // A line of a server of BeeGFS.
  '] >> ',
  // What a firewall turned away.
  ' DPT=',
  'Lost membership',
  'Unable to contact',
];
/** Behind an entry in such a form others follow. */
const ENTRY_LINES = 64;

export interface SavedTextOptions extends DatingOptions {
  /** What the log is called in what is reported. */
  readonly name: string;
  /** The host that wrote it, where no line of it says so. */
  readonly host?: string;
  /** Who could have written it. */
  readonly author?: Author;
  /** The job of which lines of programs are. */
  readonly job: string;
  /** `host`: the one that the line or the lines before it name; null where none does. */
  readonly onRecord: (record: TextRecord, host: string | null) => void;
  /** Time has passed for jobs, by a line of the host that is none of theirs. */
  readonly onTime: (timeMs: number, host: string | null) => void;
  /** Such a line was handed over as a record. */
  readonly onQuoted?: (place: string) => void;
  /** A line of a shutdown, a start, or of a port that the operator took down. */
  readonly onPlan?: (line: PlannedLine, timeMs: number, host: string | null) => void;
  /** Finds the lines that some rule may take, with those of `FORM_WORDS`. Left out: every line is read. */
  readonly scanner?: NativeWordScanner;
  /** What was read last needs the next lines, whatever words they have. */
  readonly attends?: () => boolean;
}

/** Lines of an excerpt without times were written one after the other: of two faults in it the first line is the first. */
const LINE_MS = 0.001;
/** Stamps are at the head of a line. */
const MOST_PREFIX = 400;

export class SavedText {
  readonly dating: Dating;
  readonly #options: SavedTextOptions;
  readonly #cutter = new LineCutter();
  readonly #entries = new EntryLines();
  readonly #forms = new Map<string, number>();
  /** Lines of the head, until it is whole. */
  #head: SavedLineAt[] | null = [];
  #headBytes = 0;
  /** Most lines of the head are a program's own words: what looks like the kernel's between them, anybody could have printed. */
  #programs = false;
  #excerpts = false;
  #host: string | null = null;
  #begun = '';
  /** Lines that have no word of any rule are passed over. */
  #skims = false;
  /** No line of the head had a time. */
  #timeless = false;
  /** The line until which every one is read. */
  #readsTo = 0;
  lines = 0;
  /** Of lines that were passed over all, where none of the head has a time, else none. */
  undated = 0;

  constructor(options: SavedTextOptions) {
    this.#options = options;
    this.dating = new Dating(options);
  }

  /** The form of most lines. */
  get format(): string {
    let [best, most] = ['plain', 0];
    for (const [form, count] of this.#forms) if (count > most) [best, most] = [form, count];
    return best;
  }

  push(chunk: Buffer): void {
    // Cut where it always is, so that what is known of the head does not depend on how the bytes come.
    const room = this.#head === null ? 0 : HEAD_BYTES - this.#headBytes;
    if (room > 0) {
      this.#headBytes += Math.min(room, chunk.length);
      for (const line of this.#cutter.push(chunk.subarray(0, room))) this.#read(line);
      if (this.#headBytes < HEAD_BYTES) return;
    }
    this.#startWithHead();
    this.#rest(chunk.subarray(room));
  }

  #rest(chunk: Buffer): void {
    const { scanner, attends = () => false } = this.#options;
    const read = (bytes: Buffer): void => {
      for (const line of this.#cutter.push(bytes)) this.#read(line);
    };
    if (scanner === undefined || !this.#skims) read(chunk);
    else this.#skim(chunk, scanner, read, attends);
  }

  /** A host that is named only in lines which are passed over stays unknown. */
  #skim(chunk: Buffer, scanner: NativeWordScanner, read: (bytes: Buffer) => void, attends: () => boolean): void {
    skim(chunk, scanner, {
      read,
      inLine: () => this.#cutter.inLine,
      attends: () => this.lines < this.#readsTo || this.#begun !== '' || this.#entries.open || attends(),
      isStamped: (line) => readLine(line.toString('utf8', 0, MOST_PREFIX)).stamp !== null,
      passed: (lines) => {
        this.#cutter.pass(lines);
        this.lines += lines;
        if (this.#timeless) this.undated += lines;
      },
    });
  }

  end(): void {
    for (const line of this.#cutter.end()) this.#read(line);
    for (const line of this.#entries.end()) this.#message(line);
    this.#startWithHead();
  }

  #read({ text, number }: LineOfText): void {
    this.lines = Math.max(this.lines, number);
    if (text.trim() === '') return;
    for (const line of this.#entries.take({ text, number })) this.#message(line);
  }

  #message({ text, number }: LineOfText): void {
    const line = { ...readLine(text), number, continues: /^\s/.test(text) };
    if (this.#head === null) this.#take(line);
    else this.#head.push(line);
  }

  #startWithHead(): void {
    const head = this.#head;
    if (head === null) return;
    this.#head = null;
    const first = head.findIndex(({ stamp }) => stamp?.kind === 'wall');
    const stamp = head[first]?.stamp ?? null;
    if (stamp !== null) this.dating.begin(stamp, lastSinceBoot(head.slice(0, first)));
    this.#excerpts = head.length < LEAST_LINES;
    const own = head.filter(({ writer }) => writer === 'unknown').length;
    this.#programs = own > head.length / 2;
    this.#host = head.find(({ host }) => host !== null)?.host ?? this.#options.host ?? null;
    for (const line of head) this.#take(line);
    this.#skims = [...this.#forms.keys()].every((form) => BY_LINES.has(form));
    this.#timeless = this.undated === head.length;
  }

  #take(line: SavedLineAt): void {
    const { form, stamp, writer } = line;
    const name = form ?? 'plain';
    this.#forms.set(name, (this.#forms.get(name) ?? 0) + 1);
    if (!BY_LINES.has(name)) this.#readsTo = line.number + ENTRY_LINES;
    this.#host = line.host ?? this.#host;
    const dated = this.dating.date(stamp, line.uptimeMs, writer === 'kernel' || writer === 'kernel-like');
    if (dated === null) this.undated += 1;
    const message = this.#whole(line);
    if (message === null) return;
    if (line.quoted) this.#options.onQuoted?.(placeOf(this.#options, line));
    if (dated !== null && writer !== 'unknown') this.#options.onTime(dated.timeMs, this.#host);
    const plan = dated === null || writer === 'unknown' ? null : plannedLine(message, this.#isByKernel(line));
    if (plan !== null && dated !== null) this.#options.onPlan?.(plan, dated.timeMs, this.#host);
    // All that a PDU or a BMC writes is of parts, and what a switch does of its ports, under whatever name.
    const ofDevices = (this.#host !== null && isPduHost(this.#host)) || isSwitchLine(message) || isBmcLine(message);
    if (writer === 'unknown' && !ofDevices) this.#job(line, message, dated);
    else if (writer !== 'program' || ofDevices || SPEAKS_OF_DEVICES.test(message)) this.#kernel(line, message, dated);
    // A service of systemd, a container or a scheduler's daemon says what a job's own output would.
    else if (line.program !== null) this.#job(line, message.slice(line.program.length + 2), dated);
  }

  /** Null while the rest of the message has not come. */
  #whole({ message, part }: SavedLineAt): string | null {
    if (!part && this.#begun === '') return message;
    this.#begun = (this.#begun + message).slice(0, MOST_PARTS);
    if (part) return null;
    const whole = this.#begun;
    this.#begun = '';
    return whole;
  }

  #isByKernel({ writer, facility }: SavedLineAt): boolean {
    return writer === 'kernel' ? facility === 0 : writer === 'kernel-like' && !this.#programs;
  }

  #kernel(line: SavedLineAt, message: string, dated: ReturnType<Dating['date']>): void {
    const { facility, number } = line;
    const byKernel = this.#isByKernel(line);
    const { author = 'unknown' } = this.#options;
    const formed = byKernel ? 'kernel' : line.own ? 'system' : 'tenant';
    const trust = author === 'user' ? 'tenant' : formed;
    // A program prints the kernel's stamps as easily as its own, and the form of a daemon's log is all that shows whose it is.
    const asLogged = author === 'unknown' && (byKernel ? this.#programs : line.own) ? { as_logged: true } : {};
    const whose = { source: 'kernel-log', trust, stream: this.#options.name, ...writtenBy(line, message) } as const;
    const undated = dated === null && this.#excerpts && !line.continues ? { undated: true } : {};
    const attributes = { priority: 4, facility: byKernel ? 0 : facility || 1, ...undated, ...asLogged };
    this.#hand(whose, { number, message, dated, attributes });
  }

  #job({ number, rank }: SavedLineAt, message: string, dated: ReturnType<Dating['date']>): void {
    const { name, job } = this.#options;
    const by = rank === null ? {} : { [rank.means === 'local' ? 'writer_local_rank' : 'writer_rank']: rank.number };
    const whose = { source: 'job-log', trust: 'tenant', stream: `job/${job}:${name}` } as const;
    this.#hand(whose, { number, message, dated, attributes: { job, path: name, framework: 'auto', ...by } });
  }

  #hand(
    whose: Pick<TextRecord, 'source' | 'trust' | 'stream' | 'writer' | 'quote'>,
    { number, message, dated, attributes }: Handed,
  ): void {
    const record: TextRecord = {
      ...whose,
      position: number,
      timeMs: dated?.timeMs ?? null,
      timeDigits: dated?.digits ?? 0,
      observedMs: dated?.timeMs ?? this.dating.nowMs + (this.#excerpts ? number * LINE_MS : 0),
      text: message,
      place: placeOf(this.#options, { number }),
      attributes,
    };
    this.#options.onRecord(record, this.#host);
  }
}

function placeOf({ name }: Pick<SavedTextOptions, 'name'>, { number }: { readonly number: number }): string {
  return `${name}:${number}`;
}

/** Which program wrote it, as the line or the form of its own log says; of such a log the line has no name to be quoted. */
function writtenBy(
  { writer, program, own, facility }: SavedLineAt,
  message: string,
): Pick<TextRecord, 'writer' | 'quote'> {
  // What programs write into /dev/kmsg has a facility that is not the kernel's.
  if (writer === 'kernel' && facility !== 0) return { writer: programOf(message) };
  if (writer !== 'program' || program === null) return {};
  const name = { writer: program.replace(/\[\d{1,10}\]$/, '') };
  return own && message.startsWith(`${program}: `) ? { ...name, quote: message.slice(program.length + 2) } : name;
}

function lastSinceBoot(lines: readonly SavedLineAt[]): number | null {
  const stamp = lines.findLast((line) => line.stamp?.kind === 'boot')?.stamp ?? null;
  return stamp?.kind === 'boot' ? stamp.ms : null;
}

/** `continues`: it is indented below the line before it. */
type SavedLineAt = SavedLine & { readonly number: number; readonly continues: boolean };

interface Handed {
  readonly number: number;
  readonly message: string;
  readonly dated: ReturnType<Dating['date']>;
  readonly attributes: Attributes;
}
