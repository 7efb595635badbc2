// Saved samples: the text of an incident's black box, as commands on the log read it.

import { readStart } from '../helpers/read-start.ts';
import type { Incident } from '../model/incident.ts';
import { samplesPath } from './black-box.ts';
import { openForReading } from './log/files.ts';

/** The black box writes no more. */
const SAMPLES_BYTES = 5 * 1024 * 1024;

export interface SavedSamples {
  readonly path: string;
  readonly text: string;
}

/** Null where there are none. */
export async function savedSamples({ id }: Incident, directory: string): Promise<SavedSamples | null> {
  const path = samplesPath(directory, id);
  try {
    await using handle = await openForReading(path);
    return { path, text: (await readStart(handle, SAMPLES_BYTES)).toString() };
  } catch {
    return null;
  }
}
