// Writes JSON as programs and load tests do: objects and lists whose names and values differ only in their numbers.

const pairs = [
  ['name', 'v'],
  ['key', 'value'],
  ['k', 'v'],
  ['field', 'x'],
  ['user', 'name'],
  ['item', 'i'],
  ['attr_', 'val_'],
  ['prop', 'p'],
  ['name', 'name'],
  ['a', 'b'],
] as const

type Row = (index: number) => Record<string, string | number | boolean>

const rows: readonly Row[] = [
  index => ({ id: index, name: `item${index}` }),
  index => ({ id: index, name: `user${index}`, email: `user${index}@example.com` }),
  index => ({ key: `key${index}`, value: `value${index}` }),
  index => ({ id: `id${index}`, type: 'node', label: `Node ${index}` }),
  index => ({ x: index, y: index * 2, name: `p${index}` }),
  index => ({ name: `name${index}`, age: index, city: `city${index}`, active: true }),
]

const lengths = [2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000] as const

function objectOf(name: string, value: string, length: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length }, (_, index) => [`${name}${index}`, `${value}${index}`]))
}

export function* numberedObjects(): Generator<string> {
  for (const length of lengths) {
    for (const [name, value] of pairs) yield JSON.stringify(objectOf(name, value, length))
    for (const row of rows) yield JSON.stringify(Array.from({ length }, (_, index) => row(index)))
  }
}
