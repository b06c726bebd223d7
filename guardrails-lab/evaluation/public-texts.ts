// Reads harmless texts of this machine and cuts them into messages: this repository's TypeScript, the packages of its
// lockfile, Debian's documents and libraries. A third of the packages is held out: do not look at their hits when you
// write rules.

import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { gunzipSync } from 'node:zlib'

export const publicParts = ['repository', 'packages', 'documents', 'libraries'] as const
export type PublicPart = (typeof publicParts)[number] | 'mails'

export interface PublicMessage {
  part: PublicPart
  /** The package or the folder of the repository that the text comes from. */
  owner: string
  isHeldOut: boolean
  text: string
}

interface Owner {
  name: string
  paths: string[]
}

const checkout = join(import.meta.dirname, '../..')
const maxMessageBytes = 4096
/** Longer lines are cut; a character takes at most three bytes. */
const maxLineLength = 1024
const maxFileBytes = 1 << 20
/** Without this maximum, a few large packages would be most of the list. */
const maxOwnerBytes = 256 * 1024

export const ownFolders = ['server', 'sdk', 'react', 'dashboard', 'bench']
/** Files that contain attacks on purpose. */
const attackFiles = [
  'dashboard/src/screens/guardrails/names',
  'dashboard/src/screens/guardrails/try-box',
  'dashboard/test/screens/guardrail',
  'dashboard/test/screens/prompts/try-prompts',
  'dashboard/test/screens/requests',
  'dashboard/screenshots/traffic.ts',
  'server/src/demo/steps.ts',
  'server/src/guardrails/sentinel/',
  'server/test/docs/readme',
  'server/test/guardrails/sentinel/',
  'server/test/inference/guard/',
  'server/test/inference/prompts/prompts',
  'server/test/inference/prompts/split-roles',
  'server/test/management/projects/guardrail-report',
  'server/test/management/projects/try-guardrails',
  'server/test/surfaces/embeddings/embeddings',
  'server/test/surfaces/messages/guard',
]
const documentRoots = ['/usr/share/doc', '/usr/share/common-licenses']
const libraryRoots = ['/usr/share/perl5', '/usr/lib/python3/dist-packages']
/** Each version has a folder with its libraries below these. */
const versionedRoots = [
  { root: '/usr/share/perl', version: /^\d/ },
  { root: '/usr/lib', version: /^python3\./ },
]
const skippedFolders = new Set(['node_modules', '__pycache__'])
/** Source maps repeat the sources. */
const skippedExtensions = new Set(['.map'])

/**
 * Messages of at most 4 KB, without duplicates, the same on each run. None for a part that this machine lacks. `code`: the
 * folder with this repository's files.
 */
export function* readPublicMessages(
  parts: readonly PublicPart[] = publicParts,
  code = checkout,
): Generator<PublicMessage> {
  const given = new Set<string>()
  for (const part of parts) {
    for (const { name, paths } of ownersOf(part, code)) {
      const isHeldOut = digest(name).charCodeAt(0) % 3 === 0
      let bytes = 0
      for (const text of messagesOf(paths, part === 'repository' ? code : checkout)) {
        if (given.has(text)) continue
        given.add(text)
        bytes += Buffer.byteLength(text)
        if (bytes > maxOwnerBytes) break
        yield { part, owner: name, isHeldOut, text }
      }
    }
  }
}

function ownersOf(part: PublicPart, code: string): Owner[] {
  if (part === 'repository') return listOwnFolders(code)
  if (part === 'packages') return listLockedPackages()
  if (part === 'documents') return documentRoots.flatMap(listEntries)
  const versions = versionedRoots.flatMap(({ root, version }) =>
    listNames(root)
      .filter(name => version.test(name))
      .map(name => join(root, name)),
  )
  return [...libraryRoots, ...versions].flatMap(listEntries)
}

function listOwnFolders(code: string): Owner[] {
  const paths = ownFolders.flatMap(folder => listFiles(join(code, folder)))
  const isWanted = (path: string) =>
    /\.tsx?$/.test(path) && !attackFiles.some(start => relative(code, path).startsWith(start))
  const byFolder = Map.groupBy(paths.filter(isWanted), path => relative(code, join(path, '..')))
  return [...byFolder].map(([name, files]) => ({ name, paths: files }))
}

interface LockedPackage {
  link?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
}

/** The packages that every checkout installs, on any operating system and processor. */
function listLockedPackages(): Owner[] {
  const lockfile = readFileSync(join(checkout, 'package-lock.json'), 'utf8')
  const { packages }: { packages: Record<string, LockedPackage> } = JSON.parse(lockfile)
  return Object.entries(packages)
    .filter(
      ([path, { link, optional, os, cpu }]) => path.startsWith('node_modules/') && !(link || optional || os || cpu),
    )
    .map(([name]) => ({ name, paths: listFiles(join(checkout, name)) }))
}

function listEntries(root: string): Owner[] {
  return listNames(root).map(name => ({ name: join(root, name), paths: listFiles(join(root, name)) }))
}

function listNames(root: string): string[] {
  if (statSync(root, { throwIfNoEntry: false }) === undefined) return []
  const entries = readdirSync(root, { withFileTypes: true }).filter(entry => !entry.isSymbolicLink())
  return entries.map(entry => entry.name).sort()
}

function listFiles(path: string): string[] {
  const status = statSync(path, { throwIfNoEntry: false })
  if (status?.isFile()) return status.size <= maxFileBytes && !skippedExtensions.has(extname(path)) ? [path] : []
  if (!status?.isDirectory()) return []
  return readdirSync(path, { withFileTypes: true })
    .filter(entry => !skippedFolders.has(entry.name) && !entry.isSymbolicLink())
    .flatMap(entry => listFiles(join(path, entry.name)))
}

function* messagesOf(paths: readonly string[], root: string): Generator<string> {
  // Ordered by digest, so that the maximum takes files from all folders of a large package.
  const keyed = paths.map(path => [digest(relative(root, path)), path] as const)
  for (const [, path] of keyed.sort(([a], [b]) => (a < b ? -1 : 1))) yield* cutIntoMessages(readText(path))
}

const digest = (text: string) => hash('sha256', text)

/** Empty if the file is not text. */
function readText(path: string): string {
  const bytes = readFileSync(path)
  const content = extname(path) === '.gz' ? gunzipSync(bytes) : bytes
  return isUtf8(content) && !content.includes(0) ? content.toString('utf8') : ''
}

const linePiece = new RegExp(`[^\\n]{0,${maxLineLength - 1}}(?:\\n|[^\\n]|$)`, 'g')

/** Cuts between lines. */
export function* cutIntoMessages(text: string): Generator<string> {
  let message = ''
  let bytes = 0
  for (const [piece] of text.matchAll(linePiece)) {
    const size = Buffer.byteLength(piece)
    if (bytes + size > maxMessageBytes) {
      yield message
      message = ''
      bytes = 0
    }
    message += piece
    bytes += size
  }
  if (message.trim() !== '') yield message
}
