// Bundler plug-ins: Node's own modules, of which only what is named is read.
//
// An `import` of one reads each of its properties, and some of them load a megabyte of code at the first look: http has
// WebSocket, which is all of undici (7 MiB resident). What the bundler makes of it instead is a getter for each property of
// the module in each file that imports it, and its own file for each module. `process.getBuiltinModule` is neither.

import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';

const builtins = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));

export const isBuiltin = (path) => builtins.has(path);

const taken = (path) => `process.getBuiltinModule(${JSON.stringify(path)})`;

/** `{ a, type B, c as d }` of an import as the pattern that takes the same of an object; nothing where it has only types. */
function pattern(names) {
  const values = names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
  return values.map((name) => name.replace(/ as /, ': ')).join(', ');
}

/** The text of one of our modules with its imports of Node's modules replaced. */
export function takeBuiltins(text) {
  return text.replace(
    /^import (?!type )(?:\* as (\w+)|(\w+)(?:, )?)?(?:\{([^}]*)\})? from '([a-z:_/0-9]+)';$/gm,
    (all, whole, main, names, path) => {
      if (!isBuiltin(path)) return all;
      const some = pattern(names ?? '');
      const lines = [whole, main, some === '' ? undefined : `{ ${some} }`].filter((part) => part !== undefined);
      return lines.map((part) => `const ${part} = ${taken(path)};`).join(' ') + '\n'.repeat(all.split('\n').length - 1);
    },
  );
}

/** For our own modules. */
const ours = {
  name: 'builtins-of-ours',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => ({
      contents: takeBuiltins(readFileSync(path, 'utf8')),
      loader: 'ts',
    }));
  },
};

/** For what packages import or require. */
const others = {
  name: 'builtins-of-others',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z:_/0-9]+$/ }, ({ path }) =>
      isBuiltin(path) ? { path: path.replace(/^node:/, ''), namespace: 'builtin' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = ${taken(path)};`,
    }));
  },
};

export const builtinPlugins = [ours, others];
