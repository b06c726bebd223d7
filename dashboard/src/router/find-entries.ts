// Finds entries of the command menu by what is typed.

export interface Entry {
  group: string
  title: string
  /** A second text, such as the page of a section. */
  note?: string
  /** What else finds it. */
  words?: string
  path: string
}

export const maxOfGroup = 6

/** Every word of the text must be in the entry; at the beginning of its title it counts most. */
export function findEntries(entries: readonly Entry[], text: string): Entry[] {
  const wanted = text.split(/\s+/)
  return entries
    .map(entry => ({ entry, rank: rankOf(entry, text, wanted) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .slice(0, maxOfGroup)
    .map(({ entry }) => entry)
}

function rankOf({ title, note = '', words = '' }: Entry, text: string, wanted: readonly string[]): number {
  const name = title.toLowerCase()
  const all = ` ${name} ${note} ${words}`.toLowerCase()
  if (!wanted.every(word => all.includes(word))) return 0
  if (name.startsWith(text)) return 3
  return wanted.every(word => name.includes(word)) ? 2 : 1
}
