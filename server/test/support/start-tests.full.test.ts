// Tests the start of the test command if a library that Node is linked against is missing. Another program with such a
// missing library takes Node's place; the loader and apt-get are real.
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type AptPackage, makeAptRoot } from './programs/apt-root.ts'
import { findBinary } from './programs/find-binary.ts'

const program = findBinary('true') ?? ''
const libraryPath = findLibrary()
const isPossible = process.getuid?.() === 0 && findBinary('apt-get') !== null && libraryPath !== null

/** The path of the C library that the program is linked against. */
function findLibrary(): string | null {
  const ldd = findBinary('ldd')
  if (ldd === null) return null
  return /libc\.so\.6 => (\S+)/.exec(spawnSync(ldd, [program], { encoding: 'utf8' }).stdout)?.[1] ?? null
}

/** A checkout with the script and with this program as the Node among its packages. */
function makeCheckout(node: string): { folder: string; script: string } {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-start-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const script = join(folder, 'server/test/run.sh')
  const packaged = join(folder, 'node_modules/node-this-machine/bin')
  for (const path of [join(folder, 'server/test'), packaged]) mkdirSync(path, { recursive: true })
  copyFileSync(join(import.meta.dirname, '../run.sh'), script)
  writeFileSync(join(packaged, 'node'), node, { encoding: 'latin1', mode: 0o755 })
  return { folder, script }
}

/** Starts the tests with a Node that needs libz.so.6. No system has that library; the package libz6 installs it. */
function startWith(offered: AptPackage[]) {
  const linked = readFileSync(program, 'latin1').replaceAll('libc.so.6\0', 'libz.so.6\0')
  const { folder, script } = makeCheckout(linked)
  const apt = makeAptRoot(offered, [])
  onTestFinished(() => apt.remove())
  mkdirSync(join(folder, 'lib'))
  symlinkSync(join(apt.root, 'opt/libz6'), join(folder, 'lib/libz.so.6'))
  const env = {
    PATH: process.env.PATH,
    LD_LIBRARY_PATH: join(folder, 'lib'),
    APT_CONFIG: apt.configPath,
  }
  return { apt, ...spawnSync('sh', [script, 'a-word'], { env, encoding: 'utf8' }) }
}

describe.skipIf(!isPossible)('a Node that lacks a system library', () => {
  test('gets it by its package, and this is reported before', () => {
    const { apt, status, stdout } = startWith([
      { name: 'libz6', version: '1.0', content: readFileSync(libraryPath ?? '') },
    ])
    expect(stdout).toBe('Node does not start without libz.so.6. Installing libz6; nothing is upgraded or removed.\n')
    expect(status).toBe(0)
    expect(apt.installedVersion('libz6')).toBe('1.0')
  })

  test('is reported with the command to install it where that does not work', () => {
    const { status, stdout } = startWith([])
    expect(stdout.trim().split('\n').at(-1)).toBe(
      'Node does not start without libz.so.6. Install it, on Debian: apt-get install libz6',
    )
    expect(status).toBe(1)
  })
})

test('a Node that starts is given the words of the command line', () => {
  const { script } = makeCheckout('#!/bin/sh\necho "$@"\n')
  const printed = execFileSync('sh', [script, '--prove', 'a path'], { encoding: 'utf8' })
  expect(printed.trim()).toBe(`${join(script, '../run.ts')} --prove a path`)
})

test('installs what the chosen files need, and runs none of them', () => {
  const script = join(import.meta.dirname, '../run.sh')
  const file = 'server/test/support/runner/speeds.test.ts'
  const { status, stdout } = spawnSync('sh', [script, '--install', file], { encoding: 'utf8' })
  expect(stdout).not.toContain('passed')
  expect(status).toBe(0)
})
