// Part: one kind of thing that a bundle holds; adding one is a file with a part and a line in parts.ts.

import type { LoadedConfig } from '../../daemon/config.ts';
import type { Incident } from '../../model/incident.ts';
import type { Said } from '../../model/note.ts';

/** Programs and files of the host; tests give their own. */
export interface HostPaths {
  readonly journalctl: string;
  readonly bugReport: string;
  readonly osRelease: string;
}

export interface PartContext {
  readonly incident: Incident;
  readonly said: Said;
  readonly logDirectory: string;
  /** Null where it cannot be read; `configTrouble` says why. */
  readonly config: LoadedConfig | null;
  readonly configTrouble: string | null;
  /** Why things of this host do not belong to the incident; null where it is of this host. */
  readonly elsewhere: string | null;
  readonly anonymous: boolean;
  readonly wantsBugReport: boolean;
  readonly paths: HostPaths;
  readonly signal: AbortSignal;
}

/** Before secrets are taken out. A `value` becomes JSON. */
export type RawFile = Readonly<{ path: string; what: string }> &
  ({ readonly text: string } | { readonly value: object });

export type Taken = readonly RawFile[] | { readonly leftOut: string };

export interface Part {
  /** As it is named where it is left out. */
  readonly name: string;
  /** A rejection leaves it out as well, for the error's reason. */
  take(context: PartContext): Promise<Taken>;
}
