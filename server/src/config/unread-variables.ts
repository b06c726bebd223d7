// Finds environment variables that are probably meant for Sallyport, and that it does not read: misspelt ones, and the
// keys of providers under the names that their own clients read.
import { platformKeyVariable, providerSlugs } from '../domain/provider.ts'

export interface UnreadVariable {
  name: string
  /** What is read, and probably meant. */
  instead: string
}

/** Other programs hardly use these; they do use `AWS_`, `OTEL_`, `REDIS_` and the like. */
const ownPrefixes = /^(?:PLATFORM|BOOTSTRAP|UPSTREAM|ENCRYPTION|JWT|JWKS|SESSION|OUTBOUND|DNS|MINT)_/
/** Kubernetes sets these in each container, for a service named `dns` or the like. */
const ofKubernetes = /_SERVICE_HOST$|_(?:SERVICE_)?PORT(?:_.*)?$/
const nameShape = /^[A-Z][A-Z0-9_]{2,63}$/
const maxListed = 20

/** Those that begin like ours, and those that differ from a known name in at most two letters. */
export function findMisspelt(environment: Iterable<string>, known: readonly string[]): UnreadVariable[] {
  const found: UnreadVariable[] = []
  for (const name of environment) {
    const upper = name.toUpperCase()
    if (known.includes(name) || isReadInLowerCase(name) || !nameShape.test(upper)) continue
    const instead = findNear(upper, known)
    if (instead !== null) found.push({ name, instead })
  }
  return found.slice(0, maxListed)
}

const isReadInLowerCase = (name: string) => ['http_proxy', 'https_proxy', 'no_proxy'].includes(name)

function findNear(name: string, known: readonly string[]): string | null {
  const near = nearest(name, known, 2)
  // Two letters make any other word of a short name.
  if (near !== null && near.distance <= (near.name.length < 6 ? 1 : 2)) return near.name
  const [prefix] = ownPrefixes.exec(name) ?? []
  if (prefix === undefined || ofKubernetes.test(name)) return null
  const alike = known.filter(one => one.startsWith(prefix))
  return nearest(name, alike, Number.POSITIVE_INFINITY)?.name ?? null
}

/** Null if all differ in more letters than `most`. */
function nearest(name: string, known: readonly string[], most: number): { name: string; distance: number } | null {
  let best: { name: string; distance: number } | null = null
  for (const candidate of known) {
    // Each edit changes the length by one at most.
    const below = best?.distance ?? most + 1
    if (Math.abs(name.length - candidate.length) >= below) continue
    const distance = countEdits(name, candidate)
    if (distance < below) best = { name: candidate, distance }
  }
  return best
}

/** Letters that are added, left out, replaced, or exchanged with the next one. */
function countEdits(from: string, to: string): number {
  let [beforeLast, last]: number[][] = [[], Array.from({ length: to.length + 1 }, (_, index) => index)]
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const replaced = (last?.[column - 1] ?? 0) + (isSame ? 0 : 1)
      const added = Math.min(last?.[column] ?? 0, current[column - 1] ?? 0) + 1
      const isExchanged = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const exchanged = isExchanged ? (beforeLast?.[column - 2] ?? 0) + 1 : replaced
      current.push(Math.min(replaced, added, exchanged))
    }
    ;[beforeLast, last] = [last, current]
  }
  return last?.[to.length] ?? 0
}

/** The names under which the providers' own clients read a key. */
const clientKeys: ReadonlyMap<string, string> = new Map([
  ...providerSlugs.map(slug => [`${slug.toUpperCase()}_API_KEY`, platformKeyVariable(slug)] as const),
  ['GEMINI_API_KEY', platformKeyVariable('google')],
  ['CO_API_KEY', platformKeyVariable('cohere')],
])

/** Not those whose platform key is set, too. */
export function findClientKeys(environment: ReadonlySet<string>): UnreadVariable[] {
  const found = [...clientKeys].map(([name, instead]) => ({ name, instead }))
  return found.filter(({ name, instead }) => environment.has(name) && !environment.has(instead))
}
