// Dumps as they come: whether the dump folders of a command have come to rest since they were last looked at.

import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { DumpFolder } from '../../sources/flight-recorder/dumps/dump-folder.ts';

export class Dumps {
  readonly #folders: readonly DumpFolder[];

  private constructor(folders: readonly DumpFolder[]) {
    this.#folders = folders;
  }

  /** Folders with all that is in them, files by their name. */
  static async of(paths: readonly string[]): Promise<Dumps> {
    const folders = await Promise.all(
      paths.map(async (path) => {
        const info = await stat(path).catch(() => null);
        return info?.isFile() ? new DumpFolder(dirname(path), basename(path)) : new DumpFolder(path, '*');
      }),
    );
    return new Dumps(folders);
  }

  /** True when a folder has new dumps and all of its dumps are at rest; `expected` as many, or none new for `graceMs`. */
  async renewed(nowMs: number, expected: number | null, graceMs: number): Promise<boolean> {
    let renewed = false;
    for (const folder of this.#folders) {
      if ((await folder.look(nowMs, expected, graceMs)) !== null) renewed = true;
    }
    return renewed;
  }
}
