// Check parameters: what comes behind the question mark, held to the table of the route before anything else looks at it.

import { ApiError } from './api-error.ts';
import type { Parameter, Parameters } from './route.ts';

const LONGEST = 256;

/** Throws FL4103 for what is unknown, given twice or of another form. */
export function checkParameters(parameters: URLSearchParams, known: Parameters): void {
  for (const [name, value] of parameters) {
    const parameter = Object.hasOwn(known, name) ? known[name] : undefined;
    if (parameter === undefined)
      throw wrong(`${name.slice(0, 64)} is not known here. Known: ${Object.keys(known).join(', ') || 'nothing'}`);
    if (parameters.getAll(name).length > 1) throw wrong(`${name} is given twice`);
    const needed = formOf(value, parameter);
    if (needed !== null) throw wrong(`${name} must be ${needed}${written(name, parameter)}`);
  }
}

/** What it has to be; null where it is that. */
function formOf(value: string, { schema }: Parameter): string | null {
  const { type, enum: words, pattern, minimum, maximum, maxLength = LONGEST } = schema;
  if (words !== undefined) return words.includes(value) ? null : words.join(' or ');
  if (type === 'string') {
    if (value === '' || value.length > maxLength) return `a text of 1 to ${maxLength} characters`;
    return pattern === undefined || new RegExp(pattern, 'u').test(value) ? null : 'of another form';
  }
  const number = type === 'integer' ? /^\d{1,12}$/ : /^\d{1,9}(\.\d{1,6})?$/;
  const fits = number.test(value) && Number(value) >= (minimum ?? 0) && Number(value) <= (maximum ?? Infinity);
  return fits ? null : `a ${type === 'integer' ? 'whole ' : ''}number from ${minimum ?? 0} to ${maximum ?? 'any'}`;
}

function written(name: string, { example, schema }: Parameter): string {
  const shown = example ?? schema.default;
  return shown === undefined ? '' : `. Write: ${name}=${shown}`;
}

function wrong(text: string): ApiError {
  return new ApiError(400, 'FL4103', text);
}
