// The rules of the house as data and pure functions: each takes sources and returns what breaks it, one line a fault.
// Knows no file system; `tidy.test.ts` applies them to the checkout and to samples that break them.
import { basename } from 'node:path'
import type { Source } from './tidy-source.ts'

const maxFileLines = 300
const maxFunctionLines = 60

/** The floor of each folder of server/src; the files beside the folders are the top. Imports go to a lower floor only. */
const floors: Record<string, number> = {
  domain: 0,
  crypto: 1,
  http: 1,
  storage: 2,
  kv: 2,
  providers: 2,
  guardrails: 2,
  telemetry: 2,
  dns: 2,
  gateway: 3,
  inference: 3,
  management: 3,
  worker: 3,
  demo: 3,
}
const topFiles = [
  'main.ts',
  'app.ts',
  'config.ts',
  'generated-secrets.ts',
  'database-command.ts',
  'demo-command.ts',
  'print-config-table.ts',
]
/** A part of one of the first three is named after it, as `config-schema.ts`. */
const topPart = /^(main|app|config)-[a-z-]+\.ts$/
/** What everybody may import types from. */
const wireTypes = 'sdk/src/wire.ts'

const bannedNames = ['utils', 'util', 'helpers', 'helper', 'types', 'manager', 'service', 'common', 'core', 'shared']
const bannedEndings = /-(utils?|helpers?|manager|service)$/

export function tooLong(sources: Source[]): string[] {
  return sources.flatMap(({ path, lineCount, functions }) => [
    ...(lineCount > maxFileLines ? [`${path}: ${lineCount} lines, at most ${maxFileLines}`] : []),
    ...functions
      .filter(found => found.lineCount > maxFunctionLines)
      .map(found => `${path}:${found.line}: ${found.name} has ${found.lineCount} lines, at most ${maxFunctionLines}`),
  ])
}

export function withoutOpening(sources: Source[]): string[] {
  return sources
    .filter(({ text }) => !/^(#![^\n]*\n)?(\/\/|\/\*)/.test(text))
    .map(({ path }) => `${path}: opens without a comment that says what it knows and what it must not know`)
}

export function badlyNamed(sources: Source[]): string[] {
  return sources.flatMap(({ path }) => {
    const parts = path.split('/').slice(1)
    const names = parts.filter(part => part !== 'src').map(part => part.replace(/\.ts$/, ''))
    const banned = names.filter(name => bannedNames.includes(name) || bannedEndings.test(name))
    const faults = banned.map(name => `${path}: "${name}" says nothing of what is inside`)
    const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/
    return names.every(name => kebab.test(name)) ? faults : [...faults, `${path}: names are kebab-case`]
  })
}

export function upOrSideways(sources: Source[]): string[] {
  return sources.flatMap(source =>
    source.imports
      .filter(target => !mayImport(source.path, target))
      .map(target => `${source.path}: must not import ${target}`),
  )
}

function mayImport(from: string, to: string): boolean {
  if (to === wireTypes) return true
  const [fromPackage, toPackage] = [packageOf(from), packageOf(to)]
  if (fromPackage !== toPackage) return false
  if (fromPackage !== 'server') return true
  const [here, there] = [roomOf(from), roomOf(to)]
  if (here === there) return true
  const [fromFloor, toFloor] = [floorOf(here), floorOf(there)]
  return fromFloor !== null && toFloor !== null && toFloor < fromFloor
}

function packageOf(path: string): string {
  return path.split('/')[0] ?? ''
}

/** The folder of server/src that a file is in, or the file itself where it stands beside them. */
function roomOf(path: string): string {
  const inside = path.replace('server/src/', '')
  return inside.includes('/') ? (inside.split('/')[0] ?? '') : 'the top'
}

function floorOf(room: string): number | null {
  return room === 'the top' ? 4 : (floors[room] ?? null)
}

export function withoutFloor(sources: Source[]): string[] {
  return sources
    .filter(({ path }) => path.startsWith('server/src/'))
    .filter(({ path }) => {
      const room = roomOf(path)
      const name = basename(path)
      return room === 'the top' ? !topFiles.includes(name) && !topPart.test(name) : floorOf(room) === null
    })
    .map(({ path }) => `${path}: no floor of the house has this`)
}

/** Each shortest way from a file back to itself, once, from its first file by name. */
export function inCycles(sources: Source[]): string[] {
  const imports = new Map(sources.map(({ path, imports }) => [path, imports]))
  const cycles = new Map<string, string[]>()
  for (const { path } of sources) {
    const cycle = shortestWayBack(path, imports)
    if (cycle === null) continue
    const [first = path] = [...cycle].sort()
    const at = cycle.indexOf(first)
    const rotated = [...cycle.slice(at), ...cycle.slice(0, at)]
    cycles.set(rotated.join(), rotated)
  }
  return [...cycles.values()].map(cycle => `cycle: ${[...cycle, cycle[0]].join(' → ')}`)
}

function shortestWayBack(start: string, imports: Map<string, string[]>): string[] | null {
  const seen = new Set<string>()
  let ways = [[start]]
  while (ways.length > 0) {
    const longer: string[][] = []
    for (const way of ways) {
      for (const next of imports.get(way.at(-1) ?? '') ?? []) {
        if (next === start) return way
        if (seen.has(next)) continue
        seen.add(next)
        longer.push([...way, next])
      }
    }
    ways = longer
  }
  return null
}

export function readingEnvironment(sources: Source[]): string[] {
  return sources
    .filter(({ path }) => path.startsWith('server/src/') && path !== 'server/src/config.ts')
    .flatMap(({ path, environmentReads }) =>
      environmentReads.map(line => `${path}:${line}: only config.ts reads the environment`),
    )
}

/** Folders of server/src, as `providers/protocols`. */
export function unnamedFolders(folders: string[], architecture: string): string[] {
  return folders
    .filter(folder => !architecture.includes(`\`${folder}/\``))
    .map(folder => `ARCHITECTURE.md does not name \`${folder}/\``)
}

export function unfinished(sources: Source[]): string[] {
  const words = /\b(TODO|FIXME|XXX)\b|@ts-(ignore|expect-error|nocheck)|biome-ignore/
  return sources.flatMap(({ path, markers, comments }) => [
    ...markers.map(({ line, word }) => `${path}:${line}: .${word} leaves tests out`),
    ...comments
      .filter(comment => words.test(comment.text))
      .map(comment => `${path}:${comment.line}: ${words.exec(comment.text)?.[0]} in a comment`),
  ])
}
