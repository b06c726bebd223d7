// Reads the data of server-sent events from a body, until it ends or the signal aborts.
export async function* readServerEvents(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncIterable<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const stop = () => void reader.cancel()
  signal.addEventListener('abort', stop, { once: true })
  let rest = ''
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const events = (rest + decoder.decode(read.value, { stream: true })).split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events) {
        const data = event.split('\n').flatMap(line => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []))
        if (data.length > 0) yield data.join('\n')
      }
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
