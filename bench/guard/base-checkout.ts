// Checks the base of a comparison out into the cache of the bench. It has a build of its own and uses the packages of
// this checkout, which are above it.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

export interface Revisions {
  /** The commit to compare with. */
  base: string
  /** The commit that the working tree is at. */
  head: string
  /** The working tree has changes that are not committed. */
  isChanged: boolean
}

/** By default the base is where this branch left the trunk. */
export function findRevisions(asked: string | undefined): Revisions {
  const head = git('rev-parse', 'HEAD')
  const isChanged = git('status', '--porcelain', '--', '.', ':!bench/results') !== ''
  const base = asked === undefined ? git('merge-base', 'HEAD', findTrunk()) : git('rev-parse', `${asked}^{commit}`)
  if (asked === undefined && base === head && !isChanged) {
    throw new Error('the working tree is the trunk itself: name the base to compare it with, --base=REVISION')
  }
  return { base, head, isChanged }
}

/** Returns the folder of the checkout; an earlier one is replaced. */
export function checkOut(revision: string): string {
  const folder = join(root, 'bench/.cache/base')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const archive = execFileSync('git', ['archive', '--format=tar', revision], { cwd: root, maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  return folder
}

/** The main branch of the repository that this one was cloned from; without one, the local main branch. */
function findTrunk(): string {
  return git('for-each-ref', '--format=%(refname:short)', 'refs/remotes/origin/main') || 'main'
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}
