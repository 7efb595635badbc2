// Runs: how much of a long test is done. scripts/check-long sets FAULTLINE_LONG and does all of it.

const long = process.env.FAULTLINE_LONG !== undefined && process.env.FAULTLINE_LONG !== '';

/** `short` by default, `all` in the long form. */
export function runs(short: number, all: number): number {
  return long ? all : short;
}
