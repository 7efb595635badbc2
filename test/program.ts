// The program that tests start in its own process: the bundle that ships where scripts/test names it, else the sources.

import { join } from 'node:path';

export const PROGRAM = process.env.FAULTLINE_PROGRAM ?? join(import.meta.dirname, '../src/main.ts');

/** What text of the program is held against: in the C locale it would be ASCII, and to a set width broken. */
process.env.LC_ALL = 'C.UTF-8';
delete process.env.COLUMNS;
