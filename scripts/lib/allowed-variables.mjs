// Writes native/core/processes/allowed.h, the names that the reader of environments may hand over, from catalog/process-variables.json.
// usage: node scripts/lib/allowed-variables.mjs [--check]      (status 1 where the file is not what the catalogue says)

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const { rank, job, path, plain, libraries, devices } = JSON.parse(
  readFileSync(join(root, 'catalog/process-variables.json'), 'utf8'),
);
const names = [rank, job, path, plain].flatMap(Object.keys);
const parts = Object.keys(libraries);
const beginnings = Object.keys(devices);

// What a variable with one of these words holds is often a secret, whatever it is called otherwise.
const SECRET = /TOKEN|SECRET|PASS|CREDENTIAL|API_?KEY|PRIVATE|COOKIE|SESSION|AUTH/;
for (const name of names) {
  if (!/^[A-Z][A-Z0-9_]{1,47}$/.test(name)) throw new Error(`${name}: a name has at most 48 capitals, digits and _`);
  if (SECRET.test(name)) throw new Error(`${name}: may name a secret, which must never be read`);
}
if (new Set(names).size !== names.length) throw new Error('a name is there twice');
for (const part of parts) if (!/^[\w/.-]{4,48}$/.test(part)) throw new Error(`${part}: not a plain part of a path`);
for (const one of beginnings)
  if (!/^\/dev\/[\w/-]{4,40}$/.test(one)) throw new Error(`${one}: not a plain path of a device`);

// FNV-1a: reader and daemon of different builds must not take one name for another.
let sum = 0x811c9dc5;
for (const byte of Buffer.from([...names, '', ...parts, '', ...beginnings].join('\n')))
  sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;

const rows = (list) => list.map((each) => `    "${each}",`).join('\n');
const text = `// All that the reader of environments may hand over. Written by scripts/lib/allowed-variables.mjs: do not edit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace faultline::allowed {

inline constexpr std::uint32_t kSum = 0x${sum.toString(16)};
inline constexpr std::size_t kLongestName = ${Math.max(...names.map(({ length }) => length))};
inline constexpr std::string_view kNames[] = {
${rows(names)}
};
// Of these places among the names the values may have any characters, the others only plain ones.
inline constexpr std::size_t kFirstPath = ${Object.keys(rank).length + Object.keys(job).length};
inline constexpr std::size_t kPastPaths = ${Object.keys(rank).length + Object.keys(job).length + Object.keys(path).length};
inline constexpr std::size_t kLongestLibrary = ${Math.max(...parts.map(({ length }) => length))};
inline constexpr std::string_view kLibraries[] = {
${rows(parts)}
};
// What the paths of device files begin with.
inline constexpr std::string_view kDevices[] = {
${rows(beginnings)}
};

}  // namespace faultline::allowed
`;

const file = join(root, 'native/core/processes/allowed.h');
if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error(
    'native/core/processes/allowed.h is not what the catalogue says. Run: node scripts/lib/allowed-variables.mjs',
  );
  process.exitCode = 1;
}
