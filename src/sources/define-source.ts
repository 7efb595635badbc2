// defineSource: all that the rest of the program sees of a source, said in the index.ts of its folder.

import type { Properties, Section } from '../config/section.ts';

export function defineSource<const Name extends string, const P extends Properties, Settings>(
  definition: Section<Name, P, Settings>,
): Section<Name, P, Settings> {
  return definition;
}
