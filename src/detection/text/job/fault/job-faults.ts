// JobFaults: the faults that the lines of one job report; keeps of each printer whether a traceback is under way.

import type { RankLabel } from '../../../../model/rank-label.ts';
import { loggedFields, loggedMessage, loggedRank, MOST_LINES } from '../../logged-json.ts';
import { RarePairs } from '../../rare-pairs.ts';
import { Beginnings } from '../../words/beginnings.ts';
import { type Peeled, peel } from '../peel.ts';
import { withoutFields } from '../trailing-fields.ts';
import { Aftermath, STEPS_AFTER } from './aftermath.ts';
import { goesOn, isCaught } from './caught.ts';
import { type Exception, parseException, specificFault, uncaughtFault, words } from './exception.ts';
import { FailureTable } from './failure-table.ts';
import { type Fault, MAX_TEXT } from './fault.ts';
import { WORDS } from './fault-entry.ts';
import { FaultLines } from './fault-lines.ts';
import { MissingRanks } from './missing-ranks.ts';
import { pairedRank, saidRank } from './said-rank.ts';
import { NODE_WORDS, silentNodes } from './silent-nodes.ts';
import { isTestResult } from './test-result.ts';
import { isEcho, isFailure, onlyTells } from './worth.ts';

/** Of an exception, or a traceback. */
const THROWN_WORDS = [
  'rror',
  'xception',
  'Traceback',
  'Interrupt',
  'Exit',
  'Failure',
  'Timeout',
  'what():',
  '", line ',
  // Of lists of ranks that others wait for.
  'ing ranks:',
  'ed ranks:',
  'task names:',
];
const THROWN = new RegExp(THROWN_WORDS.map(escaped).join('|'));
/** Words that hold none of these, nor one another: any line with them has those, too. */
const ALL_WORDS = [...WORDS, ...NODE_WORDS];
const BEGINNINGS = new Beginnings(ALL_WORDS);
const FEWEST = ALL_WORDS.filter((word) => !THROWN.test(word) && !BEGINNINGS.hasOther(word));
/** Any line that reports a fault, or is part of a traceback, holds one of these; steps hold none. */
export const FAULT_WORDS: readonly string[] = [...THROWN_WORDS, ...FEWEST];
const HINT = new RegExp(FAULT_WORDS.map(escaped).join('|'));
/** Most lines are done with after a look at their pairs of characters. */
const PAIRS = new RarePairs(FAULT_WORDS);
/** PyTorch's hook for what was not caught writes "[rank3]: " with a blank behind it; a launcher's tee has none. */
const UNCAUGHT = /\[rank(\d{1,7})\]: Traceback \(most recent call last\):/;
/** The same before the exception itself: the traceback above it was lost, or cut off. */
const HOOKED = /\[rank(\d{1,7})\]: $/;
const TRACEBACK = 'Traceback (most recent call last):';
/** A frame of a traceback whose head was cut off, or lost to another writer. */
const FRAME = /^ {2}File "[^"\n]{1,300}", line \d{1,7}, in /;
/** Before a traceback that ends nothing but a thread, a callback or an object (threading, sys.unraisablehook, asyncio). */
const OF_A_PART =
  /^(?:Exception in thread |Exception ignored in|Exception in callback |Task exception was never retrieved)/;
/** What C++ prints of an exception that was not caught, under "terminate called after throwing …". */
const TERMINATED = /^\s{0,4}what\(\): {1,4}(\S.*)$/;
/** Whose tasks are launchers, or one process for all GPUs of a node: srun's numbers then count nodes. */
const TASK_A_NODE =
  /torch[./]distributed[./](?:elastic|run|launch)|ChildFailedError|\[launch\.py:\d|accelerate[./]commands|\bjax(?:lib)?[./](?:errors|_src|distributed|xla_extension)|(?:Jax|Xla)RuntimeError/;
/** A key or a number may be a line of any list, a sentence is a message. */
const SENTENCE = /^\S{1,200}\s{1,4}\S{1,200}\s{1,4}\S/;
const AS_ERROR = /\b(?:ERROR|CRITICAL|FATAL)\b/;
/** XLA, of devices that it said a little before may wait for one another for good. */
const UNSTUCK = 'This thread is unstuck after waiting';
const MAX_PRINTERS = 256;
/** No traceback continues for longer. */
const MAX_FRAMES = 400;
/** Logged by what answers requests of a server: the request failed, and whether the server does its own words tell. */
const OF_A_REQUEST =
  /\[(?:serving\w{0,40}|[\w./]{0,80}\/serving|api_(?:server|router)|http_server|protocol|tokenizer_manager)\.py:\d{1,6}\]/;
/** How long after its traceback a launcher reports that the process ended, ms. */
const TOLD_AFTER_MS = 120_000;

/** Nothing says that it ended the process, but that the log ends. */
const MAY_BE_CAUGHT = { severity: 'warning' } as const;

interface Traceback {
  /** Frames still allowed. */
  left: number;
  /** Said by the hook of which process it is the end. */
  readonly of: RankLabel | null;
  /** Whose failure the line before it announced. */
  readonly said: RankLabel | null;
  /** What was caught: a level of its logger below an error, or words of the line before it. */
  readonly isCaught: boolean;
}

interface Unsure {
  readonly fault: Fault;
  readonly timeMs: number;
  steps: number;
}

export class JobFaults {
  /** Tracebacks under way, by printer. */
  readonly #open = new Map<string, Traceback>();
  readonly #lines = new FaultLines();
  readonly #table = new FailureTable();
  readonly #missing = new MissingRanks();
  readonly #after: Aftermath;
  /** Ended a process or was caught: its launcher, or the next step, will show it. */
  #unsure: Unsure | null = null;
  /** When a server said that it had hung, and so why it ends. */
  #hungMs = Number.NEGATIVE_INFINITY;
  /** Printer → its next traceback is of a part of the program. */
  readonly #ofPart = new Set<string>();
  /** The one that the last line is part of. */
  #last: Traceback | null = null;
  /** When a fault was reported last, and one of the job's work, not of what it runs on. */
  #saidMs = Number.NEGATIVE_INFINITY;
  #failedMs = Number.NEGATIVE_INFINITY;
  #over = false;
  #taskIsNode = false;
  /** The line before, which may say of whom a traceback is. */
  #before = '';

  /** `rankOf`: which rank of the job a label means, where that is known. */
  constructor(rankOf?: (label: RankLabel) => number | null) {
    this.#after = new Aftermath(rankOf);
  }

  /** Whatever the next lines are, they may belong to what was begun. */
  get open(): boolean {
    return this.#open.size > 0 || this.#table.open || this.#missing.open;
  }

  /** What waited for its rest, at the end of the input. */
  end(timeMs: number): Fault[] {
    return this.#after.of([...this.#missing.end(), ...this.#table.end(), ...this.#cutOff()], timeMs);
  }

  /** Tracebacks of what was not caught, whose exception was cut off: that the process ended is sure, and not of what. */
  #cutOff(): Fault[] {
    const cut = [...this.#open.values()].filter((each) => each.of !== null || this.#isAll(each));
    this.#open.clear();
    const attributes = { message: 'its traceback is cut off' };
    return cut.map(({ of, said }) => ({
      kind: 'job.rank_crashed',
      place: 'rank',
      rank: of ?? said,
      ...(of === null ? MAY_BE_CAUGHT : {}),
      attributes,
    }));
  }

  /** The input ends within it, and has nothing else that failed. */
  #isAll(traceback: Traceback): boolean {
    const isFirst = this.#saidMs === Number.NEGATIVE_INFINITY && this.#unsure === null;
    return isFirst && traceback === this.#last && !traceback.isCaught && !this.#over;
  }

  /** False for nearly every line: `line` has nothing to say of it. */
  concerns(text: string): boolean {
    const does = this.open || (PAIRS.mayBeIn(text) && HINT.test(text));
    if (!does) this.#before = text;
    return does;
  }

  /** A line that is an object of a logger, or was one, may have several of the program's: each is read, the first fault counts. */
  line(text: string, stream: string, of: RankLabel | null, timeMs: number): Fault[] {
    const fields = loggedFields(text);
    const logged = (fields === null ? null : loggedMessage(fields)) ?? text;
    const who = of ?? (fields === null ? null : loggedRank(fields));
    if (!logged.includes('\n')) return this.#line(logged, stream, who, timeMs);
    const found = logged.split('\n', MOST_LINES).map((each) => this.#line(each, stream, who, timeMs));
    this.#open.delete(stream); // a traceback is whole in it
    return found.find(({ length }) => length > 0) ?? [];
  }

  #line(text: string, stream: string, of: RankLabel | null, timeMs: number): Fault[] {
    const { body, message, label: launched, who } = peel(text);
    if (isTestResult(body)) return [];
    if (message.includes(UNSTUCK) && this.#unsure?.fault.kind === 'job.collective_desync') this.#unsure = null;
    const nodes = silentNodes(body);
    if (nodes.length > 0) return this.#after.of(nodes, timeMs);
    const label = of ?? launched ?? pairedRank(text.slice(0, text.length - message.length));
    const printer = who === '' ? stream : `${stream} ${who}`;
    this.#taskIsNode ||= TASK_A_NODE.test(text);
    if (OF_A_PART.test(body) && this.#ofPart.size < MAX_PRINTERS) this.#ofPart.add(printer);
    const waited = [...this.#missing.take(text, body), ...this.#table.frame(body)];
    const read = this.#read(text, { body, message }, printer, label, timeMs);
    const fault = read?.rank?.means === 'task' && this.#taskIsNode ? ofJob(read) : read;
    const found = fault === null ? [] : this.#table.take(fault).flatMap(withEnd);
    this.#before = text;
    const faults = this.#after.of([...waited, ...found], timeMs);
    if (faults.some(({ kind }) => kind === 'job.hang')) this.#hung(timeMs);
    const failures = faults.filter(isFailure);
    if (failures.length > 0) this.#saidMs = timeMs;
    if (failures.some(({ kind }) => kind.startsWith('job.'))) this.#failedMs = timeMs;
    return faults;
  }

  #read(
    text: string,
    { body, message }: Pick<Peeled, 'body' | 'message'>,
    printer: string,
    label: RankLabel | null,
    timeMs: number,
  ): Fault | null {
    const traced = this.#traceback(text, message, printer, label, timeMs);
    if (traced !== undefined) return traced;
    const fault =
      this.#launched(this.#lines.line(body, label), timeMs) ??
      hooked(text, body) ??
      bare(body, label) ??
      (message === body ? null : (this.#launched(this.#lines.line(message, label), timeMs) ?? bare(message, label))) ??
      this.#withoutFields(message, label, timeMs) ??
      this.#lines.whole(text, label);
    if (fault?.lastWord === true) {
      if (!this.#over) this.#hold(fault, timeMs);
      return null;
    }
    if (fault === null && !this.#over) {
      const last = alone(text, body, label) ?? loggedAlone(text, message, label);
      if (last !== null) this.#hold(last, timeMs);
    }
    if (fault === null || (this.#over && isEcho(fault))) return null;
    if (fault.kind === 'job.ended') this.#over = true;
    return this.#why(fault, timeMs) ?? fault;
  }

  #withoutFields(text: string, label: RankLabel | null, timeMs: number): Fault | null {
    const { message, label: said } = withoutFields(text) ?? {};
    return message === undefined ? null : this.#launched(this.#lines.line(message, label ?? said ?? null), timeMs);
  }

  /** Reported by a traceback alone: that it ended the process only what follows will show. Null for none. */
  get unsure(): Fault | null {
    return this.#unsure?.fault ?? null;
  }

  /** A step ended or training began: what was caught some steps before ended nothing, and the job is not over. */
  alive(begins = false): void {
    if (this.#unsure !== null) {
      this.#unsure.steps += 1;
      if (this.#unsure.steps > STEPS_AFTER) this.#unsure = null;
    }
    this.#over = false;
    this.#before = '';
    this.#after.alive(begins);
  }

  /** Undefined for a line of no traceback, null for one within it. */
  #traceback(
    text: string,
    body: string,
    printer: string,
    label: RankLabel | null,
    timeMs: number,
  ): Fault | null | undefined {
    if (body.startsWith(TRACEBACK)) {
      const rank = UNCAUGHT.exec(text.slice(0, MAX_TEXT))?.[1];
      this.#open.delete(printer);
      const of: RankLabel | null = rank === undefined ? null : { number: Number(rank), means: 'global' };
      const caught = this.#ofPart.has(printer) || isCaught(text.slice(0, text.indexOf(TRACEBACK)), this.#before);
      this.#last = { left: MAX_FRAMES, of, said: saidRank(this.#before), isCaught: caught };
      this.#open.set(printer, this.#last);
      for (const oldest of this.#open.keys()) {
        if (this.#open.size <= MAX_PRINTERS) break;
        this.#open.delete(oldest);
      }
      return null;
    }
    const traceback = this.#open.get(printer);
    if (traceback === undefined) {
      this.#last = null;
      if (FRAME.test(body) && this.#open.size < MAX_PRINTERS) {
        this.#last = { left: MAX_FRAMES, of: null, said: null, isCaught: isCaught('', this.#before) };
        this.#open.set(printer, this.#last);
      }
      return undefined;
    }
    traceback.left -= 1;
    if (body.startsWith(' ') && traceback.left > 0) {
      this.#last = traceback;
      return null;
    }
    if (body !== '') this.#last = null;
    const exception = parseException(body, true);
    // Lines of others come in between where several write to one file.
    if (exception === null) {
      if (traceback.left <= 0) this.#open.delete(printer);
      return undefined;
    }
    this.#open.delete(printer);
    if (this.#unsure?.fault.lastWord === true) this.#unsure = null; // of this exception
    const fault = uncaughtFault(exception);
    if (this.#ofPart.delete(printer) || fault === null) return null;
    const rank = fault.rank ?? traceback.of ?? label ?? traceback.said;
    if (traceback.of !== null) return uncaught(fault, exception, rank);
    const reported = fault.place === 'rank' || fault.place === 'device' ? { ...fault, rank } : fault;
    if (fault.kind !== 'job.rank_crashed') return reported;
    // That the engine behind the server is gone, a request tells as well.
    if (OF_A_REQUEST.test(text.slice(0, MAX_TEXT))) return fault.byLauncher === true ? reported : null;
    this.#hold(reported, timeMs);
    return null;
  }

  /** That it ends of it, it says before or after that. */
  #hung(timeMs: number): void {
    this.#hungMs = timeMs;
    if (this.#unsure !== null && onlyTells(this.#unsure.fault)) this.#unsure = null;
  }

  /** What only tells that something failed leaves the exception that says why, printed shortly before. */
  #hold(fault: Fault, timeMs: number): void {
    if (onlyTells(fault) && timeMs - Math.max(this.#hungMs, this.#failedMs) <= TOLD_AFTER_MS) return;
    if (this.#why(fault, timeMs) === null) this.#unsure = { fault, timeMs, steps: 0 };
  }

  /** The exception printed shortly before; null where the fault says more than that something failed. */
  #why(fault: Fault, timeMs: number): Fault | null {
    const before = this.#unsure;
    if (before === null || !onlyTells(fault) || onlyTells(before.fault)) return null;
    return timeMs - before.timeMs <= TOLD_AFTER_MS ? before.fault : null;
  }

  /** How a worker ended; with the exception that it printed before, where it printed one. */
  #launched(fault: Fault | null, timeMs: number): Fault | null {
    const before = this.#unsure;
    if (fault?.kind !== 'job.rank_crashed' || fault.byLauncher !== true || before === null) return fault;
    this.#unsure = null;
    if (timeMs - before.timeMs > TOLD_AFTER_MS) return fault;
    return { ...fault, attributes: { ...before.fault.attributes, ...fault.attributes } };
  }
}

/** What the hook printed last of a process, whose rank it names. */
function hooked(text: string, body: string): Fault | null {
  const number = text.endsWith(body) ? HOOKED.exec(text.slice(0, text.length - body.length))?.[1] : undefined;
  const exception = number === undefined ? null : parseException(body);
  const fault = exception === null ? null : uncaughtFault(exception);
  if (exception === null || fault === null) return null;
  return uncaught(fault, exception, fault.rank ?? { number: Number(number), means: 'global' });
}

/** A line that is an exception and nothing else, without its traceback: it ended the process where nothing comes after it. */
function alone(text: string, body: string, label: RankLabel | null): Fault | null {
  const exception = parseException(body);
  if (exception === null || !SENTENCE.test(exception.message)) return null;
  if (goesOn(text.slice(0, MAX_TEXT))) return null;
  if (OF_A_REQUEST.test(text.slice(0, MAX_TEXT))) return null;
  const fault = uncaughtFault(exception);
  if (fault?.kind !== 'job.rank_crashed') return null;
  return { ...fault, rank: fault.rank ?? label };
}

/** The same behind the head of a logger, as an error. */
function loggedAlone(text: string, message: string, label: RankLabel | null): Fault | null {
  const head = text.slice(0, Math.max(0, text.length - message.length));
  return AS_ERROR.test(head) ? alone(text, message, label) : null;
}

/** The rank that its words name, else the one that printed them; a device has no other name. */
function ofPrinter(fault: Fault, label: RankLabel | null): Fault {
  const rank = fault.rank ?? label;
  return { ...fault, rank, ...(fault.ended === undefined ? {} : { ended: { ...fault.ended, rank } }) };
}

/** It ended the process, also where it speaks of something outside it. */
function uncaught(fault: Fault, exception: Exception, rank: RankLabel | null): Fault {
  if (fault.place === 'rank') return { ...fault, rank };
  return isOutside(fault) ? { ...fault, rank, ended: { rank, attributes: words(exception) } } : fault;
}

/** Of this host or a device of it, not of the job's own processes. */
function isOutside({ place }: Fault): boolean {
  return place === 'host' || place === 'device';
}

/** A fault that ended the process that reports it, and that end. */
function withEnd(fault: Fault): readonly Fault[] {
  const { ended, kind } = fault;
  if (ended === undefined) return [fault];
  const attributes = { ...ended.attributes, speaks_of: kind };
  return [fault, { kind: 'job.rank_crashed', place: 'rank', ...ended, attributes }];
}

/** Wordings that are clear by themselves, whichever process printed them. */
function bare(body: string, label: RankLabel | null): Fault | null {
  const thrown = TERMINATED.exec(body.slice(0, 2 * MAX_TEXT))?.[1];
  const exception = parseException(body.trimStart()) ?? { name: '', message: thrown ?? body.trim() };
  // The watchdog ends its process itself, and has said why.
  const native = thrown !== undefined && !thrown.includes('watchdog thread terminated');
  const fault = native ? uncaughtFault(exception) : specificFault(exception);
  if (fault?.place === 'rank' || fault?.place === 'device') return ofPrinter(fault, label);
  return fault?.ended === undefined ? fault : { ...fault, ended: { ...fault.ended, rank: label } };
}

/** Which of its ranks it was, its launcher may have said. */
function ofJob({ rank: _node, ...fault }: Fault): Fault {
  return { ...fault, place: 'job' };
}

function escaped(word: string): string {
  return word.replace(/[^\w\s]/g, '\\$&');
}
