// Loads the files of the bundle, next to which it lies: each a script, with the code that V8 made of it when the bundle was made
// (compile-bundle.mjs), so that a start compiles next to nothing. V8 itself refuses code of another version of it, or made with other
// flags; then the script is compiled as if there were none.

'use strict';

const { readFileSync } = process.getBuiltinModule('node:fs');
const { join } = process.getBuiltinModule('node:path');
const { Script } = process.getBuiltinModule('node:vm');

const HEAD = '(function(exports,require,module,__filename,__dirname){';
const modules = new Map();

/** The exports of a file of the bundle, `./part.cjs`, or of a module of Node's; a file that throws is loaded again by whoever asks next. */
function load(name) {
  if (!name.startsWith('./')) return process.getBuiltinModule(name);
  const known = modules.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  modules.set(name, module);
  try {
    const filename = join(__dirname, name);
    const source = `${HEAD}${readFileSync(filename, 'latin1')}\n})`;
    const script = new Script(source, { filename, cachedData: codeOf(filename) });
    script.runInThisContext().call(module.exports, module.exports, load, module, filename, __dirname);
  } catch (error) {
    modules.delete(name);
    throw error;
  }
  return module.exports;
}

/** Written with the file itself, and as safe as that is: whoever may write here is the program anyway. */
function codeOf(filename) {
  try {
    return readFileSync(`${filename}.code`);
  } catch {
    return undefined;
  }
}

exports.load = load;
