// Planned line: what says that a host was shut down or started, or that an operator took a port down, by catalog/planned-words.json. It is no
// event: what only a program says of it explains nothing of the kernel's, and is said next to it.

import catalog from '#catalog/planned-words.json' with { type: 'json' };

type What = 'boot' | 'halt' | 'shutdown' | 'port';

export interface PlannedLine {
  readonly what: What;
  /** Of `port` its interface, as the line has it; else null. */
  readonly port: string | null;
  /** The first word of the line: the program that says it. */
  readonly program: string;
}

interface Row {
  readonly what: What;
  readonly by: 'kernel' | 'program';
  readonly says: string;
  readonly example: string;
  readonly source: string;
}

const MAX_LINE = 512;

export const PLANNED_ROWS = catalog.rows as readonly Row[];
const FORMS = PLANNED_ROWS.map(({ what, by, says }) => ({ what, by, says: new RegExp(says) }));

/** Of which every line that is taken has one. */
export const PLANNED_WORDS: readonly string[] = catalog.words;

/** Null where it says nothing of that. `byKernel`: the form of the log says that the kernel wrote it. Linear in the line. */
export function plannedLine(message: string, byKernel: boolean): PlannedLine | null {
  if (message.length > MAX_LINE || !PLANNED_WORDS.some((word) => message.includes(word))) return null;
  for (const { what, by, says } of FORMS) {
    if ((by === 'kernel') !== byKernel) continue;
    const found = says.exec(message);
    if (found === null) continue;
    const port = Object.values(found.groups ?? {}).find((name) => name !== undefined) ?? null;
    return { what, port, program: byKernel ? 'kernel' : (/^[\w-]{1,32}/.exec(message)?.[0] ?? '') };
  }
  return null;
}
