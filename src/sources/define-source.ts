// defineSource: all that the rest of the program sees of a source, stated in the index.ts of its folder.

import type { Properties, Section } from '../config/section.ts';
import type { ComponentType } from '../model/component.ts';
import type { Trust } from '../model/event.ts';
import type { NoticeName } from '../native.ts';
import type { SourceContext } from './context.ts';
import type { Source } from './source.ts';

/** What a source has to do with the components of one type. */
export interface Claim {
  /** Native code samples their series for it, past JavaScript: its name and trust are those of what the detectors find. */
  readonly native?: true;
  /** Their newest sample shows how late the source is, or each of the devices that it reads: the first part of their ids. */
  readonly lag?: 'source' | 'device';
}

/** Why a source is not made, as `doctor` reports it. */
export interface Idle {
  readonly status: 'off' | 'absent';
  readonly detail: string;
  readonly remedy: string | null;
}

interface Common {
  /** What it reads, as reports name it: "SNMP", "kernel log". */
  readonly reads: string;
  /** How far what it reads can be trusted. */
  readonly trust: Trust;
  /** The component types that it reports on. */
  readonly components: { readonly [T in ComponentType]?: Claim };
  /** Notices of native code that it takes, by name: see `Source.handleNotice`. */
  readonly notices?: readonly NoticeName[];
  /** It takes the kernel's records: see `Source.handleRecords`. */
  readonly records?: true;
  /** An onset that it reports is a reason for other sources to look closer. */
  readonly suspicious?: true;
  /** A second reader costs others something: it is a device on the network, or its driver would be opened twice. */
  readonly exclusive?: true;
}

export interface SourceDefinition<Name extends string, P extends Properties, Settings>
  extends Section<Name, P, Settings>,
    Common {
  /** Null where it is to be made: a source that is off opens no file, socket or timer. */
  idle(settings: NoInfer<Settings>): Idle | null;
  /** Where it is missing, `doctor` reports a failure. */
  isRequired?(settings: NoInfer<Settings>): boolean;
  /** Whether its silence may be an event, so that time has to pass even when nothing new comes. */
  silenceMatters?(settings: NoInfer<Settings>): boolean;
  /** Makes it; its code, and the libraries that it needs, are loaded here and not before. */
  create(settings: NoInfer<Settings>, context: SourceContext): Promise<Source>;
}

/** Any source, for what treats all of them alike. */
export interface AnySource extends Common {
  readonly name: string;
  idle(settings: unknown): Idle | null;
  isRequired?(settings: unknown): boolean;
  silenceMatters?(settings: unknown): boolean;
  create(settings: unknown, context: SourceContext): Promise<Source>;
}

export function defineSource<const Name extends string, const P extends Properties, Settings>(
  definition: SourceDefinition<Name, P, Settings>,
): SourceDefinition<Name, P, Settings> {
  return definition;
}
