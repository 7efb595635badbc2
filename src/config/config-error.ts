// ConfigError: everything that is wrong with one configuration, reported at once, each with its place.

import { redactUrls } from '../model/redact.ts';
import { safeText } from '../model/safe-text.ts';

/** One thing wrong (or doubtful) in a configuration; `line` and `column` are 1-based, null where no place is known. */
export interface Problem {
  readonly code: string;
  readonly line: number | null;
  readonly column: number | null;
  /** Where it is another file than the configuration itself: a drop-in. */
  readonly file?: string;
  /** What is wrong and what to write, without place and code. */
  readonly text: string;
}

/** `faultline.yaml:14:11: sources.pdu[0].version must be … [FL1106]`, the form that editors jump to. */
export function problemText(file: string, problem: Problem): string {
  const name = problem.file ?? file;
  const place = problem.line === null ? name : `${name}:${problem.line}:${problem.column ?? 1}`;
  // Any file may be given as a configuration: what a terminal would obey, and what is secret, is not shown.
  return safeText(redactUrls(`${place}: ${problem.text} [${problem.code}]`));
}

/** Thrown by `loadConfig`; ends a command with status 2. The message has one line per problem, in order of place. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly status = 2;
  readonly problems: readonly Problem[];
  /** One line each: what is doubtful besides. */
  readonly warnings: readonly string[];

  constructor(file: string, problems: readonly Problem[], warnings: readonly string[] = []) {
    const ordered = [...problems].sort(
      (a, b) =>
        (a.file ?? '').localeCompare(b.file ?? '') ||
        (a.line ?? 0) - (b.line ?? 0) ||
        (a.column ?? 0) - (b.column ?? 0) ||
        a.text.localeCompare(b.text),
    );
    super(ordered.map((problem) => problemText(file, problem)).join('\n'));
    this.problems = ordered;
    this.warnings = warnings;
  }
}
