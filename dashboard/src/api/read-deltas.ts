// Reads the text of a streamed answer: the deltas of OpenAI's chat completion chunks, and an error in the stream.

interface Chunk {
  choices?: { delta?: { content?: string | null } }[]
  error?: { message?: string }
}

/** Ends early if the caller leaves its loop. */
export async function* readDeltas(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  for await (const data of readEvents(stream)) {
    if (data === '[DONE]') return
    const { choices, error }: Chunk = JSON.parse(data)
    if (error !== undefined) throw new Error(error.message ?? 'The answer ended with an error')
    const text = choices?.[0]?.delta?.content
    if (text) yield text
  }
}

async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = stream.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const lines = `${rest}${done ? '\n' : value}`.split(/\r?\n/)
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('data:')) yield line.slice(5).trimStart()
      if (done) return
    }
  } finally {
    await reader.cancel()
  }
}
