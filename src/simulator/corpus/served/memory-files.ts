// A tree of small files in memory, behind the calls by which sources read sysfs and procfs: what a kernel would show.

import type { FileCalls } from '../../../sources/files/small-files.ts';

/** A text as it is when it is read. */
export type Content = string | (() => string);

export class MemoryFiles implements FileCalls {
  readonly #files = new Map<string, Content>();
  readonly #links = new Map<string, string>();
  readonly #open: string[] = [];

  write(path: string, content: Content): void {
    this.#files.set(path, content);
  }

  /** `to` is absolute. */
  symlink(path: string, to: string): void {
    this.#links.set(path, to);
  }

  /** Everything below the folder, and itself. */
  remove(folder: string): void {
    for (const known of [this.#files, this.#links])
      for (const path of known.keys()) if (path === folder || path.startsWith(`${folder}/`)) known.delete(path);
  }

  async open(path: string): Promise<number> {
    if (!this.#files.has(this.#followed(path))) throw failed('ENOENT');
    return this.#open.push(path) - 1;
  }

  async read(file: number, into: Buffer): Promise<number> {
    const content = this.#files.get(this.#followed(this.#open[file] ?? ''));
    // The device behind an open file of sysfs is gone.
    if (content === undefined) throw failed('ENODEV');
    return into.write(`${typeof content === 'string' ? content : content()}\n`, 'latin1');
  }

  close(): void {}

  async list(path: string): Promise<string[]> {
    const folder = `${this.#followed(path)}/`;
    const names = new Set<string>();
    for (const known of [...this.#files.keys(), ...this.#links.keys()])
      if (known.startsWith(folder)) names.add(known.slice(folder.length).split('/', 1)[0] ?? '');
    if (names.size === 0) throw failed('ENOENT');
    return [...names];
  }

  async link(path: string): Promise<string> {
    const to = this.#links.get(path) ?? this.#links.get(this.#followed(path));
    if (to === undefined) throw failed('EINVAL');
    return to;
  }

  async real(path: string): Promise<string> {
    const followed = this.#followed(path);
    await this.list(followed);
    return followed;
  }

  async device(): Promise<number> {
    return 1;
  }

  /** Every link on the way followed. */
  #followed(path: string): string {
    let here = '';
    for (const part of path.split('/').filter((one) => one !== '')) {
      const next: string = `${here}/${part}`;
      here = this.#links.get(next) ?? next;
    }
    return here;
  }
}

function failed(code: string): Error {
  return Object.assign(new Error(code), { code });
}
