// Whose the series are that native code samples, by component type, as the sources claim them.

import type { NativeOrigins } from '../detection/detection.ts';
import type { AnySource } from './define-source.ts';

export function nativeOrigins(sources: readonly AnySource[]): NativeOrigins {
  const claims = sources.flatMap(({ name: source, trust, components }) =>
    Object.entries(components).flatMap(([type, { native }]) => (native === true ? [[type, { source, trust }]] : [])),
  );
  return Object.fromEntries(claims);
}
