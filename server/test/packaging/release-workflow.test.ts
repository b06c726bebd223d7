// The release workflow, as far as it can be checked without running it: it calls what exists, publishes only what was
// tested, with provenance, and has no more rights than each job needs.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { findNotes } from '../../packaging/release-notes.ts'

const checkout = join(import.meta.dirname, '../../..')
const text = readFileSync(join(checkout, '.github/workflows/release.yml'), 'utf8')
const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

interface Step {
  run?: string
  uses?: string
  with?: Record<string, unknown>
}
interface Job {
  needs?: string | string[]
  permissions?: Record<string, string>
  environment?: string
  steps: Step[]
  'timeout-minutes'?: number
}
const workflow = parse(text) as {
  on: object
  permissions: Record<string, string>
  concurrency: object
  jobs: Record<string, Job>
}
const jobs = Object.entries(workflow.jobs)
const runs = jobs.flatMap(([name, { steps }]) => steps.flatMap(({ run }) => (run === undefined ? [] : [{ name, run }])))
const linesWith = (word: string) => runs.flatMap(({ run }) => run.split('\n')).filter(line => line.includes(word))

describe('the release workflow', () => {
  test('runs for version tags alone, one at a time', () => {
    expect(workflow.on).toEqual({ push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } })
    expect(workflow.concurrency).toEqual({ group: 'release', 'cancel-in-progress': false })
  })

  test('calls scripts and files that exist', () => {
    const called = runs.flatMap(({ run }) =>
      [...run.matchAll(/npm run (?:--silent )?([a-z:]+)/g)].map(([, name]) => name),
    )
    expect(called).toEqual(['pack', 'sbom', 'release:notes'])
    for (const name of called) expect(scripts).toHaveProperty([name ?? ''])
    expect(runs.map(({ run }) => run)).toContain('.ci/run')
    const paths = runs.flatMap(({ run }) => run.match(/(?<![\w/])(?:\.ci|deploy|server|docs)\/[\w./-]+/g) ?? [])
    expect(paths).toContain('deploy/helm/sallyport')
    for (const path of paths) expect([path, existsSync(join(checkout, path))]).toEqual([path, true])
  })

  test('has shell scripts that parse, with no expression in them that a tag or a branch could fill', () => {
    for (const { run } of runs) {
      expect(spawnSync('bash', ['-n'], { input: run, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
      expect(run).not.toContain('${{')
    }
  })

  test('publishes nothing before the tests have passed', () => {
    const needsOf = (name: string): string[] => {
      const direct = [workflow.jobs[name]?.needs ?? []].flat()
      return [...direct, ...direct.flatMap(needsOf)]
    }
    for (const [name] of jobs)
      if (name !== 'test') expect([name, needsOf(name)]).toEqual([name, expect.arrayContaining(['test'])])
    expect(needsOf('announce')).toEqual(expect.arrayContaining(['npm', 'image', 'attest']))
  })

  test('publishes with provenance: packages, image and files', () => {
    expect(linesWith('npm publish')).toEqual([expect.stringContaining(' --provenance ')])
    const steps = jobs.flatMap(([name, job]) => job.steps.map(step => ({ name, step })))
    const pushes = steps.filter(({ step }) => step.uses?.startsWith('docker/build-push-action@'))
    expect(pushes.map(({ step }) => step.with)).toEqual([
      expect.objectContaining({ push: true, provenance: 'mode=max', sbom: true }),
    ])
    const attested = steps.filter(({ step }) => step.uses?.startsWith('actions/attest-build-provenance@'))
    expect(attested.map(({ name }) => name)).toEqual(['attest', 'image'])
    for (const name of ['attest', 'npm', 'image'])
      expect(workflow.jobs[name]?.permissions).toMatchObject({ 'id-token': 'write' })
  })

  test('gives each job the rights that it needs', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' })
    const written = jobs.map(([name, { permissions = {} }]) => [
      name,
      Object.keys(permissions).filter(right => permissions[right] === 'write'),
    ])
    expect(Object.fromEntries(written)).toEqual({
      test: [],
      pack: [],
      attest: ['id-token', 'attestations'],
      npm: ['id-token'],
      image: ['packages', 'id-token', 'attestations'],
      announce: ['contents'],
    })
    // npm trusts the workflow itself: a token that lasts could be stolen.
    expect([...new Set(text.match(/secrets\.\w+/g))]).toEqual(['secrets.GITHUB_TOKEN'])
    expect(text).not.toMatch(/_authToken|NODE_AUTH_TOKEN/)
    expect(jobs.filter(([, { environment }]) => environment === 'release').map(([name]) => name)).toEqual([
      'npm',
      'image',
    ])
    for (const [, job] of jobs) expect(job['timeout-minutes']).toBeGreaterThan(0)
    const checkouts = jobs.flatMap(([, { steps }]) => steps.filter(({ uses }) => uses?.startsWith('actions/checkout@')))
    for (const step of checkouts) expect(step.with).toEqual({ 'persist-credentials': false })
  })

  test('runs no code of packages where it may sign or publish', () => {
    const trusted = jobs.filter(([, { permissions = {} }]) => permissions['id-token'] === 'write')
    const itsRuns = trusted.flatMap(([, { steps }]) => steps.flatMap(({ run }) => run ?? []))
    expect(itsRuns.length).toBeGreaterThan(1)
    for (const run of itsRuns) expect(run).not.toMatch(/npm (ci|install|run|exec|pack)|npx/)
  })
})

test('every workflow names its actions by the hash of a commit, and the version behind it', () => {
  const folder = join(checkout, '.github/workflows')
  const lines = globSync('*.y{a,}ml', { cwd: folder }).flatMap(file =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .filter(line => /^[\s-]*uses:/.test(line)),
  )
  expect(lines.length).toBeGreaterThan(10)
  for (const line of lines) expect(line).toMatch(/ uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})

describe('the release notes', () => {
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n## [1.1.0] - 2026-12-01\n\n### Added\n\n- b\n\n## [1.1.0-rc]\n\n- a\n'

  test('are the section of the version', () => {
    expect(findNotes(changelog, '1.1.0')).toBe('### Added\n\n- b')
    expect(findNotes(changelog, '1.1.0-rc')).toBe('- a')
    expect(findNotes(changelog, 'Unreleased')).toBeNull()
    expect(findNotes(changelog, '1.1')).toBeNull()
  })

  test('are printed by the script, which ends with an error for a version without a section', () => {
    const [, command = '', ...args] = (scripts['release:notes'] ?? '').split(' ')
    const print = (version: string) => execFileSync(command, [...args, version], { cwd: checkout, stdio: 'pipe' })
    expect(() => print('99.0.0')).toThrow(/CHANGELOG.md has no section \[99\.0\.0\]/)
  })
})
