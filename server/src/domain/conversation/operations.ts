// What endpoints do with a request, one row for each operation, and the endpoints, one row each. All other files read
// the rows: none compares the name of an operation or endpoint.

export interface OperationRow {
  /** The body of its requests, by the reader that `http/read-body.ts` has for it. */
  readonly bodyKind: BodyKind
  /** Its tokens count against the limits of requests, and are reserved before a provider is called. */
  readonly reservesTokens: boolean
  /** It costs money: the amount is reserved from the budgets in force. */
  readonly chargesMoney: boolean
  /** It continues a conversation, which then keeps the request's messages and the answer. */
  readonly remembers: boolean
  /** Its answers may come from the cache. */
  readonly caches: boolean
  /** Its answer is text: masked values are restored in it, and guardrails scan it. */
  readonly scansAnswer: boolean
  readonly getsSystemPrompt: boolean
  /** The gateway estimates the answer if the provider has none. */
  readonly isEstimated: boolean
  /** Results of two models cannot be compared: another model never takes the place of the one that is named. */
  readonly needsNamedModel: boolean
  /** Chat models do it. A model does anything else only if the registry says so. */
  readonly isOfChatModels: boolean
  /** In traces and OTLP metrics, by OpenTelemetry's conventions if they have a name. */
  readonly telemetryName: string
  /** In the metrics of requests. */
  readonly routeClass: 'completions' | 'embeddings'
}

export type BodyKind = 'json'

export const operations = named({
  /** Lets a model answer a prompt. */
  generate: {
    bodyKind: 'json',
    reservesTokens: true,
    chargesMoney: true,
    remembers: true,
    caches: true,
    scansAnswer: true,
    getsSystemPrompt: true,
    isEstimated: false,
    needsNamedModel: false,
    isOfChatModels: true,
    telemetryName: 'chat',
    routeClass: 'completions',
  },
  /** Counts a prompt's tokens. */
  count: {
    bodyKind: 'json',
    reservesTokens: false,
    chargesMoney: false,
    remembers: false,
    caches: false,
    scansAnswer: false,
    getsSystemPrompt: true,
    isEstimated: true,
    needsNamedModel: false,
    isOfChatModels: true,
    // The conventions have no name for it.
    telemetryName: 'count_tokens',
    routeClass: 'completions',
  },
  /** Turns each message of a prompt into a vector. */
  embed: {
    bodyKind: 'json',
    reservesTokens: true,
    chargesMoney: true,
    remembers: false,
    caches: true,
    scansAnswer: false,
    getsSystemPrompt: false,
    isEstimated: false,
    needsNamedModel: true,
    isOfChatModels: false,
    telemetryName: 'embeddings',
    routeClass: 'embeddings',
  },
} satisfies Record<string, OperationRow>)

export type OperationName = keyof typeof operations
export type Operation = OperationRow & { readonly name: OperationName }

/** By their names in reports of usage. */
export const endpoints = named({
  chat_completions: {
    pattern: '/v1/chat/completions',
    operation: operations.generate,
    /** What a model's entry in the registry lists if the model can answer it. */
    modelSurface: 'chat_completions',
    wireFormat: 'chat-completions',
  },
  responses: {
    pattern: '/v1/responses',
    operation: operations.generate,
    modelSurface: 'responses',
    wireFormat: 'responses',
  },
  messages: {
    pattern: '/v1/messages',
    operation: operations.generate,
    modelSurface: 'messages',
    wireFormat: 'messages',
  },
  count_tokens: {
    pattern: '/v1/messages/count_tokens',
    operation: operations.count,
    modelSurface: 'messages',
    wireFormat: 'messages',
  },
  embeddings: {
    pattern: '/v1/embeddings',
    operation: operations.embed,
    modelSurface: 'embeddings',
    wireFormat: 'embeddings',
  },
} as const)

export type EndpointName = keyof typeof endpoints
export type EndpointRow = (typeof endpoints)[EndpointName]
export const endpointRows: readonly EndpointRow[] = Object.values(endpoints)
export const endpointNames = Object.keys(endpoints) as EndpointName[]

/** Each row with its own name. */
function named<const Rows extends Record<string, object>>(
  rows: Rows,
): { readonly [Name in keyof Rows]: Rows[Name] & { readonly name: Name } } {
  const entries = Object.entries(rows).map(([name, row]) => [name, { name, ...row }])
  return Object.fromEntries(entries)
}
