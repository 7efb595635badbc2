// Runs each file of the bundle as it is loaded, and writes the code that V8 has made of it by then, and its CRC-32, next to it, for bundle-loader.cjs. Not a
// daemon: which of its functions have run by a time differs from one build to the next.
// Run by compile-bundle.mjs.

'use strict';

const { readdirSync, writeFileSync } = require('node:fs');
const { basename, join, resolve } = require('node:path');
const vm = require('node:vm');
const { crc32 } = require('node:zlib');

/** Programs and threads of their own, the program itself last, and what loads them all. */
const APART = ['inventory-child.cjs', 'config-thread.cjs', 'history-thread.cjs', 'main.cjs', 'load.cjs'];

const dist = resolve(process.argv[2]);
const made = new Map();
const { Script } = vm;
vm.Script = class extends Script {
  constructor(source, { filename }) {
    // Without its folder, so that the same bundle gives the same bytes anywhere; a copy, since V8 would write the whole path of which this is a part.
    super(source, { filename: Buffer.from(basename(filename)).toString('latin1') });
    made.set(filename, this);
  }
};
const { load } = require(join(dist, 'load.cjs'));
for (const file of readdirSync(dist).sort()) {
  if (file.endsWith('.cjs') && !APART.includes(file)) load(`./${file}`);
}
// And a command that reads a configuration as the daemon's start does; what it prints is thrown away by whoever started this.
process.argv = [process.execPath, 'faultline', 'config', 'check', '--config', resolve(process.argv[3])];
process.on('exit', () => {
  for (const [file, script] of made) {
    const code = script.createCachedData();
    const sum = Buffer.alloc(4);
    sum.writeUInt32LE(crc32(code));
    writeFileSync(`${file}.code`, Buffer.concat([code, sum]));
  }
});
load('./main.cjs');
