// Keeps what was found out about a text, for the few texts that come again and again.
// Forgets all at once when they become too many, so that made-up ones cost memory only up to a bound.

const mostTexts = 5_000
const longestText = 256

export function remember<T>(find: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return text => {
    const remembered = known.get(text)
    if (remembered !== undefined) return remembered
    const found = find(text)
    if (text.length > longestText) return found
    if (known.size >= mostTexts) known.clear()
    known.set(text, found)
    return found
  }
}
