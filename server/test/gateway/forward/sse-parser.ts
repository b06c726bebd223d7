// Parses an event stream as the HTML standard specifies for browsers: line ends, fields, dispatch on a blank line; an
// event without a blank line is dropped. Deliberately the simplest implementation.

export interface ParsedEvent {
  type: string
  data: string
}

export function parseEvents(bytes: Buffer): ParsedEvent[] {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  const events: ParsedEvent[] = []
  let data: string[] = []
  let type = ''
  for (const line of wholeLines(text)) {
    if (line === '') {
      if (data.length > 0) events.push({ type: type || 'message', data: data.join('\n') })
      data = []
      type = ''
      continue
    }
    if (line.startsWith(':')) continue
    const at = line.indexOf(':')
    const field = at < 0 ? line : line.slice(0, at)
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    if (field === 'event') type = value
  }
  return events
}

/** The lines with a line end; text after the last line end is not a line yet. */
function wholeLines(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/)
  lines.pop()
  return lines
}
