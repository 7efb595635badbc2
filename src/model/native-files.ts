// What the addon offers for files by paths that others may have a hand in.

/** What a path is opened for. */
export type Purpose = 'read' | 'folder' | 'ask' | 'write';
/** Why it is not: the system's reason, or one of ours. */
export type Refusal = 'system' | 'link' | 'reader' | 'kind' | 'owner';

/** User and groups of the process that named a path, which must be able to go and read there itself. */
export type NamedBy = readonly [user: number, ...groups: number[]];

export interface Placers {
  readonly users: readonly number[];
  /** Members of a group, or everybody, may as well. */
  readonly shared: boolean;
  /** The last folder on the way that is there, and its group. */
  readonly folder: string;
  readonly group: number;
  /** Why the way may not be gone; empty where it may. */
  readonly reason: string;
}

export interface NativeFiles {
  /**
   * Opens what a path names without following a link that others may have placed, and only what they may read themselves.
   * `read`: a regular file; `folder`: only checked, `fd` is -1; `ask`: a FIFO to write to; `write`: a new file, or one of our
   * own. `why` is empty where it is open, `system` where `fd` is -errno; `text` says what is wrong, `where` of which part.
   */
  openChecked(
    path: string,
    purpose: Purpose,
    done: (why: Refusal | '', text: string, where: string, fd: number) => void,
    namedBy?: NamedBy,
  ): void;
  /**
   * Looks at an open file that was opened by this path: `added` is what is behind `offset`, null where that is nothing or more than
   * `most` bytes; `begins`: whether it still begins with `head`, where something is; `isNamed`: whether the path is still this
   * file's, null where it leads to nothing. `error` is the errno for which it cannot be looked at, or 0.
   */
  lookAt(
    fd: number,
    path: string,
    offset: number,
    most: number,
    head: Buffer,
    done: (
      error: number,
      size: number,
      links: number,
      isNamed: boolean | null,
      begins: boolean,
      added: Buffer | null,
    ) => void,
  ): void;
  /** Where the file's next byte is, from `offset` on, that was ever written; null where there is none. */
  nextData(fd: number, offset: number, done: (offset: number | null) => void): void;
  /**
   * Names in the folder that begin with `prefix`, of its first `mostSeen` entries, in no order. `names` is null where there are more than
   * `most`; `error` is the errno for which the folder was not read, or 0.
   */
  namesWith(
    folder: string,
    prefix: string,
    most: number,
    mostSeen: number,
    done: (error: number, names: readonly string[] | null) => void,
  ): void;
  /**
   * Who besides root and this process may have a say in where the path of a folder leads, whether or not it is there yet.
   */
  placersOfFolder(path: string): Placers;
  /**
   * Gives what is root's in that user's folder to him: a folder, or a regular file without another name. False where it is
   * none of these, or where a link or others are on the way.
   */
  giveTo(path: string, user: number, group: number): boolean;
  /** Takes the kernel's lock of this open file for as long as a descriptor of it lives; false where another has it. */
  lockFile(fd: number): boolean;
  /**
   * Replaces this process by `program`, run by `user` with the two rights of the service, as far as this process has them.
   * `kept`: a descriptor that stays open. Throws where this process stays who it is.
   */
  actAs(options: {
    readonly user: number;
    readonly group: number;
    readonly program: string;
    readonly arguments: readonly string[];
    /** NAME=value */
    readonly environment: readonly string[];
    readonly kept?: number;
  }): never;
}
