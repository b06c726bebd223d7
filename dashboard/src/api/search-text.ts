// Reads texts out of the search part of an address.

export type GivenSearch = Record<string, unknown>

/** The router reads `?q=1` as a number, and `?q=true` as a boolean: a text may look like one. */
export const readText = (value: unknown): string => (value === undefined || value === null ? '' : String(value))

/** The fields of these names, without the empty ones. */
export function readTexts<Name extends string>(
  search: GivenSearch,
  names: readonly Name[],
): { [name in Name]?: string } {
  const fields = names.map(name => [name, readText(search[name])] as const)
  return Object.fromEntries(fields.filter(([, value]) => value !== '')) as { [name in Name]?: string }
}
