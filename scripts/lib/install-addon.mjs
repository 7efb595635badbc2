// Run by `npm install`: takes the shipped addon or an up-to-date build, else builds it with cmake-js, and says which.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const built = join(root, 'build', 'Release', 'faultline.node');

/** Newest modification time under a path, folders included. */
function newest(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

/** Null when the addon at this path loads, else why not. */
function refusal(path) {
  try {
    createRequire(import.meta.url)(path);
    return null;
  } catch (error) {
    return error.message.split('\n')[0];
  }
}

function missingTools() {
  const tools = [
    ['a C++20 compiler (g++ 12 or clang 15)', [process.env.CXX, 'c++', 'g++', 'clang++']],
    ['cmake 3.22 or newer', ['cmake']],
    ['make or ninja', ['ninja', 'make']],
  ];
  const present = (name) => name && spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0;
  return tools.filter(([, names]) => !names.some(present)).map(([label]) => label);
}

function fail(text) {
  console.error(text);
  process.exit(1);
}

function main() {
  const prebuilt = join(root, 'lib', 'faultline.node');
  if (existsSync(prebuilt) && refusal(prebuilt) === null)
    return console.log(`faultline: uses the shipped addon ${prebuilt}`);

  const sources = [
    'CMakeLists.txt',
    'native/sources.json',
    'native/core',
    'native/addon',
    'native/vendor',
    'native/flight_recorder',
    'native/fake',
    'native/portable',
  ];
  const fresh =
    existsSync(built) && statSync(built).mtimeMs >= Math.max(...sources.map((path) => newest(join(root, path))));
  if (fresh && refusal(built) === null) return console.log(`faultline: the addon ${built} is up to date`);

  console.log('faultline: builds the native addon (npm run build:native)');
  const missing = missingTools();
  if (missing.length > 0) {
    fail(
      `FL1002 the native addon was not built: ${missing.join(', ')} not found on this host. ` +
        'Install it (Debian, Ubuntu: apt-get install g++ cmake make), then run: npm run build:native',
    );
  }
  let cmakeJs;
  try {
    cmakeJs = createRequire(import.meta.url).resolve('cmake-js/bin/cmake-js');
  } catch {
    fail(
      'FL1002 the native addon was not built: cmake-js is not installed. Run npm install with development dependencies (no --omit=dev), or use a release that ships lib/faultline.node',
    );
  }
  const run = spawnSync(process.execPath, [cmakeJs, 'compile'], { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 });
  if (run.status !== 0) {
    process.stderr.write(`${run.stdout ?? ''}${run.stderr ?? ''}`);
    fail(
      'FL1002 the native addon was not built: the compiler or CMake failed, its output is above. Fix that, then run: npm run build:native',
    );
  }
  const reason = refusal(built);
  if (reason !== null) fail(`FL1002 the native addon was built but does not load: ${reason}`);
  return console.log(`faultline: built ${built}`);
}

main();
