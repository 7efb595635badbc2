// Options that several commands have, so that they are called and described alike.

import { parseDuration } from '../../config/quantity.ts';
import { InvalidArgumentError, Option } from '../define-command.ts';

/** `what`: what the command takes from the configuration. */
export const configOption = (what = 'configuration file'): Option => new Option('--config <file>', what);

export const logDirectoryOption = (what = 'read the log of this directory'): Option =>
  new Option('--log-directory <directory>', what);

export const jsonOption = (what = 'one document'): Option => new Option('--json', what);

/** A time between the two bounds, both included, as milliseconds; `hint` says how to write one. */
export function durationOption(flags: string, text: string, { leastMs, mostMs, hint }: DurationBounds): Option {
  return new Option(flags, text).argParser((value) => {
    const ms = parseDuration(value);
    if (ms === null || !Number.isInteger(ms) || ms < leastMs || ms > mostMs) throw new InvalidArgumentError(hint);
    return ms;
  });
}

interface DurationBounds {
  readonly leastMs: number;
  readonly mostMs: number;
  readonly hint: string;
}
