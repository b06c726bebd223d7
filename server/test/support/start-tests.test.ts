// Tests the start of the test command if a library that Node is linked against is missing. Another program with such a
// missing library takes Node's place; the loader and apt-get are real.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type AptPackage, makeAptRoot } from './apt-root.ts'
import { findBinary } from './find-binary.ts'

const script = join(import.meta.dirname, '../run.sh')
const program = findBinary('true') ?? ''
const libraryPath = findLibrary()
const isPossible = process.getuid?.() === 0 && findBinary('apt-get') !== null && libraryPath !== null

/** The path of the C library that the program is linked against. */
function findLibrary(): string | null {
  const ldd = findBinary('ldd')
  if (ldd === null) return null
  return /libc\.so\.6 => (\S+)/.exec(spawnSync(ldd, [program], { encoding: 'utf8' }).stdout)?.[1] ?? null
}

/** Puts a `node` on the PATH that needs libz.so.6. No system has that library; the package libz6 installs it. */
function startWith(offered: AptPackage[]) {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-start-'))
  const apt = makeAptRoot(offered, [])
  onTestFinished(() => {
    apt.remove()
    rmSync(folder, { recursive: true })
  })
  for (const name of ['bin', 'lib']) mkdirSync(join(folder, name))
  const linked = readFileSync(program, 'latin1').replaceAll('libc.so.6\0', 'libz.so.6\0')
  writeFileSync(join(folder, 'bin/node'), linked, { encoding: 'latin1', mode: 0o755 })
  symlinkSync(join(apt.root, 'opt/libz6'), join(folder, 'lib/libz.so.6'))
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
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
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-start-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'node'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 })
  const env = { PATH: `${folder}:${process.env.PATH}` }
  const printed = execFileSync('sh', [script, '--prove', 'a path'], { env, encoding: 'utf8' })
  expect(printed.trim()).toBe(`${join(script, '../run.ts')} --prove a path`)
})
