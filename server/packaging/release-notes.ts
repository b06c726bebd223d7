// `npm run release:notes -- VERSION`: prints the section of CHANGELOG.md for a version, which becomes the text of the
// release.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Null if the version has no section, or an empty one. */
export function findNotes(changelog: string, version: string): string | null {
  const [, ...sections] = changelog.split(/^## /m)
  const section = sections.find(text => text.startsWith(`[${version}]`))
  const notes = section?.split('\n').slice(1).join('\n').trim()
  return notes === undefined || notes === '' ? null : notes
}

if (import.meta.main) {
  const version = process.argv[2] ?? ''
  const notes = findNotes(readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8'), version)
  if (notes === null) {
    process.stderr.write(`CHANGELOG.md has no section [${version}]: rename [Unreleased] to it, with its date.\n`)
    process.exitCode = 1
  } else {
    process.stdout.write(`${notes}\n`)
  }
}
