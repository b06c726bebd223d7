// Compares the names of fields as servers do that ignore letter case, such as those written in Go.

/** Equal for names that such a server takes for one: also with the long s and the Kelvin sign. */
export function foldName(name: string): string {
  return name.toUpperCase().toLowerCase()
}
