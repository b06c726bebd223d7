// The rules about floors and rooms as data and pure functions: which folder may import which, how many files one may
// hold. Knows no file system; `tidy.test.ts` applies them to the checkout and to samples that break them.
import { basename, dirname } from 'node:path'
import type { Source } from './source.ts'

const maxFilesInRoom = 24

/** The level of each floor of server/src. Imports go to a lower level, or to a neighbour that ARCHITECTURE.md lists. */
const levels: Record<string, number> = {
  domain: 0,
  collections: 1,
  crypto: 1,
  files: 1,
  http: 1,
  log: 1,
  outbound: 1,
  sockets: 1,
  call: 2,
  storage: 2,
  kv: 2,
  providers: 2,
  surfaces: 2,
  guardrails: 2,
  telemetry: 2,
  oidc: 2,
  meters: 2,
  dns: 2,
  gateway: 3,
  inference: 3,
  management: 3,
  pages: 3,
  worker: 3,
  demo: 3,
  config: 4,
  start: 4,
  openapi: 4,
  processes: 4,
  commands: 4,
}
const topLevel = 4
const topFiles = ['main.ts', 'app.ts']
/** What every package may import types from. */
const wireTypes = 'sdk/src/wire.ts'
/** The dashboard names the providers as the server does. */
const providerTable = 'server/src/domain/provider.ts'

/** From a room to its neighbours, both as `gateway/admission`. */
export type Neighbours = Map<string, Set<string>>

/** Reads the rows `| `room` | `neighbour`, `neighbour` |` of ARCHITECTURE.md. */
export function readNeighbours(architecture: string): Neighbours {
  const neighbours: Neighbours = new Map()
  for (const [, room, list] of architecture.matchAll(/^\| `([a-z0-9/-]+)` \| ((?:`[a-z0-9/-]+`(?:, )?)+) \|$/gm)) {
    if (room === undefined || list === undefined) continue
    neighbours.set(room, new Set([...list.matchAll(/`([^`]+)`/g)].map(match => match[1] ?? '')))
  }
  return neighbours
}

export function upOrSideways(sources: Source[], neighbours: Neighbours): string[] {
  return sources.flatMap(source =>
    source.imports
      .filter(target => !mayImport(source.path, target, neighbours))
      .map(target => `${source.path}: must not import ${target}`),
  )
}

function mayImport(from: string, to: string, neighbours: Neighbours): boolean {
  if (to === wireTypes) return true
  const [fromPackage, toPackage] = [packageOf(from), packageOf(to)]
  // The rules of the product are pure, and the command line checks files by them.
  if (fromPackage === 'cli' && to.startsWith('server/src/domain/')) return true
  if (fromPackage === 'dashboard' && to === providerTable) return true
  if (fromPackage !== toPackage) return false
  if (fromPackage !== 'server') return true
  const [here, there] = [roomOf(from), roomOf(to)]
  if (isSameOrNested(here, there)) return true
  const [fromLevel, toLevel] = [levelOf(here), levelOf(there)]
  if (fromLevel === null || toLevel === null) return false
  return toLevel < fromLevel || neighbours.get(here)?.has(there) === true
}

/** A floor's own files and its rooms may import each other; so may a room and the rooms inside it. */
function isSameOrNested(here: string, there: string): boolean {
  if (here === '' || there === '') return levelOf(here) === topLevel && levelOf(there) === topLevel
  return here === there || here.startsWith(`${there}/`) || there.startsWith(`${here}/`)
}

/** Listed neighbours that nothing imports, and neighbours that import each other in a circle. */
export function wrongNeighbours(sources: Source[], neighbours: Neighbours): string[] {
  const used = new Set(
    sources.flatMap(({ path, imports }) => imports.map(target => `${roomOf(path)} > ${roomOf(target)}`)),
  )
  const listed = [...neighbours].flatMap(([room, others]) => [...others].map(other => ({ room, other })))
  return [
    ...listed
      .filter(({ room, other }) => !used.has(`${room} > ${other}`))
      .map(({ room, other }) => `ARCHITECTURE.md lists ${room} > ${other}, which nothing imports`),
    ...listed
      .filter(({ room, other }) => reaches(other, room, neighbours))
      .map(({ room, other }) => `ARCHITECTURE.md lists ${room} > ${other}, and a way back`),
  ]
}

function reaches(from: string, to: string, neighbours: Neighbours, seen = new Set<string>()): boolean {
  if (from === to) return true
  if (seen.has(from)) return false
  seen.add(from)
  return [...(neighbours.get(from) ?? [])].some(next => reaches(next, to, neighbours, seen))
}

export function overfullRooms(sources: Source[]): string[] {
  const counts = new Map<string, number>()
  for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  return [...counts]
    .filter(([, count]) => count > maxFilesInRoom)
    .map(([folder, count]) => `${folder}: ${count} files, at most ${maxFilesInRoom}`)
}

export function withoutFloor(sources: Source[]): string[] {
  return sources
    .filter(({ path }) => path.startsWith('server/src/'))
    .filter(({ path }) => {
      const room = roomOf(path)
      return room === '' ? !topFiles.includes(basename(path)) : levelOf(room) === null
    })
    .map(({ path }) => `${path}: no floor of the house has this`)
}

/** Exported names of types: two of one name on one level are told apart only by their path. */
export function repeatedTypeNames(sources: Source[]): string[] {
  const places = new Map<string, string[]>()
  for (const { path, exportedTypes } of sources.filter(({ path }) => path.startsWith('server/src/'))) {
    for (const name of exportedTypes) {
      const key = `${levelOf(roomOf(path))} ${name}`
      places.set(key, [...(places.get(key) ?? []), path])
    }
  }
  return [...places]
    .filter(([, paths]) => paths.length > 1)
    .map(([key, paths]) => `${key.split(' ')[1]} is exported by ${paths.join(' and ')}`)
}

/** Only `http/` knows which of the two readers a request came from, and frames bodies. */
export function reachingIntoHttp(sources: Source[]): string[] {
  const inside = /\binstanceof (?:FastLane|Runtime)Request\b|\.chunkedEncoding\b/
  return sources
    .filter(({ path }) => path.startsWith('server/src/') && !path.startsWith('server/src/http/'))
    .flatMap(({ path, text }) => {
      const found = inside.exec(text)
      return found === null ? [] : [`${path}: ${found[0]} belongs to http/`]
    })
}

/** Folders of server/src, as `providers/protocols`. */
export function unnamedFolders(folders: string[], architecture: string): string[] {
  return folders
    .filter(folder => !architecture.includes(`\`${folder}/\``))
    .map(folder => `ARCHITECTURE.md does not name \`${folder}/\``)
}

function packageOf(path: string): string {
  return path.split('/')[0] ?? ''
}

/** The folder of a file below server/src, empty for the files beside the folders. */
function roomOf(path: string): string {
  const folder = dirname(path.replace('server/src/', ''))
  return folder === '.' ? '' : folder
}

function levelOf(room: string): number | null {
  return room === '' ? topLevel : (levels[room.split('/')[0] ?? ''] ?? null)
}
