// Reads requests out of bytes by the grammar of RFC 9112 alone, without any tolerance: what a reader in front of ours
// may take them for. It stops at the first thing that is no request. Knows nothing of the product.

export interface ReadRequest {
  method: string
  target: string
  body: string
}

const requestLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([\x21-\x7e\x80-\xff]+) HTTP\/1\.([01])\r\n/
const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*\r\n/
const chunkLine = /^([0-9A-Fa-f]+)(?:;[\t\x20-\x7e\x80-\xff]*)?\r\n/

/**
 * What the runtime's parser takes and the grammar does not, with the same text as the grammar wants it. None of them
 * changes where a request begins or ends.
 */
const tolerances: Array<[name: string, found: RegExp, strict: string]> = [
  ['line ends in front', /^[\r\n]+/, ''],
  ['spaces in the request line', /^(\S+) +(\S+) +(\S+\r\n)/, '$1 $2 $3'],
  ['RTSP in place of HTTP', /^(\S+ \S+) RTSP\//, '$1 HTTP/'],
]

/** `used` gets the names of the tolerances without which the text would have ended earlier. */
export function readStrictly(text: string, used = new Set<string>()): ReadRequest[] {
  const requests: ReadRequest[] = []
  for (let rest = text; ; ) {
    for (const [name, found, strict] of tolerances) {
      const changed = rest.replace(found, strict)
      if (changed !== rest) used.add(name)
      rest = changed
    }
    const read = readOne(rest)
    if (read === null) return requests
    requests.push(read.request)
    rest = read.rest
  }
}

function readOne(text: string): { request: ReadRequest; rest: string } | null {
  const line = requestLine.exec(text)
  const fields = line === null ? null : readFields(text.slice(line[0].length))
  if (line === null || fields === null) return null
  const [, method = '', target = '', minor] = line
  const framing = fields.all.filter(([name]) => name === 'content-length' || name === 'transfer-encoding')
  if (framing.length > 1) return null
  const [name, value = ''] = framing[0] ?? []
  const made = (body: string, rest: string) => ({ request: { method, target, body }, rest })
  if (name === undefined) return made('', fields.rest)
  if (name === 'content-length') {
    const length = /^[0-9]{1,15}$/.test(value) ? Number(value) : Number.POSITIVE_INFINITY
    return length > fields.rest.length ? null : made(fields.rest.slice(0, length), fields.rest.slice(length))
  }
  const chunks = value.toLowerCase() === 'chunked' && minor === '1' ? readChunks(fields.rest) : null
  return chunks === null ? null : made(chunks.body, chunks.rest)
}

function readFields(text: string): { all: [name: string, value: string][]; rest: string } | null {
  const all: [string, string][] = []
  for (let rest = text; ; ) {
    if (rest.startsWith('\r\n')) return { all, rest: rest.slice(2) }
    const found = field.exec(rest)
    if (found === null) return null
    const [whole, name = '', value = ''] = found
    all.push([name.toLowerCase(), value])
    rest = rest.slice(whole.length)
  }
}

function readChunks(text: string): { body: string; rest: string } | null {
  let body = ''
  for (let rest = text; ; ) {
    const line = chunkLine.exec(rest)
    if (line === null) return null
    const size = Number.parseInt(line[1] ?? '', 16)
    rest = rest.slice(line[0].length)
    if (size === 0) {
      const trailers = readFields(rest)
      return trailers === null ? null : { body, rest: trailers.rest }
    }
    if (rest.slice(size, size + 2) !== '\r\n') return null
    body += rest.slice(0, size)
    rest = rest.slice(size + 2)
  }
}
