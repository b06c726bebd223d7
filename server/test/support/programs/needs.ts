// The servers and programs that tests need in addition to npm's packages, one row each: how to find it, and which test
// files use it.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findPostgres } from '../postgres.ts'
import { findRedis } from '../redis.ts'
import { findBind } from '../simulated/name-server.ts'
import { claudeCodeProgram, codexProgram, findClaudeCode, findCodex } from './agents.ts'
import { findBinary } from './find-binary.ts'
import { findBrowser } from './find-browser.ts'
import type { NpmProgram } from './npm-program.ts'
import { bunProgram, denoProgram, findBun, findDeno, findNode20, node20Program } from './runtimes.ts'
import { findStrace } from './strace.ts'

export interface Need {
  name: string
  /** Debian's packages, without a service if possible. */
  packages: string[]
  /** Preferred to Debian's packages, because it needs no root. */
  npmProgram?: NpmProgram | null
  find: () => string | null
  /** Matches the source of a test file (or of a file that it imports) that uses this. */
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
    usedBy: /\bstartBind\(|\bfindBinary\('tsig-keygen'\)/,
  },
  {
    name: 'strace',
    packages: ['strace'],
    find: findStrace,
    usedBy: /\bfindStrace\(/,
  },
  {
    name: 'a C compiler',
    packages: ['gcc', 'libc6-dev'],
    find: () => findBinary('cc', 'gcc'),
    usedBy: /\bcompileOpenLoad\(/,
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
    npmProgram: node20Program,
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
    name: 'Go',
    packages: ['golang-go'],
    find: () => findBinary('go'),
    usedBy: /\bfindBinary\('go'\)/,
  },
  {
    name: 'PHP',
    packages: ['php-cli'],
    find: () => findBinary('php'),
    usedBy: /\bfindBinary\('php'\)/,
  },
  {
    name: 'Ruby',
    packages: ['ruby'],
    find: () => findBinary('ruby'),
    usedBy: /\bfindBinary\('ruby'\)/,
  },
  {
    name: 'Bun',
    packages: [],
    npmProgram: bunProgram,
    find: findBun,
    usedBy: /\bfindBun\(/,
  },
  {
    name: 'Deno',
    packages: [],
    npmProgram: denoProgram,
    find: findDeno,
    usedBy: /\bfindDeno\(/,
  },
  {
    name: 'Claude Code',
    packages: [],
    npmProgram: claudeCodeProgram,
    find: findClaudeCode,
    usedBy: /\bfindClaudeCode\(/,
  },
  {
    name: 'Codex',
    packages: [],
    npmProgram: codexProgram,
    find: findCodex,
    usedBy: /\bfindCodex\(/,
  },
]

/** Whether there is a package for this platform. If there is none, CI may skip the tests too. */
export function isInstallable({ packages, npmProgram }: Need): boolean {
  return packages.length > 0 || (npmProgram ?? null) !== null
}

/** The test files that use the need, directly or through their imports. */
export function filesThatNeed(need: Need, testFiles: string[]): string[] {
  return testFiles.filter(file => [...withImports(file)].some(path => need.usedBy.test(readFileSync(path, 'utf8'))))
}

/**
 * The file and its relative imports in test folders, recursively. Skips the support folder, which mentions all needs.
 */
function withImports(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || !existsSync(file)) return seen
  seen.add(file)
  for (const [, target] of readFileSync(file, 'utf8').matchAll(/from '(\.[^']+\.ts)'/g)) {
    const path = join(dirname(file), target ?? '')
    if (path.includes('/test/') && !path.includes('/test/support/')) withImports(path, seen)
  }
  return seen
}
