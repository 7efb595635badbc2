// Liquid: templates without files and code, bounded in size, time and memory, which escape whatever they put out.

import { Liquid, type Template } from 'liquidjs';
import { errorText } from '../../../helpers/error-text.ts';

const LIMITS = { parseLimit: 20_000, renderLimit: 200, memoryLimit: 10_000_000 } as const;
/** Nothing is read from disk: a template cannot include another. */
const NO_FILES = { templates: {} } as const;
/** Left out, the engine asks `Intl` for the machine's, whose tables take 8 MiB; a message reads the same on every machine. */
const LOCALE = { locale: 'en-US' } as const;

export class Templates {
  readonly #engine: Liquid;

  constructor(escaped: (text: string) => string) {
    this.#engine = new Liquid({
      ...LIMITS,
      ...NO_FILES,
      ...LOCALE,
      ownPropertyOnly: true,
      strictFilters: true,
      outputEscape: (value) => escaped(value === null || value === undefined ? '' : String(value)),
    });
  }

  /** Throws an error of one line for what is not a template. */
  parse(text: string): (context: object) => string {
    const parsed: Template[] = this.#engine.parse(text);
    return (context) => String(this.#engine.renderSync(parsed, context));
  }
}

/** What is wrong with a template, in one line; null where nothing is. */
export function templateTrouble(text: string): string | null {
  try {
    new Templates((each) => each).parse(text);
    return null;
  } catch (error) {
    return errorText(error).split('\n')[0] ?? 'it cannot be read';
  }
}
