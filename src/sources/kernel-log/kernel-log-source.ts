// Kernel log source: hands the kernel's own lines, read natively, to the pipeline, with who could have written them.

import { OWN_PROCESS, processOf } from '../../detection/text/kernel/named-process.ts';
import { NEVER_UP, portDown } from '../../detection/text/kernel/port-line.ts';
import { programOf } from '../../detection/text/kernel/programs.ts';
import { ECHO_WORDS, KERNEL_WORDS } from '../../detection/text/words/kernel-words.ts';
import { joined, scannerOf } from '../../detection/text/words/word-set.ts';
import { errorText } from '../../helpers/error-text.ts';
import { LOOK_EVERY_MS, type OwnProcesses } from '../../identity/own-processes.ts';
import type { Attributes } from '../../model/event.ts';
import type { Emit, TextRecord } from '../../model/record.ts';
import {
  type KernelLogCounts,
  type KernelLogOptions,
  type KernelRecord,
  type NativeCore,
  type NativeReader,
  type Notice,
  type NoticeOf,
  native,
} from '../../native.ts';
import type { Source, SourceCounts, SourceHealth, SourceStatus } from '../source.ts';
import { isKernelForm } from './file-form.ts';
import type { KernelLogSettings } from './settings.ts';

const SOURCE = 'kernel-log';
/** The kernel itself; every other facility is a process that wrote to /dev/kmsg (syslog(3) facility numbers). */
const FACILITY_KERNEL = 0;

const STATES: Readonly<Record<string, SourceStatus>> = {
  works: 'works',
  absent: 'absent',
  no_permission: 'no_permission',
  failed: 'failed',
  refused: 'failed',
};

export interface KernelLogReader extends NativeReader {
  counts?(): KernelLogCounts;
}

/** Opens the native reader; throws when it cannot. */
export type OpenKernelLog = (core: NativeCore, options: KernelLogOptions) => KernelLogReader;

/** Only lines with a word of some decoder, or of a source that looks for answers to its reads, are made texts of. */
const openNative: OpenKernelLog = (core, options) =>
  new (native().KernelLog)(core, { ...options, words: scannerOf(joined(KERNEL_WORDS, ECHO_WORDS), false) });

export class KernelLogSource implements Source {
  readonly name = SOURCE;
  readonly #config: KernelLogSettings;
  readonly #host: string;
  readonly #core: NativeCore;
  readonly #open: OpenKernelLog;
  readonly #own: OwnProcesses | null;
  readonly #neverUp: (port: string) => boolean;
  #looks: NodeJS.Timeout | null = null;
  #reader: KernelLogReader | null = null;
  #emit: Emit | null = null;
  #status: SourceStatus = 'absent';
  #detail = 'starting';
  /** Others may say what the path leads to. */
  #refused = false;
  /** Its lines can be the kernel's. */
  #kernelForm = true;
  #overruns = 0;
  /** Records lost, as far as their number is known. */
  #lost = 0;
  #read = 0;

  constructor(
    config: KernelLogSettings,
    host: string,
    core: NativeCore,
    open: OpenKernelLog = openNative,
    own: OwnProcesses | null = null,
    neverUp: (port: string) => boolean = () => false,
  ) {
    this.#neverUp = neverUp;
    this.#own = own;
    this.#config = config;
    this.#host = host;
    this.#core = core;
    this.#open = open;
  }

  start(emit: Emit): void {
    this.#emit = emit;
    const { path, userLines } = this.#config;
    if (this.#own !== null) this.#looks = setInterval(() => void this.#own?.look(), LOOK_EVERY_MS).unref();
    try {
      this.#detail = `opening ${path}`;
      this.#reader = this.#open(this.#core, { path, userLines, fromStart: false, foldStorms: true });
    } catch (error) {
      this.#status = 'failed';
      this.#detail = `FL2201 the kernel log reader did not start on ${path}: ${errorText(error)}`;
    }
  }

  health(): readonly SourceHealth[] {
    const counts = this.#reader?.counts?.() ?? null;
    const lost = this.#overruns === 0 ? '' : `, at least ${this.#lost} records lost in ${this.#overruns} overruns`;
    const { path } = this.#config;
    const none = counts !== null && counts.malformed > 0 && readable(counts) + counts.userLines === 0;
    if (none || (this.#status === 'works' && !this.#kernelForm)) {
      const lines = none ? `${counts.malformed} lines` : 'the last lines';
      const what = `FL2207 none of ${lines} of ${path} is in the form of /dev/kmsg`;
      const remedy =
        'set sources.kernel_log.path to /dev/kmsg: in a syslog file any user can write lines that look like the kernel’s';
      return [{ source: this.name, status: 'failed', detail: what, remedy }];
    }
    const detail = `${this.#detail}${counts === null ? '' : leftOut(counts)}${lost}`;
    return [{ source: this.name, status: this.#status, detail, remedy: this.#remedy() }];
  }

  counts(): readonly SourceCounts[] {
    const passed = this.#reader?.counts?.().passed ?? 0;
    return [{ source: this.name, reads: this.#read + passed, lost: this.#lost }];
  }

  async stop(): Promise<void> {
    if (this.#looks !== null) clearInterval(this.#looks);
    this.#looks = null;
    this.#emit = null;
    this.#reader?.stop();
    this.#reader = null;
  }

  /** Records that the core handed over. A user-space line is a tenant's word, and only comes where it is configured. */
  handleRecords(records: readonly KernelRecord[]): void {
    for (const record of records) {
      const kernel = record.facility === FACILITY_KERNEL;
      if (!kernel && !this.#config.userLines) continue;
      this.#status = 'works';
      this.#kernelForm = true;
      this.#read += 1 + (record.repeats ?? 0);
      this.#emit?.text(recordText(record, this.#config.path, kernel ? this.#known(record.text) : {}));
    }
  }

  /** Said with the record, so that a recording of it is read the same. */
  #known(text: string): Attributes {
    const part = this.#own?.partOf(processOf(text)) ?? null;
    if (part !== null) return { [OWN_PROCESS]: part };
    const port = portDown(text);
    return port !== null && this.#neverUp(port) ? { [NEVER_UP]: true } : {};
  }

  handleNotice(notice: Notice): void {
    if (notice.name === 'kernel_state') this.#state(notice);
    if (notice.name === 'kernel_overrun') {
      const why = `were overwritten before they were read from ${this.#config.path}; a larger log_buf_len keeps more`;
      this.#recordsLost(notice.lost, notice.timeMs, 'FL2204', why);
    }
    // When too much waits, kernel records go first: they are what comes in floods.
    if (notice.name === 'queue_overflow')
      this.#recordsLost(notice.dropped, notice.timeMs, 'FL2205', 'came faster than they could be taken in');
  }

  #state(notice: NoticeOf<'kernel_state'>): void {
    this.#status = STATES[notice.state] ?? this.#status;
    const { path } = this.#config;
    const reason = notice.reason === '' ? '' : `: ${notice.reason}`;
    this.#refused = notice.state === 'refused';
    if (this.#status === 'works') {
      // Where it is read in another way than by its path, the reason says in which.
      const direct = notice.reason === path || notice.reason === '';
      this.#detail = direct ? `reading ${path}` : `reading the kernel log ${notice.reason}`;
      if (direct)
        void isKernelForm(path).then((is) => {
          this.#kernelForm = is;
        });
    }
    if (this.#status === 'absent') this.#detail = `FL2202 there is no ${path}; taken up when it appears${reason}`;
    if (this.#status === 'no_permission') this.#detail = `FL2203 ${path} may not be read${reason}`;
    if (this.#refused) this.#detail = `FL2206 ${notice.reason}: it is not read`;
    else if (this.#status === 'failed') this.#detail = `FL2201 reading ${path} failed${reason}`;
  }

  /** What the records said is unknown, that they were lost is not. */
  #recordsLost(count: number, timeMs: number, code: string, why: string): void {
    this.#overruns += 1;
    this.#lost += count;
    const { path } = this.#config;
    const lost = count > 0 ? count : null;
    const text = `${code} ${lost ?? 'an unknown number of'} kernel records ${why}`;
    this.#emit?.event({
      kind: 'agent.records_lost',
      component: { type: 'host', id: this.#host },
      timeMs,
      observedMs: timeMs,
      trust: 'system',
      source: this.name,
      attributes: { code, stream: path, lost },
      evidence: [{ source: this.name, timeMs, text }],
      discriminator: this.#overruns,
    });
  }

  #remedy(): string | null {
    if (this.#status === 'no_permission') {
      return 'start it by its unit, which hands the log over (StandardInput=file:/dev/kmsg), give it CAP_SYSLOG, or run: sudo sysctl kernel.dmesg_restrict=0';
    }
    if (this.#refused) return 'set sources.kernel_log.path to a file in folders that only root may write';
    if (this.#status === 'absent') return `in a container, mount the host's /dev/kmsg as ${this.#config.path}`;
    return null;
  }
}

/** A record of the kernel log as the pipeline takes it; `known`: attributes of what other sources know of it. */
export function recordText(record: KernelRecord, path: string, known: Attributes = {}): TextRecord {
  const { sequence, timeMs, observedMs, text, priority, facility, repeats } = record;
  return {
    source: SOURCE,
    trust: facility === FACILITY_KERNEL ? 'kernel' : 'tenant',
    stream: path,
    position: sequence,
    timeMs,
    timeDigits: 6,
    observedMs,
    text,
    ...(facility === FACILITY_KERNEL ? {} : { writer: programOf(text) }),
    attributes: { priority, facility, ...(repeats === undefined ? {} : { repeats }), ...known },
  };
}

/** In its form, and the kernel's. */
function readable({ handed, folded, passed }: KernelLogCounts): number {
  return handed + folded + passed;
}

/** ", left out: 12 lines written by users, 3 not in its form"; empty where every line was taken. */
function leftOut({ userLines, fragments, malformed, folded }: KernelLogCounts): string {
  const parts = [
    [userLines, 'written by users'],
    [folded, 'like others in a storm, counted with them'],
    [fragments, 'pieces of interrupted lines'],
    [malformed, 'not in its form'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return shown.length === 0 ? '' : `; lines left out: ${shown.join(', ')}`;
}
