// Loads the files of the bundle, next to which it lies: each a script, with the code that V8 made of it when the bundle was made
// (compile-bundle.mjs), so that a start compiles next to nothing. V8 itself refuses code of another version of it, or made with other
// flags; then the script is compiled as if there were none. What else is in the file V8 does not look at: one byte of it that a disk
// changed would end the process without a word, so that the last four bytes are the CRC-32 of those before.
//
// The text of a large file is of no use but for a function that runs for the first time: a daemon has it mapped, so that what is not read takes no memory.

'use strict';

const { existsSync, readFileSync, statSync, writeSync } = process.getBuiltinModule('node:fs');
const { join } = process.getBuiltinModule('node:path');
const { Script } = process.getBuiltinModule('node:vm');
const { crc32 } = process.getBuiltinModule('node:zlib');

const CRC_BYTES = 4;
const HEAD = '(function(exports,require,module,__filename,__dirname){';
const TAIL = '\n})';
/** Two pages are taken for each file that is mapped. */
const LEAST_MAPPED = 32_768;
const LIVES_LONG = process.argv[2] === 'run' && process.getBuiltinModule('node:worker_threads').isMainThread;
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
    const source = mapped(filename) ?? `${HEAD}${readFileSync(filename, 'latin1')}${TAIL}`;
    const script = new Script(source, { filename, cachedData: codeOf(filename) });
    script.runInThisContext().call(module.exports, module.exports, load, module, filename, __dirname);
  } catch (error) {
    modules.delete(name);
    throw error;
  }
  module.exports = settled(module.exports);
  return module.exports;
}

let mapText = LIVES_LONG ? null : () => undefined;

/** The same text as a mapping of the file; undefined where it is small, or the addon cannot: who needs that says so later. */
function mapped(filename) {
  try {
    mapText ??= addon()?.mapText ?? (() => undefined);
    return statSync(filename).size < LEAST_MAPPED ? undefined : mapText(filename, HEAD, TAIL);
  } catch {
    mapText = () => undefined;
    return undefined;
  }
}

/** Where src/native.ts finds it. */
function addon() {
  const paths = ['lib', 'build/Release', 'build/Development'].map((folder) =>
    join(__dirname, '..', folder, 'faultline.node'),
  );
  const path = paths.find((each) => existsSync(each));
  return path === undefined ? undefined : require(path);
}

/**
 * Exports of a file that has run. What the bundler made of them calls two functions at each use; a function stays what it is from then on
 * (nothing of ours exports a `let`), and is given as such. Who asked before the file had run has the others.
 */
function settled(exports) {
  if (exports.__esModule !== true) return exports;
  const plain = Object.defineProperty({}, '__esModule', { value: true });
  for (const name of Object.keys(exports)) {
    const value = exports[name];
    if (typeof value === 'function') plain[name] = value;
    else Object.defineProperty(plain, name, { get: () => exports[name], enumerable: true });
  }
  return plain;
}

/** Written with the file itself, and as safe as that is: whoever may write here is the program anyway. */
function codeOf(filename) {
  const path = `${filename}.code`;
  let bytes;
  try {
    bytes = readFileSync(path);
  } catch {
    return undefined;
  }
  const end = bytes.length - CRC_BYTES;
  const code = bytes.subarray(0, Math.max(0, end));
  if (end > 0 && crc32(code) === bytes.readUInt32LE(end)) return code;
  warn(
    `FL1005 ${path} is damaged and not used: the program itself is, which starts more slowly. Look after that disk, and install the release again\n`,
  );
  return undefined;
}

function warn(text) {
  try {
    writeSync(2, text);
  } catch {} // a terminal that is gone
}

exports.load = load;
