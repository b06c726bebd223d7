// Reads a streamed answer: the text and the usage in OpenAI's chat completion chunks, and an error in the stream.

interface Chunk {
  choices?: { delta?: { content?: string | null; tool_calls?: ToolCallDelta[] } }[]
  usage?: ChunkUsage | null
  error?: { message?: string }
}

/** A part of a tool call: its id and name come first, its arguments in pieces. */
export interface ToolCallDelta {
  index: number
  id?: string
  function?: { name?: string; arguments?: string }
}

export interface AnswerPiece {
  text: string
  toolCalls: readonly ToolCallDelta[]
  usage: ChunkUsage | null
}

export interface ChunkUsage {
  prompt_tokens: number
  completion_tokens: number
  prompt_tokens_details?: { cached_tokens?: number } | null
  completion_tokens_details?: { reasoning_tokens?: number } | null
}

/** Ends early if the caller leaves its loop. */
export async function* readDeltas(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  for await (const { text } of readAnswer(stream)) if (text !== '') yield text
}

/** The usage comes with the last piece, if the request asked for it. */
export async function* readAnswer(stream: ReadableStream<Uint8Array>): AsyncGenerator<AnswerPiece> {
  for await (const data of readEvents(stream)) {
    if (data === '[DONE]') return
    const { choices, usage, error }: Chunk = JSON.parse(data)
    if (error !== undefined) throw new Error(error.message ?? 'The answer ended with an error')
    const { content, tool_calls: toolCalls = [] } = choices?.[0]?.delta ?? {}
    yield { text: content ?? '', toolCalls, usage: usage ?? null }
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
