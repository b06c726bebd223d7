// The page's side of the browser tests: the official clients, each in the few ways that an application uses it. Runs in
// the browser; everything that goes in or comes out is plain data.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { ChatOpenAI } from '@langchain/openai'
import { aiSdkOptions, anonymousTokens, createSallyport, createTokenProvider, openaiOptions } from '@sallyport/sdk'
import { generateText, jsonSchema, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { weatherTool } from '../weather-tool.ts'

/** What an application gets from its server. */
export interface Target {
  baseURL: string
  token: string
  model: string
}

interface Client {
  ask(target: Target, content: string): Promise<string>
  stream(target: Target, signal?: AbortSignal): AsyncIterable<string>
  /** The calls of a streamed answer. */
  askForTools(target: Target): Promise<{ name: string; arguments: unknown }[]>
}

const question = 'Hello'
const messages = [{ role: 'user' as const, content: question }]
const openaiTool = { type: 'function' as const, function: weatherTool }

/** What the SDK takes of a target. */
const sdkOptionsOf = ({ baseURL, token }: Target) => ({ baseUrl: baseURL, tokenProvider: () => token })

type OpenAiSettings = ConstructorParameters<typeof OpenAI>[0]

function createOpenAi(settingsOf: (target: Target) => OpenAiSettings): Client {
  const open = (target: Target) => new OpenAI({ ...settingsOf(target), maxRetries: 0 }).chat.completions
  return {
    async ask(target, content) {
      const request = { model: target.model, messages: [{ role: 'user' as const, content }] }
      return (await open(target).create(request)).choices[0]?.message.content ?? ''
    },
    async *stream(target, signal) {
      const request = { model: target.model, messages, stream: true } as const
      for await (const chunk of await open(target).create(request, { signal }))
        yield chunk.choices[0]?.delta.content ?? ''
    },
    async askForTools(target) {
      const stream = open(target).stream({ model: target.model, messages, tools: [openaiTool] })
      const calls = (await stream.finalChatCompletion()).choices[0]?.message.tool_calls ?? []
      return calls.flatMap(call =>
        call.type === 'function' ? [{ name: call.function.name, arguments: JSON.parse(call.function.arguments) }] : [],
      )
    },
  }
}

const openai = createOpenAi(({ baseURL, token }) => ({ baseURL, apiKey: token, dangerouslyAllowBrowser: true }))
const openaiWithSdk = createOpenAi(target => openaiOptions(sdkOptionsOf(target)))

const aiSdkTools = { get_weather: tool({ inputSchema: jsonSchema<{ city: string }>({ ...weatherTool.parameters }) }) }

function createAiSdk(settingsOf: (target: Target) => Parameters<typeof createOpenAICompatible>[0]): Client {
  const requestTo = (target: Target, prompt: string) => {
    return { model: createOpenAICompatible(settingsOf(target))(target.model), prompt, maxRetries: 0 }
  }
  return {
    async ask(target, content) {
      return (await generateText(requestTo(target, content))).text
    },
    async *stream(target, abortSignal) {
      // The default handler would log what is thrown below.
      const onError = () => undefined
      for await (const part of streamText({ ...requestTo(target, question), abortSignal, onError }).fullStream) {
        if (part.type === 'text-delta') yield part.text
        else if (part.type === 'error') throw part.error
        else if (part.type === 'abort') throw new DOMException('aborted', 'AbortError')
      }
    },
    async askForTools(target) {
      const { toolCalls } = streamText({ ...requestTo(target, question), tools: aiSdkTools })
      return (await toolCalls).map(call => ({ name: call.toolName, arguments: call.input }))
    },
  }
}

const aiSdk = createAiSdk(({ baseURL, token }) => ({ name: 'sallyport', baseURL, apiKey: token, includeUsage: true }))
const aiSdkWithSdk = createAiSdk(target => aiSdkOptions(sdkOptionsOf(target)))

const langchainOf = ({ baseURL, token, model }: Target) =>
  new ChatOpenAI({ model, apiKey: token, maxRetries: 0, configuration: { baseURL, dangerouslyAllowBrowser: true } })

const langchain: Client = {
  async ask(target, content) {
    return (await langchainOf(target).invoke(content)).text
  },
  async *stream(target, signal) {
    for await (const chunk of await langchainOf(target).stream(question, { signal })) yield chunk.text
  },
  async askForTools(target) {
    const stream = await langchainOf(target).bindTools([openaiTool]).stream(question)
    const [first, ...rest] = await Array.fromAsync(stream)
    const whole = rest.reduce((sum, chunk) => sum?.concat(chunk), first)
    return (whole?.tool_calls ?? []).map(call => ({ name: call.name, arguments: call.args }))
  },
}

const clients = { openai, openaiWithSdk, aiSdk, aiSdkWithSdk, langchain }
export type ClientName = keyof typeof clients

/** The stream that is open now. */
const open = { pieces: [] as string[], controller: new AbortController() }

const pageFunctions = {
  ask: (client: ClientName, target: Target, content = question) => outcomeOf(clients[client].ask(target, content)),

  askForTools: (client: ClientName, target: Target) => outcomeOf(clients[client].askForTools(target)),

  /** Ends with all pieces; `shownPieces` has those that came so far, as a chat window would show them. */
  stream(client: ClientName, target: Target) {
    open.pieces = []
    open.controller = new AbortController()
    return outcomeOf(showPieces(clients[client].stream(target, open.controller.signal)))
  },
  shownPieces: () => open.pieces,
  abort: () => open.controller.abort(),

  /** Asks with the first of these tokens that the gateway takes. */
  askWithTokens({ baseURL, model }: Target, tokens: string[]) {
    const tokenProvider = createTokenProvider(() => ({ token: tokens.shift() ?? '', ttl: 600 }))
    const client = new OpenAI(openaiOptions({ baseUrl: baseURL, tokenProvider, sessionId: 'from-a-page' }))
    return outcomeOf(client.chat.completions.create({ model, messages }).then(({ choices }) => choices.length))
  },
  /** A token for a proof of work. */
  proveWork: ({ baseURL }: Target) => outcomeOf(anonymousTokens({ baseUrl: baseURL })()),

  /** The user leaves as soon as the page calls `leave`. */
  giveUpWork({ baseURL }: Target) {
    const leaving = new AbortController()
    Object.assign(globalThis, { leave: () => leaving.abort(new Error('The user left')) })
    return outcomeOf(anonymousTokens({ baseUrl: baseURL, signal: leaving.signal })())
  },
  /** The error of an API key where this script runs. */
  useApiKey: () => outcomeOf(Promise.resolve().then(createWithKey)),

  /** A bare request, and all that the page may read of its answer. */
  fetch: (url: string, init: RequestInit) => outcomeOf(readAnswer(url, init)),
}
export type ClientPage = typeof pageFunctions

Object.assign(globalThis, { pageFunctions })

function createWithKey() {
  return Object.keys(createSallyport({ baseUrl: 'http://localhost', apiKey: 'service_sk_live_0011' }))
}

async function showPieces(pieces: AsyncIterable<string>): Promise<string[]> {
  for await (const piece of pieces) if (piece !== '') open.pieces.push(piece)
  return open.pieces
}

async function readAnswer(url: string, init: RequestInit) {
  const response = await fetch(url, init)
  const headers: Record<string, string> = Object.fromEntries([...response.headers])
  return { status: response.status, headers, text: await response.text() }
}

type Outcome<Value> = { value: Value } | { error: { name: string; message: string; status: number | null } }

/** An error with what applications show of it, as plain data. */
async function outcomeOf<Value>(promise: Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { value: await promise }
  } catch (error) {
    const { name, message, status, statusCode } = error as Error & { status?: number; statusCode?: number }
    return { error: { name, message, status: status ?? statusCode ?? null } }
  }
}
