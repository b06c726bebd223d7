// The rules of the house as data and pure functions: each takes sources and returns what breaks it, one line a fault.
// Knows no file system; `tidy.test.ts` applies them to the checkout and to samples that break them.
import { endpointNames, operations } from '../../src/domain/conversation/operations.ts'
import type { Source } from './source.ts'

const maxFileLines = 300
const maxTestFileLines = 400
const maxFunctionLines = 60
const maxCommentWidth = 120
const maxProseWidth = 100

const bannedNames = ['utils', 'util', 'helpers', 'helper', 'types', 'manager', 'service', 'common', 'core', 'shared']
const bannedEndings = /-(utils?|helpers?|manager|service)$/

export function tooLong(sources: Source[]): string[] {
  return sources.flatMap(source => tooLongOf(source, maxFileLines, source.functions))
}

/** What only groups tests is not measured: it is a list of them, and as long as its file may be. */
export function tooLongTests(sources: Source[]): string[] {
  return sources.flatMap(source =>
    tooLongOf(
      source,
      maxTestFileLines,
      source.functions.filter(({ isGroup }) => !isGroup),
    ),
  )
}

function tooLongOf({ path, lineCount }: Source, maxLines: number, functions: Source['functions']): string[] {
  return [
    ...(lineCount > maxLines ? [`${path}: ${lineCount} lines, at most ${maxLines}`] : []),
    ...functions
      .filter(found => found.lineCount > maxFunctionLines)
      .map(found => `${path}:${found.line}: ${found.name} has ${found.lineCount} lines, at most ${maxFunctionLines}`),
  ]
}

/** Of comments alone: the formatter wraps code, and texts and tables in it may be longer. */
export function tooWideComments(sources: Source[]): string[] {
  return sources.flatMap(({ path, text, comments }) => {
    const lines = text.split('\n')
    return comments.flatMap(comment =>
      comment.text
        .split('\n')
        .map((_, index) => comment.line + index)
        .filter(line => [...(lines[line - 1] ?? '')].length > maxCommentWidth)
        .map(line => `${path}:${line}: a comment is wider than ${maxCommentWidth} characters`),
    )
  })
}

/** Exempt are tables, code (also one span alone in its line), HTML, and the targets of links. */
export function tooWideProse(pages: { path: string; text: string }[]): string[] {
  return pages.flatMap(({ path, text }) => {
    let isCode = false
    return text.split('\n').flatMap((line, index) => {
      const isFence = /^\s*```/.test(line)
      if (isFence) isCode = !isCode
      if (isFence || isCode || /^\s*(\||<|`[^`]*`[.,;:]?$)/.test(line)) return []
      const prose = line.replace(/\]\([^)]*\)/g, ']').replace(/https?:\/\/\S+/g, '')
      return [...prose].length > maxProseWidth ? [`${path}:${index + 1}: prose wraps at ${maxProseWidth}`] : []
    })
  })
}

export function withoutOpening(sources: Source[]): string[] {
  return sources
    .filter(({ text }) => !/^(#![^\n]*\n)?(\/\/|\/\*)/.test(text))
    .map(({ path }) => `${path}: opens without a comment that says what it knows and what it must not know`)
}

export function badlyNamed(sources: Source[]): string[] {
  return sources.flatMap(({ path }) => {
    const parts = path.split('/').slice(1)
    const names = parts.filter(part => part !== 'src').map(part => part.replace(/\.tsx?$/, ''))
    const banned = names.filter(name => bannedNames.includes(name) || bannedEndings.test(name))
    const faults = banned.map(name => `${path}: "${name}" says nothing of what is inside`)
    const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/
    return names.every(name => kebab.test(name)) ? faults : [...faults, `${path}: names are kebab-case`]
  })
}

/** Each shortest way from a file back to itself, once, from its first file by name. */
export function inCycles(sources: Source[]): string[] {
  const imports = new Map(sources.map(({ path, imports }) => [path, imports]))
  const cycles = new Map<string, string[]>()
  for (const { path } of sources) {
    const cycle = minWayBackLength(path, imports)
    if (cycle === null) continue
    const [first = path] = [...cycle].sort()
    const at = cycle.indexOf(first)
    const rotated = [...cycle.slice(at), ...cycle.slice(0, at)]
    cycles.set(rotated.join(), rotated)
  }
  return [...cycles.values()].map(cycle => `cycle: ${[...cycle, cycle[0]].join(' → ')}`)
}

function minWayBackLength(start: string, imports: Map<string, string[]>): string[] | null {
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

/** Or a folder, up to its last slash. */
const namedFile =
  /(?<![\w./-])(?:server|sdk|react|dashboard|cli|bench|docs|deploy|examples|guardrails-lab|python)\/[\w./-]+(?:\.(?:ts|tsx|js|md|json|sh|ya?ml|py)\b|\/)/g
/** Without the beginning of its path. */
const shortName = /`([\w./-]+\.tsx?)`/g
/** What a build or a person makes. */
const madeFile = /\/(?:dist|\.cache)\/|^deploy\/kubernetes\/secret\.yaml$/

/** A page that names a missing file misleads its reader. The changelog names what was there. */
export function missingFiles(
  pages: { path: string; text: string }[],
  sources: Pick<Source, 'path'>[],
  exists: (path: string) => boolean,
): string[] {
  const isSource = (name: string): boolean => sources.some(({ path }) => `/${path}`.endsWith(`/${name}`))
  return pages
    .filter(({ path }) => path !== 'CHANGELOG.md')
    .flatMap(({ path, text }) => {
      const named = [...text.matchAll(namedFile)].map(([name]) => name).filter(name => !madeFile.test(name))
      const short = [...text.matchAll(shortName)].map(([, name = '']) => name)
      const missing = [
        ...named.filter(name => !exists(name)),
        ...short.filter(name => !exists(name) && !isSource(name)),
      ]
      return [...new Set(missing)].map(name => `${path}: there is no ${name}`)
    })
}

export function readingEnvironment(sources: Source[]): string[] {
  return sources
    .filter(({ path }) => path.startsWith('server/src/') && path !== 'server/src/config/config.ts')
    .flatMap(({ path, environmentReads }) =>
      environmentReads.map(line => `${path}:${line}: only config/config.ts reads the environment`),
    )
}

/** Their lists have what this process registers, and are copied since they may change while they are read. */
const listsOfOurOwn = ['server/src/http/fast-lane/response.ts', 'server/src/sockets/end-of-turn-writes.ts']

/** What others send may be long: a copy for each item, or moving all items for each, would be quadratic. */
export function copyingWhatGrows(sources: Source[]): string[] {
  const ours = sources.filter(
    ({ path }) => path.startsWith('server/src/') && !path.includes('/collections/') && !listsOfOurOwn.includes(path),
  )
  return ours.flatMap(({ path, copies, shifts }) => [
    ...copies.map(line => `${path}:${line}: a list or object is copied to add to it; change it in place`),
    ...[...new Set(shifts)].map(line => `${path}:${line}: a loop takes the first of a list; use an index or RingQueue`),
  ])
}

/** The platform's own normal forms take quadratic time for many marks on one character. */
export function normalisingElsewhere(sources: Source[]): string[] {
  return sources
    .filter(({ path, text }) => path.startsWith('server/src/') && /\.normalize\(/.test(text))
    .filter(({ path }) => path !== 'server/src/domain/normal-form.ts')
    .map(({ path }) => `${path}: only domain/normal-form.ts calls normalize()`)
}

const operationWord = `'(?:${[...Object.keys(operations), ...endpointNames].join('|')})'`
const comparedWord = new RegExp(
  `([\\w.?#()[\\]]+) [!=]== ${operationWord}|${operationWord} [!=]== ([\\w.?#]+)|case ${operationWord}:`,
)

/**
 * What an operation or an endpoint is like stands in its row: a file that asks for its name would have to be found again
 * for the next one. A wire format may have the name of an endpoint.
 */
export function comparingOperations(sources: Source[]): string[] {
  return sources
    .filter(({ path }) => path.startsWith('server/src/'))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) => {
        const [found, before, after] = comparedWord.exec(line) ?? []
        if (found === undefined || /format$/i.test(before ?? after ?? '')) return []
        return [`${path}:${index + 1}: ${found} belongs into domain/conversation/operations.ts`]
      }),
    )
}

/**
 * Test files share processes, so a helper is loaded once for many of them: a hook at its top level would run for the
 * first of them alone.
 */
export function hooksOfHelpers(sources: Source[]): string[] {
  return sources
    .filter(({ path }) => !path.endsWith('.test.ts'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^(?:before|after)(?:Each|All)\(/gm)].map(() => `${path}: a hook outside a function`),
    )
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
