// The program that tests start in a process of its own: the bundle that ships where scripts/test names it, else the sources.

import { join } from 'node:path';

export const PROGRAM = process.env.FAULTLINE_PROGRAM ?? join(import.meta.dirname, '../src/main.ts');
