// The endpoints by which usage is counted, by their names in the API.

const endpointNames: Readonly<Record<string, string>> = {
  chat_completions: 'Chat completions',
  responses: 'Responses',
  messages: 'Messages',
  count_tokens: 'Token counts',
  embeddings: 'Embeddings',
}

/** Those of which a model says whether it answers them. */
export const endpointsOfModels = ['chat_completions', 'responses', 'messages', 'embeddings'] as const

/** Its name in the API if this page is older than the server. */
export function nameOfEndpoint(endpoint: string): string {
  return endpointNames[endpoint] ?? endpoint
}
