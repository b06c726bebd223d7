// Tests the installation of packages with the real apt-get on a package system of the test.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type AptRoot, makeAptRoot } from './apt-root.ts'
import { findBinary } from './find-binary.ts'
import { findObstacle } from './install.ts'
import { installMissing, selectFiles } from './install-missing.ts'
import type { Need } from './needs.ts'

const folder = mkdtempSync(join(tmpdir(), 'sallyport-install-test-'))
afterAll(() => rmSync(folder, { recursive: true }))
const testFile = join(folder, 'some.test.ts')
writeFileSync(testFile, "use('tool')")

describe('where installing is possible', () => {
  const programs = (names: Record<string, string>) => (name: string) => names[name] ?? null

  test('without apt-get it is not', () => {
    expect(findObstacle({ uid: 0, find: () => null })).toBe('this system has no apt-get')
  })

  test('root may, others need a sudo that asks nothing', () => {
    const sudo = join(folder, 'sudo')
    const find = programs({ 'apt-get': '/usr/bin/apt-get', sudo })
    expect(findObstacle({ uid: 0, find: programs({ 'apt-get': '/usr/bin/apt-get' }) })).toBeNull()
    expect(findObstacle({ uid: 1000, find: programs({ 'apt-get': '/usr/bin/apt-get' }) })).toMatch(/there is no sudo/)
    writeFileSync(sudo, '#!/bin/sh\n[ "$*" = "-n true" ] && exit 1\nexit 0\n')
    chmodSync(sudo, 0o755)
    expect(findObstacle({ uid: 1000, find })).toMatch(/sudo asks for a password/)
    writeFileSync(sudo, '#!/bin/sh\n[ "$*" = "-n true" ]\n')
    expect(findObstacle({ uid: 1000, find })).toBeNull()
  })
})

test('a command line chooses the test files by words, an option chooses all', () => {
  const files = ['server/test/kv/store.test.ts', 'server/test/clients/langchain.test.ts']
  expect(selectFiles(files, [])).toEqual(files)
  expect(selectFiles(files, ['test/kv'])).toEqual([files[0]])
  expect(selectFiles(files, ['kv/', resolve(files[1] ?? '')])).toEqual(files)
  expect(selectFiles(files, ['-t', 'a name'])).toEqual(files)
})

const isRootWithApt = process.getuid?.() === 0 && findBinary('apt-get') !== null

describe.skipIf(!isRootWithApt)('installing with apt-get', () => {
  const [lib, newLib] = [
    { name: 'lib', version: '1.0' },
    { name: 'lib', version: '2.0' },
  ]
  const offered = [
    { name: 'tool', version: '1.0', fields: ['Recommends: extra', 'Depends: part'] },
    { name: 'part', version: '1.0' },
    { name: 'extra', version: '1.0' },
    newLib,
    { name: 'greedy', version: '1.0', fields: ['Depends: lib (>= 2.0)'] },
    { name: 'rude', version: '1.0', fields: ['Conflicts: lib'] },
  ]
  let apt: AptRoot
  let reported: { line: string; isInstalled: boolean }[]
  beforeEach(() => {
    apt = makeAptRoot(offered, [lib])
    reported = []
    vi.stubEnv('APT_CONFIG', apt.configPath)
    onTestFinished(() => {
      vi.unstubAllEnvs()
      apt.remove()
    })
  })

  const makeNeed = (program: string, packages: string[] = [program], usedBy = /use\('tool'\)/): Need => {
    return { name: `The ${program}`, packages, find: () => apt.find(program), usedBy }
  }
  /** Returns the names of needs that are still missing afterwards. */
  const installAll = (...table: Need[]) =>
    installMissing([testFile], line => void reported.push({ line, isInstalled: apt.find('tool') !== null }), table).map(
      ({ need }) => need.name,
    )
  const lines = () => reported.map(({ line }) => line)

  test('reports what and why, then installs that and what it depends on, nothing else', () => {
    expect(installAll(makeNeed('tool'))).toEqual([])
    expect(lines()).toEqual([
      'Not installed: The tool.',
      "Fetching apt-get's lists of packages.",
      'Installing The tool for 1 test file: 2 new packages',
      expect.stringMatching(/^ {2}(part, tool|tool, part)$/),
      '  Nothing is upgraded or removed, and no service is started.',
    ])
    expect(reported.every(({ isInstalled }) => !isInstalled)).toBe(true)
    expect([apt.find('part'), apt.find('extra')]).toEqual([expect.any(String), null])
  })

  test('upgrades nothing: not what is named, not what a package would depend on', () => {
    expect(installAll(makeNeed('tool', ['tool', 'lib']), makeNeed('greedy'))).toEqual(['The greedy'])
    expect(lines()).toContain('Not installing The greedy (greedy): it would upgrade lib.')
    expect(apt.installedVersion('lib')).toBe('1.0')
  })

  test('removes nothing', () => {
    expect(installAll(makeNeed('rude'))).toEqual(['The rude'])
    expect(lines().at(-1)).toMatch(/^Not installing The rude \(rude\): .*removed/)
    expect(apt.installedVersion('lib')).toBe('1.0')
  })

  test('a package that apt-get does not know does not keep the others from being installed', () => {
    expect(installAll(makeNeed('unknown'), makeNeed('tool'))).toEqual(['The unknown'])
    expect(lines()).toContain('Not installing The unknown (unknown): Unable to locate package unknown.')
    expect(apt.find('tool')).not.toBeNull()
  })

  test('what is installed but does not work is missing, and is not installed again', () => {
    const broken: Need = { ...makeNeed('lib'), find: () => null }
    expect(installAll(broken)).toEqual(['The lib'])
    expect(lines().at(-1)).toBe('The lib (lib) is installed but does not work here.')
  })

  test('what Debian does not have is reported, and apt-get is left alone', () => {
    expect(installAll({ ...makeNeed('bun'), packages: [] })).toEqual(['The bun'])
    expect(lines()).toEqual(['Not installed: The bun.'])
  })

  test('what no chosen file needs, and what is there, is left alone', () => {
    expect(installAll(makeNeed('lib'), makeNeed('tool', ['tool'], /use\('another'\)/))).toEqual([])
    expect(lines()).toEqual([])
    expect(apt.find('tool')).toBeNull()
  })
})
