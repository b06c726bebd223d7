// The endpoints that answer a body: their names, as usage reports them, and what they do with a prompt.

export const endpointNames = ['chat_completions', 'responses', 'messages', 'count_tokens', 'embeddings'] as const

export type EndpointName = (typeof endpointNames)[number]

/** Let a model answer the prompt, count its tokens, or turn each of its messages into a vector. */
export type Operation = 'generate' | 'count' | 'embed'
