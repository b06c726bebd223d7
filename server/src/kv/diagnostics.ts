// The part of the store's contract for diagnostics: a project's rejected requests of the last 24 hours, counted by kind
// and detail.

export const diagnosticKinds = [
  'origin_rejected',
  'token_issuer_rejected',
  'token_audience_rejected',
  'token_key_rejected',
  'unknown_host',
  'unknown_tier',
  'api_key_as_token',
] as const

export type DiagnosticKind = (typeof diagnosticKinds)[number]

export interface DiagnosticCount {
  /** Without spaces. */
  kind: string
  /** Such as the rejected origin. */
  detail: string
  count: number
}

export interface Diagnostic extends DiagnosticCount {
  lastSeenAt: number
}

export interface Diagnostics {
  /** Keeps at most `maxDetailsOfHour` details an hour; further ones count as `otherDetails` of their kind. */
  addDiagnostics(projectId: string, counts: readonly DiagnosticCount[]): Promise<void>
  /** Returns those of the last 24 hours, latest first, at most `maxDiagnostics`. Counts include whole hours. */
  findDiagnostics(projectId: string): Promise<Diagnostic[]>
}

export const otherDetails = 'other'
export const maxDetailsOfHour = 50
const maxDiagnostics = 200
export const diagnosticHourMs = 3_600_000
export const diagnosticHours = 24

/** Adds up the entries of several hours, in any order. `name` is `<kind> <detail>`. */
export function sumDiagnostics(
  found: Iterable<{ name: string; count: number; lastSeenAt: number }>,
  now: number,
): Diagnostic[] {
  const sums = new Map<string, Diagnostic>()
  for (const { name, count, lastSeenAt } of found) {
    if (lastSeenAt < now - diagnosticHours * diagnosticHourMs) continue
    const sum = sums.get(name)
    const space = name.indexOf(' ')
    sums.set(name, {
      kind: name.slice(0, space),
      detail: name.slice(space + 1),
      count: count + (sum?.count ?? 0),
      lastSeenAt: Math.max(lastSeenAt, sum?.lastSeenAt ?? 0),
    })
  }
  const latestFirst = [...sums].sort(
    ([a, { lastSeenAt: one }], [b, { lastSeenAt: other }]) => other - one || (a < b ? -1 : 1),
  )
  return latestFirst.slice(0, maxDiagnostics).map(([, diagnostic]) => diagnostic)
}
