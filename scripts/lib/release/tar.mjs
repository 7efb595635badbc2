// Writes tar archives whose bytes depend on what is in them alone: sorted, without names of users, one time for all (POSIX ustar).

import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

const BLOCK = 512;

/**
 * @typedef {{ path: string, mode: number, uid?: number, gid?: number, data?: Buffer, link?: string }} Entry
 * A folder has neither data nor link. Paths are relative, without "./" and a last "/".
 */

/** @param {Entry[]} entries @param {number} seconds since 1970, of every entry */
export function tar(entries, seconds) {
  const sorted = entries.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const parts = sorted.flatMap((entry) => {
    const data = entry.data ?? Buffer.alloc(0);
    return [header(entry, data.length, seconds), data, Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function header({ path, mode, uid = 0, gid = 0, data, link }, size, seconds) {
  const type = link !== undefined ? '2' : data === undefined ? '5' : '0';
  const [prefix, name] = split(type === '5' ? `${path}/` : path);
  if (Buffer.byteLength(link ?? '') > 100) throw new Error(`${path}: its link is too long for tar: ${link}`);
  const block = Buffer.alloc(BLOCK);
  const octal = (number, width) => `${number.toString(8).padStart(width - 1, '0')}\0`;
  block.write(name, 0);
  block.write(octal(mode, 8), 100);
  block.write(octal(uid, 8), 108);
  block.write(octal(gid, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(seconds, 12), 136);
  block.write(' '.repeat(8), 148);
  block.write(type, 156);
  block.write(link ?? '', 157);
  block.write('ustar\x0000', 257, 'latin1');
  block.write(octal(0, 8), 329);
  block.write(octal(0, 8), 337);
  block.write(prefix, 345);
  const sum = block.reduce((all, byte) => all + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** A path of more than 100 bytes goes into two fields, parted at a "/". */
function split(path) {
  if (Buffer.byteLength(path) <= 100) return ['', path];
  for (let at = path.indexOf('/'); at >= 0 && at < path.length - 1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(name) <= 100 && Buffer.byteLength(prefix) <= 155) return [prefix, name];
  }
  throw new Error(`${path} is too long for tar`);
}

/**
 * All below `from`, which may be a file, under the name `to`. Executable is what its owner may execute.
 * @returns {Entry[]}
 */
export function tree(from, to) {
  const stat = lstatSync(from);
  const mode = stat.mode & 0o100 ? 0o755 : 0o644;
  if (stat.isSymbolicLink()) return [{ path: to, mode: 0o777, link: readlinkSync(from) }];
  if (stat.isFile()) return [{ path: to, mode, data: readFileSync(from) }];
  const own = to === '' ? [] : [{ path: to, mode: 0o755 }];
  return [...own, ...readdirSync(from).flatMap((name) => tree(join(from, name), to === '' ? name : `${to}/${name}`))];
}
