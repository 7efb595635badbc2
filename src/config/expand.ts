// Expansion of ${VAR} and ${VAR:-default} in strings of the configuration; nothing else is ever substituted.

const LIMIT = 65_536;

export type Expansion = { readonly text: string; readonly used: boolean } | { readonly error: string };

/**
 * `${VAR}` needs the variable to be set; `${VAR:-default}` takes the default where it is unset or empty; `$${` writes a
 * literal `${`. What comes out is not expanded again.
 */
export function expand(text: string, environment: Readonly<Record<string, string | undefined>>): Expansion {
  let out = '';
  let used = false;
  let rest = 0;
  for (let at = text.indexOf('${'); at >= 0; at = text.indexOf('${', rest)) {
    if (text[at - 1] === '$' && at > rest) {
      out += `${text.slice(rest, at - 1)}\${`;
      rest = at + 2;
      continue;
    }
    const end = text.indexOf('}', at);
    const match = end < 0 ? null : /^([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/.exec(text.slice(at + 2, end));
    if (!match)
      return {
        error: `has a "\${" that does not begin a variable. Write: \${NAME}, \${NAME:-default}, or $\${ for the characters themselves`,
      };
    const name = match[1] ?? '';
    const value = environment[name];
    if (value === undefined && match[2] === undefined) {
      return {
        error: `needs the environment variable ${name}, which is not set. Set it, or write: \${${name}:-default}`,
      };
    }
    out += text.slice(rest, at) + (value === undefined || value === '' ? (match[2] ?? '') : value);
    used = true;
    rest = end + 1;
    if (out.length > LIMIT) return { error: `is longer than ${LIMIT} characters once its variables are filled in` };
  }
  return { text: out + text.slice(rest), used };
}
