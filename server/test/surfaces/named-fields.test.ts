// Tests that `client_fields: known` knows each field, item and block that OpenAI's and Anthropic's own packages name:
// what they add must be kept here, or left out for a reason.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { withoutUnknownFields } from '../../src/domain/conversation/client-rules.ts'
import type { Prompt } from '../../src/domain/conversation/prompt.ts'
import type { WireFormat } from '../../src/domain/conversation/wire-format.ts'
import { Refusal } from '../../src/domain/errors.ts'
import { defaultSettings } from '../../src/domain/settings/settings.ts'
import { surfaces } from '../../src/surfaces/all-surfaces.ts'

const packages = new URL('../../../node_modules/', import.meta.url)
const textOf = (file: string) => readFileSync(new URL(`${file}.d.ts`, packages), 'utf8')
const openai = 'openai/resources'
const anthropic = '@anthropic-ai/sdk/resources/messages/messages'

/** The members' declarations of an interface, `Namespace.Name` if it is in one. */
function bodyOf(text: string, path: string): { body: string; indent: string } {
  const [name = '', namespace] = path.split('.').reverse()
  const indent = namespace === undefined ? '' : '    '
  const within = namespace === undefined ? text : text.slice(text.indexOf(`declare namespace ${namespace} {`))
  const pattern = `^${indent}(?:export )?interface ${name}(?: extends [^{]*)? \\{\\n(.*?)^${indent}\\}`
  const found = new RegExp(pattern, 'ms').exec(within)?.[1]
  if (found === undefined) throw new Error(`the package has no interface ${path}`)
  return { body: found.replaceAll(/\/\*.*?\*\//gs, ''), indent: `${indent}    ` }
}

function membersOf(file: string, name: string): string[] {
  const { body, indent } = bodyOf(textOf(file), name)
  return [...body.matchAll(new RegExp(`^${indent}(\\w+)\\??:`, 'gm'))].map(match => match[1] ?? '')
}

/** The values of `type` in a union of interfaces. */
function kindsOf(file: string, union: string): string[] {
  const text = textOf(file)
  const names = new RegExp(`^export type ${union} = ([^;]+);`, 'm').exec(text)?.[1]?.split(' | ') ?? []
  const kinds = names.map(name => {
    const { body, indent } = bodyOf(text, name)
    return new RegExp(`^${indent}type\\??: '(\\w+)'`, 'm').exec(body)?.[1]
  })
  return [...new Set(kinds.filter(kind => kind !== undefined))]
}

function endpointOf(pattern: string) {
  const endpoint = surfaces.flatMap(({ endpoints }) => endpoints).find(one => one.pattern === pattern)
  if (endpoint === undefined) throw new Error(`there is no ${pattern}`)
  return endpoint
}

/** The members of the schema at a path such as `text` or ``, as the OpenAPI document has them. */
function describedAt(pattern: string, field: string): string[] {
  const { request, schemas } = endpointOf(pattern).description
  const found = new Set<string>()
  const collect = (value: unknown, inField: boolean): void => {
    if (typeof value !== 'object' || value === null) return
    const { properties, anyOf = [], oneOf = [], allOf = [], $ref } = value as Record<string, unknown[]>
    if (typeof $ref === 'string') collect(schemas[String($ref).split('/').at(-1) ?? ''], inField)
    for (const one of [...anyOf, ...oneOf, ...allOf]) collect(one, inField)
    for (const [name, inner] of Object.entries(properties ?? {})) {
      if (inField) found.add(name)
      else if (name === field) collect(inner, true)
    }
  }
  collect(request.schema, field === '')
  return [...found]
}

/** Whether the field, or the member of a field, reaches the provider though this product does not read it. */
function passes(format: WireFormat, field: string, name: string): boolean {
  const members = { audio: 1, voice: 1, format: 1, type: 1, content: 1, ttl: 1, include_obfuscation: 1 }
  const value = field === '' ? { ...members, verbosity: 1, summary: 1, context: 1 } : { [name]: 1 }
  const extra = field === '' ? { [name]: value } : { [field]: value }
  const prompt = { format, messages: [], tools: [], extra } as unknown as Prompt
  const kept = withoutUnknownFields(prompt).extra[field === '' ? name : field]
  return kept !== undefined
}

const price = 'it changes the price'
const stores = 'it stores something at the provider'
const brings = 'it brings tools, models or instructions of the provider'
const refused = 'it is refused'
const identity = 'it names accounts of the operator at the provider'

const cases: readonly {
  path: string
  format: WireFormat
  /** Of the request's field; '' for the request itself. */
  field?: string
  file: string
  type: string
  omitted: Readonly<Record<string, string>>
}[] = [
  {
    path: '/v1/chat/completions',
    format: 'chat-completions',
    file: `${openai}/chat/completions/completions`,
    type: 'ChatCompletionCreateParamsBase',
    omitted: {
      function_call: refused,
      functions: refused,
      moderation: brings,
      service_tier: price,
      store: stores,
      web_search_options: brings,
    },
  },
  ...(['audio', 'prediction', 'stream_options'] as const).map(field => ({
    path: '/v1/chat/completions',
    format: 'chat-completions' as const,
    field,
    file: `${openai}/chat/completions/completions`,
    type: {
      audio: 'ChatCompletionAudioParam',
      prediction: 'ChatCompletionPredictionContent',
      stream_options: 'ChatCompletionStreamOptions',
    }[field],
    omitted: {},
  })),
  {
    path: '/v1/responses',
    format: 'responses',
    file: `${openai}/responses/responses`,
    type: 'ResponseCreateParamsBase',
    omitted: {
      access_programs: identity,
      background: refused,
      context_management: price,
      conversation: refused,
      image: brings,
      moderation: brings,
      prompt: refused,
      service_tier: price,
    },
  },
  {
    path: '/v1/responses',
    format: 'responses',
    field: 'text',
    file: `${openai}/responses/responses`,
    type: 'ResponseTextConfig',
    omitted: {},
  },
  {
    path: '/v1/responses',
    format: 'responses',
    field: 'reasoning',
    file: `${openai}/shared`,
    type: 'Reasoning',
    omitted: { mode: price },
  },
  {
    path: '/v1/embeddings',
    format: 'embeddings' as WireFormat,
    file: `${openai}/embeddings`,
    type: 'EmbeddingCreateParams',
    omitted: {},
  },
  {
    path: '/v1/messages',
    format: 'messages',
    file: anthropic,
    type: 'MessageCreateParamsBase',
    omitted: {
      container: brings,
      diagnostics: identity,
      inference_geo: price,
      service_tier: price,
      speed: price,
      user_profile_id: identity,
      workspace_id: identity,
    },
  },
  {
    path: '/v1/messages',
    format: 'messages',
    field: 'cache_control',
    file: anthropic,
    type: 'CacheControlEphemeral',
    omitted: {},
  },
  {
    path: '/v1/messages',
    format: 'messages',
    field: 'output_config',
    file: anthropic,
    type: 'OutputConfig',
    omitted: {},
  },
]

describe('fields', () => {
  test.each(cases.map(one => [one.type, one] as const))('%s', (type, { path, format, field = '', file, omitted }) => {
    const named = membersOf(file, type)
    expect(named.length).toBeGreaterThan(1)
    const read = new Set(describedAt(path, field))
    const unknown = named.filter(name => !read.has(name) && !passes(format, field, name))
    expect(unknown.filter(name => !Object.hasOwn(omitted, name))).toEqual([])
    // A reason for nothing misleads.
    expect(Object.keys(omitted).filter(name => !named.includes(name))).toEqual([])
  })
})

const omittedKinds: Readonly<Record<string, string>> = {
  additional_tools: brings,
  compaction_trigger: price,
  configuration_update: brings,
  item_reference: stores,
  program: brings,
  program_output: brings,
}

describe('items and blocks', () => {
  /** True as well if the fields of the item are missed: then it is read. */
  function isRead(pattern: string, kind: string): boolean {
    const item = { type: kind, role: 'user', content: 'x', id: 'a', call_id: 'a', name: 'f', input: {} }
    const said = { role: 'user', content: 'hello' }
    const body =
      pattern === '/v1/responses'
        ? { input: [said, item] }
        : { max_tokens: 9, messages: [said, { role: 'assistant', content: [item] }, said] }
    const rules = { ...defaultSettings('http://localhost'), client_fields: 'known' } as const
    try {
      const { prompt } = endpointOf(pattern)
        .estimate(body, Buffer.from(JSON.stringify(body)))
        .read(rules)
      return prompt.messages.length > (pattern === '/v1/responses' ? 1 : 2)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return true
    }
  }

  test.each([
    ['/v1/responses', `${openai}/responses/responses`, 'ResponseInputItem'],
    ['/v1/messages', anthropic, 'ContentBlockParam'],
  ])('%s', (pattern, file, union) => {
    const kinds = kindsOf(file, union)
    expect(kinds.length).toBeGreaterThan(10)
    expect(isRead(pattern, 'of_nobody')).toBe(false)
    const left = kinds.filter(kind => !isRead(pattern, kind))
    expect(left.filter(kind => !Object.hasOwn(omittedKinds, kind))).toEqual([])
  })
})
