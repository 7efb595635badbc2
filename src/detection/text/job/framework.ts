// Frameworks: what each writes into the log of a job, from catalog/job/<framework>.json. One more of the known shapes of
// lines is one more file; test/catalog/job.test.ts holds every file against catalog/job.schema.json.

import { catalogueFolder } from '../../../helpers/catalogue-folder.ts';
import type { FaultWords } from './fault/fault-words.ts';

/** The name of its file. */
export type Framework = string;

/** Words by field; a field is a key of `StepLine`, or one with a unit of its own that is turned into it. */
export type Fields = Readonly<Record<string, readonly string[]>>;

/** A line that reports a step by itself: all of `markers` are in it, each field is the number after the first of its words. */
interface Line {
  readonly markers: readonly string[];
  readonly fields: Fields;
  /** A line with the other fields reports a step also where it has no number of its own. */
  readonly number_optional?: boolean;
}

/** A progress bar that counts steps. */
interface Bar {
  /** With `{epoch}` for its number. */
  readonly description: string;
  readonly units: readonly string[];
  /** It counts steps only where lines of the framework were seen: a bar without a name may be anything. */
  readonly with_lines_only?: boolean;
}

/** A head with the number of the step, and a line for each value below it. */
interface Block {
  readonly header: string;
  readonly line: string;
  readonly fields: Fields;
}

/** Rows of values, whose first line names the columns. */
interface Table {
  readonly columns: Fields;
}

/** Values between bars behind a counter, named as in `fields`; a line with none of `needs` is another one. */
interface Columns {
  /** The word before the number of the iteration. */
  readonly counter: string;
  /** Where the first column has one of these, the counter is in the second. */
  readonly before_counter?: readonly string[];
  readonly needs: readonly string[];
  /** `iteration` is there where another number than the counter's counts all of them. */
  readonly fields: Fields;
}

/** Names with a colon, and values, from a word on; a line with none of `needs`, or one of `not_after` before it, is another one. */
interface Pairs {
  readonly begins: string;
  readonly not_after?: readonly string[];
  readonly needs: readonly string[];
  readonly fields: Fields;
}

/** A line that marks a point rather than a step: it has `words`, or ends with `line_ends`. */
export interface MilestoneWords {
  readonly what: 'started' | 'saving' | 'saved';
  readonly words?: string;
  readonly line_ends?: string;
  /** What follows the words: the number of the step, where a checkpoint goes and how long it took, or seconds. */
  readonly then?: 'iteration' | 'place' | 'path' | 'seconds';
}

/** A line, in lower case, that says why steps are late. */
export interface PauseWords {
  readonly why: 'evaluation' | 'checkpoint' | 'load' | 'compile';
  readonly words: string;
  /** The pause is over with it. */
  readonly ends: boolean;
  /** The number of the step after which it was follows. */
  readonly then?: 'iteration';
}

/** What an inference server prints of its throughput every few seconds: names, colons and values between commas. */
export interface LoadWords {
  /** A line that the test holds against the entry. */
  readonly example: string;
  /** The line has it before `begins`. */
  readonly marker?: string;
  readonly begins: string;
  /** The word before the number of the engine, of several. */
  readonly engine: string;
  readonly fields: Readonly<Partial<Record<LoadField, readonly string[]>>>;
}

export type LoadField =
  | 'generation'
  | 'prompt'
  | 'running'
  | 'waiting'
  | 'cache_usage'
  | 'cache_usage_percent'
  | 'prefix_cache_percent';

/** A number that a server, or its benchmark, prints by itself. */
export interface FigureWords {
  /** Lines that the test holds against the entry, and the value of each in SI units. */
  readonly examples: Readonly<Record<string, number>>;
  readonly after: string;
  /** What may follow the number, and what that makes of it; "" stands for anything. */
  readonly units: Readonly<Record<string, number>>;
  /** Of the series of the service. */
  readonly quantity: string;
}

export interface ServerWords {
  /** It starts, perhaps with another model or other settings. */
  readonly starts: readonly string[];
  readonly load: LoadWords;
  /** Lines of what it reads in, where that is not in those of its load. */
  readonly prompts?: LoadWords;
  readonly figures?: readonly FigureWords[];
}

/** What a server, or what is before it, writes of having more requests than it can serve. */
export interface OverloadWords {
  /** As people call it. */
  readonly name: string;
  /** What makes room for more, with its settings. */
  readonly more: string;
  /** What lets more of them run where its cache has room. */
  readonly slots?: string;
  readonly lines: readonly {
    readonly words: string;
    readonly example: string;
    /** A group `count`: of how many requests; `total`: of how many since it started. */
    readonly pattern: string;
    readonly means: 'preempted' | 'refused';
  }[];
}

export interface FrameworkFile {
  readonly about: string;
  /** Where lines of two frameworks look alike, the lower number is asked first. */
  readonly precedence: number;
  /** Makes it a choice of the configuration: the frameworks whose lines are read then. */
  readonly expects?: readonly string[];
  /** For a user whose log is not understood: its name, and a line. */
  readonly looks_like?: string;
  /** Its lines have no number, the bar that is there has it. */
  readonly numbered_by_bar?: boolean;
  /** It writes a loss of 0 where the loss was not a number. */
  readonly zero_loss_is_nan?: boolean;
  /** It leaves the loss out of a line where it was not a number. */
  readonly nan_loss_left_out?: boolean;
  readonly lines?: readonly Line[];
  readonly bars?: readonly Bar[];
  readonly blocks?: readonly Block[];
  readonly tables?: readonly Table[];
  readonly columns?: Columns;
  readonly pairs?: Pairs;
  /** What is before the number of ranks. */
  readonly world_size?: readonly string[];
  readonly milestones?: readonly MilestoneWords[];
  readonly pauses?: readonly PauseWords[];
  readonly faults?: readonly FaultWords[];
  /** It serves requests, and has a log of its own; entries of `faults` with `on: server` are of that log. */
  readonly server?: ServerWords;
  readonly overload?: OverloadWords;
}

export const FRAMEWORKS: readonly (readonly [name: Framework, file: FrameworkFile])[] = [...catalogueFolder('job')]
  .map(([name, file]) => [name, file as FrameworkFile] as const) // its shape is that of the schema, held by a test
  .sort(([, a], [, b]) => a.precedence - b.precedence);

/** All entries of one list of the files, each with the name of its framework. */
export function entriesOf<K extends 'lines' | 'bars' | 'blocks' | 'tables' | 'milestones' | 'pauses' | 'faults'>(
  list: K,
): readonly (NonNullable<FrameworkFile[K]>[number] & { readonly framework: Framework })[] {
  return FRAMEWORKS.flatMap(([framework, file]) =>
    (file[list] ?? []).map((entry) => ({ ...(entry as NonNullable<FrameworkFile[K]>[number]), framework })),
  );
}

export function traitsOf(framework: Framework): FrameworkFile | undefined {
  return FRAMEWORKS.find(([name]) => name === framework)?.[1];
}

/** Reads the value of a field by the first of its words that the line has; null where it has none. */
export function valueReader(line: ReadonlyMap<string, string>): (words: readonly string[]) => string | null {
  return (words) => {
    for (const word of words) {
      const value = line.get(word);
      if (value !== undefined) return value;
    }
    return null;
  };
}

/** The words of a field, none where the list lacks it. */
export function wordsOf(fields: Fields, name: string): readonly string[] {
  return fields[name] ?? [];
}
