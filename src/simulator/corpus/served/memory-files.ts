// A tree of small files in memory, behind the calls by which sources read sysfs and procfs: what a kernel would show.

import type { FileCalls } from '../../../sources/files/small-files.ts';

/** A text as it is when it is read. */
export type Content = string | (() => string);

export class MemoryFiles implements FileCalls {
  readonly #files = new Map<string, Content>();
  readonly #links = new Map<string, string>();
  readonly #open: string[] = [];
  /** Asked thousands of times between two changes of the tree. */
  readonly #paths = new Map<string, string>();
  readonly #names = new Map<string, readonly string[]>();

  write(path: string, content: Content): void {
    if (!this.#files.has(path)) this.#forget();
    this.#files.set(path, content);
  }

  /** `to` is absolute. */
  symlink(path: string, to: string): void {
    this.#forget();
    this.#links.set(path, to);
  }

  /** Everything below the folder, and itself. */
  remove(folder: string): void {
    this.#forget();
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
    const known = this.#names.get(folder) ?? this.#namesIn(folder);
    if (known.length === 0) throw failed('ENOENT');
    this.#names.set(folder, known);
    return [...known];
  }

  #namesIn(folder: string): readonly string[] {
    const names = new Set<string>();
    for (const known of [...this.#files.keys(), ...this.#links.keys()])
      if (known.startsWith(folder)) names.add(known.slice(folder.length).split('/', 1)[0] ?? '');
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
    const known = this.#paths.get(path);
    if (known !== undefined) return known;
    let here = '';
    for (const part of path.split('/').filter((one) => one !== '')) {
      const next: string = `${here}/${part}`;
      here = this.#links.get(next) ?? next;
    }
    this.#paths.set(path, here);
    return here;
  }

  #forget(): void {
    this.#paths.clear();
    this.#names.clear();
  }
}

function failed(code: string): Error {
  return Object.assign(new Error(code), { code });
}
