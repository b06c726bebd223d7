// What the tests need beyond npm: each row is one server or program, how to find it, and which test files use it.
// A new need is one row here; knows nothing of how things are installed.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findBinary } from './find-binary.ts'
import { findBrowser } from './find-browser.ts'
import { findNode20 } from './find-node-20.ts'
import { findBind } from './name-server.ts'
import { findPostgres } from './postgres.ts'
import { findRedis } from './redis.ts'
import { findStrace } from './strace.ts'

export interface Need {
  name: string
  /** Debian's packages; where one exists without a service, that one. Without any, CI may skip it, too. */
  packages: string[]
  find: () => string | null
  /** What a test file (or a file it imports) says when it uses this. */
  usedBy: RegExp
}

export const needs: Need[] = [
  {
    name: 'PostgreSQL',
    packages: ['postgresql'],
    find: findPostgres,
    usedBy: /inject\('postgresUrl'\)|\b(startPostgres|describeEachBackend|startManagement)\(/,
  },
  {
    name: 'Redis',
    packages: ['redis-tools'],
    find: findRedis,
    usedBy: /inject\('redisUrl'\)|\b(startRedis|describeEachBackend|startManagement)\(/,
  },
  {
    name: 'BIND',
    packages: ['bind9'],
    find: findBind,
    usedBy: /\bstartBind\(/,
  },
  {
    name: 'strace',
    packages: ['strace'],
    find: findStrace,
    usedBy: /\bfindStrace\(/,
  },
  {
    name: 'curl',
    packages: ['curl'],
    find: () => findBinary('curl'),
    usedBy: /\bfindBinary\('curl'\)/,
  },
  {
    name: 'Chromium',
    packages: ['chromium'],
    find: () => findBrowser('chromium'),
    usedBy: /[bB]rowser\('chromium'/,
  },
  {
    name: 'Firefox',
    packages: ['firefox-esr'],
    find: () => findBrowser('firefox'),
    usedBy: /[bB]rowser\('firefox'/,
  },
  {
    name: 'Node 20',
    packages: ['nodejs'],
    find: findNode20,
    usedBy: /\bfindNode20\(/,
  },
  {
    name: 'Python',
    packages: ['python3'],
    find: () => findBinary('python3'),
    usedBy: /\bfindBinary\('python3'\)/,
  },
  {
    name: 'Bun',
    packages: [],
    find: () => findBinary('bun'),
    usedBy: /\bfindBinary\('bun'\)/,
  },
]

/** Which of the test files use the need, by themselves or through what they import. */
export function filesThatNeed(need: Need, testFiles: string[]): string[] {
  return testFiles.filter(file => [...withImports(file)].some(path => need.usedBy.test(readFileSync(path, 'utf8'))))
}

/** The file and all it reaches by relative imports inside a test folder, but for the support folder, which mentions everything. */
function withImports(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || !existsSync(file)) return seen
  seen.add(file)
  for (const [, target] of readFileSync(file, 'utf8').matchAll(/from '(\.[^']+\.ts)'/g)) {
    const path = join(dirname(file), target ?? '')
    if (path.includes('/test/') && !path.includes('/test/support/')) withImports(path, seen)
  }
  return seen
}
